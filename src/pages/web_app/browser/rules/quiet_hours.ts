// Quiet hours: checks if it is night for this person. It uses local time on the device, so daylight saving time needs
// no rule of its own.

import type { QuietHours } from "./rule_types.ts";

const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** Minutes since midnight of `HH:MM`; null for anything else. */
function minutesOf(time: string): number | null {
  const found = TIME.exec(time);
  return found && Number(found[1]) * 60 + Number(found[2]);
}

/** Minutes since midnight at a time, on a clock of the zone; in UTC where the zone is unknown. */
function getMinuteOfDay(now: number, timezone: string): number {
  const options = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  const formatIn = (timeZone: string) => new Intl.DateTimeFormat("en", { ...options, timeZone }).format(now);
  try {
    return minutesOf(formatIn(timezone)) ?? 0;
  } catch {
    return minutesOf(formatIn("UTC")) ?? 0;
  }
}

/** True for two different times on at least one day. */
export function areValidQuietHours({ from, to, days }: QuietHours): boolean {
  return minutesOf(from) !== null && minutesOf(to) !== null && from !== to && days?.length !== 0;
}

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** The weekday in the zone, 0 for Sunday; in UTC where the zone is unknown. */
function weekdayAt(now: number, timezone: string): number {
  const formatIn = (timeZone: string) => new Intl.DateTimeFormat("en", { weekday: "short", timeZone }).format(now);
  try {
    return WEEKDAYS.indexOf(formatIn(timezone));
  } catch {
    return WEEKDAYS.indexOf(formatIn("UTC"));
  }
}

/** `from` is quiet, `to` is not any more. Invalid hours are never quiet. */
export function isWithinQuietHours(hours: QuietHours | null, now: number, timezone: string): boolean {
  if (hours === null || !areValidQuietHours(hours)) return false;
  const from = minutesOf(hours.from) ?? 0;
  const to = minutesOf(hours.to) ?? 0;
  const minute = getMinuteOfDay(now, timezone);
  const overnight = from > to;
  if (overnight ? minute < from && minute >= to : minute < from || minute >= to) return false;
  if (hours.days === undefined) return true;
  // After midnight they are those of the day before.
  const day = weekdayAt(now, timezone);
  return hours.days.includes(overnight && minute < to ? (day + 6) % 7 : day);
}
