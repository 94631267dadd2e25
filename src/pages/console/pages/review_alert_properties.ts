// The facts of an alert on its page: its recurrence, and the properties that its card does not show.

import { ALERT_FIELDS } from "../../../model/fields/alert.ts";
import { formatDistanceKm } from "../../../ui/alert_card.ts";
import { breakableUrl } from "../../../ui/build_url.ts";
import { listFieldFacts } from "../../../ui/field_display_texts.ts";
import { type HtmlContent, html } from "../../../ui/html.ts";
import { circleDrawing, formatCoordinates, toGeoCircleOrNull } from "../../../ui/scaled_circle_drawing.ts";
import { timeElement } from "../../../ui/time_format.ts";
import { getChannelPath } from "../channel_header.ts";
import { relativeTime } from "../components.ts";
import { capitalize } from "../form_controls.ts";
import type { GetAlertResult, MemberPageContext } from "../page_definitions.ts";
import { describeRecurrence, renderNextOccurrences } from "../recurrence_form.ts";
import { ALERT_FIELD_LABELS } from "./compose_form_values.ts";

/** The recurrence and its next time. */
export function renderReviewRecurrence(
  context: MemberPageContext,
  { recurrence, send_at, pusher_id }: GetAlertResult,
): HtmlContent {
  if (!recurrence) return null;
  return html`<section class="card"><h2>Repeats</h2><p>${describeRecurrence(recurrence)}</p>${renderNextOccurrences(
    recurrence,
    send_at,
    context.now,
  )}
    <p><a href="${context.base}month?channel=${pusher_id}">Month view</a></p></section>`;
}

/** The properties that the card does not show. */
export function renderReviewFacts(context: MemberPageContext, alert: GetAlertResult): HtmlContent {
  const { now } = context;
  const lines: [string, HtmlContent][] = [];
  // After it was sent, an alert changes by its cancellation alone, which its history has.
  if (!alert.sent_at) lines.push(["Changed", relativeTime(alert.updated_at, now)]);
  if (alert.send_at && alert.status !== "scheduled")
    lines.push(["Scheduled for", timeElement(new Date(alert.send_at))]);
  if (alert.sent_at && alert.status !== "sent") lines.push(["Sent", timeElement(new Date(alert.sent_at))]);
  if (alert.series_id) {
    const series = `${getChannelPath(context, alert.pusher_id)}/alerts/${alert.series_id}`;
    lines.push(["Series", html`<a href="${series}">Part of a repeating alert</a>`]);
  }
  if (alert.expires_at) lines.push(["Expires", timeElement(new Date(alert.expires_at))]);
  for (const { type, label, url, choices = [] } of alert.actions)
    lines.push(
      type === "reply" ? [`Question “${label}”`, choices.join(" · ")] : [`Link “${label}”`, url && breakableUrl(url)],
    );
  if (alert.tts_text) lines.push(["Read aloud", alert.tts_text]);
  if (alert.audio_url) lines.push(["Recording", breakableUrl(alert.audio_url)]);
  for (const name of ["sound", "vibrate"] as const)
    if (alert[name]) lines.push([ALERT_FIELD_LABELS[name] ?? name, capitalize(alert[name])]);
  const circle = toGeoCircleOrNull(alert);
  if (circle) lines.push(["Area", `${formatDistanceKm(circle.radius_km)} of ${formatCoordinates(circle)}`]);
  for (const { label, words } of listFieldFacts(ALERT_FIELDS, "owner", alert)) lines.push([label, words]);
  if (lines.length === 0) return null;
  return html`<section class="card" aria-labelledby="facts"><h2 id="facts">Details</h2><dl class="facts">${lines.map(
    ([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`,
  )}</dl>${circle && circleDrawing(circle)}</section>`;
}
