// Local times with a zone, such as 2026-11-24T07:30 Europe/Lisbon. A local time that the zone's clocks show once is
// valid. One that they skip in spring or repeat in autumn is refused with the two possible offsets.

import type { FieldValidationFailure } from "../api_and_ui_error_texts.ts";
import { assertDefined } from "../assert.ts";

const LOCAL = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(?::(\d\d))? ([A-Za-z][A-Za-z0-9_+/-]{1,63})$/;

export const UNKNOWN_ZONE_FAILURE: FieldValidationFailure = {
  code: "invalid_time_zone",
  message: "must name an IANA time zone, such as Europe/Lisbon",
};

const MINUTE = 60_000;
/** No clock changes by more in one step. */
const DAY = 24 * 60 * MINUTE;

/** Cached, because creating a format is expensive. The number of zones is limited by the runtime. */
const FORMATS = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat | null {
  const known = FORMATS.get(timeZone);
  if (known) return known;
  try {
    const format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
    if (format.resolvedOptions().timeZone === timeZone) FORMATS.set(timeZone, format);
    return format;
  } catch {
    return null;
  }
}

export const isTimeZone = (name: string): boolean => formatOf(name) !== null;

const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+/-]{1,63}$/;

/** The name of a zone in its own letter case, of a name in any; null where the runtime knows none. */
export function findZoneName(name: string): string | null {
  const own = ZONE_NAME.test(name) ? formatOf(name)?.resolvedOptions().timeZone : undefined;
  if (own === undefined) return null;
  return own.toLowerCase() === name.toLowerCase() ? own : name;
}

/** Returns the zone's offset at a time, such as `+01:00`. Offsets with seconds are from before time zones. */
function offsetAt(format: Intl.DateTimeFormat, ms: number): string {
  const name = format.formatToParts(ms).find(({ type }) => type === "timeZoneName")?.value ?? "";
  return name.replace("GMT", "") || "+00:00";
}

function msOf(offset: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = offset.slice(1).split(":").map(Number);
  return (offset.startsWith("-") ? -1 : 1) * ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

/**
 * Converts a local time to UTC in ms for any clock change. It returns the first one of a repeated time, and for a
 * skipped time the time after the change (rules#recurrence-clocks).
 */
export function localToUtcLenient(zone: string, asUtc: number): number {
  const format = assertDefined(formatOf(zone), "the zone was checked when the rule was parsed");
  const before = offsetAt(format, asUtc - DAY);
  const after = offsetAt(format, asUtc + DAY);
  const shown = [before, after].find((offset) => offsetAt(format, asUtc - msOf(offset)) === offset);
  return asUtc - msOf(shown ?? before);
}

/** Converts UTC to the local time of a zone, as if in UTC. */
export function utcToLocal(zone: string, ms: number): number {
  return ms + msOf(offsetAt(assertDefined(formatOf(zone), "the zone was checked when the rule was parsed"), ms));
}

/** The same time as if it were UTC's, and the zone's name; null for a text of another form. */
export function splitZonedLocalTime(value: string): { asUtc: string; zone: string } | null {
  const [, day, minute, second = "00", zone] = LOCAL.exec(value) ?? [];
  return zone === undefined ? null : { asUtc: `${day}T${minute}:${second}Z`, zone };
}

/** Converts a local time to UTC in ms, or returns its problem, as a phrase after a field's name. */
export function localToUtc(zone: string, asUtc: number): number | FieldValidationFailure {
  const format = formatOf(zone);
  if (!format) return UNKNOWN_ZONE_FAILURE;
  const around = [...new Set([offsetAt(format, asUtc - DAY), offsetAt(format, asUtc + DAY)])];
  const [first, second] = around.filter((offset) => offsetAt(format, asUtc - msOf(offset)) === offset);
  const local = new Date(asUtc).toISOString().slice(0, 19);
  const both = `use an offset instead of the time zone: ${around.map((offset) => local + offset).join(" or ")}`;
  const ambiguous = (message: string): FieldValidationFailure => ({ code: "ambiguous_time", message });
  if (first === undefined)
    return ambiguous(`does not exist in its time zone, because the clocks go forward at that time; ${both}`);
  if (second !== undefined)
    return ambiguous(`occurs twice in its time zone, because the clocks go back at that time; ${both}`);
  return asUtc - msOf(first);
}
