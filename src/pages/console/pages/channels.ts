// All channels of a workspace, filtered by text and state. Each shows what awaits a decision and how many devices it
// could reach. Also deletes a channel: the rule, what is deleted with it, and a confirmation. A channel with
// subscribers is paused instead.

import type { ApiError } from "../../../model/api_error.ts";
import type { UrlQuery } from "../../../ui/build_url.ts";
import { CATEGORY_LABELS } from "../../../ui/category_and_permission_labels.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { icon } from "../../../ui/icons.ts";
import { CHANNEL_STATUS_BADGES, getChannelPath, getRequestedChannel, renderChannelAvatar } from "../channel_header.ts";
import { type HtmlTableOptions, renderHtmlTable } from "../components.ts";
import { emptyState } from "../empty_state.ts";
import { capitalize } from "../form_controls.ts";
import { createErrorTypeMatcher, withFormErrors } from "../form_submission.ts";
import { filterRows, getSearchText, paginateRowsInMemory, textSearchForm } from "../list_search.ts";
import {
  createListUrlBuilder,
  renderSortMenu,
  type SortableColumns,
  sortRowsAndCreateHeadings,
} from "../list_sorting.ts";
import {
  type ConsolePage,
  canUse,
  defineMemberPage,
  type MemberPageContext,
  type OperationResult,
  type OperationResultRow,
} from "../page_definitions.ts";
import type { ListViews } from "../view_menu.ts";
import { renderConfirmationPage } from "./confirmation.ts";

const PATH = "/channels/:pusher/delete";

async function ask(context: MemberPageContext, error?: ApiError): Promise<Response> {
  const channel = await getRequestedChannel(context);
  const base = getChannelPath(context, channel.id);
  const subscribers =
    channel.subscribers === 1 ? "one subscriber" : `${channel.subscribers.toLocaleString("en")} subscribers`;
  const may = canUse(context, "delete_pusher");
  const refused = !may
    ? "Only workspace admins and owners can delete channels."
    : channel.subscribers > 0 &&
      `It has ${subscribers}, and a channel with subscribers cannot be deleted. Pause it instead: a paused channel ` +
        `sends nothing and keeps its handle.`;
  if (refused)
    return context.page(
      `Delete ${channel.name}?`,
      html`<h1>${channel.name} cannot be deleted now</h1>
      <p class="lede">${refused}</p>
      <p><a class="button plain" href="${base}/edit#state">Back to settings</a></p>`,
      { width: "narrow", error },
    );
  const sent = channel.alerts_sent;
  return renderConfirmationPage(context, {
    title: `Delete ${channel.name}?`,
    effect: "This channel has no subscribers. Deleting it is permanent and also deletes:",
    condition: html`<ul class="goes"><li>its drafts, scheduled alerts and ${
      sent === 1 ? "one sent alert" : `${sent.toLocaleString("en")} sent alerts`
    },</li>
    <li>its invites and statistics,</li>
    <li>and its handle <strong>@${channel.handle}</strong>, which ${
      channel.status === "suspended" ? "stays reserved because the channel is suspended" : "becomes available to others"
    }.</li></ul>`,
    act: "Delete channel",
    back: `${base}/edit`,
    error,
  });
}

export const CHANNEL_DELETE_PAGES: readonly ConsolePage[] = [
  defineMemberPage("GET", PATH, (context) => ask(context)),
  defineMemberPage(
    "POST",
    PATH,
    // A device subscribed since the page was loaded.
    withFormErrors({ again: ask, when: createErrorTypeMatcher("conflict") }, async (context) => {
      await context.call("delete_pusher", { pusher_id: context.params.pusher ?? "" });
      return context.goTo(`${context.base}channels`, "channel-deleted");
    }),
  ),
];

type ListedChannel = OperationResultRow<"list_pushers">;

const STATES = ["active", "paused", "suspended"] as const;

function channelName(context: MemberPageContext, channel: ListedChannel): Html {
  return html`<div class="named">${renderChannelAvatar(context, channel, `face-${channel.id}`)}<div><a
    href="${getChannelPath(context, channel.id)}">${channel.name}</a>
    <span class="muted">@${channel.handle}${
      !channel.is_public &&
      html` ${icon("lock", "s")}<span
      class="unseen">private</span>`
    }</span> ${channel.status !== "active" && CHANNEL_STATUS_BADGES[channel.status]}</div></div>`;
}

/** Channels in rows. `stats` is what get_account_stats answers. */
export function channelTable(
  context: MemberPageContext,
  channels: readonly ListedChannel[],
  stats: OperationResult<"get_account_stats">,
  options: HtmlTableOptions<ListedChannel> = {},
  more: Record<string, (channel: ListedChannel) => HtmlContent> = {},
): HtmlContent {
  const reach = reachByChannel(stats);
  const cells: Record<string, (channel: ListedChannel) => HtmlContent> = {
    Channel: (channel) => channelName(context, channel),
    ...more,
    Reach: ({ id }) => (reach.get(id) ?? 0).toLocaleString("en"),
    Scheduled: ({ scheduled }) => scheduled || null,
    Drafts: ({ drafts }) => drafts || null,
  };
  return renderHtmlTable("Alert channels", channels, cells, null, {
    numbers: ["Reach", "Scheduled", "Drafts"],
    ...options,
  });
}

const reachByChannel = ({ channels }: OperationResult<"get_account_stats">) =>
  new Map(channels.map((row) => [row.pusher_id, row.reach]));

/** The channels that reach most devices first, then in their own order. */
export function sortChannelsByReach(channels: readonly ListedChannel[], stats: OperationResult<"get_account_stats">) {
  const reach = reachByChannel(stats);
  return channels.toSorted((a, b) => (reach.get(b.id) ?? 0) - (reach.get(a.id) ?? 0));
}

const sortableColumns = (stats: OperationResult<"get_account_stats">): SortableColumns<ListedChannel> => {
  const reach = reachByChannel(stats);
  return {
    Channel: { value: ({ name }) => name, first: "asc" },
    Reach: { value: ({ id }) => reach.get(id) ?? 0, first: "desc" },
    Scheduled: { value: ({ scheduled }) => scheduled, first: "desc" },
    Drafts: { value: ({ drafts }) => drafts, first: "desc" },
  };
};

/** Columns for which only a wide screen has room. */
const ABOUT: Record<string, (channel: ListedChannel) => HtmlContent> = {
  Category: ({ category }) => CATEGORY_LABELS[category],
  City: ({ city }) => city,
};

async function list(context: MemberPageContext): Promise<Response> {
  const { url, base } = context;
  const find = getSearchText(context);
  const state = STATES.find((known) => known === url.searchParams.get("status")) ?? null;
  const [{ data }, stats] = await Promise.all([context.call("list_pushers"), context.call("get_account_stats")]);
  const named = filterRows(data, find, ({ name, handle, city, category, tags }) => [
    ...[name, handle, city, category],
    ...tags,
  ]);
  const found = named.filter((channel) => state === null || channel.status === state);
  const at = createListUrlBuilder(`${base}channels`, { q: find, status: state });
  const sorted = sortRowsAndCreateHeadings(context, sortChannelsByReach(found, stats), sortableColumns(stats), at);
  const to = (more: UrlQuery) => at({ sort: sorted.sort, ...more });
  const page = paginateRowsInMemory(context, sorted.rows, to);
  const opens = canUse(context, "create_pusher") && context.caller.pusherIds === null;
  return context.page(
    "Channels",
    html`<div class="between"><h1>Channels</h1>${
      opens &&
      html`<a class="button"
      href="${base}channels/new">New channel</a>`
    }</div>
    ${
      data.length === 0
        ? emptyState({
            icon: "feed",
            title: "No channels yet",
            says: opens ? "People subscribe to channels." : "Channels you have access to appear here.",
            act: opens && { href: `${base}channels/new`, label: "New channel" },
          })
        : html`${textSearchForm(`${base}channels`, find, {
            ...{ label: "Find a channel", hint: "Name, handle or city" },
            query: { status: state, sort: sorted.sort },
            views: states(named, state, to),
            order: renderSortMenu(sorted.headings, page.rows),
          })}
    ${
      found.length === 0
        ? emptyState({
            icon: "search",
            title: "No matching channels",
            act: { href: `${base}channels`, label: "Show all channels" },
          })
        : channelTable(context, page.rows, stats, { headings: sorted.headings, wide: Object.keys(ABOUT) }, ABOUT)
    }
    ${page.ways}`
    }`,
    { styles: ["alert_card", "channel"] },
  );
}

function states(
  channels: readonly ListedChannel[],
  chosen: string | null,
  to: (more: UrlQuery) => string,
): ListViews | undefined {
  const countOf = (state: string | null) =>
    state === null ? channels.length : channels.filter(({ status }) => status === state).length;
  const shown = [null, ...STATES].filter((state) => state === null || state === chosen || countOf(state) > 0);
  // All channels have the same state.
  if (chosen === null && shown.length < 3) return undefined;
  return {
    label: "State",
    views: shown.map((state) => ({
      href: to({ status: state }),
      name: html`${state === null ? "All" : capitalize(state)} <b>${countOf(state)}</b>`,
      chosen: state === chosen,
    })),
  };
}

export const CHANNEL_LIST_PAGES: readonly ConsolePage[] = [defineMemberPage("GET", "/channels", list)];
