// The alerts that a month will have, of one channel or of all: what is scheduled, and beyond it what the rules of repeating alerts name.
// A grid of days; on a narrow screen the days that have something.

import { nextTimes } from "../../../model/domain/occurrences.ts";
import { isTimeZone, localIn, nearestIn } from "../../../model/fields/zoned.ts";
import { LIMITS } from "../../../model/limits.ts";
import { type Content, html } from "../../../ui/html.ts";
import { viewAt } from "../../../ui/view_at.ts";
import { channelBase } from "../channel_head.ts";
import { MONTH_STYLES } from "../page.ts";
import { field } from "../parts.ts";
import { type MemberVisit, memberPage, type Page, type RowOf } from "../visit.ts";

const DAY = 86_400_000;
/** Series whose rules are read for one page, times that each is asked for, and alerts of a day that a cell shows. */
const RULES = 30;
const TIMES = 62;
const IN_A_DAY = 4;

interface Entry {
  at: number;
  alert: RowOf<"list_alerts">;
  /** Not written down yet. */
  later: boolean;
}

/** What the rule of a series names after those that are written down. */
async function beyond(alert: RowOf<"list_alerts">, now: number): Promise<Entry[]> {
  const { recurrence, send_at } = alert;
  if (recurrence === null || send_at === null) return [];
  const most = LIMITS.occurrences_ahead + TIMES;
  const times = await nextTimes(recurrence, { sendAt: Date.parse(send_at), now, most }).catch(() => []);
  return times.slice(LIMITS.occurrences_ahead).map((at) => ({ at, alert, later: true }));
}

async function entriesOf(
  visit: MemberVisit,
  channel: string | null,
  from: number,
  to: number,
): Promise<Entry[]> {
  const list = (asked: object) =>
    channel === null
      ? visit.call("list_account_alerts", { limit: LIMITS.page, ...asked })
      : visit.call("list_alerts", { limit: LIMITS.page, pusher_id: channel, ...asked });
  const iso = (ms: number) => new Date(ms).toISOString();
  const [planned, series] = await Promise.all([
    list({ status: "scheduled", order: "oldest", from: iso(from), to: iso(to) }),
    list({ status: "repeating", limit: RULES }),
  ]);
  const named: Entry[] = [];
  for (const alert of series.data) named.push(...(await beyond(alert, visit.now.getTime())));
  const written = planned.data.map((alert) => ({ at: Date.parse(alert.send_at ?? ""), alert, later: false }));
  return [...written, ...named.filter(({ at }) => at >= from && at < to)].sort((a, b) => a.at - b.at);
}

const monthOf = (asked: string | null, now: number): string => {
  const month = /^\d{4}-(0[1-9]|1[0-2])$/.test(asked ?? "") ? asked : null;
  return month ?? new Date(now).toISOString().slice(0, 7);
};

async function month(visit: MemberVisit): Promise<Response> {
  const { url, base } = visit;
  const query = url.searchParams;
  const zone = isTimeZone(query.get("zone") ?? "") ? (query.get("zone") ?? "UTC") : "UTC";
  const channel = query.get("channel") || null;
  const asked = monthOf(query.get("month"), localIn(zone, visit.now.getTime()));
  const first = Date.parse(`${asked}-01T00:00:00Z`);
  const step = (by: number) => {
    const date = new Date(first);
    date.setUTCMonth(date.getUTCMonth() + by);
    return date.getTime();
  };
  const channels = (await visit.call("list_pushers")).data;
  const entries = await entriesOf(visit, channel, nearestIn(zone, first), nearestIn(zone, step(1)));
  const byDay = Map.groupBy(entries, ({ at }) => Math.floor(localIn(zone, at) / DAY));
  const link = (by: number, name: string) =>
    html`<a class="button plain" href="${viewAt(`${base}month`, { month: new Date(step(by)).toISOString().slice(0, 7), channel, zone })}">${name}</a>`;
  const names = new Map(channels.map(({ id, name }) => [id, name]));
  // Weeks begin on Monday; 1 January 1970 was a Thursday.
  const begin = first / DAY - ((first / DAY + 3) % 7);
  const weeks = Math.ceil((step(1) / DAY - begin) / 7);
  const day = (number: number): Content => {
    const all = byDay.get(number) ?? [];
    const date = new Date(number * DAY);
    const outside = date.toISOString().slice(0, 7) !== asked;
    return html`<td class="${outside ? "outside" : all.length > 0 ? "busy" : "idle"}"><time datetime="${date.toISOString().slice(0, 10)}">${date.getUTCDate()}<span class="weekday"> ${date.toLocaleDateString("en", { weekday: "long", month: "long", timeZone: "UTC" })}</span></time>
      ${!outside && all.length > 0 && html`<ul>${all.slice(0, IN_A_DAY).map((entry) => shown(visit, entry, channel === null ? names : null, zone))}</ul>`}${all.length > IN_A_DAY && !outside && html`<p class="hint">and ${all.length - IN_A_DAY} more</p>`}</td>`;
  };
  const title = new Date(first).toLocaleDateString("en", { month: "long", year: "numeric", timeZone: "UTC" });
  return visit.page(
    title,
    html`<h1>${title}</h1>
    <p class="lede">What ${channel ? html`<a href="${channelBase(visit, channel)}">${names.get(channel) ?? "the channel"}</a>` : "all channels"} will send, by the days of ${zone}. <a href="${base}scheduled">As a list</a>${channel && html`, or <a href="${viewAt(`${base}month`, { month: asked, zone })}">all channels</a>`}.</p>
    <nav class="actions" aria-label="Months">${link(-1, "Previous month")}${link(1, "Next month")}</nav>
    <table class="month"><caption class="unseen">${title}</caption>
      <thead><tr>${["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>${[...Array(weeks).keys()].map((week) => html`<tr>${[...Array(7).keys()].map((i) => day(begin + week * 7 + i))}</tr>`)}</tbody></table>
    ${entries.length === 0 && html`<p>Nothing is planned in this month.</p>`}
    <form method="get" action="${base}month"><input type="hidden" name="month" value="${asked}">${channel && html`<input type="hidden" name="channel" value="${channel}">`}
      ${field({ name: "zone", label: "Days of the zone", value: zone })}<button class="plain">Show</button></form>`,
    { width: "wide", styles: [MONTH_STYLES] },
  );
}

function shown(
  visit: MemberVisit,
  { at, alert, later }: Entry,
  names: ReadonlyMap<string, string> | null,
  zone: string,
): Content {
  const time = new Date(localIn(zone, at)).toISOString().slice(11, 16);
  return html`<li class="${later && "later"}"><a href="${channelBase(visit, alert.pusher_id)}/alerts/${alert.id}"><span class="at">${time}</span> ${alert.title}</a>${names && html` <span class="muted">${names.get(alert.pusher_id)}</span>`}</li>`;
}

export const MONTH_PAGES: readonly Page[] = [memberPage("GET", "/month", month)];
