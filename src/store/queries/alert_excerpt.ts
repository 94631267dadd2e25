// The excerpt of an alert's text for cards and lists (rules#card-text), cut in SQL so that the rest of a long text is
// not read.

import { int, nullable, selectColumns } from "../../model/fields/sql_statement_types.ts";
import { LIMITS } from "../../model/limits.ts";

/** The length of the whole text in characters; null where the column `body` has all of it. */
export const FULL_BODY_LENGTH_COLUMN_TYPE = { body_length: nullable(int) };

/** SQL: the first characters of the text of `table`. PostgreSQL counts code points, so no character is cut in half. */
const selectBodyExcerpt = (table: string) => `left(${table}.body, ${LIMITS.card_body})`;

/** SQL: the column of FULL_BODY_LENGTH_COLUMN_TYPE. */
export const selectFullBodyLength = (table: string) =>
  `case when char_length(${table}.body) > ${LIMITS.card_body} then char_length(${table}.body) end as body_length`;

/** SQL: the bytes of `selectBodyExcerpt`. Only a text that may be cut is read for it. */
export const selectBodyExcerptByteLength = (table: string) =>
  `case when octet_length(${table}.body) > ${LIMITS.card_body} then octet_length(${selectBodyExcerpt(table)}) else ` +
  `octet_length(${table}.body) end`;

/** SQL: `selectColumns`, with the beginning of the text in place of the whole. */
export const selectColumnsWithExcerpt = (table: string, columns: object): string =>
  selectColumns(table, columns).replace(`${table}.body`, `${selectBodyExcerpt(table)} as body`);
