// Quiet hours: is it night for this person? By the clock on the wall where the device is, so summer time needs no
// rule of its own.

import type { QuietHours } from "./rule_types.ts";

const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** Minutes since midnight of `HH:MM`; null for anything else. */
function minutesOf(time: string): number | null {
  const found = TIME.exec(time);
  return found && Number(found[1]) * 60 + Number(found[2]);
}

/** Minutes since midnight at an instant, as a clock in the zone shows them; in UTC where the zone is not known. */
export function wallClock(now: number, timezone: string): number {
  const options = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  const at = (timeZone: string) => new Intl.DateTimeFormat("en", { ...options, timeZone }).format(now);
  try {
    return minutesOf(at(timezone)) ?? 0;
  } catch {
    return minutesOf(at("UTC")) ?? 0;
  }
}

/** Whether these are times at all, and two different ones. */
export function areQuietHours({ from, to }: QuietHours): boolean {
  return minutesOf(from) !== null && minutesOf(to) !== null && from !== to;
}

/** `from` is quiet, `to` is not any more. Hours that are none are never quiet. */
export function isQuiet(hours: QuietHours | null, now: number, timezone: string): boolean {
  if (hours === null || !areQuietHours(hours)) return false;
  const from = minutesOf(hours.from) ?? 0;
  const to = minutesOf(hours.to) ?? 0;
  const minute = wallClock(now, timezone);
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}
