// The inbox: current alerts, and history by day; all of it, or the results of a search. Alerts that arrive while the
// person reads further down wait behind a button, so that nothing moves.

import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { LIMITS } from "../../../../model/limits.ts";
import { useAppState } from "../app_state.ts";
import { html } from "../html_template.ts";
import type { StoredAlert } from "../local_store.ts";
import { markReadWithoutReport } from "../reports.ts";
import { routeHashes, useRoute } from "../router.ts";
import { arrangeInbox } from "../rules/current_alerts_and_history.ts";
import { formatDay, formatDayAndTime } from "../texts/formats.ts";
import { t } from "../texts/translate.ts";
import { AlertCard } from "./alert_card.ts";
import { InboxAlertingState } from "./alerting_state.ts";
import { EmptyState, LoadingPlaceholder, NoteStrip, PaneHeader, renderSymbolIcon } from "./components.ts";
import { InstallButton } from "./push_settings.ts";

type Filter = "all" | "unread" | "to_confirm" | "archive";
/** The search by text in the alerts of this device, and in one channel's; it sends no request. */
interface InboxSearch {
  words: string;
  handle: string;
}

const NO_SEARCH: InboxSearch = { words: "", handle: "" };

/** The number of alerts of the history at first, and with each further step. */
const STEP = 40;
/** Scroll position in pixels from which on the person reads further down. */
const DOWN = 160;

const holds: Record<Filter, (alert: StoredAlert) => boolean> = {
  all: ({ archived }) => !archived,
  unread: ({ read_at, archived }) => read_at === null && !archived,
  to_confirm: ({ requires_ack, acked_at, status, archived }) =>
    requires_ack && acked_at === null && status === "sent" && !archived,
  archive: ({ archived }) => archived === true,
};

/** Lists what arrived only while the head of the list is in sight; the rest waits. */
function useCalm(ids: string[]): { waiting: number; show: () => void } {
  const shown = useRef(new Set(ids));
  const [, draw] = useState(0);
  const top = () => (document.querySelector(".list")?.scrollTop ?? 0) + scrollY < DOWN;
  if (top() || shown.current.size === 0) shown.current = new Set(ids);
  useEffect(() => {
    const onScroll = () => top() && draw((n) => n + 1);
    addEventListener("scroll", onScroll, { capture: true, passive: true });
    return () => removeEventListener("scroll", onScroll, { capture: true });
  }, []);
  const waiting = ids.filter((id) => !shown.current.has(id)).length;
  const show = () => {
    shown.current = new Set(ids);
    document.querySelector(".list")?.scrollTo({ top: 0 });
    scrollTo({ top: 0 });
    draw((n) => n + 1);
  };
  return { waiting, show };
}

export function InboxList({ chosen }: { chosen: string | null }): VNode {
  const { alerts, channels, ready, device, connection, at: now } = useAppState();
  const [filter, setFilter] = useState<Filter>("all");
  const [most, setMost] = useState(STEP);
  const { spotlight, history } = arrangeInbox(alerts, now);
  const calm = useCalm(alerts.map(({ id }) => id));
  const [looked, setLooked] = useState<InboxSearch>(NO_SEARCH);
  const [searching, setSearching] = useState(false);
  const toggleSearch = () => {
    setSearching(!searching);
    setLooked(NO_SEARCH);
  };
  useEffect(() => {
    document.querySelector(".list [aria-current]")?.closest(".alert")?.scrollIntoView({ block: "nearest" });
  }, [chosen, ready]);
  const found = alerts.filter((alert) => finds(looked, alert, channels.get(alert.handle)?.name ?? ""));
  const count = (of: Filter) => found.filter(holds[of]).length;
  const choose = (of: Filter, { currentTarget: button }: MouseEvent) => {
    setFilter(of);
    (button as HTMLElement).scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  const chip = (of: Filter, label: string) =>
    html`<button class="chip" aria-pressed=${filter === of}
      onClick=${(event: MouseEvent) => choose(of, event)}>${label}${
        of !== "all" && count(of) > 0 && html` <b>${count(of)}</b>`
      }</button>`;

  // A filter that finds nothing is shown only while it is chosen.
  const offers = (of: Filter) => filter === of || alerts.some(holds[of]);

  const shown = new Set(found.filter(holds[filter]));
  const now_ = spotlight.filter((alert) => shown.has(alert));
  const then = history.filter((alert) => shown.has(alert)).toSorted((a, b) => Number(!!a.before) - Number(!!b.before));
  const nothing = alerts.length > 0 && now_.length + then.length === 0;
  const unread = [...shown].filter(holds.unread);
  const days = Map.groupBy(then.slice(0, most), ({ before, sent_at }) =>
    before ? t("alert.before") : formatDay(Date.parse(sent_at), now),
  );
  const following = [...channels.values()].some(({ subscription }) => subscription !== null);
  return html`<${PaneHeader} title=${t("nav.inbox")} beside=${useRoute().view !== "inbox"}>${
    unread.length > 0 &&
    html`<button class="link small markread" onClick=${() => void markReadWithoutReport(unread)}>
      ${t("inbox.mark_read")}</button>`
  }${
    alerts.length > 0 &&
    html`<button class="link iconbtn gear" aria-expanded=${searching} aria-label=${t("inbox.search")}
      title=${t("inbox.search")} onClick=${toggleSearch}>${renderSymbolIcon(searching ? "close" : "search")}</button>`
  }<//>
    ${
      alerts.length > 0 &&
      html`<div class="chips" role="group" aria-label=${t("inbox.show")}>
      ${chip("all", t("inbox.all"))}${chip("unread", t("inbox.filter_unread"))}
      ${offers("to_confirm") && chip("to_confirm", t("inbox.to_confirm"))}
      ${offers("archive") && chip("archive", t("inbox.archive"))}</div>
      ${searching && html`<${Looking} looked=${looked} onChange=${setLooked} />`}`
    }
    <${OfflineStrip} />
    <${InboxAlertingState} />
    ${
      calm.waiting > 0 &&
      html`<div class="newpill"><button
      onClick=${calm.show}>${t("inbox.new", { count: calm.waiting })}</button></div>`
    }
    ${!ready && html`<${LoadingPlaceholder} />`}
    ${
      ready &&
      alerts.length === 0 &&
      html`<${Empty} following=${following} asked=${device === null || connection !== "starting"} />`
    }
    ${
      now_.length > 0 &&
      html`<section aria-label=${t("inbox.spotlight")}><h2 class="day">${t("inbox.spotlight")}</h2>
      ${now_.map(
        (alert) => html`<${AlertCard} key=${alert.id} alert=${alert} over=${false} chosen=${alert.id === chosen} />`,
      )}</section>`
    }
    ${now_.length === 0 && filter === "all" && found.length > 0 && html`<p class="calm">${t("inbox.nothing_now")}</p>`}
    ${
      nothing &&
      html`<${NothingFound} looked=${looked} archive=${filter === "archive"} onClear=${() => setLooked(NO_SEARCH)} />`
    }
    ${[...days].map(
      ([day, rows]) =>
        html`<section key=${day} aria-label=${day}><h2 class="day">${day}</h2>
        ${rows.map(
          (alert) => html`<${AlertCard} key=${alert.id} alert=${alert} over chosen=${alert.id === chosen}
            underDay=${!alert.before} inArchive=${filter === "archive"} />`,
        )}</section>`,
    )}
    ${
      then.length > most &&
      html`<p><button class="plain wide"
      onClick=${() => setMost(most + STEP)}>${t("inbox.more")}</button></p>`
    }`;
}

/** Every term occurs in the alert's text or in its channel's name. */
function finds({ words, handle }: InboxSearch, alert: StoredAlert, channel: string): boolean {
  if (handle !== "" && alert.handle !== handle) return false;
  const said = plain([alert.title, alert.body, alert.tts_text, channel, alert.handle].join(" "));
  return plain(words)
    .split(/\s+/)
    .every((word) => said.includes(word));
}

/** Without the difference of case, of accents and of composed letters. */
const plain = (text: string): string =>
  text
    .toLocaleLowerCase()
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "");

function Looking({ looked, onChange }: { looked: InboxSearch; onChange(looked: InboxSearch): void }): VNode {
  const { alerts, channels } = useAppState();
  useEffect(() => document.getElementById("look")?.focus(), []);
  const handles = [...new Set(alerts.map(({ handle }) => handle))];
  const named = handles.map((handle) => ({ handle, name: channels.get(handle)?.name ?? `@${handle}` }));
  const set = (event: Event, name: keyof InboxSearch) =>
    onChange({ ...looked, [name]: (event.currentTarget as HTMLInputElement | HTMLSelectElement).value });
  return html`<form class="search" role="search" onSubmit=${(event: Event) => event.preventDefault()}>
    <label class="unseen" for="look">${t("inbox.search")}</label>
    <input id="look" type="search" placeholder=${t("inbox.search")} dir=${looked.words ? "auto" : undefined}
      value=${looked.words} maxlength=${LIMITS.search} onInput=${(event: Event) => set(event, "words")} />
    <label class="unseen" for="of">${t("inbox.channel")}</label>
    <select id="of" value=${looked.handle} onChange=${(event: Event) => set(event, "handle")}>
      <option value="">${t("inbox.every_channel")}</option>
      ${named
        .toSorted((a, b) => a.name.localeCompare(b.name))
        .map(
          ({ handle, name }) => html`<option value=${handle}
        dir="auto">${name}</option>`,
        )}
    </select>
  </form>`;
}

interface NothingFoundProps {
  looked: InboxSearch;
  archive: boolean;
  onClear(): void;
}

/** Names a search without a result, with a button that ends it. */
function NothingFound({ looked: { words, handle }, archive, onClear }: NothingFoundProps): VNode {
  const { channels } = useAppState();
  const values = { query: words.trim(), channel: channels.get(handle)?.name ?? `@${handle}` };
  if (values.query === "" && handle === "")
    return archive
      ? html`<${EmptyState} sign="archive" title=${t("inbox.archive")} text=${t("inbox.archive_empty")} />`
      : html`<${EmptyState} sign="check" title=${t("inbox.none_such")} />`;
  const key = values.query === "" ? "search.none_of_channel" : handle === "" ? "search.none" : "search.none_from";
  return html`<div role="status"><${EmptyState} sign="search" title=${t(key, values)}
    ><p><button class="plain" onClick=${onClear}>${t("search.clear")}</button></p><//></div>`;
}

function Empty({ following, asked }: { following: boolean; asked: boolean }): VNode | null {
  if (!asked) return null;
  return html`<${EmptyState} sign="inbox" title=${t("inbox.empty_title")}
    text=${t(following ? "inbox.empty_following" : "inbox.empty")}>
    <p><a class=${`button ${following ? "plain" : ""}`} href=${routeHashes.discover}>${t("inbox.find")}</a></p>
    <${InstallButton} /><//>`;
}

/** Next to a list without a selection: what to select, and the number of unread alerts. */
export function NothingSelectedPane(): VNode {
  const count = useAppState().alerts.filter(holds.unread).length;
  if (useRoute().view === "channels")
    return html`<${EmptyState} unselected sign="channels" title=${t("app.choose_channel")} />`;
  const title = count > 0 ? t("inbox.unread", { count }) : t("app.choose");
  return html`<${EmptyState} unselected sign="inbox" title=${title} text=${count > 0 && t("app.choose")} />`;
}

/** The age of the list and the pending reports, while offline. */
function OfflineStrip(): VNode | null {
  const { connection, currentAt, waiting, device, at: now } = useAppState();
  if (connection !== "away" || !device || device.refused) return null;
  return html`<${NoteStrip} tone="warn" sign="offline"><p><strong>${t("net.offline")}</strong> ${
    currentAt === null ? t("net.trouble") : t("net.as_of", { time: formatDayAndTime(currentAt, now) })
  } ${waiting > 0 && t("net.waiting", { count: waiting })}</p><//>`;
}
