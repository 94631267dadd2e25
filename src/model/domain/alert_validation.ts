// What an alert must hold together, whatever verb brought it here: layout and its source, exclusions, lengths by
// layout, the circle, and the order of its instants. Pure; judged after the row's own state, as the last 422.

import { type ApiError, invalidRequest } from "../api_error.ts";
import { forBoth } from "../error_messages.ts";
import { LIMITS } from "../limits.ts";
import { checkGeofence, type Geofence } from "./channel_rules.ts";

/** Characters of markup (rules#alert-lengths); the other layouts count as html. */
export const MAX_HTML_LENGTH = { html: LIMITS.alert_html, document: LIMITS.alert_document } as const;

interface Content extends Geofence {
  layout: string;
  image_url: string | null;
  image_asset_id: string | null;
  html_asset_id: string | null;
  html: string | null;
  send_at: string | null;
  expires_at: string | null;
}

/** Which instants the request itself set, and what becomes of the alert. */
export interface AlertTimeChanges {
  send_at: boolean;
  expires_at: boolean;
  /** True when the alert is, or is becoming, scheduled by its send_at. */
  scheduled: boolean;
}

/** `htmlLength` counts the markup as it was sent. Instants are UTC with six decimals. @throws 422 naming the field. */
export function checkAlertContent(content: Content, htmlLength: number, changed: AlertTimeChanges, now: string): void {
  if (content.image_url !== null && content.image_asset_id !== null)
    throw invalidRequest(
      "mutually_exclusive_fields",
      forBoth(
        "image_url and image_asset_id exclude each other. Send one of them.",
        "A picture is either a link or an uploaded file. Remove one of them.",
      ),
      "image_asset_id",
    );
  if (content.html !== null && content.html_asset_id !== null)
    throw invalidRequest(
      "mutually_exclusive_fields",
      forBoth(
        "html and html_asset_id exclude each other. Send one of them.",
        "HTML is either entered here or uploaded as a file. Remove one of them.",
      ),
      "html_asset_id",
    );
  if (content.layout === "image" && content.image_url === null && content.image_asset_id === null)
    throw invalidRequest(
      "field_required",
      forBoth(
        "Layout image requires image_url or image_asset_id.",
        "This layout requires a picture. Enter a link or upload a file.",
      ),
      "image_url",
    );
  if (content.layout === "html" || content.layout === "document") {
    if (content.html === null && content.html_asset_id === null)
      throw invalidRequest(
        "field_required",
        forBoth(
          `Layout ${content.layout} requires html or html_asset_id.`,
          "This layout requires HTML. Enter it or upload a file.",
        ),
        "html",
      );
  }
  const max = content.layout === "document" ? MAX_HTML_LENGTH.document : MAX_HTML_LENGTH.html;
  if (htmlLength > max) {
    const field = content.html_asset_id === null ? "html" : "html_asset_id";
    const what = content.html_asset_id === null ? "html" : "The text of the uploaded page";
    throw invalidRequest("too_long", `${what} must be at most ${max} characters long in this layout.`, field);
  }
  checkGeofence(content);
  if (changed.scheduled && (content.send_at === null || content.send_at <= now))
    throw invalidRequest(
      "time_in_past",
      forBoth(
        "send_at must be in the future. Omit it to send now.",
        "The time must be in the future. To send the alert now, press Send.",
      ),
      "send_at",
    );
  if (changed.expires_at && content.expires_at !== null && content.expires_at <= now)
    throw invalidRequest("time_in_past", "expires_at must be in the future.", "expires_at");
  if ((changed.expires_at || changed.send_at) && content.expires_at !== null && content.send_at !== null)
    if (content.expires_at <= content.send_at)
      throw invalidRequest(
        "invalid_time_range",
        forBoth(
          "expires_at must be later than send_at.",
          "The alert cannot expire before it is sent. Choose a later expiry.",
        ),
        "expires_at",
      );
}

/** What repeats is a draft first, whose times a person may look at. @throws 422 */
export function checkNoRecurrence(recurrence: string | null): void {
  if (recurrence === null) return;
  throw invalidRequest(
    "recurrence_not_allowed",
    forBoth(
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
      "The recurrence of a repeating alert cannot be removed. Cancel the alert to end it.",
      "recurrence",
    );
  if (status === "scheduled") checkNoRecurrence(recurrence);
}

/** The instant that a schedule needs (rules#schedule). @throws 422 naming the way out. */
export function checkSchedule(sendAt: string | null, now: string): string {
  if (sendAt !== null && sendAt > now) return sendAt;
  const what = sendAt === null ? "The draft has no send_at" : "send_at must be in the future";
  throw invalidRequest(
    sendAt === null ? "field_required" : "time_in_past",
    forBoth(
      `${what}. Set send_at to the time at which the alert appears, or call send_alert to publish it now.`,
      `${sendAt === null ? "Choose a time" : "The time must be in the future"}. To send the alert now, press Send.`,
    ),
    "send_at",
  );
}

/** rules#send-needs-a-live-alert */
export function checkNotExpired(expiresAt: string | null, now: string): void {
  if (expiresAt !== null && expiresAt <= now)
    throw invalidRequest(
      "alert_expired",
      forBoth(
        "The alert has expired. Change or clear expires_at before you send it.",
        "The alert has expired. Change or clear the expiry before you send it.",
      ),
      "expires_at",
    );
}

/** The refusal of a check as a value, for those who must report something else first. */
export function catchApiError(check: () => void): ApiError | null {
  try {
    check();
    return null;
  } catch (problem) {
    return problem as ApiError;
  }
}
