// Sorting of lists by column. The column and the direction are in the address, so no script is needed.

import { buildUrl, type UrlQuery } from "../../ui/build_url.ts";
import { type Html, type HtmlContent, html } from "../../ui/html.ts";
import { renderFirstAndNextLinks, type SortableHeading } from "./components.ts";
import { paginateRowsInMemory, ROWS_PER_PAGE } from "./list_search.ts";
import type { PageContext } from "./page_definitions.ts";

type Direction = "asc" | "desc";

/** A column that sorts: the value of a row, and the direction of the first click. */
interface SortableColumn<Row> {
  value: (row: Row) => string | number | null;
  first: Direction;
}

export type SortableColumns<Row> = Readonly<Record<string, SortableColumn<Row>>>;

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

/** Shorter lists are read whole. */
const SORTED_FROM = 10;

/** The order as links, for a narrow screen, which shows no headings. */
export function renderSortMenu(
  headings: Readonly<Record<string, SortableHeading>>,
  rows: readonly unknown[],
): HtmlContent {
  const columns = Object.entries(headings);
  if (rows.length < SORTED_FROM || columns.length === 0) return null;
  return html`<nav class="chips sorting" aria-label="Sort by">${columns.map(([, { content }]) => content)}</nav>`;
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
export function sortRowsAndCreateHeadings<Row>(
  context: Pick<PageContext, "url">,
  rows: readonly Row[],
  columns: SortableColumns<Row>,
  to: (query: UrlQuery) => string,
): { rows: readonly Row[]; headings: Record<string, SortableHeading>; sort: string | null } {
  const at = parseSort(context, columns);
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
export const createListUrlBuilder =
  (path: string, query: UrlQuery = {}, part = "") =>
  (more: UrlQuery): string =>
    buildUrl(path, { ...query, ...more }, part);

/** The rows that a list of pages reads to sort them. */
const SORTED_ROWS = 500;
/** The rows of one call. */
const READ_ROWS = 100;

/** Reads a page of an operation that answers the newest rows first. */
type ReadPage<Row> = (page: {
  limit: number;
  before?: string;
}) => Promise<{ data: readonly Row[]; meta: { next_before?: string | null } }>;

/** The newest rows, page by page, until there are `most`. */
export async function readNewestRows<Row>(
  read: ReadPage<Row>,
  most: number,
): Promise<{ rows: readonly Row[]; isWhole: boolean }> {
  const rows: Row[] = [];
  for (let before: string | null | undefined; ; ) {
    const { data, meta } = await read({ limit: READ_ROWS, ...(before && { before }) });
    rows.push(...data);
    before = meta.next_before;
    if (!before || rows.length >= most) return { rows, isWhole: !before };
  }
}

/**
 * A list of an operation that answers in pages, newest first. An order in the address sorts the newest rows, and `note`
 * reports how many if there are more. Such a list takes several calls (`isSorted`), so it should not be updated live.
 */
export async function readPagedOrSortedRows<Row>(
  context: Pick<PageContext, "url">,
  read: ReadPage<Row>,
  columns: SortableColumns<Row>,
  list: { path: string; query?: UrlQuery; part?: string },
): Promise<{
  rows: readonly Row[];
  headings: Record<string, SortableHeading>;
  ways: HtmlContent;
  note: HtmlContent;
  isSorted: boolean;
}> {
  const { path, query = {}, part } = list;
  const to = createListUrlBuilder(path, query, part);
  if (!parseSort(context, columns)) {
    const before = context.url.searchParams.get("before");
    const { data, meta } = await read({ limit: ROWS_PER_PAGE, ...(before && { before }) });
    const ways =
      data.length > 0 && renderFirstAndNextLinks(path, { before, next: meta.next_before ?? null, query, part });
    return {
      rows: data,
      headings: sortRowsAndCreateHeadings(context, [], columns, to).headings,
      ways,
      note: null,
      isSorted: false,
    };
  }
  const { rows, isWhole } = await readNewestRows(read, SORTED_ROWS);
  const sorted = sortRowsAndCreateHeadings(context, rows, columns, to);
  const page = paginateRowsInMemory(context, sorted.rows, (more) => to({ sort: sorted.sort, ...more }));
  const note =
    !isWhole && html`<p class="hint">Only the newest ${rows.length} are sorted. <a href="${to({})}">Show all</a></p>`;
  return { rows: page.rows, headings: sorted.headings, ways: page.ways, note, isSorted: true };
}
