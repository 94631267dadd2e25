// The layout of every public page, and its headers. Nothing runs but a file of ours where a page names one. Styles are
// from here only, framing is blocked, and no referrer is sent, since some addresses contain an invite. Also the page
// for visitors who may not see a channel, and for a missing channel: one text for both, byte for byte
// (rules#private-page). A request with a code gets a text about codes, for any state of the code and of the channel.

import { createHash } from "node:crypto";
import { createErrorResponse, matchesEtag, prefersHtml } from "../../api/transports/http_responses.ts";
import { ApiError } from "../../model/api_error.ts";
import { LIMITS } from "../../model/limits.ts";
import { colorSchemeScript, colorSchemeSelect } from "../../ui/color_scheme_choice.ts";
import { type Html, type HtmlContent, html } from "../../ui/html.ts";
import { icon } from "../../ui/icons.ts";
import { MOBILE_HEAD } from "../../ui/mobile_head_tags.ts";
import {
  ALERT_CARD_STYLES,
  CIRCLE_AND_QR_CODE_STYLES,
  ICON,
  loadStaticFile,
  SESSION_HINT_SCRIPT,
  STYLES,
  type StaticFile,
} from "../../ui/static_files.ts";
import { LANGUAGES } from "../web_app/browser/texts/languages.ts";
import { LANGUAGE_SCRIPT_URL, LANGUAGE_TEXTS_URL_TEMPLATE } from "./language_file_routes.ts";
import { getEnglishText, type PublicTextKey, renderTextByKey, renderTextKeyAttribute } from "./page_texts.ts";
import { derivePublicPageBaseUrls, type PublicPageBaseUrls } from "./public_pages_deps.ts";

export const PUBLIC_PAGE_STYLES = loadStaticFile("public_pages.css", "text/css; charset=utf-8", import.meta.url, [
  "page_frame.css",
  "public_pages.css",
]);

interface LayoutOptions {
  title: string;
  body: HtmlContent;
  /** More of the head: what the page is called elsewhere. */
  head?: HtmlContent;
  script?: StaticFile;
  styles?: readonly StaticFile[];
  /** The content next to the main column, such as a list of pages. */
  beside?: HtmlContent;
  /** The link of the header for this page. */
  at?: "directory" | "docs";
  /** Crawlers shall pass it over. */
  hidden?: boolean;
  /** The page is in the reader's language: a script replaces its texts. With the key of its title, if it is a text. */
  translated?: boolean | PublicTextKey;
}

/** Shown by the script of the languages. */
const LANGUAGE_LIST = html`<form hidden><label for="page-language">${renderTextByKey("senses.language")}</label>
<select id="page-language">${Object.entries(LANGUAGES).map(
  ([language, { name }]) => html`<option value="${language}" lang="${language}">${name}</option>`,
)}</select><p class="xs muted" id="translation" hidden>${renderTextByKey("page.translation")}</p></form>`;

/** Shown by the script of the color schemes. */
const COLOR_SCHEMES = html`<form hidden>${colorSchemeSelect((name) => ({
  content: getEnglishText(`scheme.${name}`),
  attributes: renderTextKeyAttribute(`scheme.${name}`),
}))}</form>`;

export function renderLayout(
  { title, body, head, script, styles = [], beside, at, hidden, translated }: LayoutOptions,
  places: PublicPageBaseUrls,
): Html {
  const here = (page: LayoutOptions["at"]) => at === page && html` aria-current="page"`;
  const main = html`<main id="main" tabindex="-1">
${body}
</main>`;
  return html`<!doctype html>
<html lang="en"${typeof translated === "string" && html` data-title="${translated}"`}>
<head>
${MOBILE_HEAD}
${colorSchemeScript()}
${hidden && html`<meta name="robots" content="noindex">`}
<title>${title}</title>
${translated && html`<script src="${LANGUAGE_SCRIPT_URL}" data-texts="${LANGUAGE_TEXTS_URL_TEMPLATE}"></script>`}
${head}
<link rel="icon" href="${ICON.href}">
${[STYLES, ALERT_CARD_STYLES, CIRCLE_AND_QR_CODE_STYLES, PUBLIC_PAGE_STYLES, ...styles].map(
  ({ href }) => html`<link rel="stylesheet"
  href="${href}">`,
)}
${[SESSION_HINT_SCRIPT, ...(script ? [script] : [])].map(({ href }) => html`<script src="${href}" defer></script>`)}
</head>
<body>
<a class="skip" href="#main">${renderTextByKey("app.skip")}</a>
<header class="top"><div class="bar">
<a class="brand" href="${places.origin}/"><img src="${ICON.href}" alt="" width="28" height="28">Belfry</a>
<nav class="ways" aria-label="Belfry"><a
  href="${places.directory}"${here("directory")}>${renderTextByKey("nav.channels")}</a><a
  href="${places.origin}/app/">${renderTextByKey("page.your_alerts")}</a><a
    href="${places.origin}/docs"${here("docs")}>${renderTextByKey("page.docs")}</a><a href="${places.origin}/console"
      data-sign-in>${renderTextByKey("page.sign_in")}</a></nav>
</div></header>
${beside ? html`<div class="book">${beside}${main}</div>` : main}
<footer class="preferences">${translated && LANGUAGE_LIST}${COLOR_SCHEMES}</footer>
</body>
</html>
`;
}

/** Each cache sends one request a second for each address, for any number of readers. */
const FRESH_SECONDS = 1;

/**
 * rules#shared-caches. Content that is the same for all visitors may be cached for a moment. Any number of readers then
 * cause one request a second. A channel made private and a cancelled alert disappear when that time is over.
 */
export const SHARED_CACHE_CONTROL = `public, max-age=${FRESH_SECONDS}, stale-while-revalidate=${
  LIMITS.public_seconds - FRESH_SECONDS
}`;

interface PageHttpHeaderOptions {
  places: PublicPageBaseUrls;
  /** Set if the page has a script of its own, which may send requests to this origin and request the position. */
  runs?: boolean;
  /** A page that only a visitor with its address may see. */
  secret?: boolean;
}

export function pageHeaders({ places, runs, secret }: PageHttpHeaderOptions): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    `img-src 'self' ${places.origin} https:`.replace("  ", " "),
    "script-src 'self'",
    ...(runs ? ["connect-src 'self'"] : []),
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
    "cache-control": secret ? "private, no-store" : SHARED_CACHE_CONTROL,
  };
}

/** A page, or 304 to a client that has it. Pages with restricted access have no validator. */
export function pageResponse(
  request: Request,
  page: Html,
  options: PageHttpHeaderOptions & { status?: number; headers?: Record<string, string> },
): Response {
  const { status = 200, secret } = options;
  const text = page.toString();
  const headers: Record<string, string> = { ...pageHeaders(options), ...options.headers };
  if (status === 200 && !secret) {
    headers.etag = createPageEtag(text);
    if (matchesEtag(request.headers.get("if-none-match"), headers.etag))
      return new Response(null, { status: 304, headers });
  }
  return new Response(request.method === "HEAD" ? null : text, { status, headers });
}

/** Weak: a proxy may compress what it names. */
export const createPageEtag = (text: string): string =>
  `W/"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;

type ChannelPageRefusal = "unknown" | "invite";

/**
 * Built once, so that every response takes the same time. `form` is the format of the address. Caches keep a refusal in
 * that format as long as the address itself. A reader's preferred format is never cached.
 */
export function createChannelRefusalResponder(
  places: PublicPageBaseUrls,
  form: "page" | "data" = "page",
): (request: Request, which: ChannelPageRefusal) => Response {
  const pageOf = (which: ChannelPageRefusal) =>
    renderLayout(
      {
        title: `${getEnglishText(`refused.${which}`)} · Belfry`,
        hidden: true,
        translated: `refused.${which}`,
        body: html`<div class="refused">${icon("lock")}<h1>${renderTextByKey(
          `refused.${which}`,
        )}</h1><p>${renderTextByKey(`refused.${which}_hint`)}</p>
<p><a class="button" href="${places.directory}">${renderTextByKey("refused.find")}</a></p></div>`,
      },
      places,
    );
  const pages = { unknown: pageOf("unknown"), invite: pageOf("invite") };
  return (request, which) => {
    const shared = which === "unknown";
    if (prefersHtml(request))
      return pageResponse(request, pages[which], {
        places,
        runs: true,
        status: 404,
        secret: !shared || form === "data",
      });
    const headers: Record<string, string> = shared && form === "data" ? { "cache-control": SHARED_CACHE_CONTROL } : {};
    return createErrorResponse(
      new ApiError(
        "resource_not_found",
        `${getEnglishText(`refused.${which}`)}. ${getEnglishText(`refused.${which}_hint`)}`,
        { headers },
      ),
    );
  };
}

const READING = ["GET", "HEAD"];

/** The response without a resource: a page to a browser, JSON to a program. Also used for other refusals of a route. */
export function createNotFoundHandler(
  deps: Parameters<typeof derivePublicPageBaseUrls>[0],
): (request: Request, error: ApiError) => Response {
  const places = derivePublicPageBaseUrls(deps);
  const page = renderLayout(
    {
      title: `${getEnglishText("missing.title")} · Belfry`,
      hidden: true,
      translated: "missing.title",
      body: html`<div class="refused">${icon("search")}<h1>${renderTextByKey("missing.title")}</h1><p>${renderTextByKey(
        "missing.hint",
      )}</p>
<p><a class="button" href="${places.origin}/">${renderTextByKey("missing.home")}</a></p></div>`,
    },
    places,
  );
  return (request, error) =>
    error.type === "not_found" && READING.includes(request.method) && prefersHtml(request)
      ? pageResponse(request, page, { places, runs: true, status: 404, secret: true })
      : createErrorResponse(error);
}
