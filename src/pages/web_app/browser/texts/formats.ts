// Times, days, distances and names of languages, formatted in the person's language.

import { isolateText } from "../../../../model/domain/text_isolation.ts";
import { formatDistanceIn } from "./format_translated_text.ts";
import { getLocale, t } from "./translate.ts";

const DAY = 86_400_000;

/** A clock's time, such as 14:40. `instant` in milliseconds since 1970. */
export function formatTime(instant: number, timeZone?: string): string {
  return new Intl.DateTimeFormat(getLocale(), { timeStyle: "short", ...zone(timeZone) }).format(instant);
}

/** A Sunday. */
const SUNDAY = Date.UTC(2023, 0, 1, 12);

/** The weekdays in the order of the user's region, 0 for Sunday. */
export function listWeekdays(): { day: number; short: string; long: string }[] {
  const locale = new Intl.Locale(getLocale()) as Intl.Locale & { getWeekInfo?(): { firstDay: number } };
  const first = locale.getWeekInfo?.().firstDay ?? 1;
  const name = (day: number, weekday: "short" | "long") =>
    new Intl.DateTimeFormat(getLocale(), { weekday, timeZone: "UTC" }).format(SUNDAY + day * DAY);
  return Array.from({ length: 7 }, (_, i) => (first + i) % 7).map((day) => ({
    day,
    short: name(day, "short"),
    long: name(day, "long"),
  }));
}

/** The day as a heading: Today, Yesterday, else weekday and date. */
export function formatDay(instant: number, now: number, timeZone?: string, width: "long" | "short" = "long"): string {
  const day = (ms: number) => new Intl.DateTimeFormat("en-CA", zone(timeZone)).format(ms);
  if (day(instant) === day(now)) return t("time.today");
  if (day(instant) === day(now - DAY)) return t("time.yesterday");
  const far = Math.abs(now - instant) > 300 * DAY;
  return new Intl.DateTimeFormat(getLocale(), {
    weekday: width,
    day: "numeric",
    month: width,
    ...(far && { year: "numeric" }),
    ...zone(timeZone),
  }).format(instant);
}

/** Day and time where they are needed: the time alone for today. */
export function formatDayAndTime(instant: number, now: number, timeZone?: string): string {
  const day = formatDay(instant, now, timeZone, "short");
  const time = formatTime(instant, timeZone);
  return day === t("time.today") ? time : t("time.day_and_time", { day, time });
}

/** The same time in UTC, complete, as the tooltip of the local time. */
export function formatUtc(instant: number): string {
  const whole = { dateStyle: "medium", timeStyle: "short" } as const;
  return `${new Intl.DateTimeFormat(getLocale(), { ...whole, timeZone: "UTC" }).format(instant)} UTC`;
}

/** A distance in the units of the person's region, in as many digits as one can walk by. */
export const formatDistance = (km: number): string => formatDistanceIn(getLocale(), km);

/** `16,384`, with the separators of the language. */
export const formatNumber = (value: number): string => new Intl.NumberFormat(getLocale()).format(value);

/** "A, B" with the separators of the language; each part keeps its direction. Units have no separator in Chinese. */
export const formatList = (parts: readonly string[]): string =>
  new Intl.ListFormat(getLocale(), { type: "conjunction", style: "narrow" }).format(
    parts.map((part) => isolateText(part, getLocale())),
  );

/** A language's name in the person's own: "German" for de. The tag itself where it is unknown. */
export function getLocalizedLanguageName(tag: string): string {
  try {
    return new Intl.DisplayNames([getLocale()], { type: "language" }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

const zone = (timeZone: string | undefined) => (timeZone === undefined ? {} : { timeZone });
