// The search above a list of alerts: words, the channel and who wrote them. It stands in the address, so that it needs no script, and
// what it cannot look for is said above an empty list.

import { ApiError } from "../../model/errors.ts";
import { LIMITS } from "../../model/limits.ts";
import { type Content, type Html, html } from "../../ui/html.ts";
import { clock } from "../../ui/instants.ts";
import type { Query } from "../../ui/view_at.ts";
import { actorOptions } from "./actors.ts";
import { emptyState, type Option, pager, problem, select } from "./parts.ts";
import type { AnswerOf, MemberVisit } from "./visit.ts";

/** From how many of the newest lines of the audit log the form offers who wrote something. */
const WRITERS_FROM = 100;
const WRITES = new Set(["create_alert", "duplicate_alert"]);

export interface AlertSearch {
  q?: string;
  channel?: string;
  writer?: string;
}

/** What the address looks for. */
export function searchIn({ url }: Pick<MemberVisit, "url">): AlertSearch {
  const search: AlertSearch = {};
  for (const name of ["q", "channel", "writer"] as const) {
    const value = url.searchParams.get(name)?.trim();
    if (value) search[name] = value;
  }
  return search;
}

export const isSearch = (search: AlertSearch): boolean => Object.keys(search).length > 0;

/** The same search in an address. */
export const searchQuery = ({ q, channel, writer }: AlertSearch): Query => ({ q, channel, writer });

type Found = AnswerOf<"list_account_alerts"> & { refused: Content };

/** A page of what is found. `args`: what the list asks for besides. */
export async function foundAlerts(
  visit: MemberVisit,
  { q, channel, writer }: AlertSearch,
  args: Record<string, unknown>,
): Promise<Found> {
  const asked = { ...args, ...(q && { query: q }), ...(writer && { writer }) };
  try {
    const page = await (channel
      ? visit.call("list_alerts", { ...asked, pusher_id: channel })
      : visit.call("list_account_alerts", asked));
    return { ...page, refused: null };
  } catch (error) {
    // A wrong place or filter is somebody's own address; words are what people type.
    if (!(error instanceof ApiError) || error.param !== "query") throw error;
    return { data: [], meta: { next_before: null }, refused: problem(error) };
  }
}

/** What stands where nothing is found. `all`: the address of the list without the search. */
export const nothingFits = (all: string): Html =>
  emptyState(
    "Nothing fits",
    html`Every word has to begin a word of the title, the text or a tag of the channel. <a href="${all}">Show everything</a>`,
  );

/** Below the rows of a page: the ways to others, and how far the search looked where it ended early. */
export function pagesOf(
  path: string,
  { next_before, looked_to }: Found["meta"],
  at: { before: string | null; query: Query },
  ways: Parameters<typeof pager>[2] = { back: "Newest", on: "Older" },
): Content {
  const pages = (on: string) => pager(path, { ...at, next: next_before }, { ...ways, on });
  if (!looked_to) return pages(ways.on);
  return html`<p class="why" role="status">Looked as far as ${clock(new Date(looked_to))}. There may be more beyond.</p>${pages("Look further")}`;
}

/** The form. `channels` are offered for choice; `query` is what the address says besides. */
export async function searchForm(
  visit: MemberVisit,
  path: string,
  search: AlertSearch,
  { channels, query = {} }: { channels?: readonly Option[]; query?: Query },
): Promise<Html> {
  const { data } = await visit.call("list_audit_events", {
    limit: WRITERS_FROM,
    ...(!channels && search.channel && { pusher_id: search.channel }),
  });
  const writers = actorOptions(
    data.filter(({ operation }) => WRITES.has(operation)),
    search.writer,
  );
  return html`<form class="filter" method="get" action="${path}" role="search" aria-label="Alerts">
    ${Object.entries(query).map(([name, value]) => value && html`<input type="hidden" name="${name}" value="${value}">`)}
    <div class="field"><label for="q">Words</label><input type="search" id="q" name="q" value="${search.q ?? ""}" maxlength="${LIMITS.search}" placeholder="In title, text and tags"></div>
    ${
      channels &&
      select({
        name: "channel",
        label: "Channel",
        options: [{ value: "", label: "Every channel" }, ...channels],
        value: search.channel ?? "",
      })
    }
    ${select({ name: "writer", label: "Written by", options: writers, value: search.writer ?? "" })}
    <button class="plain">Find</button></form>`;
}
