// Times of reminders and pauses, on the clock of this device. Pure.

import type { RuleAlert } from "./rule_types.ts";

const HOUR = 3_600_000;
/** Hours of the day at which a reminder of the evening and of tomorrow comes. */
const EVENING = 19;
const MORNING = 8;

const atHour = (now: number, days: number, hour: number): number => {
  const time = new Date(now);
  // A date, so that a day with 23 or 25 hours counts as one.
  time.setDate(time.getDate() + days);
  return time.setHours(hour, 0, 0, 0);
};

/** The beginning of the next day, as people mean it. In milliseconds since 1970, as all results. */
const getTomorrowMorning = (now: number): number => atHour(now, 1, MORNING);

type SnoozeName = "hour" | "evening" | "tomorrow";

/** Reminders for an alert, in order of time: none after it expires, and no evening that is nearly over. */
export function listSnoozeOptions({ expires_at }: Pick<RuleAlert, "expires_at">, now: number): [SnoozeName, number][] {
  const end = expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at);
  const evening = atHour(now, 0, EVENING);
  const all: [SnoozeName, number][] = [
    ["hour", now + HOUR],
    ["evening", evening],
    ["tomorrow", getTomorrowMorning(now)],
  ];
  return all.filter(([name, until]) => until < end && (name !== "evening" || evening > now + HOUR));
}

type PauseName = "hour" | "eight" | "tomorrow";

/** Pauses of a channel, in order. A pause without an end is the channel's mute. */
export const listPauseOptions = (now: number): [PauseName, number][] => [
  ["hour", now + HOUR],
  ["eight", now + 8 * HOUR],
  ["tomorrow", getTomorrowMorning(now)],
];

type Postponed = Pick<RuleAlert, "snoozed_until" | "dismissed" | "archived" | "acked_at" | "status"> & {
  reminded?: boolean;
};

/** True for a reminder that is due and was not shown yet, unless the alert was answered or put aside in between. */
export function isReminderDue(alert: Postponed, now: number): boolean {
  const { snoozed_until, reminded, dismissed, archived, acked_at, status = "sent" } = alert;
  const settled = reminded || dismissed || archived || acked_at || status !== "sent";
  return Boolean(snoozed_until) && (snoozed_until ?? 0) <= now && !settled;
}
