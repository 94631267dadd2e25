// The time of a delayed ntfy message, in the spellings of its documentation. They are a Unix time in seconds, a
// duration ("30m", "1h30m", "2 days", "half an hour"), or natural language. Examples are "tomorrow, 10am",
// "Tuesday, 7am", "8:30pm" and "this evening". Other spellings are invalid.

import { localToUtcLenient, utcToLocal } from "../../model/fields/zoned_time_conversion.ts";

const SECOND = 1_000;
const UNITS: Record<string, number> = {
  s: SECOND,
  m: 60 * SECOND,
  h: 3_600 * SECOND,
  d: 86_400 * SECOND,
  w: 604_800 * SECOND,
};
const DAY = 86_400 * SECOND;
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** `1h30m`, `90s`, `1.5h`: parts in any number, each of a unit. */
const PARTS = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/;
const DURATION_IN_WORDS =
  /^(?:(?:with)?in )?(\d+|(half )?an?|one) ?(s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?|w|weeks?)$/;
const TIME = /^(?:(\d{1,2})(?::(\d{2}))? ?(am|pm)?|noon|midnight)$/;
/** Hours of the day, as in ntfy's server. */
const DAY_PARTS = new Map(Object.entries({ morning: 8, afternoon: 15, evening: 18, night: 23, tonight: 23 }));
const WEEKDAY = /^(sun|mon|tue|wed|thu|fri|sat)(?:day|sday|nesday|rsday|urday|s|rs|ur)?$/;

interface NtfyDelay {
  at: Date;
  /** It was a time of day, which depends on the zone. */
  byClock: boolean;
}

/** Null: the text is invalid, or the time is over. Times of day are those of `zone`, an IANA name. */
export function parseNtfyDelay(delay: string, now: Date, zone = "UTC"): NtfyDelay | null {
  const text = delay.trim().toLowerCase().slice(0, 100);
  const from = now.getTime();
  const toDelay = (ms: number, byClock = false): NtfyDelay | null =>
    Number.isFinite(ms) && ms >= from - SECOND && ms < from + 36_600 * DAY ? { at: new Date(ms), byClock } : null;
  if (/^\d+$/.test(text)) return toDelay(Number(text) * SECOND);
  const inWords = DURATION_IN_WORDS.exec(text);
  if (inWords) {
    const count = /^\d/.test(inWords[1] ?? "") ? Number(inWords[1]) : inWords[2] ? 0.5 : 1;
    return toDelay(from + count * (UNITS[inWords[3]?.[0] ?? ""] ?? Number.NaN));
  }
  if (PARTS.test(text)) {
    let ms = 0;
    for (const [, count, unit = ""] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g))
      ms += Number(count) * (unit === "ms" ? 1 : (UNITS[unit] ?? Number.NaN));
    return toDelay(from + ms);
  }
  const local = byClock(text, new Date(utcToLocal(zone, from)));
  return local === null ? null : toDelay(localToUtcLenient(zone, local), true);
}

/** A day, a time of the day, or both in either order. */
function byClock(text: string, now: Date): number | null {
  const words = text
    .replace(/[,]/g, " ")
    .split(/\s+/)
    .filter((word) => word !== "" && !["at", "on", "next", "this"].includes(word));
  let days: number | null = null;
  let weekday = false;
  let hour: number | null = null;
  const rest: string[] = [];
  for (const word of words) {
    const named = WEEKDAY.exec(word)?.[1];
    const part = DAY_PARTS.get(word);
    if (part !== undefined) hour = part;
    if (word === "today" || word === "tonight") days = 0;
    else if (word === "tomorrow") days = 1;
    else if (named) {
      weekday = true;
      days = (DAYS.indexOf(named) - now.getUTCDay() + 7) % 7;
    } else if (part === undefined) rest.push(word);
  }
  const midnight = Math.floor(now.getTime() / DAY) * DAY;
  const startOfDayPart = hour === null ? now.getTime() - midnight : hour * 3_600 * SECOND;
  const time = rest.length === 0 ? startOfDayPart : parseTimeOfDay(rest.join(" "));
  if (time === null || (rest.length === 0 && days === null && hour === null)) return null;
  const at = midnight + (days ?? 0) * DAY + time;
  if (at > now.getTime() || days === 1) return at;
  return days === null ? at + DAY : weekday ? at + 7 * DAY : null;
}

function parseTimeOfDay(text: string): number | null {
  const match = TIME.exec(text);
  if (!match) return null;
  if (text === "noon") return 12 * 3_600 * SECOND;
  if (text === "midnight") return 0;
  const [, hours = "", minutes, half] = match;
  let hour = Number(hours);
  if (half === undefined ? minutes === undefined || hour > 23 : hour < 1 || hour > 12) return null;
  if (half !== undefined) hour = (hour % 12) + (half === "pm" ? 12 : 0);
  const minute = Number(minutes ?? 0);
  return minute > 59 ? null : (hour * 60 + minute) * 60 * SECOND;
}
