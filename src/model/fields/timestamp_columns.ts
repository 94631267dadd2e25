// Column kinds for times, as ISO strings with microseconds, never JavaScript dates.

import { p, Type } from "@mikro-orm/core";

/**
 * Converts PostgreSQL's '2026-11-20 14:25:31.5+00', or a date of our own clock, to '2026-11-20T14:25:31.500000Z'.
 * @throws if the session's time zone is not UTC
 */
export function toIsoMicros(value: string | Date): string {
  if (value instanceof Date) return value.toISOString().replace("Z", "000Z");
  if (value.endsWith("Z")) return value;
  const parts = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00(?::?00)?$/.exec(value);
  if (!parts) throw new Error("the database session's time zone is not UTC");
  return `${parts[1]}T${parts[2]}.${(parts[3] ?? "").padEnd(6, "0")}Z`;
}

/** The same for a column that may be null. */
export function toIsoMicrosOrNull(value: string | null): string | null {
  return value === null ? null : toIsoMicros(value);
}

/** timestamptz(6) kept as a microsecond ISO string, so that keyset pages lose and repeat nothing. */
class Instant extends Type<string, string> {
  override getColumnType(): string {
    return "timestamptz(6)";
  }
  override convertToJSValue(value: string): string {
    return value == null ? value : toIsoMicros(value);
  }
  override compareAsType(): string {
    return "string";
  }
}

export const timestampColumn = () => p.type(Instant);

/** Set by the server at the time of the write, not at the start of its transaction. */
export const writtenAtColumn = () => timestampColumn().defaultRaw("clock_timestamp()");

/** Returns the current time in the format of rows. */
export function getNowIsoMicros(clock: { now(): Date }): string {
  return toIsoMicros(clock.now());
}
