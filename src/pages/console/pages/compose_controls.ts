// Controls that only the form of an alert has: switches of few choices, and files with what was uploaded before.

import { ALERT } from "../../../model/fields/alert.ts";
import { type Html, html } from "../../../ui/html.ts";
import { segmented } from "../controls.ts";
import { control, type Typed } from "../field_controls.ts";
import { select, tick, wrongWith } from "../parts.ts";
import { FILE_NAMES, fileField, type UploadField } from "../uploads.ts";
import { LABELS } from "./compose_fields.ts";

type Control = Parameters<typeof control>[3];

/** The control of one field of an alert. */
export const alertControl = (typed: Typed, name: keyof typeof ALERT, more?: Control): Html =>
  control(ALERT, typed, name, more);

export type Choice = Parameters<typeof segmented>[0]["options"][number];

/** Two to four choices side by side, of the form as it was typed. */
export const segments = (
  { form, error }: Typed,
  name: string,
  label: string | undefined,
  options: readonly Choice[],
): Html => segmented({ name, label: label ?? name, options, value: form.get(name) ?? "", error });

/** What nobody ticks in passing, before an urgent alert is published. */
export function sureBox({ form, error }: Typed): Html {
  const { line, attributes } = wrongWith(error, "sure");
  const label = "This is urgent, and worth a ring at night";
  return html`<div class="sure">${line}${tick({ id: "sure", name: "sure", value: "yes", label, checked: form.has("sure"), attributes })}</div>`;
}

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
    label: `Upload another ${FILE_NAMES[to.kind]}`,
    hint,
    button: html`<button class="plain" name="act" value="preview">Upload</button>`,
    error: typed.error,
  })}`;
}
