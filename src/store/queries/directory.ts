// The directory by raw SQL, for handsets and for pages: public channels that are active, newest first, all of them or those
// that hold some letters.

import { fold } from "../../model/domain/words.ts";
import { CATEGORIES } from "../../model/fields/pusher.ts";
import { array, int, nullable, oneOf, text, timestamptz } from "../../model/fields/sql.ts";
import { type RowOf, type Statement, statementsOf } from "../db/statement.ts";
import { CARDS } from "./handset.ts";

const defineStatement = statementsOf("lists");

/** What the directory lists of the channel `p`, newest first. Null is any category, and from the newest on. */
const LISTED = {
  parameters: { category: nullable(oneOf(CATEGORIES)), before: nullable(timestamptz), limit: int },
  text: `p.is_public and p.status = 'active'
      and ($category::text is null or p.category = $category::text)
      and p.created_at < coalesce($before::timestamptz, 'infinity')
    order by p.created_at desc fetch first ($limit::int) rows with ties`,
};

/** docs/rules.md#directory. Ties of the last instant come along. */
export const directory = defineStatement.reading("directory", {
  parameters: { ...CARDS.parameters, ...LISTED.parameters },
  columns: CARDS.columns,
  joined: CARDS.joined,
  text: `${CARDS.text} where ${LISTED.text}`,
});

/**
 * The same of channels whose name and tags contain `find`. The index finds those with all of its `grams`, and of them those
 * are taken that have them in this order. It is asked first and apart: a plan that walks the newest channels until enough
 * are found would walk all of them for what is rare.
 */
export const directorySearch = defineStatement.reading("directory_search", {
  parameters: { ...CARDS.parameters, ...LISTED.parameters, find: text, grams: array(text) },
  columns: CARDS.columns,
  joined: CARDS.joined,
  text: `with found as materialized (
      select f.id from pusher f
      where f.is_public and f.status = 'active' and f.grams @> $grams::text[] and position($find in f.search) > 0)
    ${CARDS.text} join found on found.id = p.id where ${LISTED.text}`,
});

/** The runs of letters by which an index finds a text: those of three, or the whole of a shorter one (model/entities/pusher.ts). */
export function gramsOf(find: string): string[] {
  const letters = [...find];
  const long = Math.min(3, letters.length);
  return [
    ...new Set(
      letters.slice(0, letters.length - long + 1).map((_, at) => letters.slice(at, at + long).join("")),
    ),
  ];
}

/** What a search of the directory asks for; `find` null lists it. */
export interface DirectoryFilter {
  find: string | null;
  category: (typeof CATEGORIES)[number] | null;
  before: string | null;
}

/** A page of the directory as `device_id` sees it, or as anybody does. `sql` runs a statement. */
export function directoryPage(
  sql: <In, Row>(statement: Statement<In, Row>, parameters: NoInfer<In>) => Promise<Row[]>,
  { find, ...filter }: DirectoryFilter & { device_id: string | null; limit: number },
): Promise<CardRecord[]> {
  if (find === null) return sql(directory, filter);
  const text = fold(find);
  return sql(directorySearch, { ...filter, find: text, grams: gramsOf(text) });
}

export type CardRecord = RowOf<typeof directory>;
