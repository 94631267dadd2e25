// Composition of an alert's row from the input and, for an edit, the stored alert (in the form of responses, with UUIDs
// of files). The fields are merged and sanitised, with UTC times. Unsanitised text is never stored.

import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import {
  checkAlertContent,
  checkNoRecurrence,
  MAX_HTML_LENGTH_BY_LAYOUT,
  mergeCheckErrors,
} from "../../model/domain/alert_validation.ts";
import { ALERT_FIELDS, type AlertFields } from "../../model/fields/alert.ts";
import {
  type createChangeSchemas,
  getBlankValues,
  getFieldNames,
  selectFieldDefinitionsMarkedAs,
} from "../../model/fields/field_table.ts";
import { countCodePoints } from "../../model/fields/value_schemas.ts";
import { SanitizerReport, sanitizeHtml, sanitizeText } from "../../model/sanitizer/sanitize.ts";
import type { HandlerContext } from "../../store/handler_context.ts";
import type { AlertRecord } from "../../store/queries/alerts.ts";
import { toAlertView } from "../../store/response_schemas/alert_schemas.ts";

type Sent = z.output<z.ZodObject<ReturnType<typeof createChangeSchemas<typeof ALERT_FIELDS>>>>;

const BLANK: AlertFields = { title: "", ...getBlankValues(ALERT_FIELDS) };

/** The fields that are merged of what was sent and what is stored. */
const SENT = getFieldNames(ALERT_FIELDS).filter((name) => name !== "blocked");

export interface ComposedAlert {
  fields: AlertFields;
  /** Characters of markup that was not measured before: what was sent, a stored document, or a file's text. */
  htmlLength: number;
}

/**
 * The texts that are cleaned and reported as markup is; every other text refuses what no reader sees
 * (model/fields/value_schemas.ts).
 */
const CLEANED = getFieldNames(selectFieldDefinitionsMarkedAs(ALERT_FIELDS, "cleaned"));

type Blocked = AlertFields["blocked"];

/**
 * Records the removed parts of a written text, replacing those of its former text. An unchanged text keeps its record
 * (rules#blocked-kept).
 */
export function recordRemovedMarkup(
  blocked: Blocked,
  name: keyof AlertFields,
  report: SanitizerReport,
  isStored: boolean,
): void {
  const rows = report.kept();
  if (rows.length > 0) blocked[name] = rows;
  else if (!isStored) delete blocked[name];
}

/** Notes in `blocked` what each text lost that was sent; the others stay in it. */
export function sanitizeAlertPlainTexts<S extends Sent>(
  sent: S,
  stored: Partial<AlertRecord> | null,
  blocked: Blocked,
): S {
  const clean: Sent = { ...sent };
  for (const name of CLEANED) {
    const text = sent[name];
    if (text === undefined) continue;
    const report = new SanitizerReport();
    if (text !== null) clean[name] = sanitizeText(text, report);
    recordRemovedMarkup(blocked, name, report, clean[name] === stored?.[name]);
  }
  if (!sent.actions) return { ...sent, ...clean };
  const report = new SanitizerReport();
  clean.actions = sent.actions.map(({ type, label, url = "", choices }) => ({
    ...{ type, label: sanitizeText(label, report), url },
    // Two that look alike are one.
    ...(choices && { choices: [...new Set(choices.map((choice) => sanitizeText(choice, report)))] }),
  }));
  recordRemovedMarkup(blocked, "actions", report, isDeepStrictEqual(clean.actions, stored?.actions));
  return { ...sent, ...clean };
}

/**
 * Checks for new markup without a layout in a plain-text alert. It is meant to be visible, so the layout is set. An
 * explicit layout text stays.
 */
function bringsMarkup(sent: Sent, stored: AlertRecord | null): boolean {
  if (stored && (stored.layout !== "text" || stored.html || stored.html_asset_id)) return false;
  return Boolean(sent.html?.trim() || sent.html_asset_id);
}

/**
 * Merges an edit: absent fields stay, null clears them (rules#patch).
 * @param stored null for a new alert; asset ids are UUIDs
 * @param assetText the text of the html asset, if this change concerns it (see operation/alerts/attach_assets.ts)
 */
export function mergeAndSanitizeAlert(
  given: Sent,
  stored: AlertRecord | null,
  assetText: string | null,
): ComposedAlert {
  const blocked = { ...stored?.blocked };
  const sent = sanitizeAlertPlainTexts(given, stored, blocked);
  const fields = { ...BLANK, blocked };
  for (const name of SENT) {
    // A reply of the reviewer was about the alert before this change.
    if (name === "review_reply") continue;
    const own = name === "asset_html" ? undefined : sent[name];
    const value = own === undefined ? stored?.[name] : own;
    if (value !== undefined) Object.assign(fields, { [name]: value });
  }
  if (sent.layout === undefined && bringsMarkup(sent, stored)) fields.layout = "html";
  // Empty markup that was sent counts as none. Empty markup that is stored stays, since the sanitiser made it of some.
  if (sent.html?.trim() === "") fields.html = null;
  const mode = fields.layout === "document" ? "document" : "html";
  const report = new SanitizerReport();
  // Markup that `checkAlertContent` will refuse for its length is not sanitised, and does not reach the row.
  const cleaned = (markup: string, length: number) => {
    if (length > MAX_HTML_LENGTH_BY_LAYOUT[mode]) return "";
    return mode === "document" ? markup : sanitizeHtml(markup, report).html;
  };
  if (fields.html === null) delete blocked.html;
  // The file stays as written (rules#alert-html-asset), handsets are shown `asset_html`.
  if (fields.html_asset_id === null) {
    fields.asset_html = null;
    delete blocked.asset_html;
  } else if (assetText !== null) {
    const htmlLength = countCodePoints(assetText);
    fields.asset_html = cleaned(assetText, htmlLength);
    recordRemovedMarkup(blocked, "asset_html", report, false);
    return { fields, htmlLength };
  }
  const { html } = fields;
  // Sanitised markup may be longer than what was sent, so it is not measured again.
  const unmeasured = sent.html !== undefined || stored?.layout === "document";
  const htmlLength = html !== null && unmeasured ? countCodePoints(html) : 0;
  // A stored document turned into another layout has never been through the sanitiser, so a change of layout counts.
  if (html === null || (sent.html === undefined && sent.layout === undefined)) return { fields, htmlLength };
  fields.html = cleaned(html, htmlLength);
  // Parts that stored markup loses now are added to those that it lost before.
  if (sent.html === undefined) report.addRows(blocked.html ?? []);
  recordRemovedMarkup(blocked, "html", report, stored?.html === html || stored?.html === fields.html);
  return { fields, htmlLength };
}

/**
 * Composes a new alert: its fields, its status, and the problem of its content. `model` is the content of which it is a
 * copy, `isKnown` that of `checkAlertContent`.
 */
export function composeNewAlert(
  sent: Sent,
  {
    send = false,
    model = null,
    text = null,
    ...at
  }: {
    send?: boolean | undefined;
    model?: AlertRecord | null;
    text?: string | null;
    now: string;
    isKnown?: (field: string) => boolean;
  },
) {
  const { fields, htmlLength } = mergeAndSanitizeAlert(sent, model, text);
  const status = send ? (fields.send_at === null ? ("sent" as const) : ("scheduled" as const)) : ("draft" as const);
  const changed = { send_at: true, expires_at: true, scheduled: status === "scheduled" };
  const problem = mergeCheckErrors(
    () => send && checkNoRecurrence(fields.recurrence),
    () => checkAlertContent(fields, htmlLength, changed, at.now, at.isKnown),
  );
  return { fields, status, problem };
}

/** Returns the content at the start of an edit. */
export function getEditStartContent(alert: AlertRecord, { services }: Pick<HandlerContext, "services">) {
  const { image_asset_id, audio_asset_id, html_asset_id } = alert;
  return { ...toAlertView(alert, services.assets), image_asset_id, audio_asset_id, html_asset_id };
}

const OWN = Object.fromEntries(
  getFieldNames(selectFieldDefinitionsMarkedAs(ALERT_FIELDS, "own")).map((name) => [name, null]),
) as {
  [N in keyof ReturnType<typeof selectFieldDefinitionsMarkedAs<typeof ALERT_FIELDS, "own">>]: null;
};

/** Checks that a copy has the field of the original. */
export const isCopiedAlertField = (field: string): boolean => !Object.hasOwn(OWN, field);

/** Returns the content at the start of a copy, without the alert's own fields. */
export const getCopyContent = (alert: AlertRecord, ctx: Pick<HandlerContext, "services">) => ({
  ...getEditStartContent(alert, ctx),
  ...OWN,
});
