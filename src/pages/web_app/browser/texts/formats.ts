// Instants, days, distances and names of languages, as the person's language writes them.

import { getLocale, t } from "./translate.ts";

const DAY = 86_400_000;

/** Where people think in miles. */
const MILES = new Set(["US", "GB", "LR", "MM"]);
const KM_PER_MILE = 1.609344;

/** A clock's time, such as 14:40. `instant` in milliseconds since 1970. */
export function formatTime(instant: number, timeZone?: string): string {
  return new Intl.DateTimeFormat(getLocale(), { timeStyle: "short", ...zone(timeZone) }).format(instant);
}

/** The day as a heading: Today, Yesterday, else weekday and date. */
export function formatDay(instant: number, now: number, timeZone?: string): string {
  const day = (ms: number) => new Intl.DateTimeFormat("en-CA", zone(timeZone)).format(ms);
  if (day(instant) === day(now)) return t("time.today");
  if (day(instant) === day(now - DAY)) return t("time.yesterday");
  const far = Math.abs(now - instant) > 300 * DAY;
  return new Intl.DateTimeFormat(getLocale(), {
    weekday: "long",
    day: "numeric",
    month: "long",
    ...(far && { year: "numeric" }),
    ...zone(timeZone),
  }).format(instant);
}

/** Day and time where they are needed: the time alone for today. */
export function formatDayAndTime(instant: number, now: number, timeZone?: string): string {
  const day = formatDay(instant, now, timeZone);
  const time = formatTime(instant, timeZone);
  return day === t("time.today") ? time : `${day}, ${time}`;
}

/** The same instant in UTC, whole, as the tip of what is shown in the person's own zone. */
export function formatUtc(instant: number): string {
  const whole = { dateStyle: "medium", timeStyle: "short" } as const;
  return `${new Intl.DateTimeFormat(getLocale(), { ...whole, timeZone: "UTC" }).format(instant)} UTC`;
}

/** A distance in the units of the person's region, in as many digits as one can walk by. */
export function formatDistance(km: number): string {
  const region = regionOf(getLocale());
  if (MILES.has(region)) return inUnit(km / KM_PER_MILE, "mile");
  return km < 1 ? inUnit(Math.round(km * 1000), "meter") : inUnit(km, "kilometer");
}

function inUnit(value: number, unit: string): string {
  const maximumFractionDigits = value < 10 ? 1 : 0;
  return new Intl.NumberFormat(getLocale(), { style: "unit", unit, maximumFractionDigits }).format(value);
}

const regionOf = (locale: string): string => new Intl.Locale(locale).region ?? "";

/** `16,384`, with the separators of the language. */
export const formatNumber = (value: number): string => new Intl.NumberFormat(getLocale()).format(value);

/** A language's name in the person's own: "German" for de. The tag itself where nobody knows it. */
export function getLanguageName(tag: string): string {
  try {
    return new Intl.DisplayNames([getLocale()], { type: "language" }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

const zone = (timeZone: string | undefined) => (timeZone === undefined ? {} : { timeZone });
