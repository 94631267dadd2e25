// The frame around every page, and the headers that keep it ours: no script but the files that a page names, styles from here
// only, no framing.

import type { Session } from "../../identity/auth/people.ts";
import { list_connections } from "../../identity/session/connections.ts";
import { list_files } from "../../identity/session/files.ts";
import { list_keys } from "../../identity/session/keys.ts";
import { list_members } from "../../identity/session/members.ts";
import { showId } from "../../model/domain/ids.ts";
import { roleReaches } from "../../model/domain/standing.ts";
import type { Role } from "../../model/entities/member.ts";
import type { Caller } from "../../store/context.ts";
import { ALERT_CARD_STYLES, ICON, type PageFile, pageFile, STYLES } from "../../ui/files.ts";
import { type Content, type Html, html } from "../../ui/html.ts";
import { icon } from "../../ui/icons.ts";

/** Hands the secret of a one-time link to the page's form. */
export const LINK_SCRIPT = pageFile("link.js", "text/javascript; charset=utf-8", import.meta.url);

/** Goes on with the page's form by itself. */
export const ONWARDS_SCRIPT = pageFile("onwards.js", "text/javascript; charset=utf-8", import.meta.url);

/** Puts a copy button beside every `copyable` text: pages with such texts name it in their `scripts`. */
export const COPY_SCRIPT = pageFile("copy.js", "text/javascript; charset=utf-8", import.meta.url);

/** Lets a part of a page follow what happens (see live.ts). */
export const LIVE_SCRIPT = pageFile("live.js", "text/javascript; charset=utf-8", import.meta.url);

/** Says beside a label how much of its room is taken: pages with counted fields name it. */
export const COUNT_SCRIPT = pageFile("count.js", "text/javascript; charset=utf-8", import.meta.url);

/** Uploads files of a form while it is filled in (see uploads.ts). */
export const UPLOAD_SCRIPT = pageFile("upload.js", "text/javascript; charset=utf-8", import.meta.url);

/** Fills a circle's middle from where the device is (see circle.ts). */
export const CIRCLE_SCRIPT = pageFile("circle.js", "text/javascript; charset=utf-8", import.meta.url);

/** Shows a channel's face and circle while they are chosen. */
export const CHANNEL_SCRIPT = pageFile("channel.js", "text/javascript; charset=utf-8", import.meta.url);

/** The pages of channels, of their settings and invites, and the overview. */
export const CHANNEL_STYLES = pageFile("channel.css", "text/css; charset=utf-8", import.meta.url);

/** Asks the browser for a passkey. */
export const PASSKEY_SCRIPT = pageFile("passkey.js", "text/javascript; charset=utf-8", import.meta.url);

/** What pages about people have of their own. */
export const PEOPLE_STYLES = pageFile("people.css", "text/css; charset=utf-8", import.meta.url);

const CONSOLE_STYLES = pageFile("console.css", "text/css; charset=utf-8", import.meta.url, [
  "console.css",
  "headings.css",
  "print.css",
]);

/** Plots, their numbers, and lists by page. */
export const HISTORY_STYLES = pageFile("history.css", "text/css; charset=utf-8", import.meta.url, [
  "history.css",
  "numbers.css",
]);

/** Webhooks and the audit log. */
export const WEBHOOK_STYLES = pageFile("webhooks.css", "text/css; charset=utf-8", import.meta.url);

/** The form of an alert: preview while it is written. */
export const COMPOSE_SCRIPT = pageFile("compose.js", "text/javascript; charset=utf-8", import.meta.url);

/** Fields for instants in the person's own zone, with UTC beside them. */
export const ZONE_SCRIPT = pageFile("zone.js", "text/javascript; charset=utf-8", import.meta.url);

/** What pages that write or review an alert have of their own. */
export const COMPOSE_STYLES = pageFile("compose.css", "text/css; charset=utf-8", import.meta.url, [
  "compose.css",
  "compose_decide.css",
]);

/** The month of planned alerts. */
export const MONTH_STYLES = pageFile("month.css", "text/css; charset=utf-8", import.meta.url);

/** What pages of the console refer to, besides what all pages share. */
export const CONSOLE_FILES: readonly PageFile[] = [
  LINK_SCRIPT,
  ONWARDS_SCRIPT,
  COPY_SCRIPT,
  LIVE_SCRIPT,
  PASSKEY_SCRIPT,
  COMPOSE_SCRIPT,
  ZONE_SCRIPT,
  CONSOLE_STYLES,
  HISTORY_STYLES,
  PEOPLE_STYLES,
  COUNT_SCRIPT,
  UPLOAD_SCRIPT,
  CIRCLE_SCRIPT,
  CHANNEL_SCRIPT,
  CHANNEL_STYLES,
  WEBHOOK_STYLES,
  COMPOSE_STYLES,
  MONTH_STYLES,
];

const SECURITY = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; img-src 'self' https: data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  // A form on a page without any referrer would be sent with `Origin: null`, so our own pages may know.
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};

/** The headers of whatever the console answers that is no page. */
export const pageHeaders = () => ({ ...SECURITY });

/** Parts of a workspace: path below it, others that belong to it, name, and the operation that one must be allowed to open it. */
const SECTIONS: { path: string; name: string; also?: readonly string[]; shows?: { role: Role } }[] = [
  { path: "", name: "Overview" },
  { path: "channels", name: "Channels" },
  {
    path: "drafts",
    name: "Alerts",
    also: ["repeating", "scheduled", "month", "sent", "cancelled", "alerts"],
  },
  { path: "stats", name: "Statistics" },
  { path: "webhooks", name: "Webhooks" },
  { path: "audit", name: "Audit log", also: ["service"] },
  { path: "files", name: "Files", shows: list_files },
  { path: "members", name: "Members", shows: list_members },
  { path: "keys", name: "Keys", shows: list_keys },
  { path: "assistants", name: "Assistants", shows: list_connections },
];

export interface Frame {
  title: string;
  body: Content;
  session?: Session | null;
  caller?: Caller | null;
  /** Path of the page: what follows the workspace in it is the section that the page belongs to. */
  path?: string;
  flash?: { kind: "done" | "problem"; text: string } | null;
  /** One column in the middle, for pages before sign-in; or more room, for a form with a preview beside it. */
  width?: "narrow" | "wide";
  onwards?: string;
  signOutField?: Html;
  /** Files of CONSOLE_FILES that the page runs. They may ask this origin, and no other. */
  scripts?: readonly PageFile[];
  styles?: readonly PageFile[];
  cards?: boolean;
}

export const workspacePath = (workspaceId: string) => `/console/${showId("wsp", workspaceId)}/`;

function workspaceSwitch({ session, caller }: Frame): Content {
  if (!session || !caller) return null;
  const others = session.memberships.filter(({ workspace_id }) => workspace_id !== caller.workspace.id);
  if (others.length === 0) return html`<span class="workspace">${caller.workspace.name}</span>`;
  return html`<details class="menu switch">
    <summary><span class="unseen">Workspace: </span>${caller.workspace.name}</summary>
    <ul>${others.map(
      (other) => html`<li><a href="${workspacePath(other.workspace_id)}">${other.workspace_name}</a></li>`,
    )}</ul>
  </details>`;
}

function navigation({ caller, path: at = "" }: Frame): Content {
  if (!caller) return null;
  const section = at.split("/")[3] ?? "";
  const base = workspacePath(caller.workspace.id);
  return html`<nav class="sections" aria-label="Workspace"><ul>${SECTIONS.filter(
    ({ shows }) => !shows || roleReaches(caller.member.role, shows.role),
  ).map(
    ({ path, name, also }) =>
      html`<li><a href="${base}${path}"${(path === section || also?.includes(section)) && html` aria-current="page"`}>${name}</a></li>`,
  )}</ul></nav>`;
}

function header(frame: Frame): Html {
  const { session, caller, signOutField } = frame;
  const home = caller ? workspacePath(caller.workspace.id) : "/console";
  return html`<header class="top inside"><div class="bar">
    <a class="brand" href="${home}"><img src="${ICON.href}" alt="" width="28" height="28"><span>Belfry</span></a>
    ${
      session &&
      html`<div class="who-where" id="who-where" popover>${workspaceSwitch(frame)}<div class="person"><a href="/console/account"><span class="unseen">Your account: </span>${session.user.name}</a>
      <form method="post" action="/console/sign-out">${signOutField}<button class="quiet">Sign out</button></form></div></div>`
    }${navigation(frame)}${
      session &&
      html`<button class="quiet more" popovertarget="who-where">${icon("person")}<span class="unseen">Workspace and account</span></button>`
    }
  </div></header>`;
}

export function frame(parts: Frame): Html {
  const { title, body, flash, width, onwards, scripts = [], styles = [], cards } = parts;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${onwards && html`<meta http-equiv="refresh" content="0;url=${onwards}">`}
<title>${title} · Belfry</title>
<link rel="icon" href="${ICON.href}">
<link rel="stylesheet" href="${STYLES.href}">
${[CONSOLE_STYLES, ...(cards ? [ALERT_CARD_STYLES] : []), ...styles].map(({ href }) => html`<link rel="stylesheet" href="${href}">`)}
${scripts.map(({ href }) => html`<script src="${href}" defer></script>`)}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${header(parts)}
<main id="main" tabindex="-1"${width && html` class="${width}"`}>
${flash && html`<p class="flash ${flash.kind}" role="${flash.kind === "done" ? "status" : "alert"}">${flash.text}</p>`}
${body}
</main>
</body>
</html>
`;
}

/** `scripts` are the addresses of the files that the page may run; with `frames` it may show pages of this origin in frames. */
export function pageAnswer(
  status: number,
  page: Html,
  {
    cookies = [],
    scripts = [],
    frames = false,
  }: { cookies?: readonly (string | null)[]; scripts?: readonly string[]; frames?: boolean } = {},
): Response {
  const headers = new Headers({ "content-type": "text/html; charset=utf-8", ...SECURITY });
  const more = [
    ...(scripts.length > 0 ? [`script-src ${scripts.join(" ")}`, "connect-src 'self'"] : []),
    ...(frames ? ["frame-src 'self'"] : []),
  ];
  if (more.length > 0)
    headers.set("content-security-policy", [SECURITY["content-security-policy"], ...more].join("; "));
  for (const cookie of cookies) if (cookie) headers.append("set-cookie", cookie);
  return new Response(page.toString(), { status, headers });
}

/** After a form was sent: the browser fetches another page of ours. */
export function goTo(path: string, cookies: readonly (string | null)[] = []): Response {
  const headers = new Headers({ location: path, ...SECURITY });
  for (const cookie of cookies) if (cookie) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}
