// Find anything in a workspace: pages, actions, channels and alerts. The page works without a script; with one, it is a
// dialog on every page (rules#console-find).

import { create_key } from "../../../identity/session/api_keys.ts";
import { add_member } from "../../../identity/session/members.ts";
import { upload_file } from "../../../identity/session/uploaded_files.ts";
import { ApiError } from "../../../model/api_error.ts";
import { isRoleAtLeast } from "../../../model/domain/member_access_rules.ts";
import { toLowerCaseNfc } from "../../../model/domain/search_terms.ts";
import { LIMITS } from "../../../model/limits.ts";
import type { Role } from "../../../model/tables/member.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { renderAlertState, renderAlertTime } from "../alert_rows.ts";
import { getChannelPath, renderChannelAvatar } from "../channel_header.ts";
import { isPartRequest } from "../components.ts";
import { filterRows, getSearchText, markWords, textSearchForm } from "../list_search.ts";
import { listNavigationGroups } from "../navigation.ts";
import {
  type ConsolePage,
  canUse,
  defineMemberPage,
  type MemberPageContext,
  type OperationResultRow,
} from "../page_definitions.ts";

/** Results of one kind at most. */
const SHOWN = 8;

interface FindResult {
  href: string;
  name: string;
  note?: string | undefined;
  /** The channel's face, and the state and time of an alert. */
  face?: Html;
  facts?: Html;
}

/** Pages that are not in the navigation. */
const MORE_PAGES: readonly FindResult[] = [
  { href: "", name: "Overview" },
  { href: "drafts", name: "Drafts", note: "Alerts" },
  { href: "repeating", name: "Repeating alerts", note: "Alerts" },
  { href: "scheduled", name: "Scheduled alerts", note: "Alerts" },
  { href: "sent", name: "Sent alerts", note: "Alerts" },
  { href: "cancelled", name: "Cancelled alerts", note: "Alerts" },
  { href: "alerts", name: "All alerts", note: "Alerts" },
];

const ACCOUNT_PAGES: readonly FindResult[] = [
  { href: "/console/account", name: "Your account" },
  { href: "/console/account/devices", name: "Test devices" },
  { href: "/console/account/second-factor", name: "Two-factor authentication" },
  { href: "/docs", name: "Documentation" },
];

/** Rows with every word of the search in their name or note. */
function matching(results: readonly FindResult[], find: string): FindResult[] {
  const words = toLowerCaseNfc(find).split(/\s+/);
  const has = ({ name, note }: FindResult) => {
    const text = toLowerCaseNfc(`${name} ${note ?? ""}`);
    return words.every((word) => text.includes(word));
  };
  return results.filter(has);
}

function listPages(context: MemberPageContext): FindResult[] {
  const { base } = context;
  const inGroups = listNavigationGroups(context).flatMap((group) =>
    group.pages.map(({ path, name }) => ({ href: base + path, name, note: group.name })),
  );
  const more = MORE_PAGES.map((page) => ({ ...page, href: base + page.href }));
  return [...more, ...inGroups.filter(({ name }) => name !== "Lists"), ...ACCOUNT_PAGES];
}

function listActions(context: MemberPageContext): FindResult[] {
  const { base, caller } = context;
  const may = ({ role }: { role: Role }) => isRoleAtLeast(caller.member.role, role);
  return [
    ...(canUse(context, "create_pusher") && caller.pusherIds === null
      ? [{ href: `${base}channels/new`, name: "Create a channel" }]
      : []),
    ...(canUse(context, "create_alert")
      ? [{ href: `${base}channels`, name: "Write an alert", note: "Choose a channel" }]
      : []),
    ...(may(create_key) ? [{ href: `${base}keys#new`, name: "Create a key" }] : []),
    ...(canUse(context, "create_webhook") ? [{ href: `${base}webhooks#new`, name: "Add a webhook" }] : []),
    ...(may(add_member) ? [{ href: `${base}members#new`, name: "Add a member" }] : []),
    ...(may(upload_file) ? [{ href: `${base}files#new`, name: "Upload a file" }] : []),
  ];
}

async function findChannels(context: MemberPageContext, find: string) {
  const { data } = await context.call("list_pushers");
  const found = filterRows(data, find, ({ name, handle, city, tags }) => [name, handle, city, ...tags]).slice(0, SHOWN);
  const byId = new Map(data.map((channel) => [channel.id, channel]));
  const channels = found.map((channel) => ({
    href: getChannelPath(context, channel.id),
    name: channel.name,
    note: `@${channel.handle}`,
    face: renderChannelAvatar(context, channel, `find-${channel.id}`),
  }));
  const write = canUse(context, "create_alert")
    ? found
        .slice(0, 3)
        .map((channel) => ({
          href: `${getChannelPath(context, channel.id)}/alerts/new`,
          name: `Write an alert for ${channel.name}`,
        }))
    : [];
  return { channels, write, byId };
}

async function findAlerts(
  context: MemberPageContext,
  find: string,
  byId: ReadonlyMap<string, OperationResultRow<"list_pushers">>,
): Promise<FindResult[]> {
  try {
    const { data } = await context.call("list_account_alerts", { query: find, limit: SHOWN });
    return data.map((alert) => {
      const channel = byId.get(alert.pusher_id);
      return {
        href: `${getChannelPath(context, alert.pusher_id)}/alerts/${alert.id}`,
        name: alert.title,
        note: channel?.name,
        ...(channel && { face: renderChannelAvatar(context, channel, `find-${alert.id}`) }),
        facts: html`${renderAlertState(alert.status)}${renderAlertTime(alert, context.now)}`,
      };
    });
  } catch (error) {
    // A search of alerts needs a whole beginning of a word; other kinds are still found.
    if (!(error instanceof ApiError) || error.param !== "query") throw error;
    return [];
  }
}

async function findAll(context: MemberPageContext, find: string): Promise<[kind: string, results: FindResult[]][]> {
  const pages = listPages(context);
  if (find === "")
    return [
      ["Actions", listActions(context)],
      ["Pages", pages],
    ];
  const { channels, write, byId } = await findChannels(context, find);
  const alerts = await findAlerts(context, find, byId);
  return [
    ["Pages", matching(pages, find).slice(0, SHOWN)],
    ["Channels", channels],
    ["Actions", [...matching(listActions(context), find), ...write]],
    ["Alerts", alerts],
  ];
}

function resultLists(groups: readonly [kind: string, results: readonly FindResult[]][], find: string): Html {
  const count = groups.reduce((sum, [, results]) => sum + results.length, 0);
  const said = count === 0 ? `No results for “${find}”.` : count === 1 ? "1 result" : `${count} results`;
  return html`<div id="find-results"><p class="hint" role="status">${said}</p>${groups
    .filter(([, results]) => results.length > 0)
    .map(
      ([kind, results]) =>
        html`<section aria-labelledby="find-${kind}"><h2 id="find-${kind}">${kind}</h2><ul>${results.map(
          ({ href, name, note, face, facts }) =>
            html`<li><a href="${href}"><span class="name">${markWords(name, find)}</span>${
              note && html` <span class="muted">${note}</span>`
            }${facts}${face}</a></li>`,
        )}</ul></section>`,
    )}</div>`;
}

const SHORTCUTS: readonly (readonly [keys: string, effect: string])[] = [
  ["/", "Search the workspace"],
  ["Ctrl K or ⌘ K", "Search the workspace; also works in text fields"],
  ["↑ ↓", "Move between results"],
  ["Enter", "Open the result"],
  ["Esc", "Close"],
  ["?", "Show the shortcuts"],
];

const shortcutList = (): HtmlContent =>
  html`<section class="card" id="shortcuts" aria-labelledby="shortcuts-title">
    <h2 id="shortcuts-title">Keyboard shortcuts</h2>
    <dl class="shortcuts">${SHORTCUTS.map(
      ([keys, effect]) => html`<dt><kbd>${keys}</kbd></dt><dd>${effect}</dd>`,
    )}</dl></section>`;

async function page(context: MemberPageContext): Promise<Response> {
  const find = getSearchText(context).slice(0, LIMITS.search);
  const results = resultLists(await findAll(context, find), find);
  if (isPartRequest(context)) return context.part(html`${results}${shortcutList()}`);
  const path = `${context.base}find`;
  return context.page(
    "Search",
    html`<h1>Search</h1>
    ${textSearchForm(path, find, { label: "Search the workspace", hint: "Channels, alerts, pages, actions" })}
    ${results}${shortcutList()}`,
  );
}

export const FIND_PAGES: readonly ConsolePage[] = [defineMemberPage("GET", "/find", page)];
