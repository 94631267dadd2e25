// Keyset pages that lose and repeat nothing when rows share an instant: a page ends only between two instants.

import { assertDefined } from "../model/assert.ts";

/** A row that knows when the next older one is: null after the oldest that was looked at. */
interface Neighbour {
  sent_at: string;
  following: string | null;
}

/**
 * Reads one page that a number of bytes may end, too. `fetch(n)` returns the next `n` rows, newest first, with every
 * row that shares the last one's instant, but fewer when those have too many bytes; then the last one's `following`
 * is set.
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

/** `next`: after which row the next page begins, and whether inside of that row's instant; null after the last one. */
export interface PageSlice<Row> {
  rows: Row[];
  next: { after: Row; inside: boolean } | null;
}

/** A page of the `wanted + 1` rows that were asked for; null where one has to look further to know where it ends. */
export function trimPage<Row extends Neighbour>(found: Row[], wanted: number): PageSlice<Row> | null {
  const tied = (row: Row | undefined) => row !== undefined && row.following === row.sent_at;
  let end = Math.min(wanted, found.length);
  while (end < found.length && tied(found[end - 1])) end++;
  const after = found[end - 1];
  // The tie at the end is whole, but nobody looked further.
  if (after && after.following === null && end > wanted) return null;
  const rows = found.slice(0, end);
  return { rows, next: after && after.following !== null ? { after, inside: tied(after) } : null };
}

/**
 * Reads one page. `fetch(n)` returns at least the next `n` rows where there are so many, newest first, together with
 * every row that shares the last one's instant (SQL: `fetch first n rows with ties`).
 * @returns the rows and `next_before`: the instant to go on from, null at the end.
 */
export async function readKeysetPage<Row>(
  limit: number,
  fetch: (n: number) => Promise<Row[]>,
  instantOf: (row: Row) => string,
): Promise<{ rows: Row[]; next_before: string | null }> {
  for (let wanted = limit; ; ) {
    const rows = await fetch(wanted + 1);
    if (rows.length <= wanted) return { rows, next_before: null };
    const last = instantOf(assertDefined(rows[wanted - 1], "there are more rows than wanted"));
    if (instantOf(assertDefined(rows[wanted], "there are more rows than wanted")) !== last)
      return { rows: rows.slice(0, wanted), next_before: last };
    // The page would end inside a tie: widen it to the end of the tie and look one row further.
    wanted = rows.findLastIndex((row) => instantOf(row) === last) + 1;
  }
}
