// Sorting of lists that are read whole. The column and the direction are in the address, so no script is needed.

import { type Content, type Html, html } from "../../ui/html.ts";
import { buildViewUrl, type UrlQuery } from "../../ui/view_url.ts";
import type { PageContext } from "./page_context.ts";

type Direction = "asc" | "desc";

/** A column that sorts: the value of a row, and the direction of the first click. */
export interface SortableColumn<Row> {
  value: (row: Row) => string | number | null;
  first: Direction;
}

export type SortableColumns<Row> = Readonly<Record<string, SortableColumn<Row>>>;

/** A heading of `table` that is a link; `sort` is the value of aria-sort. */
export interface SortableHeading {
  content: Content;
  sort: "ascending" | "descending" | null;
}

/** The column heading as a link that sorts by it. */
export function sortHeading(
  name: string,
  state: { direction: Direction | null; next: Direction; href: string },
): SortableHeading {
  const { direction, next, href } = state;
  const title = next === "asc" ? "Sort ascending" : "Sort descending";
  const arrow: Html | false =
    direction !== null && html`<span aria-hidden="true">${direction === "asc" ? " ↑" : " ↓"}</span>`;
  return {
    content: html`<a class="sorts" href="${href}" title="${title}">${name}${arrow}</a>`,
    sort: direction === null ? null : direction === "asc" ? "ascending" : "descending",
  };
}

const compare = (a: string | number | null, b: string | number | null): number => {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return typeof a === "number" && typeof b === "number"
    ? a - b
    : String(a).localeCompare(String(b), "en", { numeric: true, sensitivity: "base" });
};

/** The order of the address: `sort=Reach`, or `sort=-Reach` for descending. */
function parseSort<Row>({ url }: Pick<PageContext, "url">, columns: SortableColumns<Row>) {
  const asked = url.searchParams.get("sort") ?? "";
  const name = asked.replace(/^-/, "");
  return Object.hasOwn(columns, name)
    ? { name, direction: (asked.startsWith("-") ? "desc" : "asc") as Direction }
    : null;
}

/**
 * The rows in the order of the address, the headings as links, and the order for the addresses of other pages. Rows
 * without a value are last. Without an order in the address, the rows stay as they are.
 * @param to the address of the list with this order
 */
export function sortRows<Row>(
  visit: Pick<PageContext, "url">,
  rows: readonly Row[],
  columns: SortableColumns<Row>,
  to: (query: UrlQuery) => string,
): { rows: readonly Row[]; headings: Record<string, SortableHeading>; sort: string | null } {
  const at = parseSort(visit, columns);
  const column = at ? columns[at.name] : undefined;
  const isLast = (row: Row) => column?.value(row) === null;
  const sorted =
    column && at
      ? [...rows].sort((a, b) => {
          const order = compare(column.value(a), column.value(b));
          return at.direction === "asc" || isLast(a) || isLast(b) ? order : -order;
        })
      : rows;
  const headings = Object.entries(columns).map(([name, { first }]) => {
    const direction = at?.name === name ? at.direction : null;
    const next: Direction = direction === null ? first : direction === "asc" ? "desc" : "asc";
    return [name, sortHeading(name, { direction, next, href: to({ sort: next === "asc" ? name : `-${name}` }) })];
  });
  return {
    rows: sorted,
    headings: Object.fromEntries(headings),
    sort: at && `${at.direction === "desc" ? "-" : ""}${at.name}`,
  };
}

/** The address of a list in another order. */
export const sortedUrl =
  (path: string, query: UrlQuery = {}, part = "") =>
  (more: UrlQuery): string =>
    buildViewUrl(path, { ...query, ...more }, part);
