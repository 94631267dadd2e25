// Controls of larger forms: text with a counter in its label's row, a choice of few as a segmented control made of radios, a
// colour. All of them work without a script; none cuts what is typed, since what is too long is refused with its reason.

import type { ApiError } from "../../model/errors.ts";
import { type Content, type Html, html } from "../../ui/html.ts";
import { wrongWith } from "./parts.ts";

export interface TextField {
  name: string;
  label: string;
  value: string;
  /** Characters that fit, counted while one types where the script `count` runs. */
  most?: number;
  hint?: Content;
  rows?: number;
  kind?: "text" | "url" | "search" | "date" | "datetime-local";
  keys?: "decimal" | "numeric";
  required?: boolean;
  autocomplete?: "off";
  /** Words in a handle are no words. */
  literal?: boolean;
  /** Markup, not words. */
  code?: boolean;
  /** An instant in UTC, which the script `zone` shows in the person's own zone, with UTC beside it. */
  zoned?: boolean;
  error?: ApiError;
}

export function textField(f: TextField): Html {
  const hint = f.zoned ? html`${f.hint} <span data-zone-of="${f.name}">In UTC.</span>` : f.hint;
  const { line, attributes } = wrongWith(f.error, f.name, hint);
  const same = html`id="${f.name}" name="${f.name}"${f.required && html` required`}${
    f.autocomplete && html` autocomplete="${f.autocomplete}"`
  }${f.literal && html` autocapitalize="none" spellcheck="false"`}${f.keys && html` inputmode="${f.keys}"`}${
    f.kind === "url" && html` placeholder="https://"`
  }${f.code && html` class="code" spellcheck="false"`}${f.zoned && html` data-zone`}${attributes}`;
  return html`<div class="field"><div class="between"><label for="${f.name}">${f.label}</label>${
    f.most &&
    html`<span class="count" data-counts="${f.name}" data-most="${f.most}">at most ${f.most.toLocaleString("en")}</span>`
  }</div>${line}
    ${
      f.rows
        ? // The first line end after the tag is the markup's own.
          html`<textarea rows="${f.rows}" ${same}>\n${f.value}</textarea>`
        : html`<input type="${f.kind ?? "text"}" value="${f.value}" ${same}>`
    }
    ${hint && html`<p class="hint after" id="${f.name}-hint">${hint}</p>`}</div>`;
}

/** A choice of two to four. */
export function segmented(s: {
  name: string;
  label: string;
  options: readonly { value: string; label: Content; mark?: string }[];
  value: string;
  hint?: Content;
  error?: ApiError;
}): Html {
  const { line, attributes } = wrongWith(s.error, s.name, s.hint);
  return html`<fieldset class="field"><legend>${s.label}</legend>${line}
    <div class="seg">${s.options.map(
      ({ value, label, mark }, i) =>
        html`<label${mark && html` class="${mark}"`}><input type="radio" id="${i === 0 ? s.name : `${s.name}-${value}`}" name="${s.name}" value="${value}"${
          value === s.value && html` checked`
        }${i === 0 && attributes}><span>${label}</span></label>`,
    )}</div>
    ${s.hint && html`<p class="hint after" id="${s.name}-hint">${s.hint}</p>`}</fieldset>`;
}

/** A part of a form under its own heading. */
export const panel = (title: string, content: Content): Html =>
  html`<fieldset class="card panel"><legend>${title}</legend>${content}</fieldset>`;

/** `value` is `#rrggbb`. */
export function colour(c: { name: string; label: string; value: string; error?: ApiError }): Html {
  const { line, attributes } = wrongWith(c.error, c.name);
  return html`<div class="field"><label for="${c.name}">${c.label}</label>${line}
    <input type="color" id="${c.name}" name="${c.name}" value="${c.value}"${attributes}></div>`;
}

/** Fields that most leave empty, shut until one of `names` is filled or wrong. */
export function folded(
  { form, error }: { form: URLSearchParams; error?: ApiError },
  title: string,
  names: readonly string[],
  content: Html,
): Html {
  const open = names.some((name) => form.get(name) || error?.fields.some(({ param }) => param === name));
  return html`<details class="more"${open && html` open`}><summary>${title}</summary>${content}</details>`;
}
