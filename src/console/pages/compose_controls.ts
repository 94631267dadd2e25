// Controls that only the form of an alert has: switches, long texts with a count, files with
// what was uploaded before, and instants in UTC, which a script shows in the person's own zone.

import type { ApiError } from "../../errors.ts";
import { type Content, type Html, html } from "../../look/html.ts";
import { segmented } from "../controls.ts";
import { wrongWith } from "../parts.ts";
import { LABELS } from "./compose_fields.ts";

/** What every control is told: the form as it was typed, and what is wrong with it. */
export interface Typed {
  form: URLSearchParams;
  error?: ApiError;
}

interface Control {
  name: string;
  label?: string;
  hint?: Content;
  /** Characters that it may hold; they are counted. */
  max?: number;
}

function framed(
  typed: Typed,
  { name, label = LABELS[name] ?? name, hint, max }: Control,
  control: (attributes: Html, value: string) => Html,
): Html {
  const { line, attributes } = wrongWith(typed.error, name, hint || null);
  return html`<div class="field"><div class="between"><label for="${name}">${label}</label>${
    max &&
    html`<span class="count" data-count="${name}" data-max="${max}">at most ${max.toLocaleString("en")}</span>`
  }</div>${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}${line}
    ${control(attributes, typed.form.get(name) ?? "")}</div>`;
}

type LineType = "text" | "url" | "number";

export const line = (typed: Typed, control: Control & { type?: LineType; step?: string }): Html =>
  framed(
    typed,
    control,
    (attributes, value) =>
      html`<input id="${control.name}" name="${control.name}" type="${control.type ?? "text"}" value="${value}"${
        control.type === "number" && html` step="any" inputmode="decimal"`
      }${control.type === "url" && html` placeholder="https://"`}${attributes}>`,
  );

/** The line end after the tag is the one that browsers drop. */
export const lines = (typed: Typed, control: Control & { rows: number; code?: boolean }): Html =>
  framed(
    typed,
    control,
    (attributes, value) =>
      html`<textarea id="${control.name}" name="${control.name}" rows="${control.rows}"${
        control.code && html` class="code" spellcheck="false"`
      }${attributes}>
${value}</textarea>`,
  );

/** To the minute, in UTC. `data-zone` is for the script that shows it in the person's own zone, with UTC beside it. */
export const minute = (typed: Typed, control: Control): Html =>
  framed(
    typed,
    { ...control, hint: html`${control.hint} <span data-zone-of="${control.name}">In UTC.</span>` },
    (attributes, value) =>
      html`<input id="${control.name}" name="${control.name}" type="datetime-local" value="${value}" autocomplete="off" data-zone${attributes}>`,
  );

export type Choice = Parameters<typeof segmented>[0]["options"][number];

/** Two to four choices side by side, of the form as it was typed. */
export const segments = (
  { form, error }: Typed,
  name: string,
  label: string,
  options: readonly Choice[],
): Html => segmented({ name, label, options, value: form.get(name) ?? "", error });

/** On or off, with a line of what it does. */
export const onOff = (typed: Typed, name: string, hint: string): Html =>
  html`<div class="switchrow"><label for="${name}">${LABELS[name]}</label><p class="hint" id="${name}-hint">${hint}</p><input id="${name}" name="${name}" type="checkbox" value="yes"${typed.form.has(name) && html` checked`} aria-describedby="${name}-hint"></div>`;

/** A file to upload, and what was uploaded before. A script uploads at once and shows how far it is. */
export function upload(
  typed: Typed,
  {
    argument,
    field,
    kind,
    files,
    hint,
  }: {
    argument: string;
    field: string;
    kind: string;
    files: readonly { id: string; name: string }[];
    hint: string;
  },
): Html {
  const chosen = typed.form.get(argument) ?? "";
  const known = files.some(({ id }) => id === chosen);
  const wrong = wrongWith(typed.error, field, hint);
  return html`${framed(
    typed,
    { name: argument },
    (attributes) =>
      html`<select id="${argument}" name="${argument}"${attributes}><option value="">None</option>${
        chosen !== "" && !known && html`<option value="${chosen}" selected>The file that it has</option>`
      }${files.map(({ id, name }) => html`<option value="${id}"${id === chosen && html` selected`}>${name}</option>`)}</select>`,
  )}
  <div class="field uploading" data-upload="${kind}" data-into="${argument}"><label for="${field}">Upload another one</label>
    <p class="hint" id="${field}-hint">${hint}</p>${wrong.line}
    <input id="${field}" name="${field}" type="file"${wrong.attributes}>
    <button class="plain" name="act" value="preview">Upload</button></div>`;
}
