// Controls that only the form of an alert has: fields of the form as it was typed, switches, and files with what was uploaded
// before.

import type { ApiError } from "../../../model/errors.ts";
import { type Html, html } from "../../../ui/html.ts";
import { segmented, type TextField, textField } from "../controls.ts";
import { select } from "../parts.ts";
import { fileField, type UploadField } from "../uploads.ts";
import { LABELS } from "./compose_fields.ts";

/** What every control is told: the form as it was typed, and what is wrong with it. */
export interface Typed {
  form: URLSearchParams;
  error?: ApiError;
}

type Control = Pick<TextField, "name"> & Partial<TextField>;

/** Text of the form, as it was typed. */
export const written = (
  { form, error }: Typed,
  { name, label = LABELS[name] ?? name, ...more }: Control,
): Html => textField({ name, label, value: form.get(name) ?? "", error, ...more });

/** To the minute. */
export const minute = (typed: Typed, control: Control): Html =>
  written(typed, { ...control, kind: "datetime-local", autocomplete: "off", zoned: true });

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

/** A file to upload, and what was uploaded before. */
export function upload(
  typed: Typed,
  to: UploadField,
  { files, hint }: { files: readonly { id: string; name: string }[]; hint: string },
): Html {
  const chosen = typed.form.get(to.into) ?? "";
  const known = files.some(({ id }) => id === chosen);
  const options = [
    { value: "", label: "None" },
    ...(chosen !== "" && !known ? [{ value: chosen, label: "The file that it has" }] : []),
    ...files.map(({ id, name }) => ({ value: id, label: name })),
  ];
  return html`${select({ name: to.into, label: LABELS[to.into] ?? to.into, options, value: chosen, error: typed.error })}
  ${fileField(to, {
    label: "Upload another one",
    hint,
    button: html`<button class="plain" name="act" value="preview">Upload</button>`,
    error: typed.error,
  })}`;
}
