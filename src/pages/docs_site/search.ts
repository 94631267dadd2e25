// The search of the docs: the sections that contain all terms. Each result has its page, its heading and an extract
// with the terms marked. A search without results proposes others.

import { LIMITS } from "../../model/limits.ts";
import { type Html, type HtmlContent, html } from "../../ui/html.ts";
import { icon } from "../../ui/icons.ts";
import { DOCS_PATH, type DocPagePaths, getDocHref, getShortTitle } from "./doc_pages_and_links.ts";
import type { DocSection, RenderedDoc } from "./markdown.ts";

interface SearchResult {
  doc: DocPagePaths;
  page: RenderedDoc;
  section: DocSection;
}

interface SearchableDocs {
  docs: readonly DocPagePaths[];
  read(doc: DocPagePaths): RenderedDoc;
  /** The title of the page's group. */
  groupOf(doc: DocPagePaths): string;
}

const getSearchTerms = (query: string): string[] => [...new Set(query.split(/\s+/).filter(Boolean))];

/** @param query in lower case */
export function renderSearchResults(query: string, from: SearchableDocs): Html {
  const terms = getSearchTerms(query);
  const found = findSections(terms, from);
  const shown = found.slice(0, LIMITS.docs_results);
  return html`<article class="doc"><h1>Search the docs</h1>${
    terms.length === 0
      ? html`<p class="muted" role="status">Enter one or more words to search all sections.</p>`
      : found.length === 0
        ? renderNoResults(query, terms, from)
        : html`<p class="muted" role="status">${countSections(found.length)} for <strong>${query}</strong>${
            found.length > shown.length && `, showing the best ${shown.length}`
          }</p>`
  }<ol class="found">${shown.map((result) => renderResult(result, terms, from))}</ol></article>`;
}

const countSections = (count: number): string => `${count} ${count === 1 ? "section" : "sections"}`;

/** The best first: sections with the terms in the title, then in the order of the contents. */
function findSections(terms: readonly string[], { docs, read }: SearchableDocs): SearchResult[] {
  if (terms.length === 0) return [];
  const all = docs.flatMap((doc) => {
    const page = read(doc);
    return page.sections.flatMap((section) => {
      const title = `${section.depth === 1 ? "" : page.title} ${section.title}`.toLowerCase();
      const text = section.text.toLowerCase();
      if (!terms.every((term) => title.includes(term) || text.includes(term))) return [];
      const named = terms.filter((term) => section.title.toLowerCase().includes(term)).length;
      return [{ doc, page, section, named }];
    });
  });
  return all.sort((a, b) => b.named - a.named);
}

function renderResult({ doc, page, section }: SearchResult, terms: readonly string[], from: SearchableDocs): Html {
  const whole = section.depth === 1;
  return html`<li><p class="crumbs xs muted">${from.groupOf(doc)}${!whole && ` › ${getShortTitle(page.title)}`}</p><a
    href="${getDocHref(doc)}${!whole && `#${section.id}`}">${section.title}</a><p
      class="small">${renderExtract(section.text, terms)}</p></li>`;
}

/** Terms that are proposed one by one. */
const PROPOSED = 5;

function renderNoResults(query: string, terms: readonly string[], from: SearchableDocs): Html {
  const single = terms.length === 1 ? [] : terms.slice(0, PROPOSED);
  return html`<div class="empty nothing">${icon("search")}<p class="lead" role="status">No section contains all the
    words in <q>${query}</q>.</p>${single.map((term) => {
      const count = findSections([term], from).length;
      return (
        count > 0 && html`<p>Search for <a href="${getSearchHref(term)}">${term}</a>: ${countSections(count)}.</p>`
      );
    })}<p>Try fewer words, or the start of a word: <a href="${getSearchHref("notif")}">notif</a> also finds
      notifications.</p><p><a class="button plain" href="${DOCS_PATH}">All docs</a></p></div>`;
}

const getSearchHref = (query: string): string => `${DOCS_PATH}?${new URLSearchParams({ q: query })}`;

/** Characters in front of the first term of an extract, and of an extract. */
const BEFORE = 60;
const LENGTH = 200;

/** The part of the text that has the most terms, cut at spaces. */
function renderExtract(text: string, terms: readonly string[]): HtmlContent {
  const flat = text.replace(/\s+/g, " ").trim();
  const lower = flat.toLowerCase();
  const starts = terms
    .map((term) => {
      const word = lower.search(wordPattern([term]));
      return word < 0 ? lower.indexOf(term) : word;
    })
    .filter((at) => at >= 0)
    .map((at) => (at <= BEFORE ? 0 : flat.lastIndexOf(" ", at - BEFORE) + 1));
  const countTerms = (start: number) =>
    terms.filter((term) => lower.slice(start, start + LENGTH).includes(term)).length;
  const start = starts.sort((a, b) => countTerms(b) - countTerms(a))[0] ?? 0;
  const cut = flat.slice(start, start + LENGTH);
  const isCut = start + LENGTH < flat.length;
  return [start > 0 && "… ", markTerms(isCut ? cut.replace(/ \S*$/, "") : cut, terms), isCut && " …"];
}

/** The text with each word that begins with a term in a `<mark>`. */
function markTerms(text: string, terms: readonly string[]): HtmlContent {
  return text.split(wordPattern(terms)).map((part, at) => (at % 2 === 1 ? html`<mark>${part}</mark>` : part));
}

/** A whole word that begins with one of the terms; a part of an identifier is not a word. */
function wordPattern(terms: readonly string[]): RegExp {
  const starts = terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  return new RegExp(`(?<![\\p{L}\\p{N}_/-])((?:${starts})[\\p{L}\\p{N}]*)(?![\\p{L}\\p{N}_/-])`, "iu");
}
