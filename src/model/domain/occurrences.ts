// When a repeating alert occurs, and what of it is written down now. Pure, and bounded whatever the rule says. The library reads the
// rule; what becomes of a time of day that a zone's clocks skip or show twice is ours (docs/rules.md#recurrence-clocks).

import { invalidRequest } from "../errors.ts";
import { toIsoMicros } from "../fields/columns.ts";
import { type Recurrence, readRecurrence } from "../fields/recurrence.ts";
import { localIn, nearestIn } from "../fields/zoned.ts";
import { forBoth } from "../for_people.ts";
import { LIMITS } from "../limits.ts";
import { need } from "../need.ts";
import { newUuid } from "./ids.ts";

const MINUTE = 60_000;
const APART = LIMITS.recurrence_minutes * MINUTE;
const HORIZON = LIMITS.occurrence_days * 24 * 60 * MINUTE;
/** Clocks change by less than that, so nothing is passed over where local times are looked up. */
const CLOCKS = 180 * MINUTE;
/** What the library looks at for one time that it finds. */
const BOUNDS = { maxIterations: 1_500, maxCandidateEvaluations: 20_000 };
/** Of a series so many of the next are written down, whenever one looks. */
const WRITTEN = LIMITS.occurrences_ahead / 3;
/** How many of the next are looked at to tell whether they stand too close together. */
const LOOKED = 30;
/** Instants are of years that have four digits. */
const LAST = Date.UTC(9999, 0);
/** Times that are looked at for one answer. */
const MOST = 200;

/** `20261124T073000`, of an instant in ms. */
const compact = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, "");

/** What a rule names, in ms. What counts days is read by what the zone's clocks show, as if it were UTC's; all else, by instants. */
async function timesOf({ rule, zone, by, until }: Recurrence, sendAt: number) {
  const { RRuleTemporal } = await import("rrule-temporal");
  const start = Math.floor(sendAt / 1000) * 1000;
  const begins = compact(by === "instants" ? start : localIn(zone, start));
  const rruleString = `DTSTART;TZID=${by === "zone" ? zone : "UTC"}:${begins}\nRRULE:${rule}`;
  const read = new RRuleTemporal({ rruleString, strict: true, cache: false, ...BOUNDS });
  const end = Math.min(until ?? LAST, LAST);

  /** As the library has them, beginning beside `ms`. */
  const instantOf = (at: number) => (by === "clocks" ? nearestIn(zone, at) : at);

  function* named(ms: number, step: "next" | "previous") {
    let at = by === "clocks" ? localIn(zone, ms) + (step === "next" ? -CLOCKS : CLOCKS) : ms;
    for (let looked = 0; looked < MOST; looked++) {
      try {
        const found = read[step](new Date(at));
        if (!found) return;
        at = found.epochMilliseconds;
      } catch {
        // It looked at as many as it may.
        return;
      }
      yield at;
    }
  }

  return {
    /** Up to `most` strictly after an instant, each as far from the one before as it must be. */
    after(ms: number, most: number): number[] {
      const from = Math.max(ms, start - 1);
      const times: number[] = [];
      for (const one of named(from, "next")) {
        const at = instantOf(one);
        if (at > end) break;
        if (at <= from || at < (times.at(-1) ?? 0) + APART) continue;
        times.push(at);
        if (times.length === most || at > from + HORIZON) break;
      }
      return times;
    },
    upTo(ms: number): number | null {
      for (const one of named(Math.min(ms, end) + 1, "previous")) {
        const at = instantOf(one);
        if (at <= Math.min(ms, end)) return at < start ? null : at;
      }
      return null;
    },
    /** Whether two of its next stand closer than they may; that clocks change brings none together. */
    crowded(ms: number): boolean {
      let last = Number.NEGATIVE_INFINITY;
      let looked = 0;
      for (const one of named(Math.max(ms, start - 1), "next")) {
        if (one - last < APART) return true;
        last = one;
        if (++looked === LOOKED) return false;
      }
      return false;
    },
  };
}

const NO_RULE = forBoth(
  "recurrence is no rule that RFC 5545 has; its parts do not go together.",
  "This is no rule: its parts do not go together.",
);
const NEVER = forBoth(
  "recurrence names no time that is still to come; take another rule, a later end or another send_at.",
  "This repeats at no time that is still to come. Take another rule, or a later end.",
);
const CROWDED = forBoth(
  `recurrence must leave ${LIMITS.recurrence_minutes} minutes between two occurrences; take a rule that names fewer times.`,
  `There must be ${LIMITS.recurrence_minutes} minutes between one time and the next.`,
);

/** The next times after `now` of what begins at `sendAt`. @throws 422 for a rule that names none, or names them too close together. */
export async function nextTimes(
  recurrence: string,
  { sendAt, now, most }: { sendAt: number; now: number; most: number },
): Promise<number[]> {
  const read = readRecurrence(recurrence);
  const times = typeof read === "string" ? null : await timesOf(read, sendAt).catch(() => null);
  if (!times) throw invalidRequest(NO_RULE, "recurrence");
  const next = times.after(now, most);
  if (next.length === 0) throw invalidRequest(NEVER, "recurrence");
  if (times.crowded(now)) throw invalidRequest(CROWDED, "recurrence");
  return next;
}

/** A month as somebody looks at it. */
interface Window {
  sendAt: number;
  now: number;
  from: number;
  to: number;
  /** When the last of them that is known to be written comes; null where none is. */
  beyond: number | null;
  most: number;
  /** The begin of the day after the one of an instant. */
  nextDay(at: number): number;
}

/**
 * What a rule names in a time, from `from` up to `to`, beyond what is written down. Up to `most`; where that is not enough, of each
 * further day the first. None for what is no rule.
 */
export async function timesWithin(
  recurrence: string,
  { sendAt, now, from, to, beyond, most, nextDay }: Window,
): Promise<number[]> {
  const read = readRecurrence(recurrence);
  const times = typeof read === "string" ? null : await timesOf(read, sendAt).catch(() => null);
  if (!times) return [];
  // The next few are written; which of them somebody cancelled or moved, only their rows say.
  const near = times.after(now, WRITTEN).filter((at) => at <= now + HORIZON);
  const last = beyond ?? near.at(-1) ?? now;
  const found = times.after(Math.max(from - 1, last, now), most).filter((at) => at < to);
  for (let at = found.at(-1) ?? to; found.length >= most && at < to; ) {
    at = times.after(nextDay(at) - 1, 1)[0] ?? to;
    if (at < to) found.push(at);
  }
  return found;
}

interface Series {
  series_id: string;
  recurrence: string;
  send_at: string;
  /** Up to here its rule was read; null: it begins. */
  filled_to: string | null;
}

/**
 * What of a series is written now: the next few, and of those that should have been since `filled_to` while nobody wrote, the newest alone
 * (docs/rules.md#recurrence-late). `fill_at`: when to look again; null where nothing is to come.
 */
export async function fillOf({ series_id, recurrence, send_at, filled_to }: Series, now: number) {
  const read = readRecurrence(recurrence);
  if (typeof read === "string") throw new Error(`a rule was kept that is none: it ${read}`);
  const times = await timesOf(read, Date.parse(toIsoMicros(send_at)));
  const filledTo = filled_to === null ? Number.NEGATIVE_INFINITY : Date.parse(toIsoMicros(filled_to));
  const coming = times.after(now, LIMITS.occurrences_ahead + 1);
  const ahead = coming.slice(0, LIMITS.occurrences_ahead).filter((at) => at <= now + HORIZON);
  const next = coming[ahead.length];
  const missed = times.upTo(now);
  const last = ahead.at(-1) ?? null;
  const full = ahead.length === LIMITS.occurrences_ahead;
  const middle = need(full ? ahead[ahead.length / 2] : now, "a full list has a middle");
  const again = next === undefined ? last : full ? middle : Math.max(next - HORIZON, now + MINUTE);
  const iso = (ms: number) => new Date(ms).toISOString();
  return {
    series_id,
    filled_to: iso(Math.max(filledTo, last ?? now)),
    fill_at: again === null ? null : iso(again),
    occurrences: [...(missed === null ? [] : [missed]), ...ahead]
      .filter((at) => at > filledTo)
      .map((at) => ({ id: newUuid(), occurs_at: iso(at) })),
  };
}
