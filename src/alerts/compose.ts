// From what a caller sent (and, for an edit, what is stored) to the fields of a row: merged, sanitised, instants in UTC.
// Nothing unsanitised is ever stored.

import type { z } from "zod";
import { MAX_HTML } from "../domain/alert_content.ts";
import { codePoints } from "../fields/accepts.ts";
import { ALERT, type AlertFields } from "../fields/alert.ts";
import { blanksOf, type changesOf, marked, namesOf } from "../fields/record.ts";
import type { AlertRecord } from "../queries/alert_columns.ts";
import { Report, sanitizeHtml, sanitizeText } from "../sanitizer/sanitize.ts";

type Sent = z.output<z.ZodObject<ReturnType<typeof changesOf<typeof ALERT>>>>;

const BLANK: AlertFields = { title: "", ...blanksOf(ALERT) };

export interface Composed {
  fields: AlertFields;
  blocked: ReturnType<typeof sanitizeHtml>["blocked"];
  /** Characters of markup that was not measured before: what was sent, a stored document, or a file's text. */
  htmlLength: number;
}

/** The texts that are cleaned and reported as markup is; every other text refuses what no reader sees (fields/accepts.ts). */
const CLEANED = namesOf(marked(ALERT, "cleaned"));

function cleanTexts(sent: Sent, report: Report): Sent {
  const clean = { ...sent };
  for (const name of CLEANED)
    if (typeof clean[name] === "string") clean[name] = sanitizeText(clean[name], report);
  clean.actions = sent.actions?.map((action) => ({ ...action, label: sanitizeText(action.label, report) }));
  return clean;
}

/**
 * Markup that arrives where there was none, without a word on the layout, in an alert that would be plain text: it is
 * meant to be seen, so its layout comes along. Whoever names layout text keeps it.
 */
function bringsMarkup(sent: Sent, stored: AlertRecord | null): boolean {
  if (stored && (stored.layout !== "text" || stored.html || stored.html_asset_id)) return false;
  return Boolean(sent.html?.trim() || sent.html_asset_id);
}

/**
 * What is absent stays, what is null is emptied (docs/rules.md#patch). `stored` is null for a new alert. Asset ids are
 * uuids here. `assetText` is the text of the html asset where this change concerns it (see alerts/attach.ts).
 */
export function compose(given: Sent, stored: AlertRecord | null, assetText: string | null): Composed {
  const report = new Report();
  const sent = cleanTexts(given, report);
  const fields = { ...BLANK };
  for (const name of Object.keys(BLANK) as (keyof AlertFields)[]) {
    // What somebody replied was about the alert before this change.
    if (name === "review_reply") continue;
    const own = name === "asset_html" ? undefined : sent[name];
    const value = own === undefined ? stored?.[name] : own;
    if (value !== undefined) Object.assign(fields, { [name]: value });
  }
  if (sent.layout === undefined && bringsMarkup(sent, stored)) fields.layout = "html";
  // Empty markup that was sent counts as none. Empty markup that is stored stays, since the sanitiser made it of some.
  if (sent.html?.trim() === "") fields.html = null;
  const mode = fields.layout === "document" ? "document" : "html";
  // Markup that `checkContent` will refuse for its length is not sanitised, and does not reach the row.
  const cleaned = (markup: string, length: number) =>
    length > MAX_HTML[mode] ? { html: "", blocked: [] } : sanitizeHtml(markup, mode, report);
  // The file stays as written (docs/rules.md#alert-html-asset), handsets are shown `asset_html`.
  if (fields.html_asset_id === null) fields.asset_html = null;
  else if (assetText !== null) {
    const htmlLength = codePoints(assetText);
    const clean = cleaned(assetText, htmlLength);
    fields.asset_html = clean.html;
    return { fields, blocked: clean.blocked, htmlLength };
  }
  const { html } = fields;
  // Sanitised markup may be longer than what was sent, so it is not measured again.
  const unmeasured = sent.html !== undefined || stored?.layout === "document";
  const htmlLength = html !== null && unmeasured ? codePoints(html) : 0;
  // A stored document turned into another layout has never been through the sanitiser, so a change of layout counts.
  if (html === null || (sent.html === undefined && sent.layout === undefined))
    return { fields, blocked: report.rows(), htmlLength };
  const clean = cleaned(html, htmlLength);
  return { fields: { ...fields, html: clean.html }, blocked: clean.blocked, htmlLength };
}
