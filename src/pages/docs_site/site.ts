// The docs as pages: contents, the text, an outline of the page, and a search that lists sections. Each page is built
// on its first request and cached.

import { readFileSync } from "node:fs";
import { DOCS_PAGE_PATH } from "../../api/transports/docs_routes.ts";
import { LIMITS } from "../../model/limits.ts";
import { type Html, type HtmlContent, html } from "../../ui/html.ts";
import { loadStaticFile, type StaticFile } from "../../ui/static_files.ts";
import {
  DOCS_PATH,
  type DocGroup,
  type DocPagePaths,
  findDarkPicture,
  getDocHref,
  getShortTitle,
  listDocPages,
  resolveDocLink,
  resolveFromRepositoryRoot,
} from "./doc_pages_and_links.ts";
import { type DocSection, type RenderedDoc, renderDoc } from "./markdown.ts";
import { renderSearchResults } from "./search.ts";

export const DOCS_SITE_STYLES = loadStaticFile("docs_site.css", "text/css; charset=utf-8", import.meta.url, [
  "docs.css",
  "search_results.css",
  "doc_tables.css",
  "doc_pictures.css",
  "code.css",
]);

export const DOCS_SITE_SCRIPT = loadStaticFile("docs_site.js", "text/javascript; charset=utf-8", import.meta.url, [
  "../../ui/copy.js",
  "current_page.js",
]);

/** The address of the server in the files: in the pages it is this server's own. */
const WRITTEN_URL = "http://localhost:8787";

/** The files that all pages of the service share, and their addresses. */
export interface SiteLayout {
  publicUrl: string;
  framed(page: {
    title: string;
    head: HtmlContent;
    hidden: boolean;
    script: StaticFile;
    styles: readonly StaticFile[];
    beside: HtmlContent;
    body: HtmlContent;
  }): Html;
}

interface DocsSite {
  /** The page of this slug; null without one. */
  page(slug: string): Html | null;
  /** The sections that contain every one of these terms. */
  search(words: string): Html;
  /** The page of an unknown address, with the contents and the search. */
  missing(): Html;
  slugs: readonly string[];
}

export function createDocsSite({ publicUrl, framed: around }: SiteLayout): DocsSite {
  const { groups, decisions } = listDocPages();
  const docs = [...groups.flatMap((group) => group.docs), ...decisions];
  const byFile = new Map(docs.map((doc) => [doc.file, doc]));
  const bySlug = new Map(docs.map((doc) => [doc.slug, doc]));
  const rendered = new Map<DocPagePaths, RenderedDoc>();

  function read(doc: DocPagePaths): RenderedDoc {
    const known = rendered.get(doc);
    if (known) return known;
    const text = readFileSync(resolveFromRepositoryRoot(doc.file), "utf8").replaceAll(WRITTEN_URL, publicUrl);
    const made = renderDoc(text, (link) => resolveDocLink(link, doc.file, byFile), findDarkPicture);
    rendered.set(doc, made);
    return made;
  }

  const framed = (title: string, body: HtmlContent, at: DocPagePaths | null, words = "") =>
    around({
      title: title === "Belfry" ? "Belfry docs" : `${title} · Belfry`,
      head: at && html`<link rel="canonical" href="${publicUrl}${getDocHref(at)}">`,
      hidden: at === null,
      script: DOCS_SITE_SCRIPT,
      styles: [DOCS_SITE_STYLES],
      beside: contents(groups, at, (doc) => read(doc).title, words),
      body,
    });

  return {
    slugs: docs.map(({ slug }) => slug),
    page(slug) {
      const doc = bySlug.get(slug);
      if (!doc) return null;
      const { title, body, sections } = read(doc);
      const up =
        decisions.includes(doc) && html`<p class="small"><a href="${DOCS_PATH}/decisions">All decisions</a></p>`;
      return framed(title, html`${onThisPage(sections)}<article class="doc">${up}${body}</article>`, doc);
    },
    search(words) {
      const query = words.trim().toLowerCase().slice(0, LIMITS.search);
      const groupOf = (doc: DocPagePaths) => groups.find((group) => group.docs.includes(doc))?.title ?? "Decisions";
      return framed("Search the docs", renderSearchResults(query, { docs, read, groupOf }), null, query);
    },
    missing: () =>
      framed(
        "Page not found",
        html`<article class="doc"><h1>Page not found</h1><p>The docs have no page with this address. Search them, or
          choose a page from the contents.</p></article>`,
        null,
      ),
  };
}

function contents(
  groups: readonly DocGroup[],
  at: DocPagePaths | null,
  titleOf: (doc: DocPagePaths) => string,
  words: string,
): Html {
  return html`<nav class="contents" aria-label="Docs">
<form class="find" role="search" method="get" action="${DOCS_PATH}"><label for="q"
  class="unseen">Search the docs</label><input id="q" type="search" name="q" value="${words}"
    maxlength="${LIMITS.search}" placeholder="Search the docs" autocomplete="off"><button
      class="plain">Search</button></form>
<details><summary>Contents</summary>
${groups.map(
  ({ title, docs }) =>
    html`<p class="group">${title}</p><ul>${docs.map(
      (doc) =>
        html`<li><a href="${getDocHref(doc)}"${doc === at && html` aria-current="page"`}>${getShortTitle(
          titleOf(doc),
        )}</a></li>`,
    )}${title === "Reference" && html`<li><a href="${DOCS_PAGE_PATH}">API reference</a></li>`}</ul>`,
)}</details>
</nav>`;
}

function onThisPage(sections: readonly DocSection[]): HtmlContent {
  const listed = sections.filter(({ depth }) => depth === 2 || depth === 3);
  if (listed.length < 2) return null;
  return html`<nav class="toc" aria-label="On this page"><details><summary>On this page</summary><ul>${listed.map(
    ({ id, title, depth }) => html`<li class="d${depth}"><a href="#${id}">${title}</a></li>`,
  )}</ul></details></nav>`;
}
