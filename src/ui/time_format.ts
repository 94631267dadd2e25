// Instants on pages: written in UTC, for everybody alike. In an element LOCAL_TIME_SCRIPT makes one the reader's own,
// and UTC stays as its tip.

import { type Html, html } from "./html.ts";
import { loadStaticFile } from "./static_files.ts";

/** Made with the first page: the calendars that stand behind them take a twentieth of a start to read. */
let formats: { day: Intl.DateTimeFormat; minute: Intl.DateTimeFormat } | undefined;

function made(): NonNullable<typeof formats> {
  formats ??= {
    day: new Intl.DateTimeFormat("en-GB", {
      day: "numeric",
      month: "short",
      year: "numeric",
      timeZone: "UTC",
    }),
    minute: new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: "UTC" }),
  };
  return formats;
}

/** 22 Nov 2026 */
export const formatDay = (at: Date): string => made().day.format(at);

/** The same without the year where that is the present one: 22 Nov, 14:25 UTC */
export const formatNearTime = (at: Date, now: Date): string => {
  const words = formatMinute(at);
  return at.getUTCFullYear() === now.getUTCFullYear() ? words.replace(` ${at.getUTCFullYear()}`, "") : words;
};

/** 22 Nov 2026, 14:25 UTC */
export const formatMinute = (at: Date): string => `${formatDay(at)}, ${made().minute.format(at)} UTC`;

export const LOCAL_TIME_SCRIPT = loadStaticFile("local_times.js", "text/javascript; charset=utf-8", import.meta.url);

const WORDS = { minute: formatMinute, near: formatNearTime, day: formatDay };

/** `how`: to the minute, without the year where that is the present one, or the day alone. */
export function timeElement(at: Date, how: keyof typeof WORDS = "minute", now = at): Html {
  return html`<time datetime="${at.toISOString()}" title="${formatMinute(at)}" data-clock="${how}">${WORDS[how](at, now)}</time>`;
}
