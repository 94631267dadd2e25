// Validation of an alert's fields in combination: layout and its source, exclusions, lengths by layout, the circle, and
// the order of its times. It is pure, and runs after the checks of the row's state.

import { createApiAndUiText } from "../api_and_ui_error_texts.ts";
import { ApiError, invalidRequest } from "../api_error.ts";
import { LIMITS } from "../limits.ts";
import { type Geofence, requireCompleteGeofence } from "./channel_capabilities_and_defaults.ts";

/** Characters of markup (rules#alert-lengths); the other layouts count as html. */
export const MAX_HTML_LENGTH_BY_LAYOUT = { html: LIMITS.alert_html, document: LIMITS.alert_document } as const;

interface Content extends Geofence {
  layout: string;
  image_url: string | null;
  image_asset_id: string | null;
  html_asset_id: string | null;
  html: string | null;
  send_at: string | null;
  expires_at: string | null;
}

/** The times that the request sets, and the resulting status. */
interface AlertTimeChangeFlags {
  send_at: boolean;
  expires_at: boolean;
  /** True when the alert is, or is becoming, scheduled by its send_at. */
  scheduled: boolean;
}

interface Circumstances {
  htmlLength: number;
  changed: AlertTimeChangeFlags;
  now: string;
}

/** The rules in the order of their problems, each with the fields that it reads. */
const RULES: [fields: (keyof Content)[], check: (content: Content, at: Circumstances) => void][] = [
  [["image_url", "image_asset_id"], checkOnePicture],
  [["image_url", "image_asset_id", "layout"], checkPictureLayout],
  [["html", "html_asset_id", "layout"], checkMarkup],
  [["lat", "lon", "radius_km"], requireCompleteGeofence],
  [["send_at"], checkSendTime],
  [["expires_at"], checkExpiryAhead],
  [["send_at", "expires_at"], checkExpiryAfterSend],
];

/**
 * `htmlLength` counts the markup as it was sent. Times are UTC with six decimals. `isKnown`: false for a field whose
 * value is not in `content`; rules that read it are skipped.
 * @throws 422 that lists every problem (rules#error-problems).
 */
export function checkAlertContent(
  content: Content,
  htmlLength: number,
  changed: AlertTimeChangeFlags,
  now: string,
  isKnown: (field: string) => boolean = () => true,
): void {
  const rules = RULES.filter(([fields]) => fields.every(isKnown));
  const problem = mergeCheckErrors(
    ...rules.map(
      ([, check]) =>
        () =>
          check(content, { htmlLength, changed, now }),
    ),
  );
  if (problem) throw problem;
}

/** A picture is a link or a file. */
function checkOnePicture({ image_url, image_asset_id }: Content): void {
  if (image_url !== null && image_asset_id !== null)
    throw invalidRequest(
      "mutually_exclusive_fields",
      createApiAndUiText(
        "image_url and image_asset_id cannot be combined. Send only one of them.",
        "A picture is either a link or an uploaded file. Remove one of them.",
      ),
      "image_asset_id",
    );
}

function checkPictureLayout({ image_url, image_asset_id, layout }: Content): void {
  if (layout === "image" && image_url === null && image_asset_id === null)
    throw invalidRequest(
      "field_required",
      createApiAndUiText(
        "The image layout requires image_url or image_asset_id.",
        "This layout requires a picture. Enter a link or upload a file.",
      ),
      "image_url",
    );
}

/** Markup is text or a file, some layouts require it, and the layout limits its length. */
function checkMarkup({ html, html_asset_id, layout }: Content, { htmlLength }: Circumstances): void {
  if (html !== null && html_asset_id !== null)
    throw invalidRequest(
      "mutually_exclusive_fields",
      createApiAndUiText(
        "html and html_asset_id cannot be combined. Send only one of them.",
        "HTML can be entered here or uploaded as a file, not both. Remove one of them.",
      ),
      "html_asset_id",
    );
  if ((layout === "html" || layout === "document") && html === null && html_asset_id === null)
    throw invalidRequest(
      "field_required",
      createApiAndUiText(
        `The ${layout} layout requires html or html_asset_id.`,
        "This layout requires HTML. Enter it or upload a file.",
      ),
      "html",
    );
  const max = layout === "document" ? MAX_HTML_LENGTH_BY_LAYOUT.document : MAX_HTML_LENGTH_BY_LAYOUT.html;
  if (htmlLength <= max) return;
  const field = html_asset_id === null ? "html" : "html_asset_id";
  const what = html_asset_id === null ? "html" : "The uploaded page's text";
  throw invalidRequest("too_long", `${what} must be at most ${max} characters long in this layout.`, field);
}

function checkSendTime({ send_at }: Content, { changed, now }: Circumstances): void {
  if (changed.scheduled && (send_at === null || send_at <= now))
    throw invalidRequest(
      "time_in_past",
      createApiAndUiText(
        "send_at must be in the future. Omit it to send now.",
        "The time must be in the future. To send the alert now, choose Send.",
      ),
      "send_at",
    );
}

function checkExpiryAhead({ expires_at }: Content, { changed, now }: Circumstances): void {
  if (changed.expires_at && expires_at !== null && expires_at <= now)
    throw invalidRequest("time_in_past", "expires_at must be in the future.", "expires_at");
}

function checkExpiryAfterSend({ send_at, expires_at }: Content, { changed }: Circumstances): void {
  if (expires_at === null) return;
  if ((changed.expires_at || changed.send_at) && send_at !== null && expires_at <= send_at)
    throw invalidRequest(
      "invalid_time_range",
      createApiAndUiText(
        "expires_at must be later than send_at.",
        "The alert cannot expire before it is sent. Choose a later expiry.",
      ),
      "expires_at",
    );
}

/**
 * Refuses a recurrence on an alert that is not a draft, so that a person can check its times.
 * @throws 422
 */
export function checkNoRecurrence(recurrence: string | null): void {
  if (recurrence === null) return;
  throw invalidRequest(
    "recurrence_not_allowed",
    createApiAndUiText(
      "A repeating alert starts as a draft. Omit send, then call schedule_alert with the draft.",
      "A repeating alert starts as a draft. Save it, then schedule it.",
    ),
    "recurrence",
  );
}

/** An edit neither takes the rule from what repeats nor gives one to what is scheduled. @throws 422 */
export function checkRecurrenceChange(status: string, recurrence: string | null): void {
  if (status === "repeating" && recurrence === null)
    throw invalidRequest(
      "recurrence_not_allowed",
      "The recurrence of a repeating alert cannot be removed. To end it, cancel the alert.",
      "recurrence",
    );
  if (status === "scheduled") checkNoRecurrence(recurrence);
}

/**
 * Returns the send time of a schedule (rules#schedule).
 * @throws 422 with the solution
 */
export function requireFutureSendAt(sendAt: string | null, now: string): string {
  if (sendAt !== null && sendAt > now) return sendAt;
  const what = sendAt === null ? "The draft has no send_at" : "send_at must be in the future";
  throw invalidRequest(
    sendAt === null ? "field_required" : "time_in_past",
    createApiAndUiText(
      `${what}. Set send_at to the time when the alert should appear, or call send_alert to publish it now.`,
      `${sendAt === null ? "Choose a time" : "The time must be in the future"}. To send the alert now, choose Send.`,
    ),
    "send_at",
  );
}

/** rules#send-needs-a-live-alert */
export function checkAlertNotExpired(expiresAt: string | null, now: string): void {
  if (expiresAt !== null && expiresAt <= now)
    throw invalidRequest(
      "alert_expired",
      createApiAndUiText(
        "The alert has expired. Change or clear expires_at before you send it.",
        "The alert has expired. Change or clear the expiry before you send it.",
      ),
      "expires_at",
    );
}

/** All refusals as one, with the message of the first and one problem for each field; null without one. */
export function mergeCheckErrors(...checks: ((() => void) | ApiError | null)[]): ApiError | null {
  const problems = checks
    .map((check) => (typeof check === "function" ? catchApiError(check) : check))
    .filter((problem) => problem !== null);
  const [first] = problems;
  if (!first || problems.length === 1) return first ?? null;
  const fields = problems.flatMap(({ code, message, ui, param, fields: own }) =>
    own.length > 1
      ? own.map((field) => ({
          param: field.param,
          code: field.code,
          message: createApiAndUiText(field.message, field.ui),
        }))
      : [{ param: param ?? "", code, message: createApiAndUiText(message, ui) }],
  );
  const byParam = new Map(fields.toReversed().map((field) => [field.param, field]));
  byParam.delete("");
  return new ApiError(first.code, createApiAndUiText(first.message, first.ui), {
    param: first.param,
    fields: fields.filter((field) => byParam.get(field.param) === field),
  });
}

/** The refusal of a check as a value; null when it passes. */
export function catchApiError(check: () => void): ApiError | null {
  try {
    check();
    return null;
  } catch (problem) {
    if (problem instanceof ApiError) return problem;
    throw problem;
  }
}
