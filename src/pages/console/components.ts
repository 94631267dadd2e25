// Components of pages: labelled fields, tables that become cards on a phone, times, and text to copy.

import { formatErrorForUi, formatFieldErrorForUi } from "../../model/api_and_ui_error_texts.ts";
import type { ApiError } from "../../model/api_error.ts";
import { SCOPES, type Scope } from "../../model/scopes.ts";
import { buildUrl, type UrlQuery } from "../../ui/build_url.ts";
import { type Html, type HtmlContent, html } from "../../ui/html.ts";
import { formatMinute, timeElement } from "../../ui/time_format.ts";

export interface LabelledField {
  name: string;
  label: string;
  type?: "text" | "email" | "password";
  value?: string;
  hint?: HtmlContent;
  autocomplete?: string;
  inputmode?: "numeric";
  required?: boolean;
  minlength?: number;
  maxlength?: number;
  autofocus?: boolean;
  /** Shown and sent, but not to be changed. */
  readonly?: boolean;
  error?: ApiError;
}

/**
 * The error of one field: the line under its label, and the attributes of its first control. The first invalid control
 * gets the focus. `hint` is part of its description.
 */
export function renderFieldErrorAndAttributes(error: ApiError | undefined, name: string, hint: HtmlContent = null) {
  const wrong = error?.fields.find(({ param }) => param === name);
  const described = [hint && `${name}-hint`, wrong && `${name}-wrong`].filter(Boolean).join(" ");
  return {
    line: wrong && html`<p class="wrong" id="${name}-wrong">${formatFieldErrorForUi(wrong, "This")}</p>`,
    attributes: html`${wrong && html` aria-invalid="true"`}${wrong && error?.param === name && html` autofocus`}${
      described !== "" && html` aria-describedby="${described}"`
    }`,
  };
}

export function renderInputField(f: LabelledField): Html {
  const { line, attributes } = renderFieldErrorAndAttributes(f.error, f.name, f.hint);
  return html`<div class="field"><label for="${f.name}">${f.label}</label>
    ${line}
    <input id="${f.name}" name="${f.name}" type="${f.type ?? "text"}"
      value="${f.value ?? ""}"${!f.type && !f.inputmode && html` dir="auto"`}${
        f.autocomplete && html` autocomplete="${f.autocomplete}"`
      }${f.inputmode && html` inputmode="${f.inputmode}"`}${f.required !== false && html` required`}${
        f.minlength && html` minlength="${f.minlength}"`
      }${f.maxlength && html` maxlength="${f.maxlength}"`}${f.readonly && html` readonly`}${
        f.autofocus && !f.error?.fields.length && html` autofocus`
      }${attributes}>${f.hint && html`<p class="hint after" id="${f.name}-hint">${f.hint}</p>`}</div>`;
}

export interface SelectOption {
  value: string;
  label: string;
}

const option = ({ value, label }: SelectOption, chosen: string) =>
  html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`;

/** `groups` adds headed options after the plain ones. */
export function renderSelectField(s: {
  name: string;
  label: string;
  options: readonly SelectOption[];
  groups?: readonly { label: string; options: readonly SelectOption[] }[];
  value?: string;
  hint?: HtmlContent;
  error?: ApiError;
}): Html {
  const chosen = s.value ?? s.options[0]?.value ?? "";
  const { line, attributes } = renderFieldErrorAndAttributes(s.error, s.name, s.hint);
  return html`<div class="field"><label for="${s.name}">${s.label}</label>
    ${line}
    <select id="${s.name}" name="${s.name}"${attributes}>
    ${s.options.map((o) => option(o, chosen))}
    ${(s.groups ?? []).map(
      (group) => html`<optgroup label="${group.label}">${group.options.map((o) => option(o, chosen))}</optgroup>`,
    )}</select>${s.hint && html`<p class="hint after" id="${s.name}-hint">${s.hint}</p>`}</div>`;
}

export function checkbox(t: {
  id: string;
  name: string;
  value: string;
  label: HtmlContent;
  note?: HtmlContent;
  checked?: boolean;
  type?: "checkbox" | "radio";
  /** The result of `renderFieldErrorAndAttributes` for the group, for its first box. */
  attributes?: HtmlContent;
}): Html {
  return html`<div class="tick"><input type="${t.type ?? "checkbox"}" id="${t.id}" name="${t.name}" value="${t.value}"${
    t.checked && html` checked`
  }${t.attributes || (t.note && html` aria-describedby="${t.id}-note"`)}><div><label for="${t.id}">${t.label}</label>${
    t.note && html`<p class="hint" id="${t.id}-note">${t.note}</p>`
  }</div></div>`;
}

/** A scope as a person reads it. */
export const scopeLine = (scope: Scope): Html => html`${SCOPES[scope]} <code class="scope">${scope}</code>`;

/** A heading of `renderHtmlTable` that is a link; `sort` is the value of aria-sort. */
export interface SortableHeading {
  content: HtmlContent;
  sort: "ascending" | "descending" | null;
}

/** Options of a table other than its columns. */
export interface HtmlTableOptions<Row> {
  /** Columns with one value in the whole list. They are left out unless the list is sorted by them. */
  constant?: readonly string[];
  /** Columns that a phone does not show. */
  wide?: readonly string[];
  /** Columns of numbers, which end at the right edge. */
  numbers?: readonly string[];
  /** Columns of text that may have several lines. */
  texts?: readonly string[];
  /** Headings of columns that sort. */
  headings?: Readonly<Record<string, SortableHeading>>;
  /** A box at the beginning of each row. */
  selects?: (row: Row) => HtmlContent;
}

/** The first column, the sorted one, and those with a value that are not `constant`, each with its drawn cells. */
function drawShownColumns<Row>(
  rows: readonly Row[],
  cells: Readonly<Record<string, (row: Row) => HtmlContent>>,
  { constant = [], headings = {} }: HtmlTableOptions<Row>,
): { column: string; drawn: Html[] }[] {
  return Object.entries(cells)
    .map(([column, cell]) => ({ column, drawn: rows.map((row) => html`${cell(row)}`) }))
    .filter(({ column, drawn }, i) => {
      const isEmpty = rows.length > 0 && drawn.every((cell) => String(cell) === "");
      return i === 0 || headings[column]?.sort || (!isEmpty && !constant.includes(column));
    });
}

/**
 * Rows by columns: the heading of each, and its cell of a row. The first cell is the row's heading; a link in it makes
 * the whole row clickable. A column without any value is left out. `none` replaces a table without rows. On a phone a
 * row is its heading and a line of its values. Roles are named, because such a line is not a table to a browser.
 */
export function renderHtmlTable<Row>(
  caption: string,
  rows: readonly Row[],
  cells: Readonly<Record<string, (row: Row) => HtmlContent>>,
  none: HtmlContent = null,
  options: HtmlTableOptions<Row> = {},
): HtmlContent {
  if (rows.length === 0) return none;
  const { numbers = [], headings = {}, selects, texts = [], wide = [] } = options;
  const columns = drawShownColumns(rows, cells, options);
  const kind = (column: string) => {
    const kinds = Object.entries({ number: numbers, text: texts, "wide-only": wide });
    const names = kinds.filter(([, columns]) => columns.includes(column)).map(([name]) => name);
    return names.length > 0 && html` class="${names.join(" ")}"`;
  };
  return html`<table role="table" class="rows"><caption class="unseen">${caption}</caption>
    <thead role="rowgroup"><tr role="row">${
      selects && html`<th role="columnheader" scope="col" class="selects"><span class="unseen">Selection</span></th>`
    }${columns.map(({ column }) => {
      const heading = headings[column];
      const name = heading?.content ?? (column || html`<span class="unseen">Actions</span>`);
      const sort = heading?.sort && html` aria-sort="${heading.sort}"`;
      return html`<th role="columnheader" scope="col"${kind(column)}${sort}>${name}</th>`;
    })}</tr></thead>
    <tbody role="rowgroup">${rows.map(
      (row, at) =>
        html`<tr role="row">${selects && html`<td role="cell" class="selects">${selects(row)}</td>`}${columns.map(
          ({ column, drawn }, i) =>
            i === 0
              ? html`<th role="rowheader" scope="row">${drawn[at]}</th>`
              : html`<td role="cell" data-label="${column}"${kind(column)}>${drawn[at]}</td>`,
        )}</tr>`,
    )}</tbody></table>`;
}

/** The actions on a row, as links behind a button. A dangerous one is last. `name` is that of the row. */
export const rowMenu = (
  name: string,
  links: readonly (false | { href: string; label: string; danger?: boolean })[],
): Html =>
  html`<details class="menu" name="row-menu"><summary class="button"><span aria-hidden="true">⋯</span><span
    class="unseen">Actions for ${name}</span></summary><ul>${links.map(
      (link) =>
        link &&
        html`<li><a href="${link.href}"${link.danger && html` class="danger"`}>${link.label}<span
          class="unseen"> ${name}</span></a></li>`,
    )}</ul></details>`;

/** Links to the first and to further rows of a list. `query` is the rest of the address's query. */
export function renderFirstAndNextLinks(
  path: string,
  at: { before: string | null; next: string | null; query?: UrlQuery; part?: string },
  { back, on } = { back: "Newest", on: "Older" },
): HtmlContent {
  const { before, next, query = {}, part } = at;
  const way = (more: UrlQuery, name: string) =>
    html`<a class="button plain" href="${buildUrl(path, { ...query, ...more }, part)}">${name}</a>`;
  if (!before && !next) return null;
  return html`<nav class="pages" aria-label="Pages">${before && way({}, back)}${
    next && way({ before: next }, on)
  }</nav>`;
}

/**
 * A live part of a page, for as long as the page is visible. poll_live_sections.js requests it again and replaces it.
 * Without script it stays as it was loaded. `address` returns the part alone when it has `live`.
 */
export const liveSection = (id: string, address: URL, content: HtmlContent): Html => {
  const alone = new URL(address);
  alone.searchParams.set("live", "1");
  return html`<div id="${id}" data-live="${alone.pathname}${alone.search}">${content}</div>`;
};

/** Reports if only such a live part is requested. */
export const isPartRequest = ({ url }: { url: URL }): boolean => url.searchParams.has("live");

/** Text of a person within our text. It is shown as theirs, with any content. */
export const renderBlockquote = (words: string): Html => html`<blockquote class="written">${words}</blockquote>`;

/**
 * A form behind a button, which needs no script. `open` shows it at once: after an error, or for an empty list. An
 * address with "#new" opens it. In `.titled` the button is next to the heading of the page.
 */
export const renderCreateDisclosure = (label: string, open: boolean, form: HtmlContent): Html =>
  html`<details class="create"${open && html` open`}><summary class="button">${label}</summary>
    <section class="card" id="new" aria-labelledby="new-title"><h2 class="unseen" id="new-title">${label}</h2>
    ${form}</section></details>`;

/**
 * The refusal, on top of the form: one sentence, or every wrong field with a link to it. `ids` names the control of a
 * field where it differs from the field's name.
 */
export function renderErrorSummary(error: ApiError | null | undefined, ids: Record<string, string> = {}): HtmlContent {
  if (!error) return null;
  if (error.fields.length < 2) return html`<p class="flash problem" role="alert">${formatErrorForUi(error)}</p>`;
  return html`<div class="flash problem" role="alert"><p>Fix ${error.fields.length} fields:</p>
    <ul>${error.fields.map(
      (wrong) => html`<li><a
      href="#${ids[wrong.param] ?? wrong.param}">${formatFieldErrorForUi(wrong, "A field")}</a></li>`,
    )}</ul></div>`;
}

/** A time as text without a script: relative when it is near, the date otherwise. */
export function relativeTime(value: string | Date | null, now: Date): HtmlContent {
  if (value === null) return html`<span class="muted never">Never</span>`;
  const at = new Date(value);
  const near = words(at, now);
  return near === null
    ? timeElement(at, "date", now)
    : html`<time datetime="${at.toISOString()}" title="${formatMinute(at)}">${near}</time>`;
}

/** The rest of the time until a moment: "in 23 h", "in 4 days". */
export function timeUntil(at: Date, now: Date): string {
  const days = Math.floor((at.getTime() - now.getTime()) / 86_400_000);
  return words(at, now) ?? (days === 1 ? "in 1 day" : `in ${days} days`);
}

/** A day with its time, and with the year of other years, for the end of a row. */
export function dayAndTime(at: Date, now: Date): Html {
  const kind = at.getUTCFullYear() === now.getUTCFullYear() ? "timed" : "dated";
  return html`<span class="at ${kind}">${timeElement(at, "near", now)}</span>`;
}

/** The relative time, past or future; null for more than a day. */
function words(at: Date, now: Date): string | null {
  const seconds = Math.round((now.getTime() - at.getTime()) / 1000);
  if (Math.abs(seconds) < 60) return seconds < 0 ? "in a moment" : "just now";
  const [count, unit] =
    Math.abs(seconds) < 3600
      ? [Math.floor(Math.abs(seconds) / 60), "min"]
      : Math.abs(seconds) < 86_400
        ? [Math.floor(Math.abs(seconds) / 3600), "h"]
        : [0, ""];
  if (!unit) return null;
  const text = `${count} ${unit}`;
  return seconds < 0 ? `in ${text}` : `${text} ago`;
}

/**
 * Text to copy whole. A click into it selects everything. On pages that run "copy", a button copies it. `what`
 * completes the button's label "Copy …" for screen readers: "the key".
 */
export const copyableText = (text: HtmlContent, what = "the text"): Html =>
  html`<div class="copying"><pre class="copy" tabindex="0" data-copy="${what}"><code>${text}</code></pre></div>`;
