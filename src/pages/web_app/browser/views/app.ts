// The frame of the app: four tabs, a list and what was chosen of it, and what stands above them while it counts. What rings right now is
// seen there and stopped, and an alert stands over everything until it is answered.

import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { joinAgain } from "../channels.ts";
import { now as clock } from "../clock.ts";
import { wasEmptied } from "../device.ts";
import { html } from "../markup.ts";
import { did } from "../reports.ts";
import { at, type Route, useRoute } from "../router.ts";
import { arrange } from "../rules/spotlight.ts";
import { showCount } from "../senses/badge.ts";
import { type Ringing, silence, TROUBLE_VALUES, whatRings } from "../senses/ring.ts";
import { change, useApp } from "../state.ts";
import { languageName } from "../texts/formats.ts";
import { t } from "../texts/texts.ts";
import { AlertView } from "./alert.ts";
import { CardHead, Facts } from "./card.ts";
import { ChannelView } from "./channel.ts";
import { ChannelList, Discover } from "./channels.ts";
import { KeptFrame } from "./frame.ts";
import { InboxList } from "./inbox.ts";
import { attempt, type IconName, icon, Note, Said } from "./parts.ts";
import { Settings } from "./settings.ts";
import { MoveHere, OwnHere } from "./this_device.ts";

const TABS = [
  { view: "inbox", to: at.inbox, name: "nav.inbox", sign: "inbox" },
  { view: "channels", to: at.channels, name: "nav.channels", sign: "channels" },
  { view: "discover", to: at.discover, name: "nav.discover", sign: "search" },
  { view: "settings", to: at.settings, name: "nav.settings", sign: "settings" },
] as const satisfies { view: string; to: string; name: string; sign: IconName }[];

type Tab = (typeof TABS)[number]["view"];

const TAB_OF: Record<Route["view"], Tab> = {
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

/** What stands in the list beside, and in the place of what was chosen. */
function panes(route: Route): { list: VNode; chosen: VNode | null } {
  const handle = "handle" in route ? route.handle : null;
  const channel = (back: string) => handle && html`<${ChannelView} key=${handle} handle=${handle} back=${back} />`;
  const inbox = html`<${InboxList} key="inbox" chosen=${route.view === "alert" ? route.id : null} />`;
  switch (route.view) {
    case "inbox":
      return { list: inbox, chosen: null };
    case "alert":
      return { list: inbox, chosen: html`<${AlertView} key=${route.id} id=${route.id} />` };
    case "channels":
    case "channel":
      return { list: html`<${ChannelList} chosen=${handle} />`, chosen: channel(at.channels) || null };
    case "discover":
    case "found":
      return { list: html`<${Discover} chosen=${handle} />`, chosen: channel(at.discover) || null };
    case "join": {
      const view = html`<${ChannelView} key=${handle} handle=${handle} invite=${route.invite} back=${at.inbox} joining />`;
      return { list: inbox, chosen: view };
    }
    case "move": {
      const { code, seen } = route;
      return { list: inbox, chosen: html`<${MoveHere} key=${code} code=${code} seen=${seen} />` };
    }
    case "own":
      return { list: inbox, chosen: html`<${OwnHere} key=${route.code} code=${route.code} />` };
    case "settings":
      return { list: inbox, chosen: html`<${Settings} />` };
  }
}

/** A timer takes no more. */
const LONGEST_MS = 2 ** 31 - 1000;

export function App(): VNode {
  const route = useRoute();
  const { alerts, at: now, said } = useApp();
  const stood = useRef(said);
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  const { list, chosen } = panes(route);
  const { spotlight, next_change_at } = arrange(alerts, now);
  const unread = alerts.filter(({ read_at }) => read_at === null).length;
  const wanted = spotlight.filter(({ read_at }) => read_at === null).length;
  const where = JSON.stringify(route);

  useEffect(() => {
    if (next_change_at === null) return;
    const timer = setTimeout(() => change({ at: clock() }), Math.min(LONGEST_MS, next_change_at - clock()) + 50);
    return () => clearTimeout(timer);
  }, [next_change_at, now]);
  useEffect(() => showCount(wanted, `${t(`nav.${TAB_OF[route.view]}`)} · ${t("app.name")}`), [wanted, where]);
  useEffect(() => {
    // What was said of the way here stays; what stood here before goes.
    if (said === stood.current) change({ said: null });
    if (first.current) {
      first.current = false;
      return;
    }
    // Who reads by ear or keyboard begins at the head of what they chose.
    const pane = main.current?.querySelector(chosen ? ".chosen" : ".list");
    pane?.scrollTo?.({ top: 0 });
    if (chosen) scrollTo({ top: 0 });
    pane?.querySelector("h1")?.focus({ preventScroll: true });
  }, [where]);
  useEffect(() => {
    stood.current = said;
  }, [said]);

  return html`<div class=${`app ${chosen ? "withchosen" : ""}`}>
    <a class="skip" href="#main" onClick=${(event: Event) => {
      event.preventDefault();
      main.current?.focus();
    }}>${t("app.skip")}</a>
    <${Tabs} tab=${TAB_OF[route.view]} unread=${unread} />
    <main id="main" tabindex="-1" ref=${main}>
      <div class="strips"><${RingStrip} /><${Strips} /></div>
      <section class="list" aria-label=${t(`nav.${TAB_OF[route.view] === "settings" ? "inbox" : TAB_OF[route.view]}`)}>${!chosen && html`<${Said} />`}${list}</section>
      <section class="chosen" aria-label=${t("app.chosen")}><div class="inner">${chosen ? html`<${Said} />${chosen}` : html`<p class="calm">${t("app.choose")}</p>`}</div></section>
    </main>
    <${FullAlert} />
    <${KeptFrame} />
  </div>`;
}

function Tabs({ tab, unread }: { tab: Tab; unread: number }): VNode {
  return html`<nav class="tabs" aria-label=${t("app.name")}>
    <img class="home" src="/static/icon.svg" alt="" width="30" height="30" />
    ${TABS.map(
      ({ view, to, name, sign }) =>
        html`<a key=${view} href=${to} aria-current=${tab === view ? "page" : undefined}>${icon(sign)}${
          view === "inbox" &&
          unread > 0 &&
          html`<span class="n" aria-hidden="true">${unread > 99 ? "99+" : unread}</span>`
        }<span>${t(name)}</span>${view === "inbox" && unread > 0 && html`<span class="unseen">${t("inbox.unread", { count: unread })}</span>`}</a>`,
    )}
  </nav>`;
}

function Again(): VNode {
  const [busy, setBusy] = useState(false);
  const go = async () => {
    setBusy(true);
    await attempt(async () => {
      const refused = await joinAgain();
      const text =
        refused.length === 0 ? t("device.again_done") : t("device.again_some", { names: refused.join(", ") });
      change({ said: { text, bad: refused.length > 0 } });
    });
    setBusy(false);
  };
  return html`<p><button disabled=${busy} onClick=${() => void go()}>${t("device.again")}</button></p>`;
}

/** What concerns the whole app: a newer version, a device that is not known any more, a store that is gone. */
function Strips(): VNode {
  const { update, device, ready, store, moved } = useApp();
  return html`
    ${update && html`<${Note} tone="accent" sign="fresh"><p>${t("app.new_version")}</p><button class="link" onClick=${update}>${t("app.reload")}</button><//>`}
    ${device?.refused && html`<${Note} tone="bad" sign="careful"><p><strong>${t("device.refused")}</strong> ${t("device.refused_hint")}</p><${Again} /><//>`}
    ${moved && html`<${Note} tone="accent" sign="out"><p><strong>${t("device.moved_away")}</strong> ${t("device.moved_away_hint")}</p><//>`}
    ${ready && !store && html`<${Note} tone="bad" sign="careful"><p>${t("app.no_store")}</p><//>`}
    ${ready && wasEmptied() && html`<${Note} tone="warn" sign="careful"><p><strong>${t("device.emptied")}</strong> ${t("device.emptied_hint")}</p><a href=${at.discover}>${t("inbox.find")}</a><//>`}`;
}

export function RingStrip(): VNode | null {
  const { alerts } = useApp();
  const [ringing, setRinging] = useState<Ringing | null>(null);
  useEffect(() => {
    const stop = whatRings(setRinging);
    return () => void stop();
  }, []);
  const alert = alerts.find(({ id }) => id === ringing?.alert_id);
  if (!ringing || !alert) return null;
  const { sounding, speech, trouble } = ringing;
  const silent = trouble.includes("ring.locked") || trouble.includes("ring.no_sound");
  const rings = trouble.length === 0 || (sounding && !silent);
  const values = { ...TROUBLE_VALUES, language: languageName(speech?.lang ?? "en") };
  return html`<div class="ringing" role="alert">
    ${icon("bell")}
    <div><p><strong><a href=${at.alert(alert.id)}>${t(rings ? "ring.now" : "ring.new", { title: alert.title })}</a></strong></p>
      ${trouble.map((key) => html`<p>${t(key, values)}</p>`)}
      ${speech && html`<p lang=${speech.lang}>${trouble.length > 0 ? speech.text : t("ring.spoken", { text: speech.text })}</p>`}
    </div>
    <button class="plain" onClick=${silence}>${t(sounding ? "ring.stop" : "do.close")}</button>
  </div>`;
}

/** Over everything else, by the browser's own dialog: the keyboard stays in it, Escape closes it. */
export function FullAlert(): VNode | null {
  const { full, alerts, at: now } = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  const alert = full === null ? null : (alerts.find(({ id }) => id === full) ?? null);
  useEffect(() => {
    if (alert && dialog.current && !dialog.current.open) dialog.current.showModal();
  }, [alert?.id]);
  if (!alert) return null;
  const close = () => {
    silence();
    change({ full: null });
  };
  const answer = () => {
    close();
    if (alert.requires_ack) void did(alert, "ack");
    else location.hash = at.alert(alert.id);
  };
  return html`<dialog class="full" ref=${dialog} aria-labelledby="full-title" onClose=${close}>
    <article class="alert urgent">
      <${CardHead} alert=${alert} over=${false} bare />
      <h2 id="full-title">${alert.title}</h2>
      ${alert.body && html`<p class="text">${alert.body}</p>`}
      <${Facts} alert=${alert} at=${now} />
      <footer><button onClick=${answer}>${icon("check", "s")}${t(alert.requires_ack ? "alert.ack" : "do.open")}</button>
      <button class="plain" onClick=${close}>${t("do.close")}</button></footer>
    </article>
  </dialog>`;
}
