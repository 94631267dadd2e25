// Decisions about an alert: schedule, decline with a reason for its author, copy, delete. The most frequent ones are at
// the foot of the screen. A button names its effect. An urgent alert has a box to tick first.

import { randomUUID } from "node:crypto";
import { decline_alert } from "../../../identity/session/decline_and_review_aids.ts";
import { type ApiError, invalidRequest } from "../../../model/api_error.ts";
import { getMaxLength } from "../../../model/fields/value_schemas.ts";
import { LIMITS } from "../../../model/limits.ts";
import { formatDeviceCount } from "../../../ui/alert_preview.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { renderFormTextField, toMinuteInput } from "../form_controls.ts";
import type { ChannelResult, GetAlertResult, MemberPageContext } from "../page_definitions.ts";
import { alertControl, urgentConfirmation } from "./compose_form_controls.ts";

interface Deciding {
  alert: GetAlertResult;
  channel: ChannelResult;
  /** The sentence on how many it could reach. */
  could: string;
  error?: ApiError;
  /** The visitor is the only author, so declining has no recipient. */
  own: boolean;
}

/** A draft that repeats once it is scheduled; to send it would be to send it once. */
const begins = ({ status, recurrence }: GetAlertResult): boolean => status === "draft" && recurrence !== null;

/** An urgent alert is published only if the box is ticked. A repeating alert begins at a time. */
export function assertReadyToPublish(alert: GetAlertResult, form: URLSearchParams, act: string): void {
  if (act === "send" && begins(alert))
    throw invalidRequest(
      "recurrence_not_allowed",
      "A repeating alert must be scheduled. To send it once, edit it and choose “Does not repeat”.",
      "send_at",
    );
  if (alert.priority !== "urgent" || form.has("sure") || (act !== "send" && act !== "schedule")) return;
  throw invalidRequest("field_required", "An urgent alert can ring at night. Tick the box to confirm.", "sure");
}

/** The typed value, or the alert's value. */
function formOf(context: MemberPageContext, alert: GetAlertResult): URLSearchParams {
  const form = new URLSearchParams(context.form);
  if (!form.has("send_at")) form.set("send_at", toMinuteInput(alert.send_at));
  return form;
}

const deletion = (context: MemberPageContext): Html =>
  html`<a class="button danger" href="${context.url.pathname}/delete">Delete</a>`;

/** Links that open the less frequent decisions. */
const openers = ({ alert, own, mark }: Pick<Deciding, "alert" | "own"> & { mark: "roomy" | "tight" }): Html[] =>
  [
    { href: "#decline", name: "Decline", shown: !own },
    { href: "#at-a-time", name: alert.status === "scheduled" ? "Reschedule" : "Schedule", shown: !begins(alert) },
  ]
    .filter(({ shown }) => shown)
    .map(({ href, name }) => html`<a class="button plain ${mark}" href="${href}">${name}</a>`);

/** The actions on what is not sent yet; those on a sent alert follow its reports (see alert_timeline.ts). */
const others = (context: MemberPageContext, { status, series_id }: GetAlertResult, links: readonly Html[]): Html =>
  html`<section class="card" aria-labelledby="others"><h2 id="others">Other actions</h2>
    <p class="hint">${
      status === "draft" &&
      html`A test appears only on <a href="/console/account/devices">your test devices</a>, for up to
        ${LIMITS.test_minutes} minutes, and is not counted. `
    }A copy starts as a draft without send times.</p>
    <input type="hidden" name="once" value="${randomUUID()}">
    <div class="actions">${links}${
      status === "draft"
        ? html`<button class="plain" name="act" value="test">Send test</button>`
        : html`<button class="plain" name="act" value="draft">Back to draft</button>`
    }<button class="plain" formaction="${context.url.pathname}/duplicate">Duplicate</button>${
      status === "scheduled" &&
      html`<button class="danger" name="act" value="cancel">Cancel alert</button>${
        series_id && html`<button class="danger" name="act" value="following">Cancel this and all following</button>`
      }`
    }${deletion(context)}</div></section>`;

/**
 * The decisions on the page. The links at the foot of the screen open them, and a refused decision is open. Each form
 * has its own button, since Enter in a field presses the first button that follows.
 */
export function renderReviewDecisionPanels(
  context: MemberPageContext,
  { alert, channel, error, own }: Omit<Deciding, "could">,
): HtmlContent {
  const { status } = alert;
  if (status === "cancelled") return html`<p>${deletion(context)}</p>`;
  if (status === "sent") return null;
  if (status === "repeating")
    return html`<section class="card"><h2>Stop repeating</h2> <p class="hint">This cancels all unsent occurrences.
      If you move the alert back to draft, you can schedule it again.</p>
      <div class="actions"><button class="plain" name="act" value="draft">Back to draft</button><button class="danger"
        name="act" value="cancel">Cancel all unsent occurrences</button></div></section>`;
  const typed = { form: formOf(context, alert), error };
  const scheduled = status === "scheduled";
  const verb = scheduled ? "Reschedule" : "Schedule";
  const asked = context.form.get("act");
  return html`<section class="card${!begins(alert) && asked !== "schedule" && " opens"}" aria-labelledby="at-a-time"><h2
    id="at-a-time">${verb}</h2>
      ${alertControl(typed, "send_at", { hint: "The alert will be sent at this time." })}
      <button name="act" value="schedule">${
        begins(alert) ? `Schedule for ${formatDeviceCount(channel.subscribers)}` : verb
      }</button></section>
    ${
      !own &&
      html`<section class="card${asked !== "decline" && " opens"}" aria-labelledby="decline"><h2
        id="decline">Decline</h2>
      ${renderFormTextField(typed, {
        name: "review_reply",
        label: "Comment",
        rows: 3,
        most: getMaxLength(decline_alert.input.shape.review_reply),
        hint: "Shown to the author. The alert stays a draft.",
      })}
      <button name="act" value="decline">Decline</button></section>`
    }
    ${others(context, alert, openers({ alert, own, mark: "tight" }))}`;
}

/** The most frequent decisions, at the foot of the screen; none for sent or cancelled alerts. */
export function renderReviewDecisionBar(
  context: MemberPageContext,
  { alert, channel, could, error, own }: Deciding,
): HtmlContent {
  if (alert.review_url === null) return null;
  const reach = channel.subscribers;
  const repeats = alert.status === "repeating";
  return html`<div class="deciding"><div class="in">
    ${alert.priority === "urgent" && urgentConfirmation({ form: context.form, error })}
    <p class="said">${could} A sent alert cannot be recalled.</p>
    <div class="acts">${
      !repeats && html`<a class="button plain tight" href="#others">More</a>${openers({ alert, own, mark: "roomy" })}`
    }<a class="button plain" href="${context.url.pathname}/edit">Edit</a>${
      begins(alert) && html`<a class="button" href="#at-a-time">Schedule</a>`
    }${
      !repeats &&
      !begins(alert) &&
      html`<button name="act" value="send">${
        alert.status === "scheduled" ? "Send now to" : "Send to"
      } ${formatDeviceCount(reach)}</button>`
    }</div>
  </div></div>`;
}
