// A list that is read whole, shown by pages and found by its words: in the address, so that it needs no script.

import { type Content, type Html, html } from "../../ui/html.ts";
import { type Query, viewAt } from "../../ui/view_at.ts";
import type { Visit } from "./visit.ts";

/** Rows of one page. */
export const SHOWN = 25;

/** What the address looks for. */
export const soughtIn = ({ url }: Pick<Visit, "url">): string => (url.searchParams.get("q") ?? "").trim();

/** The rows that have the letters in one of their words. */
export function matching<Row>(
  rows: readonly Row[],
  find: string,
  wordsOf: (row: Row) => readonly (string | null)[],
): Row[] {
  const letters = find.toLowerCase();
  return rows.filter((row) => wordsOf(row).some((word) => word?.toLowerCase().includes(letters)));
}

/** The form that looks for words. `query`: what the address says besides. */
export function findForm(
  path: string,
  find: string,
  { label, hint, query = {} }: { label: string; hint: string; query?: Query },
): Html {
  return html`<form class="finder" method="get" action="${path}" role="search">
    ${Object.entries(query).map(([name, value]) => value && html`<input type="hidden" name="${name}" value="${value}">`)}
    <label class="unseen" for="q">${label}</label>
    <input type="search" id="q" name="q" value="${find}" placeholder="${hint}"><button class="plain">Find</button></form>`;
}

/** One page of the rows, and the ways to those beside it. `to`: the address of a page of them. */
export function pageOf<Row>(
  { url }: Pick<Visit, "url">,
  rows: readonly Row[],
  to: (more: Query) => string,
): { rows: readonly Row[]; ways: Content } {
  const pages = Math.max(1, Math.ceil(rows.length / SHOWN));
  const page = Math.min(pages, Math.max(1, Number.parseInt(url.searchParams.get("page") ?? "", 10) || 1));
  const way = (at: number, name: string) =>
    at < 1 || at > pages ? html`<span></span>` : html`<a href="${to({ page: String(at) })}">${name}</a>`;
  return {
    rows: rows.slice((page - 1) * SHOWN, page * SHOWN),
    ways:
      pages > 1 &&
      html`<nav class="between" aria-label="Pages">${way(page - 1, "Previous")}<span class="muted">Page ${page} of ${pages}</span>${way(page + 1, "Next")}</nav>`,
  };
}

/**
 * All of it, for a list without any other filter: the form where there is more than a page, the rows that it finds, and the ways.
 * `part` is the place on the page at which the list stands, as `#list`.
 */
export function finder<Row>(
  visit: Pick<Visit, "url">,
  path: string,
  all: readonly Row[],
  said: {
    label: string;
    hint: string;
    wordsOf: (row: Row) => readonly (string | null)[];
    query?: Query;
    part?: string;
  },
): { form: Content; rows: readonly Row[]; ways: Content } {
  const find = soughtIn(visit);
  const { query, part = "" } = said;
  const page = pageOf(visit, matching(all, find, said.wordsOf), (more) =>
    viewAt(path, { ...query, q: find, ...more }, part),
  );
  const nothing = html`<p class="muted">None of them has these letters. <a href="${viewAt(path, query ?? {}, part)}">Show all</a></p>`;
  return {
    rows: page.rows,
    form:
      all.length > SHOWN && html`${findForm(path + part, find, said)}${page.rows.length === 0 && nothing}`,
    ways: page.ways,
  };
}
