// Whether an alert that is about to be sent was sent a moment ago already: its person is asked, with a way to that one, before
// phones ring a second time (docs/rules.md#console-asks-again).

import type { z } from "zod";
import { find_equal_send } from "../../../identity/session/reviews.ts";
import { type Html, html } from "../../../ui/html.ts";
import { channelBase } from "../channel_head.ts";
import { instant } from "../parts.ts";
import type { MemberVisit } from "../visit.ts";
import { actorWords, isOwn, storyOf } from "./review_story.ts";

const SENDING = ["send_alert", "create_alert"];

/** The hidden field of a form whose person was asked: which alert stands there already. */
export const askedField = ({ form }: Pick<MemberVisit, "form">): Html | null =>
  form.has("again") ? html`<input type="hidden" name="again" value="${form.get("again")}">` : null;

/**
 * The question; null where nothing was sent that reads the same, or the person has answered it. Notes in the form what was asked about.
 * @param fields the fields of the alert
 * @param once the key under which this form makes its alert
 */
export async function sentBefore(
  visit: MemberVisit,
  pusher_id: string,
  fields: Record<string, unknown>,
  once: string | null = null,
): Promise<Html | null> {
  const { form, now } = visit;
  const args = { pusher_id, once, fields: fields as z.input<typeof find_equal_send.input>["fields"] };
  const { alert } = await visit.asMember(find_equal_send, args);
  if (!alert || form.get("again") === alert.id) return null;
  form.set("again", alert.id);
  const sent = (await storyOf(visit, alert.id)).find(({ operation }) => SENDING.includes(operation));
  const seconds = Math.max(0, Math.round((now.getTime() - Date.parse(alert.sent_at)) / 1000));
  const when =
    seconds < 60 ? `${seconds} ${seconds === 1 ? "second" : "seconds"} ago` : instant(alert.sent_at, now);
  const who = !sent ? "Somebody" : isOwn(visit, sent) ? "You" : actorWords(sent.actor);
  return html`<section class="report warn" role="alert" aria-labelledby="sent-before"><h2 id="sent-before">${who} sent this ${when}</h2>
    <p>The channel has <a href="${channelBase(visit, pusher_id)}/alerts/${alert.id}">an alert that reads the same</a>. Nothing was sent now. Send it again if phones shall show it a second time.</p></section>`;
}
