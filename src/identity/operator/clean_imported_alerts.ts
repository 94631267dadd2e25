// The texts and markup of alerts in `belfry import`. They pass the sanitizer and the rules of create_alert.

import { invalidRequest } from "../../model/api_error.ts";
import { checkAlertContent, MAX_HTML_LENGTH_BY_LAYOUT } from "../../model/domain/alert_validation.ts";
import { ALERT_FIELDS, type AlertFields } from "../../model/fields/alert.ts";
import { countCodePoints } from "../../model/fields/value_schemas.ts";
import { SanitizerReport, sanitizeHtml } from "../../model/sanitizer/sanitize.ts";
import { recordRemovedMarkup, sanitizeAlertPlainTexts } from "../../operation/alerts/compose_alert.ts";

/** Sanitised markup may be longer than what was sent, by the attributes of its links above all. */
const GROWTH = 20;

/** The fields as create_alert would store them, with what the texts lost in `blocked`. @throws 422 naming the field. */
export function cleanImportedAlert(row: AlertFields): AlertFields {
  const blocked = { ...row.blocked };
  if (!Object.keys(blocked).every((field) => Object.hasOwn(ALERT_FIELDS, field)))
    throw invalidRequest("invalid_file", "The field “blocked” contains an unknown field name.", "file");
  const clean: AlertFields = { ...sanitizeAlertPlainTexts(row, row, blocked), blocked };
  for (const field of ["html", "asset_html"] as const) {
    const markup = row[field];
    if (markup === null) continue;
    const max =
      row.layout === "document" ? MAX_HTML_LENGTH_BY_LAYOUT.document : GROWTH * MAX_HTML_LENGTH_BY_LAYOUT.html;
    if (countCodePoints(markup) > max)
      throw invalidRequest("invalid_file", `${field} must be at most ${max} characters long in this layout.`, "file");
    if (row.layout === "document") continue;
    const report = new SanitizerReport();
    clean[field] = sanitizeHtml(markup, report).html;
    if (clean[field] === markup) continue;
    report.addRows(blocked[field] ?? []);
    recordRemovedMarkup(blocked, field, report, false);
  }
  checkAlertContent(clean, 0, { send_at: false, expires_at: false, scheduled: false }, "");
  return clean;
}

/** Former values of edits. Nothing is noted of what they lose. */
export const cleanPreviousAlertValues = (previous: Partial<AlertFields>) => sanitizeAlertPlainTexts(previous, null, {});

const REVIEW = /^https?:\/\/[^/?#\\]+(\/console\/wsp_\w+\/channels\/psh_\w+\/alerts\/alr_\w+)$/;

/**
 * The actions of a notice about a draft, which lead to the console of the server that wrote it, to that of another
 * origin.
 */
export const rewriteReviewUrls = (actions: unknown, origin: string): unknown =>
  Array.isArray(actions)
    ? actions.map((action) =>
        typeof action?.url === "string"
          ? { ...action, url: action.url.replace(REVIEW, (_: string, path: string) => origin + path) }
          : action,
      )
    : actions;
