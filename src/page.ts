// Keyset pages that lose and repeat nothing when rows share an instant: a page ends only between two instants.

/**
 * Reads one page. `fetch(n)` returns at least the next `n` rows where there are so many, newest first, together with
 * every row that shares the last one's instant (SQL: `fetch first n rows with ties`).
 * @returns the rows and `next_before`: the instant to go on from, null at the end.
 */
export async function keysetPage<Row>(
  limit: number,
  fetch: (n: number) => Promise<Row[]>,
  instantOf: (row: Row) => string,
): Promise<{ rows: Row[]; next_before: string | null }> {
  for (let wanted = limit; ; ) {
    const rows = await fetch(wanted + 1);
    if (rows.length <= wanted) return { rows, next_before: null };
    const last = instantOf(rows[wanted - 1]!);
    if (instantOf(rows[wanted]!) !== last) return { rows: rows.slice(0, wanted), next_before: last };
    // The page would end inside a tie: widen it to the end of the tie and look one row further.
    wanted = rows.findLastIndex((row) => instantOf(row) === last) + 1;
  }
}
