// Finding in lists: one that is read whole is shown by pages and found by its words, alerts are searched by words,
// channel and who wrote them. What is looked for stands in the address, so that it needs no script; what cannot be is
// said above an empty list.

import { ApiError } from "../../model/api_error.ts";
import { normalizeText } from "../../model/domain/search_terms.ts";
import type { AlertStatus } from "../../model/entities/alert.ts";
import { LIMITS } from "../../model/limits.ts";
import { type Content, type Html, html } from "../../ui/html.ts";
import { buildViewUrl, type UrlQuery } from "../../ui/view_url.ts";
import { emptyState, errorSummary, liveSection, pager, type SelectOption, select, table } from "./components.ts";
import type { MemberContext, OperationResult, OperationRow, PageContext } from "./page_context.ts";

/** Rows of one page. */
export const ROWS_PER_PAGE = 25;

/** What the address looks for. */
export const getSearchText = ({ url }: Pick<PageContext, "url">): string => (url.searchParams.get("q") ?? "").trim();

/** The rows that have the letters in one of their words. */
export function filterRows<Row>(
  rows: readonly Row[],
  find: string,
  wordsOf: (row: Row) => readonly (string | null)[],
): Row[] {
  const letters = normalizeText(find);
  return rows.filter((row) => wordsOf(row).some((word) => normalizeText(word ?? "").includes(letters)));
}

/** The form that looks for words. `query`: what the address says besides. */
export function textSearchForm(
  path: string,
  find: string,
  { label, hint, query = {} }: { label: string; hint: string; query?: UrlQuery },
): Html {
  return html`<form class="finder" method="get" action="${path}" role="search">
    ${Object.entries(query).map(([name, value]) => value && html`<input type="hidden" name="${name}" value="${value}">`)}
    <label class="unseen" for="q">${label}</label>
    <input type="search" id="q" name="q" value="${find}" placeholder="${hint}"><button class="plain">Find</button></form>`;
}

/** One page of the rows, and the ways to those beside it. `to`: the address of a page of them. */
export function paginateRows<Row>(
  { url }: Pick<PageContext, "url">,
  rows: readonly Row[],
  to: (more: UrlQuery) => string,
): { rows: readonly Row[]; ways: Content } {
  const pages = Math.max(1, Math.ceil(rows.length / ROWS_PER_PAGE));
  const page = Math.min(pages, Math.max(1, Number.parseInt(url.searchParams.get("page") ?? "", 10) || 1));
  const way = (at: number, name: string) =>
    at < 1 || at > pages ? html`<span></span>` : html`<a href="${to({ page: String(at) })}">${name}</a>`;
  return {
    rows: rows.slice((page - 1) * ROWS_PER_PAGE, page * ROWS_PER_PAGE),
    ways:
      pages > 1 &&
      html`<nav class="between" aria-label="Pages">${way(page - 1, "Previous")}<span class="muted">Page ${page} of ${pages}</span>${way(page + 1, "Next")}</nav>`,
  };
}

/**
 * All of it, for a list without any other filter: the form where there is more than a page, the rows that it finds,
 * and the ways. `part` is the place on the page at which the list stands, as `#list`.
 */
export function searchableList<Row>(
  visit: Pick<PageContext, "url">,
  path: string,
  all: readonly Row[],
  said: {
    label: string;
    hint: string;
    wordsOf: (row: Row) => readonly (string | null)[];
    query?: UrlQuery;
    part?: string;
  },
): { form: Content; rows: readonly Row[]; ways: Content } {
  const find = getSearchText(visit);
  const { query, part = "" } = said;
  const page = paginateRows(visit, filterRows(all, find, said.wordsOf), (more) =>
    buildViewUrl(path, { ...query, q: find, ...more }, part),
  );
  const nothing = html`<p class="muted">No matches. <a href="${buildViewUrl(path, query ?? {}, part)}">Show all</a></p>`;
  return {
    rows: page.rows,
    form:
      all.length > ROWS_PER_PAGE &&
      html`${textSearchForm(path + part, find, said)}${page.rows.length === 0 && nothing}`,
    ways: page.ways,
  };
}

type AuditLogRow = OperationRow<"list_audit_events">;

export const ACTOR_LABELS: Record<string, string> = {
  key: "key",
  oauth: "assistant",
  session: "person",
  operator: "operator",
};

export const getActorName = ({ type, name, id }: AuditLogRow["actor"]): string =>
  name ?? (type === "operator" ? "The operator" : (id ?? "Unknown"));

/** `all`, which is no choice, and each of the entries: what is sent, and what is read. */
export const buildOptions = (all: string, entries: Iterable<[string, string]>): SelectOption[] => [
  { value: "", label: all },
  ...[...entries].map(([value, label]) => ({ value, label })),
];

/** Everybody, and each actor of these lines once. The chosen one stands there in any case. */
export function buildActorOptions(lines: readonly AuditLogRow[], chosen: string | undefined): SelectOption[] {
  const actors = new Map<string, string>();
  for (const { actor } of lines)
    if (actor.id !== null && !actors.has(actor.id))
      actors.set(actor.id, `${getActorName(actor)} (${ACTOR_LABELS[actor.type]})`);
  if (chosen && !actors.has(chosen)) actors.set(chosen, chosen);
  return buildOptions("Anyone", actors);
}

/** From how many of the newest lines of the audit log the form offers who wrote something. */
const WRITERS_FROM = 100;
const WRITES = new Set(["create_alert", "duplicate_alert"]);

export interface AlertSearch {
  q?: string;
  channel?: string;
  writer?: string;
}

/** What the address looks for. */
export function parseAlertSearch({ url }: Pick<MemberContext, "url">): AlertSearch {
  const search: AlertSearch = {};
  for (const name of ["q", "channel", "writer"] as const) {
    const value = url.searchParams.get(name)?.trim();
    if (value) search[name] = value;
  }
  return search;
}

const isSearch = (search: AlertSearch): boolean => Object.keys(search).length > 0;

/** The same search in an address. */
export const toSearchQuery = ({ q, channel, writer }: AlertSearch): UrlQuery => ({ q, channel, writer });

const SHOWN_ALERTS = 25;

interface FoundAlerts extends OperationResult<"list_account_alerts"> {
  before: string | null;
  search: AlertSearch;
  refused: Content;
}

/** The page of alerts that the address asks for. Without an order they stand by their age. */
export async function findAlerts(
  visit: MemberContext,
  search: AlertSearch,
  { status, order }: { status?: AlertStatus | null; order?: "newest" | "oldest" },
): Promise<FoundAlerts> {
  const { q, channel, writer } = search;
  const before = visit.url.searchParams.get("before");
  const asked = {
    limit: SHOWN_ALERTS,
    ...(status && { status }),
    ...(order && { order }),
    ...(before && { before }),
    ...(q && { query: q }),
    ...(writer && { writer }),
  };
  const found = { before, search, refused: null };
  try {
    const page = await (channel
      ? visit.call("list_alerts", { ...asked, pusher_id: channel })
      : visit.call("list_account_alerts", asked));
    return { ...page, ...found };
  } catch (error) {
    // A wrong place or filter is somebody's own address; words are what people type.
    if (!(error instanceof ApiError) || error.param !== "query") throw error;
    return { data: [], meta: { next_before: null }, ...found, refused: errorSummary(error) };
  }
}

/** What stands where nothing is found. `all`: the address of the list without the search. */
const nothingFits = (all: string): Html =>
  emptyState(
    "No matching alerts",
    html`Each word must start a word in the title, text or channel tags. <a href="${all}">Show all alerts</a>`,
  );

/** Below the rows of a page: the ways to others. */
function pagesOf(
  path: string,
  { next_before }: FoundAlerts["meta"],
  at: { before: string | null; query: UrlQuery },
  ways: Parameters<typeof pager>[2] = { back: "Newest", on: "Older" },
): Content {
  return pager(path, { ...at, next: next_before }, ways);
}

/** The form. `channels` are offered for choice; `query` is what the address says besides. */
async function searchForm(
  visit: MemberContext,
  path: string,
  search: AlertSearch,
  { channels, query = {} }: { channels?: readonly SelectOption[]; query?: UrlQuery },
): Promise<Html> {
  const { data } = await visit.call("list_audit_events", {
    limit: WRITERS_FROM,
    ...(!channels && search.channel && { pusher_id: search.channel }),
  });
  const writers = buildActorOptions(
    data.filter(({ operation }) => WRITES.has(operation)),
    search.writer,
  );
  return html`<form class="filter" method="get" action="${path}" role="search" aria-label="Alerts">
    ${Object.entries(query).map(([name, value]) => value && html`<input type="hidden" name="${name}" value="${value}">`)}
    <div class="field"><label for="q">Search</label><input type="search" id="q" name="q" value="${search.q ?? ""}" maxlength="${LIMITS.search}" placeholder="In title, text and tags"></div>
    ${
      channels &&
      select({
        name: "channel",
        label: "Channel",
        options: [{ value: "", label: "All channels" }, ...channels],
        value: search.channel ?? "",
      })
    }
    ${select({ name: "writer", label: "Written by", options: writers, value: search.writer ?? "" })}
    <button class="plain">Find</button></form>`;
}

export type AlertColumns = Record<string, (alert: OperationRow<"list_account_alerts">) => Content>;

/** How a list of alerts is shown. */
interface List {
  /** Names its part of the page. */
  id: string;
  path: string;
  /** What the table shows, and in which order. */
  caption: string;
  /** The search as the address has it, and what stands there besides. */
  search: AlertSearch;
  query?: UrlQuery;
  /** The list without the search. */
  all: string;
  columns: AlertColumns;
  none: Content;
  /** What stands where a list ends, and the words of the way to its begin. */
  end: readonly [title: string, begin: string];
  ways?: Parameters<typeof pager>[2];
}

/**
 * A page of alerts that were found, as a part that follows what happens; and the form of its search, where there is
 * anything to look for.
 */
export function alertList(visit: MemberContext, { data, meta, refused, before, search }: FoundAlerts, list: List) {
  const { path, query = {}, end } = list;
  const searches = isSearch(list.search);
  const nothing = () => {
    if (before) return emptyState(end[0], html`<a href="${path}">${end[1]}</a>`);
    return searches ? (refused ?? nothingFits(list.all)) : list.none;
  };
  const at = { before, query: { ...toSearchQuery(list.search), ...query } };
  const part = liveSection(
    list.id,
    visit.url,
    html`${table(list.caption, data, list.columns, data.length === 0 && nothing())}${data.length > 0 && pagesOf(path, meta, at, list.ways)}`,
  );
  const form = async (channels?: readonly SelectOption[]) =>
    (data.length > 0 || searches) && searchForm(visit, path, search, { channels, query });
  return { part, form };
}
