// Controls of the form of an alert: choices and files with earlier uploads. And the report above the form after two
// people edited one alert: who saved first, and both texts.

import { ALERT_FIELDS } from "../../../model/fields/alert.ts";
import type { AlertAction } from "../../../model/fields/alert_actions.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { checkbox, relativeTime, renderFieldErrorAndAttributes, renderSelectField } from "../components.ts";
import { type FormState, fieldControl, segmentedControl } from "../form_controls.ts";
import type { GetAlertResult, MemberPageContext } from "../page_definitions.ts";
import { actorLabel, listAlertEvents } from "./alert_changes_and_audit.ts";
import { ALERT_FIELD_LABELS, mergeAlertEdits } from "./compose_form_values.ts";
import { renderFileUploadField, UPLOAD_KIND_LABELS, type UploadField } from "./files.ts";

type Control = Parameters<typeof fieldControl>[3];

/** The control of one field of an alert. */
export const alertControl = (typed: FormState, name: keyof typeof ALERT_FIELDS, more?: Control): Html =>
  fieldControl(ALERT_FIELDS, typed, name, more);

type SegmentOption = Parameters<typeof segmentedControl>[0]["options"][number];

/** Two to four choices side by side, of the form as it was typed. */
export const segmentedField = (
  { form, error }: FormState,
  name: string,
  label: string | undefined,
  options: readonly SegmentOption[],
): Html => segmentedControl({ name, label: label ?? name, options, value: form.get(name) ?? "", error });

/** The confirmation required before an urgent alert is published. */
export function urgentConfirmation({ form, error }: FormState): Html {
  const { line, attributes } = renderFieldErrorAndAttributes(error, "sure");
  const label = "This alert is urgent enough to ring at night";
  return html`<div class="sure">${line}${checkbox({
    id: "sure",
    name: "sure",
    value: "yes",
    label,
    checked: form.has("sure"),
    attributes,
  })}</div>`;
}

/** A file to upload, and what was uploaded before. */
export function renderFileChoiceAndUpload(
  typed: FormState,
  to: UploadField,
  { files, hint }: { files: readonly { id: string; name: string }[]; hint: string },
): Html {
  const chosen = typed.form.get(to.into) ?? "";
  const known = files.some(({ id }) => id === chosen);
  const options = [
    { value: "", label: "None" },
    ...(chosen !== "" && !known ? [{ value: chosen, label: "Current file" }] : []),
    ...files.map(({ id, name }) => ({ value: id, label: name })),
  ];
  return html`${renderSelectField({
    name: to.into,
    label: ALERT_FIELD_LABELS[to.into] ?? to.into,
    options,
    value: chosen,
    error: typed.error,
  })}
  ${renderFileUploadField(to, {
    label: `Upload another ${UPLOAD_KIND_LABELS[to.kind]}`,
    hint,
    button: html`<button class="plain" name="act" value="preview">Upload</button>`,
    error: typed.error,
  })}`;
}

/** The last editor of the alert, and the time, from the audit log. */
export async function lastEditNote(context: MemberPageContext, alert: GetAlertResult): Promise<HtmlContent> {
  const [last] = await listAlertEvents(context, alert.id);
  if (!last) return "Someone";
  return html`${actorLabel(last.actor)}, ${relativeTime(last.created_at, context.now)},`;
}

const formatValue = (name: string, value: unknown): string => {
  if (value === null || value === "") return "(nothing)";
  if (name === "actions")
    return (
      (value as AlertAction[])
        .map(({ label, url, choices }) => `${label}: ${choices?.join(" · ") ?? url}`)
        .join("\n") || "(none)"
    );
  if (typeof value === "boolean") return value ? "yes" : "no";
  return String(value);
};

/** Updates `form` from the alert, and reports the outcome. The version that the form carries next is the alert's. */
export function mergeEditsAndRenderConflict(
  context: MemberPageContext,
  { alert, form, who }: { alert: GetAlertResult; form: URLSearchParams; who: HtmlContent },
): Html {
  const { clashes, taken } = mergeAlertEdits(form, alert);
  const names = (fields: readonly string[]) => fields.map((name) => ALERT_FIELD_LABELS[name] ?? name).join(", ");
  return html`<section class="report warn clash" role="alert" aria-labelledby="clash"><h2 id="clash">Someone changed
    this alert while you were writing</h2>
    <p>${who} saved the alert before you did. Your changes are not saved yet; they are in the form below.
      ${taken.length > 0 && html`Fields that you had not changed were updated: ${names(taken)}.`}</p>
    ${
      clashes.length === 0
        ? html`<p>Your changes do not overlap. Save again to keep both.</p>`
        : html`<p>Both of you changed ${names(clashes.map(({ name }) => name))}. Saving again replaces the saved version
          with yours.</p>
    ${clashes.map(
      ({
        name,
        yours,
        theirs,
      }) => html`<div class="both"><div><h3>${ALERT_FIELD_LABELS[name] ?? name}: your version</h3><p
        class="written">${formatValue(name, yours)}</p></div><div><h3>Saved version</h3><p
          class="written">${formatValue(name, theirs)}</p></div></div>`,
    )}`
    }
    <p><a href="${context.url.pathname}">Discard my changes and edit the saved version</a></p></section>`;
}
