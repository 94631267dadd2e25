// The calendar of alerts of one channel or of all: sent and scheduled ones, and future occurrences of repeating ones. A
// month is a grid of weeks, or a list of its busy days on a narrow screen. A day is a list. Both have a limited size.

import { setImmediate as yieldToLoop } from "node:timers/promises";
import { list_occurrences_generated_until } from "../../../identity/session/occurrences_generated_until.ts";
import { ApiError } from "../../../model/api_error.ts";
import { findUnstoredOccurrencesWithin } from "../../../model/domain/occurrences.ts";
import { MAX_RESPONSE_RECURRENCE_STEPS, RecurrenceStepBudget } from "../../../model/domain/recurrence_step_budget.ts";
import { isTimeZone, localToUtcLenient, utcToLocal } from "../../../model/fields/zoned_time_conversion.ts";
import { LIMITS } from "../../../model/limits.ts";
import { truncateText } from "../../../store/response_schemas/shared_parameters_and_pages.ts";
import { buildUrl, type UrlQuery } from "../../../ui/build_url.ts";
import { type HtmlContent, html } from "../../../ui/html.ts";
import { getChannelPath } from "../channel_header.ts";
import { renderSelectField } from "../components.ts";
import {
  type ConsolePage,
  defineMemberPage,
  type MemberPageContext,
  type OperationResultRow,
} from "../page_definitions.ts";
import { buildZoneOptions, INVALID_ZONE_MESSAGE } from "../recurrence_form.ts";

const DAY = 86_400_000;
/** Pages of sent and of scheduled alerts that are read, series whose rules are, times of one of them, and of all. */
const PAGES = 3;
const RULES = 30;
const TIMES = 62;
const ALL_TIMES = 600;
/** Characters of a title in a day. */
const TITLE = 48;
/** Lines in a day of the grid, the link to further ones among them; and lines on the page of a day. */
const GRID_LINES = 4;
const DAY_LINES = 200;
/** A Monday, in days since 1970. */
const MONDAY = 4;

type ListedAlert = OperationResultRow<"list_alerts">;

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
  context: MemberPageContext,
  { channel, from, to, zone }: { channel: string | null; from: number; to: number; zone: string },
) {
  const list = (asked: object) =>
    channel === null
      ? context.call("list_account_alerts", { limit: LIMITS.page, ...asked })
      : context.call("list_alerts", { limit: LIMITS.page, pusher_id: channel, ...asked });
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

  const addAll = async (status: "sent" | "scheduled") => {
    let before: string | null = null;
    for (let page = 0; page < PAGES; page++) {
      const asked: object = before === null ? {} : { before };
      const { data, meta }: Awaited<ReturnType<typeof list>> = await list({
        ...{ status, order: "oldest", from: iso(from), to: iso(to), ...asked },
      });
      for (const alert of data) add(Date.parse(alert.sent_at ?? alert.send_at ?? ""), alert, false);
      before = meta.next_before;
      if (before === null) return;
    }
    missing.push(`Only the first ${PAGES * LIMITS.page} ${status} alerts are shown.`);
  };
  const now = context.now.getTime();
  if (from <= now) await addAll("sent");
  if (to >= now) await addAll("scheduled");

  const series = await list({ status: "repeating", limit: RULES });
  const filled = await context.asMember(list_occurrences_generated_until, {
    alert_ids: series.data.map(({ id }) => id),
  });
  const filledTo = new Map(filled.data.map(({ alert_id, filled_until }) => [alert_id, Date.parse(filled_until)]));
  let left = ALL_TIMES;
  const budget = new RecurrenceStepBudget(MAX_RESPONSE_RECURRENCE_STEPS);
  for (const alert of left > 0 ? series.data : []) {
    if (alert.recurrence === null || alert.send_at === null || left <= 0) continue;
    const nextDay = (at: number) => localToUtcLenient(zone, (dayOf(at) + 1) * DAY);
    const times = findUnstoredOccurrencesWithin(alert.recurrence, {
      ...{ sendAt: Date.parse(alert.send_at), now, from, to, most: TIMES, nextDay, budget },
      beyond: filledTo.get(alert.id) ?? null,
    });
    for (const at of times) add(at, alert, true);
    left -= times.length;
    // Expanding a rule blocks the process for milliseconds.
    await yieldToLoop();
  }
  if (series.meta.next_before !== null || left <= 0 || budget.isSpent)
    missing.push("For some repeating alerts, only the next occurrence is shown.");
  for (const lines of days.values()) lines.sort((a, b) => a.at - b.at);
  return { days, missing };
}

const dayText = (number: number) => new Date(number * DAY).toISOString().slice(0, 10);

const monthOf = (asked: string | null, now: number): string => {
  const month = /^2\d{3}-(0[1-9]|1[0-2])$/.test(asked ?? "") ? asked : null;
  return month ?? new Date(now).toISOString().slice(0, 7);
};

/** The day of an address as days since 1970; null without a valid one. */
function parseDay(asked: string | null): number | null {
  if (!/^2\d{3}-\d\d-\d\d$/.test(asked ?? "")) return null;
  const at = Date.parse(`${asked}T00:00:00Z`);
  return Number.isNaN(at) || dayText(at / DAY) !== asked ? null : at / DAY;
}

/** The first day of the week where the browser's first language is spoken: 1 is Monday, 7 Sunday. Monday by default. */
function getFirstWeekday(acceptLanguage: string | null): number {
  type WeekInfo = { firstDay: number };
  try {
    const tag = acceptLanguage?.split(/[,;]/)[0]?.trim() ?? "";
    const locale: Intl.Locale & { getWeekInfo?(): WeekInfo; weekInfo?: WeekInfo } = new Intl.Locale(tag);
    // Older versions of Node have the property instead of the method.
    return (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1;
  } catch {
    return 1;
  }
}

const words = (date: Date, how: Intl.DateTimeFormatOptions) =>
  date.toLocaleDateString("en-GB", { ...how, timeZone: "UTC" });

/** The parts of the address that select the alerts and their times. */
interface CalendarView {
  channel: string | null;
  zone: string;
  /** As in the address; null if it has none. */
  typedZone: string | null;
  /** The names of channels, for entries of several ones. */
  names: ReadonlyMap<string, string> | null;
}

function entry(
  context: MemberPageContext,
  { at, alert, later, times }: CalendarEntry,
  view: CalendarView,
): HtmlContent {
  const { zone, names } = view;
  const time = new Date(utcToLocal(zone, at)).toISOString().slice(11, 16);
  return html`<li class="${later ? "later" : alert.status === "sent" && "sent"}"><a
    href="${getChannelPath(context, alert.pusher_id)}/alerts/${alert.id}" title="${alert.title}"><time
      class="at" datetime="${new Date(at).toISOString()}"
      data-clock="time">${time}</time> ${truncateText(alert.title, TITLE)}</a>${
        times > 1 &&
        html` <span
        class="muted">and later</span>`
      }${names && html` <span class="muted">${names.get(alert.pusher_id)}</span>`}</li>`;
}

/** A month as a grid of weeks. `begin` is the first day that is drawn, and `today` the present one of the zone. */
function monthGrid(
  context: MemberPageContext,
  view: CalendarView,
  grid: { title: string; month: string; begin: number; weeks: number; today: number },
  days: ReadonlyMap<number, CalendarEntry[]>,
): HtmlContent {
  const { channel, zone, typedZone } = view;
  const cell = (number: number): HtmlContent => {
    const date = new Date(number * DAY);
    const isOutside = dayText(number).slice(0, 7) !== grid.month;
    const lines = days.get(number) ?? [];
    const seen = lines.length > GRID_LINES ? lines.slice(0, GRID_LINES - 1) : lines;
    const href = buildUrl(`${context.base}month`, { day: dayText(number), channel, zone: typedZone });
    const name = words(date, { weekday: "long", day: "numeric", month: "long" });
    return html`<td class="${isOutside ? "outside" : lines.length > 0 ? "busy" : "idle"}"${
      number === grid.today && html` aria-current="date"`
    }><time datetime="${dayText(number)}"><span class="weekday">${words(date, { weekday: "long" })} </span><span
      class="number">${date.getUTCDate()}</span><span class="weekday"> ${words(date, { month: "long" })}</span></time>
      ${
        seen.length > 0 &&
        html`<ul>${seen.map((line) => entry(context, line, view))}${
          lines.length > seen.length &&
          html`<li class="further"><a href="${href}">+${lines.length - seen.length} more<span
            class="unseen"> on ${name}</span></a></li>`
        }</ul>`
      }</td>`;
  };
  const row = (week: number) => html`<tr>${[...Array(7).keys()].map((i) => cell(grid.begin + week * 7 + i))}</tr>`;
  return html`<table class="month" data-zone="${zone}"><caption class="unseen">${grid.title}</caption>
      <thead><tr>${[...Array(7).keys()].map((i) => {
        const date = new Date((grid.begin + i) * DAY);
        const [long, short] = [words(date, { weekday: "long" }), words(date, { weekday: "short" })];
        return html`<th scope="col"><abbr title="${long}">${short}</abbr></th>`;
      })}</tr></thead>
      <tbody>${[...Array(grid.weeks).keys()].map(row)}</tbody></table>`;
}

async function calendar(context: MemberPageContext): Promise<Response> {
  const { url, base } = context;
  const query = url.searchParams;
  const typedZone = query.get("zone")?.trim() || null;
  const zone = typedZone !== null && isTimeZone(typedZone) ? typedZone : "UTC";
  const error =
    typedZone === null || zone === typedZone
      ? undefined
      : new ApiError("invalid_time_zone", INVALID_ZONE_MESSAGE, { param: "zone" });
  const channel = query.get("channel") || null;
  const now = utcToLocal(zone, context.now.getTime());
  const day = parseDay(query.get("day"));
  const asked = day === null ? monthOf(query.get("month"), now) : dayText(day).slice(0, 7);
  const first = Date.parse(`${asked}-01T00:00:00Z`);
  const step = (by: number) => {
    const date = new Date(first);
    return date.setUTCMonth(date.getUTCMonth() + by);
  };
  const firstWeekday = getFirstWeekday(context.request.headers.get("accept-language"));
  const begin = first / DAY - ((first / DAY - MONDAY - firstWeekday + 1 + 7) % 7);
  const weeks = Math.ceil((step(1) / DAY - begin) / 7);
  const [from, to] = day === null ? [begin * DAY, (begin + weeks * 7) * DAY] : [day * DAY, (day + 1) * DAY];
  const [{ data: channels }, { days, missing }] = await Promise.all([
    context.call("list_pushers"),
    read(context, { channel, from: localToUtcLenient(zone, from), to: localToUtcLenient(zone, to), zone }),
  ]);
  const names = new Map(channels.map(({ id, name }) => [id, name]));
  const view = { channel, zone, typedZone, names: channel === null ? names : null };
  const link = (more: UrlQuery) => buildUrl(`${base}month`, { ...more, channel, zone: typedZone });
  const monthAt = (by: number) => new Date(step(by)).toISOString().slice(0, 7);
  const monthName = words(new Date(first), { month: "long", year: "numeric" });
  const title =
    day === null ? monthName : words(new Date(day * DAY), { day: "numeric", month: "long", year: "numeric" });
  const lines = [...days].flatMap(([number, entries]) => (dayText(number).startsWith(asked) ? entries : []));
  const grid = { title, month: asked, begin, weeks, today: Math.floor(now / DAY) };
  const place = channel
    ? html`<a href="${getChannelPath(context, channel)}">${names.get(channel) ?? "the channel"}</a>`
    : "all channels";
  const other =
    channel &&
    buildUrl(`${base}month`, { ...(day === null ? { month: asked } : { day: dayText(day) }), zone: typedZone });
  return context.page(
    title,
    html`${
      day !== null &&
      html`<p class="back"><a
      href="${link({ month: asked })}">${monthName}</a></p>`
    }<h1>${title}</h1>
    <p class="lede">Sent and planned alerts from ${place}. <a
      href="${channel ? `${getChannelPath(context, channel)}?status=scheduled` : `${base}scheduled`}">List view</a>${
        other && html`, or <a href="${other}">all channels</a>`
      }.</p>
    ${
      missing.length > 0 &&
      html`<p class="flash careful"
      role="status">This list is incomplete. ${missing.join(" ")}</p>`
    }
    <div class="between months">${
      day === null &&
      html`<nav class="actions" aria-label="Months"><a class="button plain"
          href="${link({ month: monthAt(-1) })}"><span aria-hidden="true">‹</span><span
            class="unseen">Previous month</span></a><a class="button plain"
            href="${link({})}">Today</a><a class="button plain"
              href="${link({ month: monthAt(1) })}"><span aria-hidden="true">›</span><span
                class="unseen">Next month</span></a></nav>`
    }
    <form method="get" action="${base}month" data-own-zone><input type="hidden" name="${day === null ? "month" : "day"}"
      value="${day === null ? asked : dayText(day)}">${
        channel &&
        html`<input type="hidden"
        name="channel" value="${channel}">`
      }
      ${renderSelectField({
        ...{ name: "zone", label: "Time zone", options: buildZoneOptions(zone), value: zone, error },
      })}<button
        class="plain">Show</button></form></div>
    ${
      day === null
        ? monthGrid(context, view, grid, days)
        : html`<ul class="day"
    data-zone="${zone}">${lines.slice(0, DAY_LINES).map((line) => entry(context, line, view))}</ul>
    ${lines.length > DAY_LINES && html`<p class="hint">and ${lines.length - DAY_LINES} more</p>`}`
    }
    ${lines.length === 0 && html`<p>No alerts ${day === null ? "in this month" : "on this day"}.</p>`}
    ${
      lines.some(({ later }) => later) &&
      html`<p class="hint">Future occurrences that are not scheduled yet are in italics.</p>`
    }`,
    { error, width: "wide", styles: ["month"], scripts: ["zone"] },
  );
}

export const CALENDAR_PAGES: readonly ConsolePage[] = [defineMemberPage("GET", "/month", calendar)];
