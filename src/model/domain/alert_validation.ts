// What an alert must hold together, whatever verb brought it here: layout and its source, exclusions, lengths by
// layout, the circle, and the order of its instants. Pure; judged after the row's own state, as the last 422.

import { forBoth } from "../error_messages.ts";
import { type ApiError, invalidRequest } from "../errors.ts";
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
        "image_url and image_asset_id exclude each other; send one of them.",
        "A picture has an address or was uploaded, not both. Take one of them away.",
      ),
      "image_asset_id",
    );
  if (content.html !== null && content.html_asset_id !== null)
    throw invalidRequest(
      "mutually_exclusive_fields",
      forBoth(
        "html and html_asset_id exclude each other; send one of them.",
        "A page is written here or was uploaded, not both. Take one of them away.",
      ),
      "html_asset_id",
    );
  if (content.layout === "image" && content.image_url === null && content.image_asset_id === null)
    throw invalidRequest(
      "field_required",
      forBoth(
        "Layout image needs image_url or image_asset_id.",
        "A card with a picture needs one: its address, or a file.",
      ),
      "image_url",
    );
  if (content.layout === "html" || content.layout === "document") {
    if (content.html === null && content.html_asset_id === null)
      throw invalidRequest(
        "field_required",
        forBoth(
          `Layout ${content.layout} needs html or html_asset_id.`,
          "A card with a page needs one: its markup, or a file.",
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
        "send_at must be in the future; omit it to send now.",
        "The time must be later than now. To send it now, press Send.",
      ),
      "send_at",
    );
  if (changed.expires_at && content.expires_at !== null && content.expires_at <= now)
    throw invalidRequest("time_in_past", "expires_at must be later than now.", "expires_at");
  if ((changed.expires_at || changed.send_at) && content.expires_at !== null && content.send_at !== null)
    if (content.expires_at <= content.send_at)
      throw invalidRequest(
        "invalid_time_range",
        forBoth(
          "expires_at must be later than send_at.",
          "It cannot be over before phones show it: choose a later end.",
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
      "recurrence belongs to a draft; leave send out, and give the draft to schedule_alert.",
      "What repeats is a draft first. Save it, then schedule it.",
    ),
    "recurrence",
  );
}

/** An edit neither takes the rule from what repeats nor gives one to what is scheduled. @throws 422 */
export function checkRecurrenceChange(status: string, recurrence: string | null): void {
  if (status === "repeating" && recurrence === null)
    throw invalidRequest(
      "recurrence_not_allowed",
      "recurrence is what it repeats by; cancel the alert to end that.",
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
      `${what}; give the schedule a send_at, the instant at which the alert shall appear. To publish now, send the alert instead.`,
      `${sendAt === null ? "Choose a time" : "The time must be later than now"}. To send it now, press Send.`,
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
        "The alert has expired; move expires_at or clear it before sending.",
        "The alert is over already. Give it a later end, or none, before you send it.",
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
