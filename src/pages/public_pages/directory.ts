// The directory: public active channels to be searched by name and tags, in a category, page by page; a form that needs
// no script. A script adds what is near (rules#near-me): it gets the channels with a circle, the same list for all
// visitors, and computes distances on the device.

import { gzipSync } from "node:zlib";
import { matchesEtag } from "../../api/transports/http_responses.ts";
import { acceptsGzip } from "../../api/transports/static_content.ts";
import { timestampSchema } from "../../model/fields/value_schemas.ts";
import { LIMITS } from "../../model/limits.ts";
import { readKeysetPage } from "../../operation/read_keyset_page.ts";
import { lazy } from "../../store/db/lazy.ts";
import { runStatement } from "../../store/db/statement.ts";
import { listDirectoryChannelsWithLocation } from "../../store/queries/public_pages.ts";
import {
  type ChannelCardRecord,
  type DirectoryFilter,
  readDirectoryPage,
} from "../../store/queries/subscriptions_and_directory.ts";
import { avatar } from "../../ui/avatar.ts";
import { computeAvatarOverlayOpacity } from "../../ui/avatar_contrast_overlay.ts";
import { buildUrl } from "../../ui/build_url.ts";
import { CATEGORY_LABELS } from "../../ui/category_and_permission_labels.ts";
import { type Html, type HtmlContent, html } from "../../ui/html.ts";
import { icon } from "../../ui/icons.ts";
import { createStaticFile, type StaticFile } from "../../ui/static_files.ts";
import { loadBrowserScripts } from "../web_app/browser_scripts.ts";
import type { PublicPageRoute } from "./mount_page.ts";
import { createPageEtag, pageResponse, renderLayout } from "./page_layout.ts";
import {
  getEnglishText,
  renderFactsLine,
  renderTextAttribute,
  renderTextByKey,
  renderTextKeyAttribute,
} from "./page_texts.ts";
import { derivePublicPageBaseUrls, type PublicPageBaseUrls, type PublicPagesDeps } from "./public_pages_deps.ts";

export const NEARBY_SCRIPT_PATH = "/static/near.js";

/** The script that finds channels nearby, with the app's own measure of distance. */
export const loadNearbyChannelsScript = lazy(async (): Promise<StaticFile> => {
  const { "near.js": text } = await loadBrowserScripts();
  return createStaticFile("near.js", "text/javascript; charset=utf-8", text);
});

/** Below the directory. It has a dot, which no handle has. */
const nearbyChannelsPath = "/near.json";

export function createLocatedChannelsJsonPage(deps: PublicPagesDeps): PublicPageRoute {
  return {
    path: derivePublicPageBaseUrls(deps).directory + nearbyChannelsPath,
    async answer({ request }) {
      const found = await runStatement(deps.db, listDirectoryChannelsWithLocation, { limit: LIMITS.near + 1 });
      const data = found
        .slice(0, LIMITS.near)
        .map((channel) => ({ ...channel, shade: computeAvatarOverlayOpacity(channel) }));
      const text = JSON.stringify({ data, more: found.length > LIMITS.near });
      const zipped = acceptsGzip(request);
      const etag = createPageEtag(text);
      const headers: Record<string, string> = {
        "content-type": "application/json",
        "cache-control": "public, no-cache",
        "x-content-type-options": "nosniff",
        vary: "accept-encoding",
        etag,
      };
      if (matchesEtag(request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
      if (zipped) headers["content-encoding"] = "gzip";
      const body = request.method === "HEAD" ? null : zipped ? new Uint8Array(gzipSync(text)) : text;
      return new Response(body, { headers });
    },
  };
}

/** Channels on a page. */
const LIMIT = 24;
const cursor = timestampSchema();
/** The page may request the position of the device, and nothing else. */
const PERMISSIONS =
  "accelerometer=(), camera=(), display-capture=(), geolocation=(self), gyroscope=(), microphone=(), " +
  "payment=(), usb=()";

const CATEGORY_NAMES = Object.keys(CATEGORY_LABELS) as (keyof typeof CATEGORY_LABELS)[];

/** The parameters of an address. Invalid ones are ignored: a page is shown, never a refusal. */
function filterOf(query: URLSearchParams): DirectoryFilter {
  const find = [...(query.get("q") ?? "").replace(/\p{Cc}/gu, "").trim()].slice(0, LIMITS.search).join("");
  const before = cursor.safeParse(query.get("before"));
  return {
    find: find === "" ? null : find,
    category: CATEGORY_NAMES.find((category) => category === query.get("category")) ?? null,
    before: before.success ? before.data : null,
  };
}

export function createDirectoryPage(deps: PublicPagesDeps): PublicPageRoute {
  const places = derivePublicPageBaseUrls(deps);
  return {
    path: places.directory,
    async answer({ request, url }) {
      const filter = filterOf(url.searchParams);
      const { rows, meta } = await readKeysetPage({ limit: LIMIT, before: filter.before }, "created_at", (page) =>
        readDirectoryPage((statement, parameters) => runStatement(deps.db, statement, parameters), {
          ...filter,
          device_id: null,
          ...page,
        }),
      );
      const page = renderLayout(
        {
          title: `${getEnglishText("nav.channels")} · Belfry`,
          translated: "nav.channels",
          at: "directory",
          head: html`<link rel="canonical" href="${places.directoryUrl}"><meta name="description"
            content="Public alert channels that anyone can follow.">`,
          hidden: filter.find !== null || filter.before !== null,
          body: body(filter, rows, meta.next_before, places),
          script: await loadNearbyChannelsScript(),
        },
        places,
      );
      return pageResponse(request, page, { places, runs: true, headers: { "permissions-policy": PERMISSIONS } });
    },
  };
}

function addressOf(
  { find, category }: DirectoryFilter,
  places: PublicPageBaseUrls,
  before: string | null = null,
): string {
  return buildUrl(places.directory, { q: find, category, before });
}

function body(
  filter: DirectoryFilter,
  rows: ChannelCardRecord[],
  next: string | null,
  places: PublicPageBaseUrls,
): Html {
  const { find, category } = filter;
  return html`<h1>${renderTextByKey("nav.channels")}</h1>
<p class="lede">${renderTextByKey("page.lede")}</p>
<form class="finder" role="search" method="get" action="${places.directory}">
<label for="q" class="unseen">${renderTextByKey("discover.search")}</label><input id="q" name="q"
  type="search"${renderTextAttribute("placeholder", "discover.search")} value="${find ?? ""}"${
    find !== null && html` dir="auto"`
  }
  maxlength="${LIMITS.search}" autocomplete="off"
    spellcheck="false">
<label for="category" class="unseen">${renderTextByKey("discover.category")}</label><select id="category"
  name="category"><option
  value=""${renderTextKeyAttribute("discover.every_category")}>${getEnglishText(
    "discover.every_category",
  )}</option>${CATEGORY_NAMES.map(
    (name) =>
      html`<option value="${name}"${name === category && html` selected`}${renderTextKeyAttribute(
        `category.${name}`,
      )}>${getEnglishText(`category.${name}`)}</option>`,
  )}</select>
<button>${icon("search", "s")}${renderTextByKey("page.search")}</button> <button type="button"
  class="plain"
  id="near" hidden>${icon("place", "s")}${renderTextByKey("near.button")}</button>
</form>
<p class="hint" id="near-hint" hidden>${renderTextByKey("near.hint")}</p>
<p id="said" role="status" class="small"></p>
<section id="results" data-near="${places.directory}${nearbyChannelsPath}"
  data-base="${places.base}"${renderTextAttribute("aria-label", "nav.channels")}>
${
  rows.length === 0
    ? nothing(filter, places)
    : html`<ul class="entries">${rows.map((row, at) => rowOf(row, `c${at + 1}`, places))}</ul>`
}
</section>
${
  (next || filter.before) &&
  html`<nav class="line pages"${renderTextAttribute("aria-label", "page.pages")}>${
    filter.before &&
    html`<a class="button plain" href="${addressOf(filter, places)}">${renderTextByKey("page.back_to_newest")}</a>`
  }${
    next &&
    html`<a class="button plain" rel="next" href="${addressOf(filter, places, next)}">${renderTextByKey(
      "page.more_channels",
    )}</a>`
  }</nav>`
}
<template id="row">${rowOf(BLANK, "near", places)}</template>`;
}

type Row = Pick<
  ChannelCardRecord,
  "handle" | "name" | "category" | "description" | "city" | "initials" | "gradient_from" | "gradient_to"
>;

/** The part that the script fills in. */
const BLANK: Row = {
  handle: "",
  name: "",
  category: "community",
  description: "",
  city: null,
  initials: "",
  gradient_from: "#000000",
  gradient_to: "#000000",
};

const rowOf = (row: Row, id: string, places: PublicPageBaseUrls): Html =>
  html`<li class="entry">${avatar(row, id)}<div><h2 dir="auto"><a
    href="${places.base}/${row.handle}">${row.name}</a></h2><p class="small" dir="auto">${row.description}</p><p
      class="xs muted facts-line meta">${renderFactsLine([
        renderTextByKey(`category.${row.category}`),
        row.city,
      ])}</p></div></li>`;

function nothing({ find, category }: DirectoryFilter, places: PublicPageBaseUrls): HtmlContent {
  if (find === null && category === null)
    return html`<div class="empty"><p class="lead">${renderTextByKey("page.no_channels")}</p><p>${renderTextByKey(
      "page.no_channels_hint",
    )}</p></div>`;
  return html`<div class="empty"><p class="lead">${renderTextByKey("discover.none")}</p><p>${renderTextByKey(
    "page.no_match",
  )} <a
    href="${places.directory}">${renderTextByKey("page.show_all")}</a></p></div>`;
}
