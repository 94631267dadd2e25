// Search and pages of lists that are read whole, and filters by actor and channel. The filter is in the address, so it
// needs no script.

import { invalidRequest } from "../../model/api_error.ts";
import { toLowerCaseNfc } from "../../model/domain/search_terms.ts";
import { buildUrl, type UrlQuery } from "../../ui/build_url.ts";
import { type Html, type HtmlContent, html } from "../../ui/html.ts";
import { icon } from "../../ui/icons.ts";
import {
  type LabelledField,
  renderFieldErrorAndAttributes,
  renderSelectField,
  type SelectOption,
} from "./components.ts";
import type { OperationResultRow, PageContext } from "./page_definitions.ts";
import { type ListViews, renderViewMenu } from "./view_menu.ts";

/** Rows of one page. */
export const ROWS_PER_PAGE = 25;

/** The search text of the address. */
export const getSearchText = ({ url }: Pick<PageContext, "url">): string => (url.searchParams.get("q") ?? "").trim();

/** The rows that contain the letters in one of their terms. */
export function filterRows<Row>(
  rows: readonly Row[],
  find: string,
  wordsOf: (row: Row) => readonly (string | null)[],
): Row[] {
  const letters = toLowerCaseNfc(find);
  return rows.filter((row) => wordsOf(row).some((word) => toLowerCaseNfc(word ?? "").includes(letters)));
}

/** The name with the found letters in a `<mark>`. */
export function markWords(name: string, find: string): HtmlContent {
  const words = find.split(/\s+/).filter(Boolean);
  if (words.length === 0) return name;
  const patterns = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return name
    .split(new RegExp(`(${patterns.join("|")})`, "iu"))
    .map((part, at) => (at % 2 === 1 ? html`<mark>${part}</mark>` : part));
}

/** The toolbar of a list, in this order: the search, the links to states, and filters. */
interface Toolbar {
  /** Its accessible name, if the search alone does not name it. */
  name?: string;
  /** The rest of the address's query. */
  query?: UrlQuery;
  search?: { find: string; label: string; hint: string; most?: number };
  views?: ListViews;
  /** Fields behind a button, and those in use as links without them. The fields are open if one is refused. */
  filters?: HtmlContent;
  active?: readonly ActiveFilter[];
  isRefused?: boolean;
  /** The order, and the box that shows the boxes of rows, for a narrow screen. */
  order?: HtmlContent;
  select?: HtmlContent;
  /** The address of the list as a file. */
  download?: string | null;
}

/** A filter in use, such as "Channel: Night Trains", and the address of the list without it. */
interface ActiveFilter {
  label: string;
  value: string;
  without: string;
}

export function renderToolbar(path: string, tools: Toolbar): Html {
  const { name, query = {}, search, views, filters, active = [], isRefused, order, select, download } = tools;
  return html`<form class="tools" method="get" action="${path}" role="search"${name && html` aria-label="${name}"`}>
    ${Object.entries(query).map(
      ([name, value]) =>
        value &&
        html`<input type="hidden"
      name="${name}" value="${value}">`,
    )}${
      search &&
      html`<div class="finder"><label class="unseen" for="q">${search.label}</label>
    <input type="search" id="q" name="q" dir="auto" value="${search.find}" placeholder="${search.hint}"${
      search.most && html` maxlength="${search.most}"`
    }><button class="plain">${icon("search", "s")}<span class="unseen">Search</span></button></div>`
    }${renderViewMenu({ ...views, order, select })}${
      filters &&
      html`<details class="create"${isRefused && html` open`}><summary
        class="chip">${icon("filter", "s")}<span>Filter</span>${
          active.length > 0 && html`<b>${active.length}</b>`
        }</summary><div class="filter">${filters}<button>Apply</button><a
        class="button plain" href="${buildUrl(path, { ...query, q: search?.find })}">Clear</a></div></details>`
    }${active.map(
      ({ label, value, without }) =>
        html`<a class="chip active" href="${without}"><span class="unseen">Remove the filter </span><span>${label}:
          <bdi>${value}</bdi></span><span aria-hidden="true">×</span></a>`,
    )}${download && html`<a class="chip" href="${download}">Download as CSV</a>`}</form>`;
}

/** The toolbar that only searches. */
export const textSearchForm = (
  path: string,
  find: string,
  { label, hint, ...rest }: { label: string; hint: string } & Pick<Toolbar, "query" | "views" | "order">,
): Html => renderToolbar(path, { ...rest, search: { find, label, hint } });

/** One page of the rows, with links to the previous and the next page. `to` returns the address of a page. */
export function paginateRowsInMemory<Row>(
  { url }: Pick<PageContext, "url">,
  rows: readonly Row[],
  to: (more: UrlQuery) => string,
): { rows: readonly Row[]; ways: HtmlContent } {
  const pages = Math.max(1, Math.ceil(rows.length / ROWS_PER_PAGE));
  const page = Math.min(pages, Math.max(1, Number.parseInt(url.searchParams.get("page") ?? "", 10) || 1));
  const way = (at: number, name: string) =>
    at < 1 || at > pages ? html`<span></span>` : html`<a href="${to({ page: String(at) })}">${name}</a>`;
  return {
    rows: rows.slice((page - 1) * ROWS_PER_PAGE, page * ROWS_PER_PAGE),
    ways:
      pages > 1 &&
      html`<nav class="between" aria-label="Pages">${way(page - 1, "Previous")}<span
        class="muted">Page ${page} of ${pages}</span>${way(page + 1, "Next")}</nav>`,
  };
}

/**
 * The complete search of a list without other filters. It has the form if there is more than a page, the matching rows,
 * and links to pages. `part` is the anchor of the list, such as `#list`.
 */
export function searchAndPaginateRows<Row>(
  context: Pick<PageContext, "url">,
  path: string,
  all: readonly Row[],
  said: {
    label: string;
    hint: string;
    wordsOf: (row: Row) => readonly (string | null)[];
    query?: UrlQuery;
    part?: string;
    order?: HtmlContent;
  },
): { form: HtmlContent; rows: readonly Row[]; ways: HtmlContent } {
  const find = getSearchText(context);
  const { query, part = "", order } = said;
  const page = paginateRowsInMemory(context, filterRows(all, find, said.wordsOf), (more) =>
    buildUrl(path, { ...query, q: find, ...more }, part),
  );
  const nothing = html`<p class="muted">No matches. <a
    href="${buildUrl(path, query ?? {}, part)}">Show all</a></p>`;
  return {
    rows: page.rows,
    form:
      all.length > ROWS_PER_PAGE
        ? html`${textSearchForm(path + part, find, said)}${page.rows.length === 0 && nothing}`
        : order && html`<div class="tools">${renderViewMenu({ order })}</div>`,
    ways: page.ways,
  };
}

type AuditLogRow = OperationResultRow<"list_audit_events">;

const ACTOR_LABELS: Record<string, string> = {
  key: "key",
  oauth: "assistant",
  session: "person",
  operator: "operator",
};

export const getActorName = ({ type, name, id }: Pick<AuditLogRow["actor"], "type" | "name" | "id">): string =>
  name ?? (type === "operator" ? "The operator" : (id ?? "Unknown"));

/** The options of a filter: `all` for no filter, and each entry with its value and label. */
const buildFilterOptions = (all: string, entries: Iterable<[string, string]>): SelectOption[] => [
  { value: "", label: all },
  ...[...entries].map(([value, label]) => ({ value, label })),
];

/** The option for all actors, and each actor of these lines once. The chosen actor is always included. */
export function buildAuditActorOptions(lines: readonly AuditLogRow[], chosen: string | undefined): SelectOption[] {
  const actors = new Map<string, string>();
  for (const { actor } of lines)
    if (actor.id !== null && !actors.has(actor.id))
      actors.set(actor.id, `${getActorName(actor)} (${ACTOR_LABELS[actor.type]})`);
  if (chosen && !actors.has(chosen)) actors.set(chosen, chosen);
  return buildFilterOptions("Anyone", actors);
}

/** From how many channels a filter is a search field with suggestions. */
const SEARCHED_CHANNELS = 20;

export interface FilterChannel {
  id: string;
  name: string;
  handle: string;
}

/** A channel as the search field suggests it. */
export const formatChannelSuggestion = ({ name, handle }: Omit<FilterChannel, "id">): string => `${name} (@${handle})`;

interface ChannelField extends Pick<LabelledField, "name" | "label" | "value" | "hint" | "error"> {
  /** The choice of no channel. */
  all: string;
  describe?: (channel: FilterChannel) => string;
}

/** A choice of a channel, or of all: a select element for few channels, or a search field with suggestions for many. */
export function renderChannelSelectField(channels: readonly FilterChannel[], f: ChannelField): Html {
  const { name, label, all, value = "", hint, error, describe = formatChannelSuggestion } = f;
  if (channels.length <= SEARCHED_CHANNELS)
    return renderSelectField({
      ...{ name, label, value, hint, error },
      options: buildFilterOptions(
        all,
        channels.map((channel) => [channel.id, describe(channel)]),
      ),
    });
  const known = channels.find(({ id }) => id === value);
  const { line, attributes } = renderFieldErrorAndAttributes(error, name, hint);
  return html`<div class="field"><label for="${name}">${label}</label>
    ${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}${line}
    <input type="search" id="${name}" name="${name}" list="${name}-names" autocomplete="off" dir="auto"
      value="${known ? formatChannelSuggestion(known) : value}" placeholder="${all}"${attributes}>
    <datalist id="${name}-names">${channels.map(
      (channel) => html`<option value="${formatChannelSuggestion(channel)}"></option>`,
    )}</datalist></div>`;
}

/** The filter of a list by channel. */
export const renderChannelFilter = (channels: readonly FilterChannel[], value: string | undefined): Html =>
  renderChannelSelectField(channels, {
    name: "channel",
    label: "Channel",
    all: "All channels",
    value,
    describe: ({ name }) => name,
  });

export const UNKNOWN_CHANNEL_MESSAGE = "No channel has this name. Choose one from the suggestions.";

const AMBIGUOUS_CHANNEL_MESSAGE = "Several channels have this name. Enter a handle instead, starting with @.";

/** The id of a channel that the filter names by id, handle, suggestion or name; null without such a channel. */
export function findFilterChannelId(channels: readonly FilterChannel[], typed: string): string | null {
  const text = toLowerCaseNfc(typed);
  const handle = /\(@([^()]+)\)$/.exec(typed)?.[1] ?? typed.replace(/^@/, "");
  const found =
    channels.find(({ id }) => id === typed) ??
    channels.find((channel) => channel.handle === handle) ??
    channels.find(({ name }) => toLowerCaseNfc(name) === text);
  if (found) return found.id;
  const near = channels.filter(({ name }) => toLowerCaseNfc(name).includes(text));
  return near.length === 1 ? (near[0]?.id ?? null) : null;
}

/**
 * The id of the channel that a form for permissions names. An id, a suggestion or "@handle" identifies one. Other texts
 * must be the complete name or handle of exactly one channel. `unknown` is the message for no channel.
 * @throws 422 for `pusher`
 */
export function findTypedChannelId(channels: readonly FilterChannel[], typed: string, unknown: string): string {
  const exact = channels.find((one) => [one.id, `@${one.handle}`, formatChannelSuggestion(one)].includes(typed));
  if (exact) return exact.id;
  const text = toLowerCaseNfc(typed);
  const handle = /\(@([^()]+)\)$/.exec(typed)?.[1] ?? typed;
  const [named, other] = channels.filter((one) => one.handle === handle || toLowerCaseNfc(one.name) === text);
  if (named && !other) return named.id;
  throw invalidRequest("invalid_value", other ? AMBIGUOUS_CHANNEL_MESSAGE : unknown, "pusher");
}
