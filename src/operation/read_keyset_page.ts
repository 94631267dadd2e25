// Keyset pagination that loses and repeats no row, even if rows have the same timestamp: a page ends only between two
// timestamps.

import { invalidRequest } from "../model/api_error.ts";
import { assertDefined } from "../model/assert.ts";
import { catchApiError } from "../model/domain/alert_validation.ts";
import { toIsoMicros } from "../model/fields/sql_statement_types.ts";
import { LIMITS } from "../model/limits.ts";

/** A row that knows when the next older one is: null after the oldest that was looked at. */
interface Neighbour {
  sent_at: string;
  following: string | null;
}

/**
 * Reads one page with a limit on its rows and bytes. `fetch(n)` returns the next `n` rows, newest first, and every row
 * with the timestamp of the last one. It returns fewer if those exceed the bytes; then `following` of the last one is
 * set.
 */
export async function readBoundedPage<Row extends Neighbour>(
  limit: number,
  fetch: (n: number) => Promise<Row[]>,
): Promise<PageSlice<Row>> {
  for (let wanted = limit; ; ) {
    const found = await fetch(wanted + 1);
    const page = trimPage(found, wanted);
    if (page) return page;
    wanted = found.length;
  }
}

/** A page. `next` is the row before the next page, and if that continues within its timestamp; null at the end. */
export interface PageSlice<Row> {
  rows: Row[];
  next: { after: Row; inside: boolean } | null;
}

/** Returns the page of `wanted + 1` rows; null if more rows are needed to find its end. */
export function trimPage<Row extends Neighbour>(found: Row[], wanted: number): PageSlice<Row> | null {
  const tied = (row: Row | undefined) => row !== undefined && row.following === row.sent_at;
  let end = Math.min(wanted, found.length);
  while (end < found.length && tied(found[end - 1])) end++;
  const after = found[end - 1];
  // All rows of the last timestamp are here, but the following row is unknown.
  if (after && after.following === null && end > wanted) return null;
  const rows = found.slice(0, end);
  return { rows, next: after && after.following !== null ? { after, inside: tied(after) } : null };
}

/**
 * Reads the page that `limit` and `before` name. `fetch` returns at least the next `limit` rows, newest first, and
 * every row with the timestamp of the last one (SQL: `fetch first n rows with ties`). `time` is the column with the
 * timestamp.
 * @returns the rows and the `meta` of the response: the timestamp for the next page, or null at the end
 */
export async function readKeysetPage<Time extends string, Row extends Readonly<Record<Time, string>>>(
  { limit = LIMITS.page_usual, before }: { limit?: number | undefined; before?: string | null | undefined },
  time: Time,
  fetch: (page: { limit: number; before: string | null }) => Promise<Row[]>,
): Promise<{ rows: Row[]; meta: { next_before: string | null } }> {
  for (let wanted = limit; ; ) {
    const rows = await fetch({ limit: wanted + 1, before: before ?? null });
    if (rows.length <= wanted) return { rows, meta: { next_before: null } };
    const last = assertDefined(rows[wanted - 1], "more rows than the limit were read")[time];
    if (assertDefined(rows[wanted], "more rows than the limit were read")[time] !== last)
      return { rows: rows.slice(0, wanted), meta: { next_before: toIsoMicros(last) } };
    // The page would end inside a tie: widen it to the end of the tie and look one row further.
    wanted = rows.findLastIndex((row) => row[time] === last) + 1;
  }
}

interface TimeRange {
  from?: string | undefined;
  to?: string | undefined;
}

/** @throws 422 for a range that does not end after it begins. */
export function checkTimeRange({ from, to }: TimeRange): void {
  if (from && to && from >= to)
    throw invalidRequest("invalid_time_range", "The start (from) must be before the end (to).", "from");
}

export const findTimeRangeProblem = (range: TimeRange) => catchApiError(() => checkTimeRange(range));
