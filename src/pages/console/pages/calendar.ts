// The alerts of a month, of one channel or of all: scheduled alerts, and occurrences from the rules of repeating
// alerts. A grid of days; on a narrow screen only the days that have an entry. The page limits the entries of a day, so
// it stays readable.

import { setImmediate as yieldToLoop } from "node:timers/promises";
import { list_filled_series } from "../../../identity/session/repeating_alerts.ts";
import { ApiError } from "../../../model/api_error.ts";
import { findOccurrencesWithin } from "../../../model/domain/occurrences.ts";
import { MAX_ANSWER_STEPS, RecurrenceStepBudget } from "../../../model/domain/recurrence_step_budget.ts";
import { isTimeZone, localToUtcLenient, utcToLocal } from "../../../model/fields/local_time.ts";
import { LIMITS } from "../../../model/limits.ts";
import { truncateText } from "../../../store/schemas/common_fields.ts";
import { type Content, html } from "../../../ui/html.ts";
import { buildViewUrl } from "../../../ui/view_url.ts";
import { getChannelPath } from "../channel_header.ts";
import { field } from "../components.ts";
import { type ConsolePage, type MemberContext, memberPage, type OperationRow } from "../page_context.ts";
import { INVALID_ZONE_MESSAGE } from "../recurrence_form.ts";

const DAY = 86_400_000;
/** Pages of scheduled alerts that are read, series whose rules are, times of one of them, and of all. */
const PAGES = 3;
const RULES = 30;
const TIMES = 62;
const ALL_TIMES = 600;
/** Characters of a title in a day. */
const TITLE = 48;
/** Lines of a day that are seen at once, and those that are folded below them. */
const SEEN = 4;
const FOLDED = 8;

type ListedAlert = OperationRow<"list_alerts">;

/** An alert's entry on a day. A repeating alert has all its times of that day together. */
interface CalendarEntry {
  at: number;
  alert: ListedAlert;
  /** Not written down yet. */
  later: boolean;
  times: number;
}

/** Entries by day, in days since 1970, and a text about what is missing. */
async function read(
  visit: MemberContext,
  { channel, from, to, zone }: { channel: string | null; from: number; to: number; zone: string },
) {
  const list = (asked: object) =>
    channel === null
      ? visit.call("list_account_alerts", { limit: LIMITS.page, ...asked })
      : visit.call("list_alerts", { limit: LIMITS.page, pusher_id: channel, ...asked });
  const iso = (ms: number) => new Date(ms).toISOString();
  const dayOf = (at: number) => Math.floor(utcToLocal(zone, at) / DAY);
  const days = new Map<number, CalendarEntry[]>();
  const missing: string[] = [];
  const add = (at: number, alert: ListedAlert, later: boolean) => {
    const lines = days.get(dayOf(at)) ?? [];
    const series = later ? alert.id : alert.series_id;
    const known = lines.find((line) => series !== null && (line.alert.series_id ?? line.alert.id) === series);
    if (known) known.times++;
    else lines.push({ at, alert, later, times: 1 });
    days.set(dayOf(at), lines);
  };

  let before: string | null = null;
  for (let page = 0; page < PAGES; page++) {
    const asked: object = before === null ? {} : { before };
    const { data, meta }: Awaited<ReturnType<typeof list>> = await list({
      ...{ status: "scheduled", order: "oldest", from: iso(from), to: iso(to), ...asked },
    });
    for (const alert of data) add(Date.parse(alert.send_at ?? ""), alert, false);
    before = meta.next_before;
    if (before === null) break;
    if (page === PAGES - 1)
      missing.push(`Only the first ${PAGES * LIMITS.page} scheduled alerts of this month are shown.`);
  }

  const series = await list({ status: "repeating", limit: RULES });
  const filled = await visit.asMember(list_filled_series, { alert_ids: series.data.map(({ id }) => id) });
  const filledTo = new Map(filled.data.map(({ alert_id, filled_until }) => [alert_id, Date.parse(filled_until)]));
  let left = ALL_TIMES;
  const budget = new RecurrenceStepBudget(MAX_ANSWER_STEPS);
  for (const alert of left > 0 ? series.data : []) {
    if (alert.recurrence === null || alert.send_at === null || left <= 0) continue;
    const nextDay = (at: number) => localToUtcLenient(zone, (dayOf(at) + 1) * DAY);
    const times = findOccurrencesWithin(alert.recurrence, {
      ...{
        sendAt: Date.parse(alert.send_at),
        now: visit.now.getTime(),
        from,
        to,
        most: TIMES,
        nextDay,
        budget,
      },
      beyond: filledTo.get(alert.id) ?? null,
    });
    for (const at of times) add(at, alert, true);
    left -= times.length;
    // Expanding a rule blocks the process for milliseconds.
    await yieldToLoop();
  }
  if (series.meta.next_before !== null || left <= 0 || budget.isSpent)
    missing.push("Repeating alerts are shown with their next occurrence, but not with all later ones.");
  for (const lines of days.values()) lines.sort((a, b) => a.at - b.at);
  return { days, missing };
}

const monthOf = (asked: string | null, now: number): string => {
  const month = /^2\d{3}-(0[1-9]|1[0-2])$/.test(asked ?? "") ? asked : null;
  return month ?? new Date(now).toISOString().slice(0, 7);
};

async function month(visit: MemberContext): Promise<Response> {
  const { url, base } = visit;
  const query = url.searchParams;
  const typed = query.get("zone")?.trim() || "UTC";
  const zone = isTimeZone(typed) ? typed : "UTC";
  const error = zone === typed ? undefined : new ApiError("invalid_time_zone", INVALID_ZONE_MESSAGE, { param: "zone" });
  const channel = query.get("channel") || null;
  const now = utcToLocal(zone, visit.now.getTime());
  const asked = monthOf(query.get("month"), now);
  const first = Date.parse(`${asked}-01T00:00:00Z`);
  const step = (by: number) => {
    const date = new Date(first);
    return date.setUTCMonth(date.getUTCMonth() + by);
  };
  const [{ data: channels }, { days, missing }] = await Promise.all([
    visit.call("list_pushers"),
    read(visit, { channel, from: localToUtcLenient(zone, first), to: localToUtcLenient(zone, step(1)), zone }),
  ]);
  const link = (by: number, name: string) =>
    html`<a class="button plain" href="${buildViewUrl(`${base}month`, { month: new Date(step(by)).toISOString().slice(0, 7), channel, zone: query.get("zone") })}">${name}</a>`;
  const names = new Map(channels.map(({ id, name }) => [id, name]));
  const show = (line: CalendarEntry) => shown(visit, line, channel === null ? names : null, zone);
  // Weeks begin on Monday; 1 January 1970 was a Thursday.
  const begin = first / DAY - ((first / DAY + 3) % 7);
  const weeks = Math.ceil((step(1) / DAY - begin) / 7);
  const day = (number: number): Content => {
    const date = new Date(number * DAY);
    const outside = date.toISOString().slice(0, 7) !== asked;
    if (outside) return html`<td class="outside"></td>`;
    const lines = days.get(number) ?? [];
    const [seen, folded] = [lines.slice(0, SEEN), lines.slice(SEEN, SEEN + FOLDED)];
    const more = lines.length - SEEN - FOLDED;
    return html`<td class="${lines.length > 0 ? "busy" : "idle"}"${number === Math.floor(now / DAY) && html` aria-current="date"`}><time datetime="${date.toISOString().slice(0, 10)}"><span class="weekday">${words(date, { weekday: "long" })} </span>${date.getUTCDate()}<span class="weekday"> ${words(date, { month: "long" })}</span></time>
      ${seen.length > 0 && html`<ul>${seen.map(show)}</ul>`}${
        folded.length > 0 &&
        html`<details><summary>${lines.length - SEEN} more</summary><ul>${folded.map(show)}</ul>${more > 0 && html`<p class="hint">and ${more} more</p>`}</details>`
      }</td>`;
  };
  const title = words(new Date(first), { month: "long", year: "numeric" });
  return visit.page(
    title,
    html`<h1>${title}</h1>
    <p class="lede">Planned alerts of ${channel ? html`<a href="${getChannelPath(visit, channel)}">${names.get(channel) ?? "the channel"}</a>` : "all channels"}, by day in ${zone}. <a href="${channel ? `${getChannelPath(visit, channel)}?status=scheduled` : `${base}scheduled`}">List view</a>${channel && html`, or <a href="${buildViewUrl(`${base}month`, { month: asked, zone: query.get("zone") })}">all channels</a>`}.</p>
    ${missing.length > 0 && html`<p class="flash careful" role="status">This list is incomplete. ${missing.join(" ")}</p>`}
    <nav class="actions" aria-label="Months">${link(-1, "Previous month")}${link(1, "Next month")}</nav>
    <table class="month"><caption class="unseen">${title}</caption>
      <thead><tr>${["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>${[...Array(weeks).keys()].map((week) => html`<tr>${[...Array(7).keys()].map((i) => day(begin + week * 7 + i))}</tr>`)}</tbody></table>
    ${days.size === 0 && html`<p>No alerts are planned for this month.</p>`}
    ${[...days.values()].flat().some(({ later }) => later) && html`<p class="hint">In italics: future occurrences that are not scheduled yet.</p>`}
    <form method="get" action="${base}month" data-own-zone><input type="hidden" name="month" value="${asked}">${channel && html`<input type="hidden" name="channel" value="${channel}">`}
      ${field({ name: "zone", label: "Time zone", value: typed, error })}<button class="plain">Show</button></form>`,
    {
      error,
      width: "wide",
      styles: ["month"],
      scripts: ["zone"],
    },
  );
}

const words = (date: Date, how: Intl.DateTimeFormatOptions) =>
  date.toLocaleDateString("en", { ...how, timeZone: "UTC" });

function shown(
  visit: MemberContext,
  { at, alert, later, times }: CalendarEntry,
  names: ReadonlyMap<string, string> | null,
  zone: string,
): Content {
  const time = new Date(utcToLocal(zone, at)).toISOString().slice(11, 16);
  return html`<li class="${later && "later"}"><a href="${getChannelPath(visit, alert.pusher_id)}/alerts/${alert.id}"><span class="at">${time}</span> ${truncateText(alert.title, TITLE)}</a>${times > 1 && html` <span class="muted">and later</span>`}${names && html` <span class="muted">${names.get(alert.pusher_id)}</span>`}</li>`;
}

export const CALENDAR_PAGES: readonly ConsolePage[] = [memberPage("GET", "/month", month)];
