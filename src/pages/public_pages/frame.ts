// The frame around every public page, and the headers that go with it: nothing runs but a file of ours where a page names
// one, styles from here only, no framing, and no address of ours told to where a link leads, since an invite stands in some.

import { createHash } from "node:crypto";
import { holdsTag } from "../../api/transports/answers.ts";
import { LIMITS } from "../../model/limits.ts";
import { ALERT_CARD_STYLES, DRAWING_STYLES, ICON, type PageFile, pageFile, STYLES } from "../../ui/files.ts";
import { PHONE_HEAD } from "../../ui/head.ts";
import { type Content, type Html, html } from "../../ui/html.ts";
import type { Places } from "./deps.ts";

export const PAGE_STYLES = pageFile("public_pages.css", "text/css; charset=utf-8", import.meta.url);

export interface Frame {
  title: string;
  body: Content;
  /** More of the head: what the page is called elsewhere. */
  head?: Content;
  script?: PageFile;
  styles?: readonly PageFile[];
  /** What stands beside the content, such as a list of pages. */
  beside?: Content;
  /** Which link of the header leads here. */
  at?: "directory" | "docs";
  /** Crawlers shall pass it over. */
  hidden?: boolean;
}

export function frame(
  { title, body, head, script, styles = [], beside, at, hidden }: Frame,
  places: Places,
): Html {
  const here = (page: Frame["at"]) => at === page && html` aria-current="page"`;
  const main = html`<main id="main" tabindex="-1">
${body}
</main>`;
  return html`<!doctype html>
<html lang="en">
<head>
${PHONE_HEAD}
${hidden && html`<meta name="robots" content="noindex">`}
<title>${title}</title>
${head}
<link rel="icon" href="${ICON.href}">
${[STYLES, ALERT_CARD_STYLES, DRAWING_STYLES, PAGE_STYLES, ...styles].map(({ href }) => html`<link rel="stylesheet" href="${href}">`)}
${script && html`<script src="${script.href}" defer></script>`}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><div class="bar">
<a class="brand" href="${places.origin}/"><img src="${ICON.href}" alt="" width="28" height="28">Belfry</a>
<nav class="ways" aria-label="Belfry"><a href="${places.directory}"${here("directory")}>Channels</a><a href="${places.origin}/app/">Your alerts</a><a href="${places.origin}/docs"${here("docs")}>Docs</a><a href="${places.origin}/console">Sign in</a></nav>
</div></header>
${beside ? html`<div class="book">${beside}${main}</div>` : main}
</body>
</html>
`;
}

/** So that each cache asks once a second for each address, whoever reads it. */
const FRESH_SECONDS = 1;

/**
 * docs/rules.md#shared-caches. What everybody is shown alike may be kept for a moment, so that readers of any number are one request
 * a second: a channel that was made private and an alert that was cancelled are gone when it is over.
 */
export const SHARED = `public, max-age=${FRESH_SECONDS}, stale-while-revalidate=${LIMITS.public_seconds - FRESH_SECONDS}`;

export interface PageHeaders {
  places: Places;
  /** Whether the page runs its script, which may ask this origin and the device's position. */
  runs?: boolean;
  /** A page that only who holds its address may see. */
  secret?: boolean;
}

export function pageHeaders({ places, runs, secret }: PageHeaders): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    `img-src 'self' ${places.origin} https:`.replace("  ", " "),
    ...(runs ? ["script-src 'self'", "connect-src 'self'"] : []),
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy.join("; "),
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "cache-control": secret ? "private, no-store" : SHARED,
  };
}

/** A page, or 304 to who holds it. Pages that only some may see have no validator. */
export function pageAnswer(
  request: Request,
  page: Html,
  options: PageHeaders & { status?: number; headers?: Record<string, string> },
): Response {
  const { status = 200, secret } = options;
  const text = page.toString();
  const headers: Record<string, string> = { ...pageHeaders(options), ...options.headers };
  if (status === 200 && !secret) {
    headers.etag = tagOf(text);
    if (holdsTag(request.headers.get("if-none-match"), headers.etag))
      return new Response(null, { status: 304, headers });
  }
  return new Response(request.method === "HEAD" ? null : text, { status, headers });
}

/** Weak: a proxy may compress what it names. */
export const tagOf = (text: string): string =>
  `W/"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
