// Converts an alert to the fields of its form, and these to arguments of create_alert and update_alert. The operations
// validate them.

import { createHash } from "node:crypto";
import { ASSET_FIELD_KINDS, type AssetField } from "../../../model/domain/asset_rules.ts";
import { ALERT_FIELDS } from "../../../model/fields/alert.ts";
import type { AlertAction } from "../../../model/fields/alert_actions.ts";
import { getFieldLabels, getFieldNames, selectFieldsDrawnOn } from "../../../model/fields/field_table.ts";
import { getOpenUrlActions, getReplyQuestion } from "../../../model/fields/split_alert_actions.ts";
import { LIMITS } from "../../../model/limits.ts";
import { parseControlValue, toControlValue } from "../form_controls.ts";
import type { GetAlertResult } from "../page_definitions.ts";
import { fillRecurrenceForm, parseRecurrenceForm, RECURRENCE_FIELDS } from "../recurrence_form.ts";
import type { UploadField } from "./files.ts";

const FIELDS = selectFieldsDrawnOn(ALERT_FIELDS, "form");
/** Every field but those that have several controls. */
const { actions: _, recurrence: __, ...ONE_CONTROL } = FIELDS;
const NAMES = getFieldNames(ONE_CONTROL);

/** The name of each field at the beginning of a sentence. */
export const ALERT_FIELD_LABELS: Readonly<Record<string, string>> = getFieldLabels(ALERT_FIELDS);

/** Most buttons that an alert has, as rows of the form. */
export const ACTION_ROW_INDEXES: readonly number[] = [...Array(LIMITS.alert_actions).keys()];

/** The controls of the question: its text and its choices. */
export const REPLY_CONTROL_NAMES: readonly string[] = [
  "reply.label",
  ...Array.from({ length: LIMITS.reply_choices }, (_, i) => `reply.${i}`),
];

/** An alert (as get_alert returns it) as values of the form. */
export function toAlertFormValues(alert: GetAlertResult): URLSearchParams {
  const timed = alert.send_at !== null || alert.recurrence !== null;
  const form = new URLSearchParams({ when: timed ? "later" : "now" });
  for (const name of NAMES) {
    if (ALERT_FIELDS[name].look !== "yes") form.set(name, toControlValue(ALERT_FIELDS[name], alert[name]));
    else if (alert[name]) form.set(name, "yes");
  }
  fillRecurrenceForm(form, alert.recurrence);
  getOpenUrlActions(alert.actions).forEach(({ label, url }, i) => {
    form.set(`actions.${i}.label`, label);
    form.set(`actions.${i}.url`, url);
  });
  const question = getReplyQuestion(alert);
  if (question) form.set("reply.label", question.label);
  question?.choices.forEach((choice, i) => {
    form.set(`reply.${i}`, choice);
  });
  return form;
}

/** The form of an alert that is not written yet; it makes one alert under the key `once`. */
export const createBlankAlertForm = (once: string): URLSearchParams =>
  new URLSearchParams({ once, when: "now", layout: "text", priority: "normal" });

/** The rows of buttons that were filled in, in their order, without empty ones. */
export function parseLinkButtons(form: URLSearchParams): { label: string; url: string }[] {
  const rows = ACTION_ROW_INDEXES.map((i) => ({
    label: (form.get(`actions.${i}.label`) ?? "").trim(),
    url: (form.get(`actions.${i}.url`) ?? "").trim(),
  }));
  return rows.filter(({ label, url }) => label !== "" || url !== "");
}

/** The question that was typed, with its choices, without empty ones. */
function replyOf(form: URLSearchParams): AlertAction[] {
  const [label = "", ...choices] = REPLY_CONTROL_NAMES.map((name) => (form.get(name) ?? "").trim());
  const given = choices.filter((choice) => choice !== "");
  return label === "" && given.length === 0 ? [] : [{ type: "reply", label, url: "", choices: given }];
}

/** The buttons and the question that were typed. */
export const parseActions = (form: URLSearchParams): AlertAction[] => [
  ...parseLinkButtons(form).map((action) => ({ type: "open_url" as const, ...action })),
  ...replyOf(form),
];

/** Reports if the chosen card has a page of markup. */
export const hasHtmlLayout = (form: URLSearchParams): boolean =>
  ["html", "document"].includes(form.get("layout") ?? "");

/** The typed values as arguments; every argument is present. */
export function parseAlertForm(form: URLSearchParams): Record<string, unknown> {
  const args: Record<string, unknown> = {};
  for (const name of NAMES)
    args[name] =
      ALERT_FIELDS[name].look === "yes" ? form.has(name) : parseControlValue(ALERT_FIELDS[name], form.get(name));
  // Markup of a card that is not chosen is neither seen nor saved.
  if (!hasHtmlLayout(form)) Object.assign(args, { html: null, html_asset_id: null });
  args.recurrence = parseRecurrenceForm(form);
  args.actions = parseActions(form);
  if (form.get("when") !== "later") args.send_at = null;
  return args;
}

/** The arguments that a form changes of an alert. Times that are the same to the minute are equal. */
export function findAlertFormChanges(form: URLSearchParams, alert: GetAlertResult): Record<string, unknown> {
  const before = parseAlertForm(toAlertFormValues(alert));
  const typed = Object.entries(parseAlertForm(form));
  return Object.fromEntries(typed.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])));
}

const mark = (value: unknown) => createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 8);

/** Digests of each argument when the form was made, to find out later who changed which. */
export function createAlertFieldDigests(form: URLSearchParams): string {
  return Object.entries(parseAlertForm(form))
    .map(([name, value]) => `${name}:${mark(value)}`)
    .join(" ");
}

/** A field that two people gave different texts. */
interface FieldEditConflict {
  name: string;
  yours: unknown;
  theirs: unknown;
}

/**
 * Merges two edits of one version. `form` takes over fields that only the other edit changed, and keeps typed ones.
 * @param form the typed values, with the digests of the initial ones in `base` @param alert the present alert
 * @returns the fields that both changed, and the names of those taken over
 */
export function mergeAlertEdits(
  form: URLSearchParams,
  alert: GetAlertResult,
): { clashes: FieldEditConflict[]; taken: string[] } {
  const base = new Map((form.get("base") ?? "").split(" ").map((part) => part.split(":") as [string, string]));
  const yours = parseAlertForm(form);
  const now = toAlertFormValues(alert);
  const theirs = parseAlertForm(now);
  const clashes: FieldEditConflict[] = [];
  const taken: string[] = [];
  for (const name of Object.keys(yours)) {
    if (JSON.stringify(yours[name]) === JSON.stringify(theirs[name])) continue;
    if (mark(theirs[name]) === base.get(name)) continue;
    if (mark(yours[name]) !== base.get(name)) clashes.push({ name, yours: yours[name], theirs: theirs[name] });
    else {
      taken.push(name);
      takeOver(form, now, name);
    }
  }
  return { clashes, taken };
}

function takeOver(form: URLSearchParams, from: URLSearchParams, name: string): void {
  const fields =
    name === "actions"
      ? [...ACTION_ROW_INDEXES.flatMap((i) => [`actions.${i}.label`, `actions.${i}.url`]), ...REPLY_CONTROL_NAMES]
      : name === "send_at"
        ? ["send_at", "when"]
        : name === "recurrence"
          ? ["when", ...RECURRENCE_FIELDS]
          : [name];
  for (const field of fields) {
    form.delete(field);
    for (const value of from.getAll(field)) form.append(field, value);
  }
}

/** The file fields of the form, each uploading for an argument: `image_file` for `image_asset_id`. */
export const UPLOAD_FIELDS: readonly UploadField[] = (Object.keys(ASSET_FIELD_KINDS) as AssetField[]).map((into) => ({
  field: `${ASSET_FIELD_KINDS[into]}_file`,
  kind: ASSET_FIELD_KINDS[into],
  into,
  holds: "id",
}));

/** Rows of buttons have fields of their own, so what is wrong stays with the row. */
export const ACTION_BUTTON_FIELD_LABELS = Object.fromEntries(
  ACTION_ROW_INDEXES.flatMap((row) => [
    [`actions.${row}.label`, `Button ${row + 1} label`],
    [`actions.${row}.url`, `Button ${row + 1} link`],
  ]).concat(REPLY_CONTROL_NAMES.map((name, i) => [name, i === 0 ? "Question" : `Answer ${i}`])),
);

/** The operations' names of the controls of the question, which follows the buttons. */
export function nameQuestionControls(form: URLSearchParams): Record<string, string> {
  const at = `actions.${parseLinkButtons(form).length}`;
  const names = REPLY_CONTROL_NAMES.map((name, i) => [i === 0 ? `${at}.label` : `${at}.choices.${i - 1}`, name]);
  return { ...Object.fromEntries(names), [`${at}.choices`]: "reply.0" };
}
