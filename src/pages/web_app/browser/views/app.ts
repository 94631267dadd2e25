// The frame of the app: four tabs, a list with details, and notices above them. A playing alert is shown there and can
// be stopped. An alert for the whole screen covers everything until the person responds.

import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { showDueReminders } from "../alert_effects.ts";
import { updateAppState, useAppState } from "../app_state.ts";
import { rejoinChannels } from "../channel_actions.ts";
import { now as clock } from "../current_time.ts";
import { wasStoreEmptied } from "../device.ts";
import { html } from "../html_template.ts";
import { PLAYBACK_PROBLEM_PLACEHOLDERS, type RingState, stopRinging, watchRingState } from "../outputs/alert_player.ts";
import { showUnreadCount } from "../outputs/badge.ts";
import { recordReadOrAck } from "../reports.ts";
import { type AppRoute, routeHashes, useRoute } from "../router.ts";
import { arrangeInbox } from "../rules/current_alerts_and_history.ts";
import { formatList, getLocalizedLanguageName } from "../texts/formats.ts";
import { t } from "../texts/translate.ts";
import { AlertCardHeader, AlertFacts } from "./alert_card.ts";
import { LinkedText } from "./alert_text.ts";
import { AlertView } from "./alert_view.ts";
import { ChannelDirectory, FollowedChannelList } from "./channel_lists.ts";
import { ChannelView } from "./channel_view.ts";
import { type AppIconName, NoteStrip, renderSymbolIcon, StatusMessage, tryAction } from "./components.ts";
import { LinkOwnerView, ReceiveTransferView } from "./device_transfer_and_owner.ts";
import { InboxList, NothingSelectedPane } from "./inbox_list.ts";
import { MarkupFramePreloader } from "./markup_frame.ts";
import { SettingsView } from "./settings.ts";
import { SettingsSectionLinks } from "./settings_section_links.ts";
import { UndoToast } from "./undo_toast.ts";

const TABS = [
  { view: "inbox", to: routeHashes.inbox, name: "nav.inbox", sign: "inbox" },
  { view: "channels", to: routeHashes.channels, name: "nav.channels", sign: "channels" },
  { view: "discover", to: routeHashes.discover, name: "nav.discover", sign: "search" },
  { view: "settings", to: routeHashes.settings, name: "nav.settings", sign: "settings" },
] as const satisfies { view: string; to: string; name: string; sign: AppIconName }[];

type Tab = (typeof TABS)[number]["view"];

const TAB_OF: Record<AppRoute["view"], Tab> = {
  inbox: "inbox",
  alert: "inbox",
  channels: "channels",
  channel: "channels",
  discover: "discover",
  found: "discover",
  settings: "settings",
  join: "discover",
  move: "settings",
  own: "settings",
};

/** The contents of the list and of the details next to it. */
function panes(route: AppRoute): { list: VNode; chosen: VNode | null } {
  const handle = "handle" in route ? route.handle : null;
  const settings = route.view === "channel" && route.settings;
  const channel = (back: string) =>
    handle && html`<${ChannelView} key=${handle} handle=${handle} back=${back} settings=${settings} />`;
  const inbox = html`<${InboxList} key="inbox" chosen=${route.view === "alert" ? route.id : null} />`;
  const sections = html`<${SettingsSectionLinks} />`;
  switch (route.view) {
    case "inbox":
      return { list: inbox, chosen: null };
    case "alert":
      return { list: inbox, chosen: html`<${AlertView} key=${route.id} id=${route.id} />` };
    case "channels":
    case "channel":
      return { list: html`<${FollowedChannelList} chosen=${handle} />`, chosen: channel(routeHashes.channels) || null };
    case "discover":
    case "found":
      return { list: html`<${ChannelDirectory} chosen=${handle} />`, chosen: channel(routeHashes.discover) || null };
    case "join": {
      const view = html`<${ChannelView} key=${handle} handle=${handle} invite=${route.invite}
        back=${routeHashes.inbox} />`;
      return { list: inbox, chosen: view };
    }
    case "move": {
      const { code, seen } = route;
      return { list: sections, chosen: html`<${ReceiveTransferView} key=${code} code=${code} seen=${seen} />` };
    }
    case "own":
      return { list: sections, chosen: html`<${LinkOwnerView} key=${route.code} code=${route.code} />` };
    case "settings":
      return { list: sections, chosen: html`<${SettingsView} />` };
  }
}

/** A timer takes no more. */
const LONGEST_MS = 2 ** 31 - 1000;

export function App(): VNode {
  const route = useRoute();
  const { alerts, channels, at: now, said } = useAppState();
  const stood = useRef(said);
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  const { list, chosen } = panes(route);
  const { spotlight, next_change_at } = arrangeInbox(alerts, now);
  const unread = alerts.filter(({ read_at }) => read_at === null).length;
  const wanted = spotlight.filter(({ read_at }) => read_at === null).length;
  const where = JSON.stringify(route);
  const choosesChannel = route.view === "channels" && channels.size > 0;
  const onePane = list.type === InboxList ? alerts.length === 0 : !chosen && !choosesChannel;

  useEffect(() => {
    if (next_change_at === null) return;
    const timer = setTimeout(
      () => {
        updateAppState({ at: clock() });
        void showDueReminders();
      },
      Math.min(LONGEST_MS, next_change_at - clock()) + 50,
    );
    return () => clearTimeout(timer);
  }, [next_change_at, now]);
  useEffect(() => showUnreadCount(wanted, `${t(`nav.${TAB_OF[route.view]}`)} · ${t("app.name")}`), [wanted, where]);
  useEffect(() => {
    // Messages about the navigation stay; those of the previous view are removed.
    if (said === stood.current) updateAppState({ said: null });
    if (first.current) {
      first.current = false;
      return;
    }
    // Moves the focus of screen readers and keyboards to the start of the selection.
    const pane = main.current?.querySelector(chosen ? ".chosen" : ".list");
    pane?.scrollTo?.({ top: 0 });
    if (chosen) scrollTo({ top: 0 });
    pane?.querySelector("h1")?.focus({ preventScroll: true });
  }, [where]);
  useEffect(() => {
    stood.current = said;
  }, [said]);

  return html`<div class=${`app ${chosen ? "withchosen" : ""} ${onePane ? "onepane" : ""}`}>
    <a class="skip" href="#main" onClick=${(event: Event) => {
      event.preventDefault();
      main.current?.focus();
    }}>${t("app.skip")}</a>
    <${Tabs} tab=${TAB_OF[route.view]} unread=${unread} />
    <main id="main" tabindex="-1" ref=${main}>
      <div class="strips"><${RingStrip} /><${Strips} /></div>
      <section class="list" aria-label=${t(`nav.${TAB_OF[route.view]}`)}
        >${!chosen && html`<${StatusMessage} />`}${list}</section>
      <section class="chosen" aria-label=${t("app.chosen")}><div
        class="inner">${
          chosen ? html`<${StatusMessage} />${chosen}` : !onePane && html`<${NothingSelectedPane} />`
        }</div></section>
    </main>
    <${UndoToast} />
    <${FullScreenAlert} />
    <${MarkupFramePreloader} />
  </div>`;
}

function Tabs({ tab, unread }: { tab: Tab; unread: number }): VNode {
  return html`<nav class="tabs" aria-label=${t("app.name")}>
    <img class="home" src="/static/icon.svg" alt="" width="30" height="30" />
    ${TABS.map(
      ({ view, to, name, sign }) =>
        html`<a key=${view} href=${to} aria-current=${tab === view ? "page" : undefined}>${renderSymbolIcon(sign)}${
          view === "inbox" &&
          unread > 0 &&
          html`<span class="n" aria-hidden="true">${unread > 99 ? "99+" : unread}</span>`
        }<span>${t(name)}</span>${
          view === "inbox" && unread > 0 && html`<span class="unseen">${t("inbox.unread", { count: unread })}</span>`
        }</a>`,
    )}
  </nav>`;
}

function Again(): VNode {
  const [busy, setBusy] = useState(false);
  const go = async () => {
    setBusy(true);
    await tryAction(async () => {
      const refused = await rejoinChannels();
      const text =
        refused.length === 0 ? t("device.again_done") : t("device.again_some", { names: formatList(refused) });
      updateAppState({ said: { text, bad: refused.length > 0 } });
    });
    setBusy(false);
  };
  return html`<p><button disabled=${busy} onClick=${() => void go()}>${t("device.again")}</button></p>`;
}

/** Notices about the whole app: a newer version, an unknown device, a lost store. */
function Strips(): VNode {
  const { update, device, ready, store, moved } = useAppState();
  return html`
    ${
      update &&
      html`<${NoteStrip} tone="accent" sign="fresh"><p>${t("app.new_version")}</p><button class="link"
      onClick=${update}>${t("app.reload")}</button><//>`
    }
    ${
      device?.refused &&
      html`<${NoteStrip} tone="bad" sign="careful"><p><strong>${t("device.refused")}</strong> ${t(
        "device.refused_hint",
      )}</p><${Again} /><//>`
    }
    ${
      moved &&
      html`<${NoteStrip} tone="accent" sign="out"><p><strong>${t("device.moved_away")}</strong> ${t(
        "device.moved_away_hint",
      )}</p><//>`
    }
    ${ready && !store && html`<${NoteStrip} tone="bad" sign="careful"><p>${t("app.no_store")}</p><//>`}
    ${
      ready &&
      wasStoreEmptied() &&
      html`<${NoteStrip} tone="warn" sign="careful"><p><strong>${t(
        "device.emptied",
      )}</strong> ${t("device.emptied_hint")}</p><a href=${routeHashes.discover}>${t("inbox.find")}</a><//>`
    }`;
}

/** Time for which a visible page shows a note without sound, in milliseconds. */
const SILENT_NOTE_MS = 30_000;

/** Ends a note that has no sound to stop, once its time on a visible page is over. */
function useNoteEnd(isSilent: boolean, id: string | undefined): void {
  useEffect(() => {
    if (!isSilent || id === undefined) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const begin = () => {
      clearTimeout(timer);
      if (!document.hidden) timer = setTimeout(stopRinging, SILENT_NOTE_MS);
    };
    begin();
    document.addEventListener("visibilitychange", begin);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", begin);
    };
  }, [isSilent, id]);
}

function RingStrip(): VNode | null {
  const { alerts } = useAppState();
  const [ringing, setRinging] = useState<RingState | null>(null);
  useEffect(() => {
    const stop = watchRingState(setRinging);
    return () => void stop();
  }, []);
  const alert = alerts.find(({ id }) => id === ringing?.alert_id);
  useNoteEnd(ringing !== null && !ringing.sounding && ringing.trouble.length > 0, ringing?.alert_id);
  if (!ringing || !alert) return null;
  const { sounding, speech, trouble } = ringing;
  const silent = trouble.includes("ring.locked") || trouble.includes("ring.no_sound");
  const rings = trouble.length === 0 || (sounding && !silent);
  const values = { ...PLAYBACK_PROBLEM_PLACEHOLDERS, language: getLocalizedLanguageName(speech?.lang ?? "en") };
  return html`<div class="ringing" role="alert">
    ${renderSymbolIcon("bell")}
    <div><p><strong><a href=${routeHashes.alert(alert.id)}>${t(rings ? "ring.now" : "ring.new", {
      title: alert.title,
    })}</a></strong></p>
      ${trouble.map((key) => html`<p>${t(key, values)}</p>`)}
      ${
        speech &&
        html`<p dir="auto" lang=${speech.lang}>${
          trouble.length > 0 ? speech.text : t("ring.spoken", { text: speech.text })
        }</p>`
      }
    </div>
    <button class="plain" onClick=${stopRinging}>${t(sounding ? "ring.stop" : "do.close")}</button>
  </div>`;
}

/** Over everything else, by the browser's own dialog: the keyboard stays in it, Escape closes it. */
function FullScreenAlert(): VNode | null {
  const { full, alerts, at: now } = useAppState();
  const dialog = useRef<HTMLDialogElement>(null);
  const alert = full === null ? null : (alerts.find(({ id }) => id === full) ?? null);
  useEffect(() => {
    if (alert && dialog.current && !dialog.current.open) dialog.current.showModal();
  }, [alert?.id]);
  if (!alert) return null;
  const close = () => {
    stopRinging();
    updateAppState({ full: null });
  };
  const answer = () => {
    close();
    if (alert.requires_ack) void recordReadOrAck(alert, "ack");
    else location.hash = routeHashes.alert(alert.id);
  };
  return html`<dialog class="full" ref=${dialog} aria-labelledby="full-title" onClose=${close}>
    <article class="alert urgent">
      <${AlertCardHeader} alert=${alert} over=${false} bare />
      <h2 id="full-title" dir="auto">${alert.title}</h2>
      ${alert.body && html`<p class="text" dir="auto"><${LinkedText} text=${alert.body} /></p>`}
      <${AlertFacts} alert=${alert} at=${now} />
      <footer><button onClick=${answer}>${renderSymbolIcon("check", "s")}${t(
        alert.requires_ack ? "alert.ack" : "do.open",
      )}</button>
      <button class="plain" onClick=${close}>${t("do.close")}</button></footer>
    </article>
  </dialog>`;
}
