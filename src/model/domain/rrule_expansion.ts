// Expansion of RFC 5545 recurrence rules, by integer arithmetic: period by period from any time, in both directions.
// Each period counts its steps, so a caller can limit the work of a whole answer.

import type { RuleParts } from "../fields/recurrence_rule.ts";
import { MAX_ZONE_OFFSET_CHANGE_MS, type ZoneClock } from "./cached_zone_clock.ts";
import type { RecurrenceStepBudget } from "./recurrence_step_budget.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Timestamps have years of four digits. */
export const MAX_TIMESTAMP_MS = Date.UTC(9999, 0);

type Direction = 1 | -1;

const dayOf = (year: number, month: number, day: number) => Date.UTC(year, month, day) / DAY;
/** 0 is Monday. */
const weekdayOf = (day: number) => (((day + 3) % 7) + 7) % 7;
const weekStartOf = (day: number, first: number) => day - ((weekdayOf(day) - first + 7) % 7);
const yearOf = (day: number) => new Date(day * DAY).getUTCFullYear();
/** The first day of week 1: the week with at least four days of the year. */
const firstWeekOf = (year: number, first: number) => weekStartOf(dayOf(year, 0, 4), first);

/** True when `at`, counted from 1, or from the end as -1, is listed. */
const listed = (list: readonly number[], at: number, length: number) =>
  list.includes(at) || list.includes(at - length - 1);

/** Days and times of day that a rule names, with the parts that RFC 5545 takes from the start where they are absent. */
function completed(rule: RuleParts, start: number): RuleParts {
  const date = new Date(start);
  const { freq, BYDAY, BYMONTHDAY, BYYEARDAY, BYWEEKNO, BYMONTH } = rule;
  const named = BYDAY.length + BYMONTHDAY.length + BYYEARDAY.length + BYWEEKNO.length > 0;
  const byDate = !named && (freq === "YEARLY" || freq === "MONTHLY");
  const byWeekday =
    BYDAY.length === 0 && (freq === "WEEKLY" || (BYWEEKNO.length > 0 && !BYMONTHDAY.length && !BYYEARDAY.length));
  return {
    ...rule,
    BYMONTHDAY: byDate ? [date.getUTCDate()] : BYMONTHDAY,
    BYMONTH: byDate && freq === "YEARLY" && BYMONTH.length === 0 ? [date.getUTCMonth() + 1] : BYMONTH,
    BYDAY: byWeekday ? [{ nth: 0, weekday: weekdayOf(Math.floor(start / DAY)) }] : BYDAY,
    BYHOUR: rule.BYHOUR.length > 0 ? rule.BYHOUR : [date.getUTCHours()],
    BYMINUTE: rule.BYMINUTE.length > 0 ? rule.BYMINUTE : [date.getUTCMinutes()],
  };
}

/** The days of one month that a rule selects. `year` limits ordinals and BYYEARDAY. */
function* daysOfMonth(rule: RuleParts, year: number, month: number, only?: number): Generator<number> {
  const { BYMONTH, BYMONTHDAY, BYYEARDAY, BYWEEKNO, BYDAY, WKST, freq } = rule;
  if (BYMONTH.length > 0 && !BYMONTH.includes(month + 1)) return;
  const [begin, end] = [dayOf(year, month, 1), dayOf(year, month + 1, 1)];
  const [yearBegin, yearEnd] = [dayOf(year, 0, 1), dayOf(year + 1, 0, 1)];
  const byMonth = freq === "MONTHLY" || BYMONTH.length > 0;
  const [spanBegin, spanEnd] = byMonth ? [begin, end] : [yearBegin, yearEnd];
  const isWeekday = (day: number) =>
    BYDAY.some(({ nth, weekday }) => {
      if (weekday !== weekdayOf(day)) return false;
      const fromEnd = Math.floor((spanEnd - 1 - day) / 7) + 1;
      return nth === 0 || nth === Math.floor((day - spanBegin) / 7) + 1 || nth === -fromEnd;
    });
  const isWeek = (day: number) => {
    const week = weekStartOf(day, WKST);
    const of = yearOf(week + 3);
    const first = firstWeekOf(of, WKST);
    return listed(BYWEEKNO, (week - first) / 7 + 1, (firstWeekOf(of + 1, WKST) - first) / 7);
  };
  for (let day = only ?? begin; day < (only === undefined ? end : only + 1); day++) {
    if (BYMONTHDAY.length > 0 && !listed(BYMONTHDAY, day - begin + 1, end - begin)) continue;
    if (BYYEARDAY.length > 0 && !listed(BYYEARDAY, day - yearBegin + 1, yearEnd - yearBegin)) continue;
    if (BYDAY.length > 0 && !isWeekday(day)) continue;
    if (BYWEEKNO.length > 0 && !isWeek(day)) continue;
    yield day;
  }
}

/** A period of a rule that counts days: its days, its first day, and the steps that finding them costs. */
function daysOfPeriod(rule: RuleParts, start: number, index: number) {
  const startDay = Math.floor(start / DAY);
  const date = new Date(start);
  const by = index * rule.interval;
  const span = (first: number, length: number) => {
    const days: number[] = [];
    for (let day = first; day < first + length; day++) {
      const at = new Date(day * DAY);
      days.push(...daysOfMonth(rule, at.getUTCFullYear(), at.getUTCMonth(), day));
    }
    return { days, begin: first, steps: 20 * length };
  };
  if (rule.freq === "DAILY") return span(startDay + by, 1);
  if (rule.freq === "WEEKLY") return span(weekStartOf(startDay, rule.WKST) + 7 * by, 7);
  const month = date.getUTCFullYear() * 12 + (rule.freq === "YEARLY" ? 12 * by : date.getUTCMonth() + by);
  const days: number[] = [];
  let steps = 20;
  for (let each = month; each < month + (rule.freq === "YEARLY" ? 12 : 1); each++) {
    if (rule.BYMONTH.length > 0 && !rule.BYMONTH.includes((each % 12) + 1)) continue;
    days.push(...daysOfMonth(rule, Math.floor(each / 12), each % 12));
    steps += rule.BYWEEKNO.length > 0 ? 300 : 100;
  }
  return { days, begin: dayOf(Math.floor(month / 12), month % 12, 1), steps };
}

/** The index of the period that has a day, or of the one before it. */
function periodAt(rule: RuleParts, start: number, ms: number): number {
  const [from, to] = [new Date(start), new Date(Math.max(start, ms))];
  const years = to.getUTCFullYear() - from.getUTCFullYear();
  const startDay = Math.floor(start / DAY);
  const day = Math.floor(to.getTime() / DAY);
  const passed =
    rule.freq === "YEARLY"
      ? years
      : rule.freq === "MONTHLY"
        ? years * 12 + to.getUTCMonth() - from.getUTCMonth()
        : rule.freq === "WEEKLY"
          ? Math.floor((day - weekStartOf(startDay, rule.WKST)) / 7)
          : day - startDay;
  return Math.floor(passed / rule.interval);
}

/** Times by the zone's clocks, as if they were UTC's, of a rule that counts days. */
function* calendarTimes(given: RuleParts, { start, from, step, budget }: RuleExpansionSearch): Generator<number> {
  const rule = completed(given, start);
  const seconds = start % MINUTE;
  const slots = [
    ...new Set(rule.BYHOUR.flatMap((hour) => rule.BYMINUTE.map((minute) => hour * HOUR + minute * MINUTE + seconds))),
  ].sort((one, other) => one - other);
  for (let index = periodAt(rule, start, from); index >= 0; index += step) {
    const { days, steps, begin } = daysOfPeriod(rule, start, index);
    if (!budget.spend(steps) || begin * DAY > MAX_TIMESTAMP_MS) return;
    const total = days.length * slots.length;
    const positions = rule.BYSETPOS.map((at) => (at > 0 ? at - 1 : total + at)).filter((at) => at >= 0 && at < total);
    const chosen = [...new Set(positions)].sort((one, other) => one - other);
    const count = rule.BYSETPOS.length > 0 ? chosen.length : total;
    const timeAt = (n: number) => {
      const at = rule.BYSETPOS.length > 0 ? (chosen[n] ?? 0) : n;
      return (days[Math.floor(at / slots.length)] ?? 0) * DAY + (slots[at % slots.length] ?? 0);
    };
    // The first that is not before `from`: a dense period has thousands.
    let [low, high] = [0, count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (timeAt(middle) < from) low = middle + 1;
      else high = middle;
    }
    if (step < 0 && low < count && timeAt(low) === from) low++;
    for (let n = step > 0 ? low : low - 1; n >= 0 && n < count; n += step) {
      const time = timeAt(n);
      if (time < start) continue;
      if (!budget.spend(1)) return;
      yield time;
    }
  }
}

/**
 * Timestamps of a rule that counts the hours or minutes that pass; days, hours and minutes are named by the zone's
 * clocks.
 */
function* elapsedTimes(
  rule: RuleParts,
  clock: ZoneClock,
  { start, from, step, budget }: RuleExpansionSearch,
): Generator<number> {
  const unit = rule.freq === "HOURLY" ? HOUR : MINUTE;
  const apart = rule.interval * unit;
  const { BYDAY, BYHOUR, BYMINUTE } = rule;
  const plain = BYDAY.length + BYHOUR.length + BYMINUTE.length === 0;
  const minutes = [...new Set(BYMINUTE)].sort((one, other) => step * (one - other));
  /** To the end of what the clock is in, of `length`, in the direction of the search. */
  const rest = (local: number, length: number) => (step > 0 ? length - (local % length) : (local % length) + 1);

  /** Returns where the search continues from a time that the rule does not select, or null if it selects it. */
  function skipped(local: number): number | null {
    const hour = rest(local, HOUR);
    if (BYDAY.length > 0 && !BYDAY.some(({ weekday }) => weekday === weekdayOf(Math.floor(local / DAY))))
      return Math.max(hour, rest(local, DAY) - MAX_ZONE_OFFSET_CHANGE_MS);
    if (BYHOUR.length > 0 && !BYHOUR.includes(Math.floor((local % DAY) / HOUR))) {
      const now = Math.floor((local % DAY) / HOUR);
      const hours = Math.min(...BYHOUR.map((each) => (step * (each - now) + 24) % 24));
      return Math.max(hour, hour + (hours - 1) * HOUR - MAX_ZONE_OFFSET_CHANGE_MS);
    }
    if (unit === HOUR || minutes.length === 0) return null;
    const now = Math.floor((local % HOUR) / MINUTE);
    const next = Math.min(...minutes.map((each) => (step * (each - now) + 60) % 60));
    return next === 0 ? null : Math.min(hour, next * MINUTE);
  }

  // A period that begins before `from` may name times after it.
  const first = (from - start) / apart;
  let index = step > 0 ? Math.max(0, Math.floor(first) - 1) : Math.ceil(first);
  while (index >= 0) {
    const at = start + index * apart;
    if (at > MAX_TIMESTAMP_MS || !budget.spend(plain ? 1 : 5)) return;
    const local = plain ? at : clock.localAt(at);
    const skip = plain ? null : skipped(local);
    const ahead = skip === null ? apart : Math.max(apart, Math.ceil(skip / apart) * apart);
    index += (step * ahead) / apart;
    if (skip !== null) continue;
    // An hour that is shown twice comes once where hours or days are named (rules#recurrence-clocks).
    if (BYDAY.length + BYHOUR.length > 0 && clock.timestampOf(local) !== at) continue;
    const times =
      unit === HOUR && minutes.length > 0
        ? minutes.map((each) => at - (local % HOUR) + each * MINUTE + (local % MINUTE))
        : [at];
    for (const time of times) if (time >= start && (time - from) * step >= 0) yield time;
  }
}

/** The start, direction and budget of a search. Times are in ms. */
interface RuleExpansionSearch {
  /** When the rule begins. */
  start: number;
  from: number;
  step: Direction;
  budget: RecurrenceStepBudget;
}

/**
 * Yields the times of a rule from `from` on, in the direction of `step`, none before `start`. The caller applies COUNT.
 * For a rule that counts days, the times are local times as if in UTC. For a rule that counts hours or minutes, they
 * are timestamps.
 */
export const iterateRuleTimes = (rule: RuleParts, clock: ZoneClock, search: RuleExpansionSearch): Generator<number> =>
  rule.freq === "HOURLY" || rule.freq === "MINUTELY" ? elapsedTimes(rule, clock, search) : calendarTimes(rule, search);
