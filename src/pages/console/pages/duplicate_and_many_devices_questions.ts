// Confirmations before an alert is sent. The same alert was sent a moment ago (rules#console-asks-again), or it reaches
// many devices (rules#console-confirms-many). Each confirmation is required once for one content.

import { createHash } from "node:crypto";
import type { z } from "zod";
import { find_equal_send } from "../../../identity/session/decline_and_review_aids.ts";
import { ApiError } from "../../../model/api_error.ts";
import { LIMITS } from "../../../model/limits.ts";
import { formatDeviceCount, renderAlertPreviewCard } from "../../../ui/alert_preview.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { getChannelPath } from "../channel_header.ts";
import { relativeTime } from "../components.ts";
import type { ChannelResult, GetAlertResult, MemberPageContext } from "../page_definitions.ts";
import { actorLabel, isOwnAction, listAlertEvents } from "./alert_changes_and_audit.ts";
import { parseAlertForm } from "./compose_form_values.ts";
import { listNewestAssets, parsePreviewedAlert } from "./compose_preview.ts";

const SENDING = ["send_alert", "create_alert"];

/** The hidden fields of a form with the questions that the user saw: the equal alert, and the card for many devices. */
export const renderHiddenConfirmationFields = ({ form }: Pick<MemberPageContext, "form">): HtmlContent =>
  ["again", "confirmed"].map(
    (name) => form.has(name) && html`<input type="hidden" name="${name}" value="${form.get(name)}">`,
  );

/**
 * The question; null if no equal alert was sent, or the person has confirmed. The form records what was confirmed.
 * @param fields the fields of the alert @param once the key under which this form makes its alert
 */
export async function duplicateWarning(
  context: MemberPageContext,
  pusher_id: string,
  fields: Record<string, unknown>,
  once: string | null = null,
): Promise<Html | null> {
  const { form, now } = context;
  const args = { pusher_id, once, fields: fields as z.input<typeof find_equal_send.input>["fields"] };
  const { alert } = await context.asMember(find_equal_send, args);
  if (!alert || form.get("again") === alert.id) return null;
  form.set("again", alert.id);
  const sent = (await listAlertEvents(context, alert.id)).find(({ operation }) => SENDING.includes(operation));
  const seconds = Math.max(0, Math.round((now.getTime() - Date.parse(alert.sent_at)) / 1000));
  const when =
    seconds < 60 ? `${seconds} ${seconds === 1 ? "second" : "seconds"} ago` : relativeTime(alert.sent_at, now);
  const who = !sent ? "Someone" : isOwnAction(context, sent) ? "You" : actorLabel(sent.actor);
  return html`<section class="report warn" role="alert" aria-labelledby="sent-before"><h2
    id="sent-before">${who} sent this alert ${when}</h2>
    <p>The channel has already sent <a href="${getChannelPath(
      context,
      pusher_id,
    )}/alerts/${alert.id}">an identical alert</a>. Nothing was sent this time. Send again to show it
      twice.</p></section>`;
}

/**
 * The card once more, with the number of devices. Null for few devices, and after the user confirmed this content.
 * Stores in the form which content was shown.
 */
async function manyDevicesQuestion(
  context: MemberPageContext,
  { channel, alert }: { channel: ChannelResult; alert: GetAlertResult | null },
): Promise<Html | null> {
  const { form } = context;
  if (channel.subscribers <= LIMITS.confirmed_devices) return null;
  const content = createHash("sha256")
    .update(JSON.stringify(parseAlertForm(form)))
    .digest("base64url")
    .slice(0, 22);
  if (form.get("confirmed") === content) return null;
  form.set("confirmed", content);
  const now = context.deps.now();
  const drawn = parsePreviewedAlert(form, await listNewestAssets(context), alert, now);
  const devices = formatDeviceCount(channel.subscribers);
  return html`<section class="report warn many" role="alert" aria-labelledby="send-many">
    <h2 id="send-many">Send to ${devices}?</h2>
    <p>Check the preview. A sent alert cannot be recalled.</p>
    ${renderAlertPreviewCard(channel, drawn, now, "confirmed-card")}
    <p class="line"><button form="compose" name="act" value="send">Send to ${devices}</button>
      <a class="button plain" href="#title">Edit</a></p></section>`;
}

/**
 * The questions about this send that the user has not answered yet; null without any. Fields that the operation
 * refuses raise no question, because its errors name the fields of the form.
 * @param target.once the key under which the form makes its alert
 */
export async function findSendQuestions(
  context: MemberPageContext,
  target: { channel: ChannelResult; alert: GetAlertResult | null; once?: string | null },
): Promise<Html | null> {
  try {
    const fields = parseAlertForm(context.form);
    const duplicate = await duplicateWarning(context, target.channel.id, fields, target.once ?? null);
    const many = await manyDevicesQuestion(context, target);
    return duplicate || many ? html`${duplicate}${many}` : null;
  } catch (error) {
    if (error instanceof ApiError && error.status === 422) return null;
    throw error;
  }
}
