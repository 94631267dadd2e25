// Pieces that pages are made of: fields with their labels, tables that become cards on a phone, instants, copyable
// text.

import type { ApiError } from "../../model/api_error.ts";
import { fieldMessage, uiMessage } from "../../model/error_messages.ts";
import { SCOPES, type Scope } from "../../model/scopes.ts";
import { type Content, type Html, html } from "../../ui/html.ts";
import { formatMinute, timeElement } from "../../ui/time_format.ts";
import { buildViewUrl, type UrlQuery } from "../../ui/view_url.ts";
import type { SortableHeading } from "./list_sorting.ts";

export interface LabelledField {
  name: string;
  label: string;
  type?: "text" | "email" | "password";
  value?: string;
  hint?: Content;
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
 * What a refusal says of one field: the line under its label, and the attributes of its first control, which gets the
 * focus when it is the first wrong one. `hint` is described along with it.
 */
export function errorParts(error: ApiError | undefined, name: string, hint: Content = null) {
  const wrong = error?.fields.find(({ param }) => param === name);
  const described = [hint && `${name}-hint`, wrong && `${name}-wrong`].filter(Boolean).join(" ");
  return {
    line: wrong && html`<p class="wrong" id="${name}-wrong">${fieldMessage(wrong, "This")}</p>`,
    attributes: html`${wrong && html` aria-invalid="true"`}${wrong && error?.param === name && html` autofocus`}${
      described !== "" && html` aria-describedby="${described}"`
    }`,
  };
}

export function field(f: LabelledField): Html {
  const { line, attributes } = errorParts(f.error, f.name, f.hint);
  return html`<div class="field"><label for="${f.name}">${f.label}</label>
    ${f.hint && html`<p class="hint" id="${f.name}-hint">${f.hint}</p>`}${line}
    <input id="${f.name}" name="${f.name}" type="${f.type ?? "text"}" value="${f.value ?? ""}"${
      f.autocomplete && html` autocomplete="${f.autocomplete}"`
    }${f.inputmode && html` inputmode="${f.inputmode}"`}${f.required !== false && html` required`}${f.minlength && html` minlength="${f.minlength}"`}${
      f.maxlength && html` maxlength="${f.maxlength}"`
    }${f.readonly && html` readonly`}${f.autofocus && !f.error?.fields.length && html` autofocus`}${attributes}></div>`;
}

export interface SelectOption {
  value: string;
  label: string;
}

const option = ({ value, label }: SelectOption, chosen: string) =>
  html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`;

/** `groups` adds headed options after the plain ones. */
export function select(s: {
  name: string;
  label: string;
  options: readonly SelectOption[];
  groups?: readonly { label: string; options: readonly SelectOption[] }[];
  value?: string;
  hint?: Content;
  error?: ApiError;
}): Html {
  const chosen = s.value ?? s.options[0]?.value ?? "";
  const { line, attributes } = errorParts(s.error, s.name, s.hint);
  return html`<div class="field"><label for="${s.name}">${s.label}</label>
    ${s.hint && html`<p class="hint" id="${s.name}-hint">${s.hint}</p>`}${line}
    <select id="${s.name}" name="${s.name}"${attributes}>
    ${s.options.map((o) => option(o, chosen))}
    ${(s.groups ?? []).map(
      (group) => html`<optgroup label="${group.label}">${group.options.map((o) => option(o, chosen))}</optgroup>`,
    )}</select></div>`;
}

/** A choice among views of one list: links, of which one is where the reader is. */
export const viewLinks = (label: string, views: readonly { href: string; name: Content; chosen: boolean }[]): Html =>
  html`<nav class="chips" aria-label="${label}">${views.map(
    ({ href, name, chosen }) => html`<a class="chip" href="${href}"${chosen && html` aria-current="true"`}>${name}</a>`,
  )}</nav>`;

export function checkbox(t: {
  id: string;
  name: string;
  value: string;
  label: Content;
  note?: Content;
  checked?: boolean;
  type?: "checkbox" | "radio";
  /** What `errorParts` says of the group, for its first box. */
  attributes?: Content;
}): Html {
  return html`<div class="tick"><input type="${t.type ?? "checkbox"}" id="${t.id}" name="${t.name}" value="${t.value}"${
    t.checked && html` checked`
  }${t.attributes || (t.note && html` aria-describedby="${t.id}-note"`)}><div><label for="${t.id}">${t.label}</label>${
    t.note && html`<p class="hint" id="${t.id}-note">${t.note}</p>`
  }</div></div>`;
}

/** A scope as a person reads it. */
export const scopeLine = (scope: Scope): Html => html`${SCOPES[scope]} <code class="scope">${scope}</code>`;

/** What a table has besides its columns. */
export interface TableOptions<Row> {
  /** Columns of numbers, which end at the right edge. */
  numbers?: readonly string[];
  /** Headings of columns that sort. */
  headings?: Readonly<Record<string, SortableHeading>>;
  /** A box at the beginning of each row. */
  selects?: (row: Row) => Content;
}

/**
 * Rows by columns: the heading of each, and its cell of a row. The first cell is the row's heading; a link in it makes
 * the whole row clickable. `none` replaces a table without rows. Roles are named, because cards on a phone are not a
 * table to a browser.
 */
export function table<Row>(
  caption: string,
  rows: readonly Row[],
  cells: Readonly<Record<string, (row: Row) => Content>>,
  none: Content = null,
  { numbers = [], headings = {}, selects }: TableOptions<Row> = {},
): Content {
  if (rows.length === 0 && none) return none;
  const columns = Object.keys(cells);
  const number = (column: string) => numbers.includes(column) && html` class="number"`;
  return html`<table role="table"><caption class="unseen">${caption}</caption>
    <thead role="rowgroup"><tr role="row">${
      selects && html`<th role="columnheader" scope="col" class="selects"><span class="unseen">Selection</span></th>`
    }${columns.map((column) => {
      const heading = headings[column];
      const name = heading?.content ?? (column || html`<span class="unseen">Actions</span>`);
      const sort = heading?.sort && html` aria-sort="${heading.sort}"`;
      return html`<th role="columnheader" scope="col"${number(column)}${sort}>${name}</th>`;
    })}</tr></thead>
    <tbody role="rowgroup">${rows.map(
      (row) =>
        html`<tr role="row">${selects && html`<td role="cell" class="selects">${selects(row)}</td>`}${Object.entries(
          cells,
        ).map(([column, cell], i) =>
          i === 0
            ? html`<th role="rowheader" scope="row">${cell(row)}</th>`
            : html`<td role="cell" data-label="${column}"${number(column)}>${cell(row)}</td>`,
        )}</tr>`,
    )}</tbody></table>`;
}

/** The ways to the rows with which a list begins and to further ones. `query` is what its address says besides. */
export function pager(
  path: string,
  at: { before: string | null; next: string | null; query?: UrlQuery; part?: string },
  { back, on } = { back: "Newest", on: "Older" },
): Content {
  const { before, next, query = {}, part } = at;
  const way = (more: UrlQuery, name: string) =>
    html`<a class="button plain" href="${buildViewUrl(path, { ...query, ...more }, part)}">${name}</a>`;
  if (!before && !next) return null;
  return html`<nav class="pages" aria-label="Pages">${before && way({}, back)}${next && way({ before: next }, on)}</nav>`;
}

/**
 * A part of a page that follows what happens, while somebody looks: live_sections.js asks for it again and puts it in
 * place. Without script it stays as it was loaded. `address` answers with the part alone when it is asked with
 * `live`.
 */
export const liveSection = (id: string, address: URL, content: Content): Html => {
  const alone = new URL(address);
  alone.searchParams.set("live", "1");
  return html`<div id="${id}" data-live="${alone.pathname}${alone.search}">${content}</div>`;
};

/** Whether such a part alone is asked for. */
export const isPartRequest = ({ url }: { url: URL }): boolean => url.searchParams.has("live");

/** Somebody's words among ours: they stand as theirs, whatever they say. */
export const quotedText = (words: string): Html => html`<blockquote class="written">${words}</blockquote>`;

export function emptyState(title: string, text: Content): Html {
  return html`<div class="empty"><p class="lead">${title}</p><p>${text}</p></div>`;
}

/**
 * What was refused, on top of the form: one sentence, or every wrong field with a link to it. `ids` names the control
 * of a field where it is not the field's own name.
 */
export function errorSummary(error: ApiError | null | undefined, ids: Record<string, string> = {}): Content {
  if (!error) return null;
  if (error.fields.length < 2) return html`<p class="flash problem" role="alert">${uiMessage(error)}</p>`;
  return html`<div class="flash problem" role="alert"><p>Fix ${error.fields.length} fields:</p>
    <ul>${error.fields.map((wrong) => html`<li><a href="#${ids[wrong.param] ?? wrong.param}">${fieldMessage(wrong, "A field")}</a></li>`)}</ul></div>`;
}

/** An instant in words that need no script: how long ago when it is near, the date otherwise. */
export function relativeTime(value: string | Date | null, now: Date): Content {
  if (value === null) return html`<span class="muted">Never</span>`;
  const at = new Date(value);
  const near = words(at, now);
  return near === null
    ? timeElement(at, "day")
    : html`<time datetime="${at.toISOString()}" title="${formatMinute(at)}">${near}</time>`;
}

/** How long ago it was, or in how long it comes; null where that is more than a day. */
function words(at: Date, now: Date): string | null {
  const seconds = Math.round((now.getTime() - at.getTime()) / 1000);
  if (Math.abs(seconds) < 60) return seconds < 0 ? "in a moment" : "just now";
  const [count, unit] =
    Math.abs(seconds) < 3600
      ? [Math.floor(Math.abs(seconds) / 60), "minute"]
      : Math.abs(seconds) < 86_400
        ? [Math.floor(Math.abs(seconds) / 3600), "hour"]
        : [0, ""];
  if (!unit) return null;
  const text = `${count} ${unit}${count === 1 ? "" : "s"}`;
  return seconds < 0 ? `in ${text}` : `${text} ago`;
}

/**
 * Text to be copied whole: a click into it selects everything, and on pages that run "copy" a button copies it.
 * `what` completes "Copy …" for who cannot see what the button stands beside: "the key".
 */
export const copyableText = (text: Content, what = "the text"): Html =>
  html`<div class="copying"><pre class="copy" tabindex="0" data-copy="${what}"><code>${text}</code></pre></div>`;
