// Instants on pages: written in UTC, for everybody alike. In an element CLOCK_SCRIPT makes one the reader's own, and UTC stays
// as its tip.

import { pageFile } from "./files.ts";
import { type Html, html } from "./html.ts";

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
export const dayWords = (at: Date): string => made().day.format(at);

/** The same without the year where that is the present one: 22 Nov, 14:25 UTC */
export const nearWords = (at: Date, now: Date): string => {
  const words = minuteWords(at);
  return at.getUTCFullYear() === now.getUTCFullYear() ? words.replace(` ${at.getUTCFullYear()}`, "") : words;
};

/** 22 Nov 2026, 14:25 UTC */
export const minuteWords = (at: Date): string => `${dayWords(at)}, ${made().minute.format(at)} UTC`;

export const CLOCK_SCRIPT = pageFile("clock.js", "text/javascript; charset=utf-8", import.meta.url);

const WORDS = { minute: minuteWords, near: nearWords, day: dayWords };

/** `how`: to the minute, without the year where that is the present one, or the day alone. */
export function clock(at: Date, how: keyof typeof WORDS = "minute", now = at): Html {
  return html`<time datetime="${at.toISOString()}" title="${minuteWords(at)}" data-clock="${how}">${WORDS[how](at, now)}</time>`;
}
