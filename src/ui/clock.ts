// An instant on a page. It is written in UTC, for everybody alike; CLOCK_SCRIPT makes it the reader's own, and UTC stays as its tip.

import { pageFile } from "./files.ts";
import { type Html, html } from "./html.ts";
import { dayWords, minuteWords, nearWords } from "./instants.ts";

export const CLOCK_SCRIPT = pageFile("clock.js", "text/javascript; charset=utf-8", import.meta.url);

const WORDS = { minute: minuteWords, near: nearWords, day: dayWords };

/** `how`: to the minute, without the year where that is the present one, or the day alone. */
export function clock(at: Date, how: keyof typeof WORDS = "minute", now = at): Html {
  return html`<time datetime="${at.toISOString()}" title="${minuteWords(at)}" data-clock="${how}">${WORDS[how](at, now)}</time>`;
}
