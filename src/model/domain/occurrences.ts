// The occurrences of a repeating alert: the next times, those of a month, and those to create now. The functions are
// pure, with a limit on their steps for any rule. A time of day that the clocks skip or repeat is handled by
// rules#recurrence-clocks.

import { createApiAndUiText, isErrorMessage } from "../api_and_ui_error_texts.ts";
import { invalidRequest } from "../api_error.ts";
import { assertDefined } from "../assert.ts";
import { parseRecurrence, type Recurrence } from "../fields/recurrence_rule.ts";
import { toIsoMicros } from "../fields/sql_statement_types.ts";
import { LIMITS } from "../limits.ts";
import { MAX_ZONE_OFFSET_CHANGE_MS, ZoneClock } from "./cached_zone_clock.ts";
import { MAX_RESPONSE_RECURRENCE_STEPS, RecurrenceStepBudget } from "./recurrence_step_budget.ts";
import { iterateRuleTimes, MAX_TIMESTAMP_MS } from "./rrule_expansion.ts";
import { newUuid } from "./type_ids.ts";

const MINUTE = 60_000;
const APART = LIMITS.recurrence_minutes * MINUTE;
const DAY = 24 * 60 * MINUTE;
const HORIZON = LIMITS.occurrence_days * DAY;
/** Steps of one look-up: every day of 27 years, or 400 whole years. A rule that names no time in them names none. */
const LOOKUP_STEPS = 200_000;
/** The number of next occurrences of a series that always exist. */
const WRITTEN = LIMITS.occurrences_ahead / 3;
/** The number of next occurrences whose distances are checked. */
const LOOKED = 30;

/** The times of a rule that begins at `sendAt`, looked up by steps of `budget`. All times are in ms. */
function timesOf({ parts, zone, until }: Recurrence, sendAt: number, budget: RecurrenceStepBudget) {
  const byClocks = parts.freq !== "HOURLY" && parts.freq !== "MINUTELY";
  const clock = new ZoneClock(zone, budget);
  const start = Math.floor(sendAt / 1000) * 1000;
  const begin = byClocks ? clock.localAt(start) : start;
  const end = Math.min(until ?? MAX_TIMESTAMP_MS, MAX_TIMESTAMP_MS);

  const timestampOf = (time: number) => (byClocks ? clock.timestampOf(time) : time);

  /** In the order of the search, as the rule names them, from about `ms` on. COUNT counts from the beginning. */
  function* named(ms: number, step: 1 | -1): Generator<number> {
    const lookup = new RecurrenceStepBudget(LOOKUP_STEPS, budget);
    const lookupClock = new ZoneClock(zone, lookup);
    const near = byClocks ? clock.localAt(ms) - step * MAX_ZONE_OFFSET_CHANGE_MS : ms;
    if (parts.count === null)
      return yield* iterateRuleTimes(parts, lookupClock, { start: begin, from: near, step, budget: lookup });
    const counted: number[] = [];
    let left = parts.count;
    for (const time of iterateRuleTimes(parts, lookupClock, { start: begin, from: begin, step: 1, budget: lookup })) {
      if (step < 0 && time > near) break;
      if (step < 0) counted.push(time);
      else if (time >= near) yield time;
      if (--left === 0) break;
    }
    yield* counted.reverse();
  }

  return {
    /** Up to `most` strictly after a time, each as far from the one before as it must be. */
    after(ms: number, most: number): number[] {
      const from = Math.max(ms, start - 1);
      const times: number[] = [];
      for (const one of named(from, 1)) {
        const at = timestampOf(one);
        if (at > end) break;
        if (at <= from || at < (times.at(-1) ?? 0) + APART) continue;
        times.push(at);
        if (times.length === most || at > from + HORIZON) break;
      }
      return times;
    },
    /** The last at or before a time. */
    upTo(ms: number): number | null {
      const last = Math.min(ms, end);
      for (const one of named(last, -1)) {
        const at = timestampOf(one);
        if (at <= last) return at < start ? null : at;
      }
      return null;
    },
    /** Checks for two next occurrences that are closer than allowed. A change of clocks does not count. */
    crowded(ms: number): boolean {
      let last = Number.NEGATIVE_INFINITY;
      let looked = 0;
      for (const one of named(Math.max(ms, start - 1), 1)) {
        if (one - last < APART) return true;
        last = one;
        if (++looked === LOOKED) return false;
      }
      return false;
    },
  };
}

const NO_RULE = createApiAndUiText(
  "recurrence is not a valid RFC 5545 rule with a time zone. Send both.",
  "This is not a valid rule. Enter it again.",
);
const NEVER = createApiAndUiText(
  "recurrence has no future occurrence. Change the rule, its end or send_at.",
  "This rule has no future occurrence. Change the rule or choose a later end.",
);
const CROWDED = createApiAndUiText(
  `recurrence must leave at least ${LIMITS.recurrence_minutes} minutes between occurrences. Use a less frequent rule.`,
  `Occurrences must be at least ${LIMITS.recurrence_minutes} minutes apart. Choose fewer times.`,
);

/** Times in ms. */
interface Beginning {
  sendAt: number;
  now: number;
  most: number;
  /** Covers the whole result. */
  budget?: RecurrenceStepBudget;
}

/**
 * The next times after `now` of what begins at `sendAt`. @throws 422 for a rule that names none, or names them too
 * close together.
 */
export function findNextOccurrences(
  recurrence: string,
  { sendAt, now, most, budget = new RecurrenceStepBudget(MAX_RESPONSE_RECURRENCE_STEPS) }: Beginning,
): number[] {
  const read = parseRecurrence(recurrence);
  if (isErrorMessage(read)) throw invalidRequest("invalid_recurrence", NO_RULE, "recurrence");
  const times = timesOf(read, sendAt, budget);
  const next = times.after(now, most);
  if (next.length === 0) throw invalidRequest("invalid_recurrence", NEVER, "recurrence");
  if (times.crowded(now)) throw invalidRequest("invalid_recurrence", CROWDED, "recurrence");
  return next;
}

/** A month of an answer, in ms. */
interface Window {
  sendAt: number;
  now: number;
  from: number;
  to: number;
  /** Up to here the occurrences have rows (`filled_until` of the series); null where none is known. */
  beyond: number | null;
  most: number;
  /** The begin of the day after the one of a time. */
  nextDay(at: number): number;
  /** Covers the whole result. */
  budget: RecurrenceStepBudget;
}

/**
 * The times that a rule names from `from` up to `to`, beyond those that are written. Up to `most`; where that is not
 * enough, of each further day the first. None for what is not a rule, and none once the budget is spent.
 */
export function findUnstoredOccurrencesWithin(
  recurrence: string,
  { sendAt, now, from, to, beyond, most, nextDay, budget }: Window,
): number[] {
  const read = parseRecurrence(recurrence);
  if (isErrorMessage(read)) return [];
  const times = timesOf(read, sendAt, budget);
  // The next few exist as rows. Only the rows show if one was cancelled or moved.
  const near = times.after(now, WRITTEN).filter((at) => at <= now + HORIZON);
  const last = Math.max(beyond ?? now, near.at(-1) ?? now);
  const found = times.after(Math.max(from - 1, last), most).filter((at) => at < to);
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
  filled_until: string | null;
}

/**
 * Returns the occurrences of a series to create now: the next few, and the newest missed one. Occurrences are missed if
 * no process ran since `filled_until` (rules#recurrence-late). `next_fill_at` is the time of the next check, or null
 * without further occurrences. A stored rule that cannot be read creates nothing and is checked again in a day, so it
 * blocks no other series.
 */
export function planSeriesFill({ series_id, recurrence, send_at, filled_until }: Series, now: number) {
  const iso = (ms: number) => new Date(ms).toISOString();
  const filledTo = filled_until === null ? Number.NEGATIVE_INFINITY : Date.parse(toIsoMicros(filled_until));
  const read = parseRecurrence(recurrence);
  if (isErrorMessage(read))
    return { series_id, filled_until: iso(Math.max(filledTo, now)), next_fill_at: iso(now + DAY), occurrences: [] };
  const times = timesOf(
    read,
    Date.parse(toIsoMicros(send_at)),
    new RecurrenceStepBudget(MAX_RESPONSE_RECURRENCE_STEPS),
  );
  const coming = times.after(now, LIMITS.occurrences_ahead + 1);
  const ahead = coming.slice(0, LIMITS.occurrences_ahead).filter((at) => at <= now + HORIZON);
  const next = coming[ahead.length];
  const missed = times.upTo(now);
  const last = ahead.at(-1) ?? null;
  const full = ahead.length === LIMITS.occurrences_ahead;
  const middle = assertDefined(full ? ahead[ahead.length / 2] : now, "a full list has a middle");
  const again = next === undefined ? last : full ? middle : Math.max(next - HORIZON, now + MINUTE);
  return {
    series_id,
    filled_until: iso(Math.max(filledTo, last ?? now)),
    next_fill_at: again === null ? null : iso(again),
    occurrences: [...(missed === null ? [] : [missed]), ...ahead]
      .filter((at) => at > filledTo)
      .map((at) => ({ id: newUuid(), occurs_at: iso(at) })),
  };
}
