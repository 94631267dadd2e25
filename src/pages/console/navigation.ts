// The header of the console: workspace, user, five groups of pages, and the pages of the current group.

import type { ConsoleSession } from "../../identity/auth/console_sessions.ts";
import { list_keys } from "../../identity/session/api_keys.ts";
import { list_connections } from "../../identity/session/client_connections.ts";
import { list_members } from "../../identity/session/members.ts";
import { list_files } from "../../identity/session/uploaded_files.ts";
import { get_service_state } from "../../identity/session/workspaces.ts";
import { isRoleAtLeast } from "../../model/domain/member_access_rules.ts";
import { formatId } from "../../model/domain/type_ids.ts";
import type { Role } from "../../model/tables/member.ts";
import type { Caller } from "../../store/handler_context.ts";
import { type Html, type HtmlContent, html } from "../../ui/html.ts";
import { icon } from "../../ui/icons.ts";
import { ICON } from "../../ui/static_files.ts";

interface NavigationPage {
  /** The path below the workspace. */
  path: string;
  name: string;
  /** Other paths that belong to the page. */
  also?: readonly string[];
  /** The operation whose role a member needs to open it. */
  shows?: { role: Role };
  /** Only for the owner of the service's only workspace, without a limit to channels (rules#service-state). */
  onlyWorkspace?: true;
}

interface NavigationGroup {
  name: string;
  pages: readonly NavigationPage[];
}

const GROUPS: readonly NavigationGroup[] = [
  {
    name: "Alerts",
    pages: [
      { path: "alerts", name: "Lists", also: ["drafts", "repeating", "scheduled", "sent", "cancelled"] },
      { path: "month", name: "Calendar" },
      { path: "files", name: "Files", shows: list_files },
    ],
  },
  { name: "Channels", pages: [{ path: "channels", name: "Channels" }] },
  { name: "Insights", pages: [{ path: "stats", name: "Statistics" }] },
  {
    name: "Developers",
    pages: [
      { path: "keys", name: "Keys", shows: list_keys },
      { path: "webhooks", name: "Webhooks" },
      { path: "assistants", name: "Assistants", shows: list_connections },
    ],
  },
  {
    name: "Workspace",
    pages: [
      { path: "members", name: "Members", shows: list_members },
      { path: "audit", name: "Audit log" },
      { path: "service", name: "This service", shows: get_service_state, onlyWorkspace: true },
      { path: "settings", name: "Settings" },
    ],
  },
];

/** The facts of a request that the header shows. */
export interface HeaderContext {
  session: ConsoleSession | null;
  caller: Caller | null;
  /** The path of the page; its third part names the page of the navigation. */
  path: string;
  signOutField: Html;
}

const getWorkspacePath = (workspaceId: string) => `/console/${formatId("wsp", workspaceId)}/`;

/** The groups with the pages that this member may open; groups without such a page are left out. */
export function listNavigationGroups({
  session,
  caller,
}: Pick<HeaderContext, "session" | "caller">): NavigationGroup[] {
  if (!caller) return [];
  const membership = session?.memberships.find(({ workspace_id }) => workspace_id === caller.workspace.id);
  const showsService = membership?.is_only_workspace === true && caller.pusherIds === null;
  const canOpen = ({ shows, onlyWorkspace }: NavigationPage) =>
    (!shows || isRoleAtLeast(caller.member.role, shows.role)) && (!onlyWorkspace || showsService);
  return GROUPS.map(({ name, pages }) => ({ name, pages: pages.filter(canOpen) })).filter(
    ({ pages }) => pages.length > 0,
  );
}

function workspaceSwitch({ session, caller }: HeaderContext): HtmlContent {
  if (!session || !caller) return null;
  const others = session.memberships.filter(({ workspace_id }) => workspace_id !== caller.workspace.id);
  if (others.length === 0) return html`<span class="workspace">${caller.workspace.name}</span>`;
  return html`<details class="menu switch">
    <summary><span class="unseen">Workspace: </span>${caller.workspace.name}</summary>
    <ul>${others.map(
      (other) => html`<li><a href="${getWorkspacePath(other.workspace_id)}">${other.workspace_name}</a></li>`,
    )}</ul>
  </details>`;
}

function navigationLinks(context: HeaderContext): { groups: HtmlContent; pages: HtmlContent } {
  const { caller } = context;
  if (!caller) return { groups: null, pages: null };
  const base = getWorkspacePath(caller.workspace.id);
  const section = context.path.startsWith(base.slice(0, -1)) ? (context.path.split("/")[3] ?? "") : null;
  const isCurrent = ({ path, also }: NavigationPage) =>
    path === section || (section !== null && also?.includes(section) === true);
  const link = (path: string, name: string, current: string | false) =>
    html`<li><a href="${base}${path}"${current && html` aria-current="${current}"`}>${name}</a></li>`;
  const groups = listNavigationGroups(context);
  const open = groups.find(({ pages }) => pages.some(isCurrent));
  const hasPages = (group: NavigationGroup | undefined) => (group?.pages.length ?? 0) > 1;
  return {
    groups: html`<button class="quiet section" popovertarget="sections"><span class="unseen">Section: </span>${
      section === "" ? "Overview" : (open?.name ?? "Menu")
    }</button><nav class="sections" id="sections" popover aria-label="Workspace"><ul>${link(
      "",
      "Overview",
      section === "" && "page",
    )}${groups.map((group) => {
      const current = hasPages(group) ? "true" : "page";
      return link(group.pages[0]?.path ?? "", group.name, group === open && current);
    })}</ul></nav>`,
    pages:
      open &&
      hasPages(open) &&
      html`<nav class="group-pages" aria-label="${open.name} pages"><ul>${open.pages.map((page) =>
        link(page.path, page.name, isCurrent(page) && "page"),
      )}</ul></nav>`,
  };
}

/** The header of a page of the console. */
export function renderConsoleHeader(context: HeaderContext): Html {
  const { session, caller, signOutField } = context;
  const home = caller ? getWorkspacePath(caller.workspace.id) : "/console";
  const { groups, pages } = navigationLinks(context);
  return html`<header class="top inside"><div class="bar">
    <a class="brand" href="${home}"><img src="${ICON.href}" alt="" width="28" height="28"><span>Belfry</span></a>
    ${
      session &&
      html`<div class="who-where" id="who-where" popover>${workspaceSwitch(context)}<div
        class="person"><a href="/console/account"><span class="unseen">Your account: </span>${session.user.name}</a>
      <form method="post" action="/console/sign-out">${signOutField}<button
        class="quiet">Sign out</button></form></div></div>`
    }${
      caller &&
      html`<a class="finds" href="${home}find" data-find>${icon("search")}<span
      >Search</span> <kbd aria-hidden="true">/</kbd></a>`
    }${groups}${
      session &&
      html`<button class="quiet more" popovertarget="who-where">${icon("person")}<span
        class="unseen">Workspace and account</span></button>`
    }
  </div>${pages}</header>`;
}
