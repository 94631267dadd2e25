// A cell: a complete Belfry in one schema that Citus keeps on one worker
// (docs/decisions/0050-a-cell-is-a-schema-on-citus.md). Statements are written for PostgreSQL, and parts that Citus
// refuses are rewritten when they are sent. Callers do not know about cells.

/** Its schema, and the role that owns it and whose search_path names it alone, begin so. */
export const CELL_SCHEMA_PREFIX = "belfry_cell_";

/** Checks for a cell's URL, by its role. */
export function isCellDatabaseUrl(url: string): boolean {
  return URL.parse(url)?.username.startsWith(CELL_SCHEMA_PREFIX) ?? false;
}

/**
 * Returns the schema of the sign-in library's tables, which the library looks up in the catalog. In a cell, it is the
 * name of the role.
 */
export const getSignInDatabaseSchema = (url: string | undefined) =>
  url !== undefined && isCellDatabaseUrl(url) ? new URL(url).username : "auth";

/**
 * Replacements for volatile and stable functions. Citus does not write a row with a volatile function, and evaluates a
 * stable one before the row is locked. These are declared immutable, so Citus passes them to the worker. Their argument
 * is only known at execution, so PostgreSQL does not evaluate them during planning.
 */
export const CITUS_IMMUTABLE_FUNCTIONS = [
  `create or replace function cell_clock(int) returns timestamptz language plpgsql immutable as
  'begin return pg_catalog.clock_timestamp(); end'`,
  `create or replace function cell_shift(timestamptz, interval) returns timestamptz language plpgsql immutable as
  'begin return $1 + $2; end'`,
];

/** A time, and the interval that is added to it or subtracted from it. */
const INSTANT = String.raw`((?:\b[a-z_]+\.)?\b[a-z_]+_at|\bclock_timestamp\(\))`;
const SPAN = String.raw`((?:\$\d+::int \* )?interval '[^']*'|\([a-z_.]+_at - [a-z_.]+_at\))`;
const SHIFTED = new RegExp(`${INSTANT} ([+-]) ${SPAN}`, "g");

/** Their defaults and conditions take no subquery, and need none. */
const DEFINES = /^\s*(create|alter) (table|unique|index|trigger)\b/;

const said = new Map<string, string>();
/** The size of the cache; texts that change with each call are evicted. */
const KEPT = 2_000;

/**
 * Rewrites a statement for a cell. The tables of the sign-in library are in the cell's schema, because rows of two
 * schemas cannot be joined.
 */
export function rewriteStatementForCell(text: string): string {
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

/** Citus's own errors for rows that a worker refuses, with PostgreSQL's code for each. */
const REFUSALS: readonly (readonly [RegExp, string])[] = [
  [/^duplicate key value violates unique constraint /, "23505"],
  [/ violates foreign key constraint /, "23503"],
  [/ violates check constraint /, "23514"],
  [/^canceling statement due to lock timeout/, "55P03"],
  [/^deadlock detected/, "40P01"],
];

/** Gives an error of a cell the code that PostgreSQL gives it. */
export function restoreCitusErrorCode(error: { code?: string; message: string }): void {
  if (error.code !== "XX000") return;
  error.code = REFUSALS.find(([words]) => words.test(error.message))?.[1] ?? error.code;
}
