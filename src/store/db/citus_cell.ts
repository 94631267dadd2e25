// A cell: one whole Belfry in one schema that Citus keeps on one worker
// (docs/decisions/0050-a-cell-is-a-schema-on-citus.md). What Citus refuses of statements that are written for
// PostgreSQL is said in other words as it is sent. Nothing of what asks knows of cells.

/** Its schema, and the role that owns it and whose search_path names it alone, begin so. */
export const CELL_PREFIX = "belfry_cell_";

/** Whether a URL leads into a cell, which its role says. */
export function isCellUrl(url: string): boolean {
  return URL.parse(url)?.username.startsWith(CELL_PREFIX) ?? false;
}

/** The schema of the sign-in library's tables, of which it asks the catalogue; a cell's is its role's name. */
export const signInSchema = (url: string | undefined) =>
  url !== undefined && isCellUrl(url) ? new URL(url).username : "auth";

/**
 * Citus writes no row with what a volatile function says, and asks a stable one before the row is locked. These are
 * called immutable, so it passes them on to the worker; the argument, which nobody knows before the statement runs,
 * keeps PostgreSQL from asking just once.
 */
export const CELL_FUNCTIONS = [
  `create or replace function cell_clock(int) returns timestamptz language plpgsql immutable as
  'begin return pg_catalog.clock_timestamp(); end'`,
  `create or replace function cell_shift(timestamptz, interval) returns timestamptz language plpgsql immutable as
  'begin return $1 + $2; end'`,
];

/** An instant, and the span that is added to it or taken from it. */
const INSTANT = String.raw`((?:\b[a-z_]+\.)?\b[a-z_]+_at|\bclock_timestamp\(\))`;
const SPAN = String.raw`((?:\$\d+::int \* )?interval '[^']*'|\([a-z_.]+_at - [a-z_.]+_at\))`;
const SHIFTED = new RegExp(`${INSTANT} ([+-]) ${SPAN}`, "g");

/** Their defaults and conditions take no subquery, and need none. */
const DEFINES = /^\s*(create|alter) (table|unique|index|trigger)\b/;

const said = new Map<string, string>();
/** Texts that are made anew for each call are forgotten. */
const KEPT = 2_000;

/**
 * A statement as a cell is asked it. Tables of the sign-in library lie beside ours, since rows of two schemas are not
 * joined.
 */
export function rewriteForCell(text: string): string {
  let words = said.get(text);
  if (words !== undefined) return words;
  words = text.replace(/^create schema "auth"$/, "select 1").replace(/"auth"\.|\bauth\.(?=["a-z])/g, "");
  if (!DEFINES.test(words))
    words = words
      .replace(SHIFTED, (_, at, sign, span) => `cell_shift(${at}, ${sign === "-" ? `-(${span})` : span})`)
      .replace(/(?<!\.)\bclock_timestamp\(\)/g, "cell_clock((select max(1)))");
  if (said.size >= KEPT) said.clear();
  said.set(text, words);
  return words;
}

/**
 * What Citus says as a fault of its own when rows that it copies to a worker are refused there, and PostgreSQL's code
 * for it.
 */
const REFUSALS: readonly (readonly [RegExp, string])[] = [
  [/^duplicate key value violates unique constraint /, "23505"],
  [/ violates foreign key constraint /, "23503"],
  [/ violates check constraint /, "23514"],
  [/^canceling statement due to lock timeout/, "55P03"],
  [/^deadlock detected/, "40P01"],
];

/** Gives an error of a cell the code that PostgreSQL gives it. */
export function restoreSqlState(error: { code?: string; message: string }): void {
  if (error.code !== "XX000") return;
  error.code = REFUSALS.find(([words]) => words.test(error.message))?.[1] ?? error.code;
}
