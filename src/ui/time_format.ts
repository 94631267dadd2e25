// Times on pages, written in UTC for all readers. LOCAL_TIME_SCRIPT converts elements to the reader's own zone, and UTC
// stays as the tooltip.

import { type Html, html } from "./html.ts";

/** Created with the first page: loading the calendars behind them takes a twentieth of a start. */
let formats: { day: Intl.DateTimeFormat; minute: Intl.DateTimeFormat } | undefined;

function getFormats(): NonNullable<typeof formats> {
  formats ??= {
    day: new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" }),
    minute: new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: "UTC" }),
  };
  return formats;
}

/** 22 Nov 2026 */
export const formatDay = (at: Date): string => getFormats().day.format(at);

/** A formatted time without the year where that is the present one. */
const withoutCurrentYear = (words: string, at: Date, now: Date): string =>
  at.getUTCFullYear() === now.getUTCFullYear() ? words.replace(` ${at.getUTCFullYear()}`, "") : words;

/** 22 Nov, 14:25 UTC */
const formatTimeWithoutCurrentYear = (at: Date, now: Date): string => withoutCurrentYear(formatMinute(at), at, now);

const formatClock = (at: Date): string => `${getFormats().minute.format(at)} UTC`;

/** 22 Nov 2026, 14:25 UTC */
export const formatMinute = (at: Date): string => `${formatDay(at)}, ${formatClock(at)}`;

const WORDS = {
  minute: formatMinute,
  near: formatTimeWithoutCurrentYear,
  recent: (at: Date, now: Date) =>
    formatDay(at) === formatDay(now) ? formatClock(at) : formatTimeWithoutCurrentYear(at, now),
  day: formatDay,
  date: (at: Date, now: Date) => withoutCurrentYear(formatDay(at), at, now),
};

/**
 * `how`: to the minute or the day alone ("day", "date"), without the present year ("near", "date"), or without today's
 * date ("recent").
 */
export function timeElement(at: Date, how: keyof typeof WORDS = "minute", now = at): Html {
  return html`<time datetime="${at.toISOString()}" title="${formatMinute(at)}"
    data-clock="${how}">${WORDS[how](at, now)}</time>`;
}
