// Lists of alerts: the search by text, channel and writer, one page of the results, and their counts of reads and
// acknowledgements. The search is in the address; a refused one is reported above an empty list.

import { count_alert_reports } from "../../identity/session/alert_report_counts.ts";
import { list_alert_writers } from "../../identity/session/subject_names.ts";
import { ApiError } from "../../model/api_error.ts";
import { LIMITS } from "../../model/limits.ts";
import type { AlertStatus } from "../../model/tables/alert.ts";
import { buildUrl, type UrlQuery } from "../../ui/build_url.ts";
import { type Html, type HtmlContent, html } from "../../ui/html.ts";
import type { AlertListColumns, ListedAlert } from "./alert_rows.ts";
import {
  type HtmlTableOptions,
  liveSection,
  renderErrorSummary,
  renderFirstAndNextLinks,
  renderHtmlTable,
  renderSelectField,
} from "./components.ts";
import { emptyState } from "./empty_state.ts";
import {
  buildAuditActorOptions,
  type FilterChannel,
  findFilterChannelId,
  getActorName,
  renderChannelFilter,
  renderToolbar,
  UNKNOWN_CHANNEL_MESSAGE,
} from "./list_search.ts";
import { renderSortMenu, sortHeading } from "./list_sorting.ts";
import type { MemberPageContext, OperationResult } from "./page_definitions.ts";
import { type ListViews, renderViewMenu } from "./view_menu.ts";

/** From how many of the newest lines of the audit log the form offers who wrote something. */
const WRITERS_FROM = 100;
const WRITES = new Set(["create_alert", "duplicate_alert"]);

interface AlertSearch {
  q?: string;
  channel?: string;
  writer?: string;
  /** The order by time, where it is not the order of the list. */
  order?: "newest" | "oldest";
}

/** The search in the address of the page. */
export function parseAlertSearch({ url }: Pick<MemberPageContext, "url">): AlertSearch {
  const search: AlertSearch = {};
  for (const name of ["q", "channel", "writer"] as const) {
    const value = url.searchParams.get(name)?.trim();
    if (value) search[name] = value;
  }
  const order = url.searchParams.get("order");
  if (order === "newest" || order === "oldest") search.order = order;
  return search;
}

const isSearch = ({ order: _, ...search }: AlertSearch): boolean => Object.keys(search).length > 0;

/** The same search in an address. */
export const toAlertSearchUrlQuery = ({ q, channel, writer, order }: AlertSearch): UrlQuery => ({
  q,
  channel,
  writer,
  order,
});

const SHOWN_ALERTS = 25;

export interface AlertSearchResults extends OperationResult<"list_account_alerts"> {
  before: string | null;
  search: AlertSearch;
  refused: HtmlContent;
  /** Reads and acknowledgements by the id of a sent alert. */
  counts: ReadonlyMap<string, { reads: number; acks: number }>;
  /** The name of the writer by the id of a draft. */
  writers: ReadonlyMap<string, string>;
}

/** One statement for a page of alerts. */
async function countReports(
  context: MemberPageContext,
  alerts: readonly ListedAlert[],
): Promise<AlertSearchResults["counts"]> {
  const alert_ids = alerts.filter(({ status }) => status === "sent").map(({ id }) => id);
  if (alert_ids.length === 0) return new Map();
  const { data } = await context.asMember(count_alert_reports, { alert_ids });
  return new Map(data.map(({ id, ...counts }) => [id, counts]));
}

/** One statement for the drafts of a page. */
async function nameWriters(
  context: MemberPageContext,
  alerts: readonly ListedAlert[],
): Promise<AlertSearchResults["writers"]> {
  const alert_ids = alerts.filter(({ status }) => status === "draft").map(({ id }) => id);
  if (alert_ids.length === 0) return new Map();
  const { data } = await context.asMember(list_alert_writers, { alert_ids });
  return new Map(data.map(({ alert_id, ...actor }) => [alert_id, getActorName({ ...actor, id: null })]));
}

/** The columns of the counts; empty for alerts that were not sent. */
export const buildAlertCountColumns = ({ counts }: Pick<AlertSearchResults, "counts">): AlertListColumns => ({
  Reads: ({ id }) => counts.get(id)?.reads.toLocaleString("en"),
  Acks: ({ id, requires_ack }) => requires_ack && counts.get(id)?.acks.toLocaleString("en"),
});

/** The heading of a column of times, which turns the order of the list. */
export function buildTimeSortHeading(
  path: string,
  name: string,
  search: AlertSearch,
  usual: "newest" | "oldest",
  query: UrlQuery = {},
) {
  const order = search.order ?? usual;
  const href = buildUrl(path, {
    ...toAlertSearchUrlQuery(search),
    ...query,
    order: order === "oldest" ? "newest" : "oldest",
  });
  const direction = order === "oldest" ? "asc" : "desc";
  return { [name]: sortHeading(name, { direction, next: direction === "asc" ? "desc" : "asc", href }) };
}

/** The page of alerts that the address requests. Without an order they are sorted by age. */
export async function readAlertSearchResults(
  context: MemberPageContext,
  search: AlertSearch,
  { status, order: usual }: { status?: AlertStatus | null; order?: "newest" | "oldest" },
  channels: Parameters<typeof findFilterChannelId>[0] | null = null,
): Promise<AlertSearchResults> {
  const { q, writer, order = usual } = search;
  const channel = search.channel && channels ? findFilterChannelId(channels, search.channel) : search.channel;
  const before = context.url.searchParams.get("before");
  const asked = {
    limit: SHOWN_ALERTS,
    ...(status && { status }),
    ...(order && { order }),
    ...(before && { before }),
    ...(q && { query: q }),
    ...(writer && { writer }),
  };
  const found = { before, search, refused: null, counts: new Map(), writers: new Map() };
  if (channel === null) {
    const refused = html`<p class="flash problem" role="alert">
      ${UNKNOWN_CHANNEL_MESSAGE}</p>`;
    return { data: [], meta: { next_before: null }, ...found, refused };
  }
  try {
    const page = await (channel
      ? context.call("list_alerts", { ...asked, pusher_id: channel })
      : context.call("list_account_alerts", asked));
    const writers = status === "draft" ? await nameWriters(context, page.data) : found.writers;
    return { ...page, ...found, counts: await countReports(context, page.data), writers };
  } catch (error) {
    // A visitor types only the search text. Another wrong parameter is an invalid address, which is refused.
    if (!(error instanceof ApiError) || error.param !== "query") throw error;
    return { data: [], meta: { next_before: null }, ...found, refused: renderErrorSummary(error) };
  }
}

/** The message of an empty result. */
const nothingFits = ({ all, anyState }: Pick<List, "all" | "anyState">, { q }: AlertSearch): Html =>
  emptyState({
    icon: "search",
    title: "No matching alerts",
    says:
      (q || anyState) &&
      html`${q && html`You searched for “<bdi>${q}</bdi>”. Each term matches the start of a word. `}${
        anyState && html`<a href="${anyState}">Search all states</a>`
      }`,
    act: { href: all, label: "Clear search" },
  });

/** Below the rows of a page: the ways to others. */
function pagesOf(
  path: string,
  { next_before }: AlertSearchResults["meta"],
  at: { before: string | null; query: UrlQuery },
  ways: Parameters<typeof renderFirstAndNextLinks>[2] = { back: "Newest", on: "Older" },
): HtmlContent {
  return renderFirstAndNextLinks(path, { ...at, next: next_before }, ways);
}

/** The channel to which the search is limited; undefined without one. */
export const findFilteredChannel = <Channel extends FilterChannel>(
  channels: readonly Channel[],
  { channel }: AlertSearch,
): Channel | undefined => {
  const id = channel ? findFilterChannelId(channels, channel) : null;
  return channels.find((one) => one.id === id);
};

/** The toolbar of a list. It offers `channels`, and keeps `query`, the other parameters of the address. */
async function toolbar(
  context: MemberPageContext,
  path: string,
  search: AlertSearch,
  list: { channels?: Parameters<typeof renderChannelFilter>[0] } & Omit<Parameters<typeof renderToolbar>[1], "search">,
): Promise<Html> {
  const { channels, ...tools } = list;
  const { data } = await context.call("list_audit_events", {
    limit: WRITERS_FROM,
    ...(!channels && search.channel && { pusher_id: search.channel }),
  });
  const writers = buildAuditActorOptions(
    data.filter(({ operation }) => WRITES.has(operation)),
    search.writer,
  );
  const without = (name: "channel" | "writer") =>
    buildUrl(path, { ...toAlertSearchUrlQuery(search), ...list.query, [name]: null });
  const channel = channels && findFilteredChannel(channels, search)?.name;
  const writer = search.writer && writers.find(({ value }) => value === search.writer)?.label;
  return renderToolbar(path, {
    ...{ ...tools, name: "Alerts" },
    search: { find: search.q ?? "", label: "Search", hint: "Title or text", most: LIMITS.search },
    active: [
      ...(channel ? [{ label: "Channel", value: channel, without: without("channel") }] : []),
      ...(writer ? [{ label: "Written by", value: writer, without: without("writer") }] : []),
    ],
    filters: html`${channels && renderChannelFilter(channels, search.channel)}${renderSelectField({
      ...{ name: "writer", label: "Written by", options: writers, value: search.writer ?? "" },
    })}`,
  });
}

/** The presentation of a list of alerts: page size, order and filters. */
interface List {
  /** Names its part of the page. */
  id: string;
  path: string;
  /** The accessible name of the table: its content and its order. */
  caption: string;
  /** The search in the address. `query`: its other parameters. */
  search: AlertSearch;
  query?: UrlQuery;
  /** The list without the search. */
  all: string;
  /** The same search among alerts of all states. */
  anyState?: string | null;
  columns: AlertListColumns;
  none: HtmlContent;
  ways?: Parameters<typeof renderFirstAndNextLinks>[2];
  options?: HtmlTableOptions<ListedAlert>;
  /** Around the table, such as a form of what is done with selected rows. */
  around?: (table: HtmlContent) => HtmlContent;
}

/** A page of matching alerts as a live part, and the toolbar, which can search if there is anything to search. */
export function renderAlertList(
  context: MemberPageContext,
  { data, meta, refused, before, search }: AlertSearchResults,
  list: List,
) {
  const { path, query = {} } = list;
  const searches = isSearch(list.search);
  const nothing = () => {
    if (before) return emptyState({ title: "No more alerts", act: { href: path, label: "Back to the start" } });
    return searches ? (refused ?? nothingFits(list, search)) : list.none;
  };
  const { options = {}, around = (content: HtmlContent) => content } = list;
  const rows = renderHtmlTable(list.caption, data, list.columns, data.length === 0 && nothing(), options);
  const at = { before, query: { ...toAlertSearchUrlQuery(list.search), ...query } };
  const part = liveSection(
    list.id,
    context.url,
    html`${data.length > 0 ? around(rows) : rows}${data.length > 0 && pagesOf(path, meta, at, list.ways)}`,
  );
  const order = renderSortMenu(options.headings ?? {}, data);
  const select =
    options.selects &&
    data.length > 0 &&
    html`<label class="chip"><input type="checkbox" id="select" class="unseen">Select alerts</label>`;
  const isRefused = refused !== null;
  const tools = async (views: ListViews, channels?: Parameters<typeof renderChannelFilter>[0]) =>
    data.length > 0 || searches
      ? toolbar(context, path, search, { channels, query, views, order, select, isRefused })
      : html`<div class="tools">${renderViewMenu(views)}</div>`;
  return { part, tools };
}
