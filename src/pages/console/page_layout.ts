// The layout of every page, and its headers: only scripts that the page names, styles from here only, no framing. Also
// tables as files for spreadsheets: RFC 4180, without cells that are read as formulas (rules#csv-harmless).

import type { ApiError } from "../../model/api_error.ts";
import { COLOR_SCHEME_SCRIPT, colorSchemeScript } from "../../ui/color_scheme_choice.ts";
import { type Html, type HtmlContent, html } from "../../ui/html.ts";
import {
  ALERT_CARD_STYLES,
  CIRCLE_AND_QR_CODE_STYLES,
  COPY_SCRIPT,
  ICON,
  LOCAL_TIME_SCRIPT,
  loadStaticFile,
  SESSION_HINT_SCRIPT,
  STYLES,
  type StaticFile,
} from "../../ui/static_files.ts";
import { type HeaderContext, renderConsoleHeader } from "./navigation.ts";

const script = (name: string): StaticFile =>
  loadStaticFile(`${name}.js`, "text/javascript; charset=utf-8", import.meta.url);

const sheet = (name: string, parts = [name]): StaticFile =>
  loadStaticFile(
    `${name}.css`,
    "text/css; charset=utf-8",
    import.meta.url,
    parts.map((part) => `${part}.css`),
  );

/** The scripts of pages, by the name that pages use. */
const SCRIPTS = {
  /** Hands the secret of a one-time link to the page's form. */
  link: script("one_time_link"),
  /** Submits the page's form. */
  onwards: script("submit_on_load"),
  copy: COPY_SCRIPT,
  /** Refreshes live parts of a page (see `liveSection`). */
  live: script("poll_live_sections"),
  /** Values of charts by pointer and keyboard, and charts as PNG files. */
  charts: script("charts"),
  /** Shows next to a label how much of its limit is used. */
  count: script("character_count"),
  /** Uploads files of a form while it is filled in (see pages/files.ts). */
  upload: script("upload"),
  /** Fills a circle's middle from where the device is (see `circleFields`). */
  circle: script("circle_location"),
  /** Shows a channel's face and circle while they are chosen. */
  channel: script("channel_form_preview"),
  /** Requests a passkey from the browser. */
  passkey: script("passkey"),
  /** Find anything, and the keyboard shortcuts. */
  find: script("find"),
  /** Opens and selects the rows of a list. */
  rows: script("open_and_select_rows"),
  /** Keeps the unsent text of an alert in the browser. */
  kept: script("kept_text"),
  /** The form of an alert: preview while it is written. */
  compose: script("compose"),
  /** Fields for times in the person's own zone, with UTC next to them. */
  zone: script("local_time_inputs"),
};

const CONSOLE_STYLES = sheet("console", [
  "channel_head_and_controls",
  "header_and_navigation",
  "settings",
  "list_menus_and_actions",
  "toolbar",
  "list_rows",
  "list_rows_narrow",
  "find",
  "print",
]);

/** Sheets of the console's own. */
const OWN_STYLES = {
  /** The pages of channels, of their settings and invites, and the overview. */
  channel: sheet("channel"),
  /** Styles of pages about people. */
  people: sheet("account_pages"),
  /** Plots, their numbers, and lists by page. */
  history: sheet("charts", ["charts", "number_tables"]),
  /** Lists whose rows can be selected. */
  selection: sheet("row_selection"),
  /** Webhooks and the audit log. */
  webhooks: sheet("webhooks_and_audit"),
  /** Styles and scripts of pages that write or review an alert. */
  compose: sheet("compose", ["compose", "compose_options", "compose_decide"]),
  /** The month of planned alerts. */
  month: sheet("calendar"),
};

const SHEETS = { ...OWN_STYLES, alert_card: ALERT_CARD_STYLES, drawings: CIRCLE_AND_QR_CODE_STYLES };

/** Links and scripts of the console's pages, in addition to those that all pages share. */
export const CONSOLE_FILES = [CONSOLE_STYLES, ...Object.values(SCRIPTS), ...Object.values(OWN_STYLES)];

const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' https: data:; form-action 'self'; frame-ancestors " +
  "'none'; base-uri 'none'";

const HTML = { "content-type": "text/html; charset=utf-8" };

const SECURITY = {
  "content-security-policy": POLICY,
  // A form on a page without any referrer would be sent with `Origin: null`, so our own pages may know.
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};

/**
 * Back returns to a refused form with its text: the browser keeps the page, and does not offer to submit it again.
 * rules#console-kept
 */
const KEPT_FOR_BACK = { "cache-control": "private, no-cache" };

/** Options of a page other than its title and body. */
export interface PageOptions {
  status?: number;
  /** The refusal that the page shows. Its status is the page's status. */
  error?: ApiError;
  /** One column in the middle, for pages before sign-in, or more room for a form with a preview. */
  width?: "narrow" | "wide";
  /** The address that the browser loads next by itself. */
  onwards?: string;
  /** The scripts of the page. It may send requests to this origin only. */
  scripts?: readonly (keyof typeof SCRIPTS)[];
  styles?: readonly (keyof typeof SHEETS)[];
  /** It may show pages of this origin in frames. */
  frames?: boolean;
  cookies?: readonly (string | null)[];
}

interface Frame extends PageOptions, HeaderContext {
  title: string;
  body: HtmlContent;
  publicUrl: string;
  /** The outcome of the action before this page. */
  flash: string | null;
}

/** A narrow page between pages of a workspace or account has their width, and its content is a column. */
const isWithinConsole = ({ session, caller, path }: Frame): boolean =>
  session !== null && (caller !== null || path.startsWith("/console/account/"));

/** A page in its frame. */
export function renderConsolePage(parts: Frame): Response {
  const { title, body, flash, width, onwards, styles = [], error, publicUrl, frames } = parts;
  const named = [...(parts.caller ? (["find"] as const) : []), ...(parts.scripts ?? [])];
  const scripts = [LOCAL_TIME_SCRIPT, SESSION_HINT_SCRIPT, ...named.map((name) => SCRIPTS[name])];
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${colorSchemeScript()}
${onwards && html`<meta http-equiv="refresh" content="0;url=${onwards}">`}
<title>${title} · Belfry</title>
<link rel="icon" href="${ICON.href}">
<link rel="stylesheet" href="${STYLES.href}">
${[CONSOLE_STYLES, ...styles.map((name) => SHEETS[name])].map(
  ({ href }) => html`<link rel="stylesheet"
  href="${href}">`,
)}
${scripts.map(({ href }) => html`<script src="${href}" defer></script>`)}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
${renderConsoleHeader(parts)}
<main id="main" tabindex="-1"${
    width && html` class="${width === "narrow" && isWithinConsole(parts) ? "narrow column" : width}"`
  }>
${flash && html`<p class="flash done" role="status">${flash}</p>`}
${body}
</main>
</body>
</html>
`;
  const runs = [COLOR_SCHEME_SCRIPT, ...scripts].map(({ path }) => new URL(path, publicUrl).href).join(" ");
  const policy = [POLICY, `script-src ${runs}`, "connect-src 'self'", ...(frames ? ["frame-src 'self'"] : [])];
  const status = parts.status ?? error?.status ?? 200;
  const headers = { ...HTML, "content-security-policy": policy.join("; "), ...(error && KEPT_FOR_BACK) };
  return answer(status, page, parts.cookies, headers);
}

/** A part of a page, for a script that puts it in place. */
export const partResponse = (part: Html): Response => answer(200, part, [], HTML);

/** After a form was sent: the browser fetches another page of ours. */
export const redirectTo = (path: string, cookies: readonly (string | null)[] = []): Response =>
  answer(303, null, cookies, { location: path });

function answer(
  status: number,
  body: Html | null,
  cookies: readonly (string | null)[] = [],
  more: Record<string, string> = {},
): Response {
  const headers = new Headers({ ...SECURITY, ...more });
  for (const cookie of cookies) if (cookie) headers.append("set-cookie", cookie);
  return new Response(body?.toString(), { status, headers });
}

/** Characters that start a formula in spreadsheets, in half and full width. */
const FORMULA = /^[\s]*[=+\-@＝＋－＠]|^[\t\r\n]/u;

function cell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const harmless = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export type CsvRow = readonly (string | number | null)[];

/** Lines end in CR and LF, including the last one. */
export const formatCsv = (rows: readonly CsvRow[]): string =>
  rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");

/** A table to be kept as a file. @param name of letters, digits, hyphens and underscores, without ".csv" */
export const csvResponse = (name: string, rows: readonly CsvRow[]): Response =>
  new Response(formatCsv(rows), {
    headers: {
      ...SECURITY,
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": `attachment; filename="${name}.csv"`,
    },
  });
