// The columns of alerts, the same in every list: title, priority, channel, state, time, reads and acknowledgements.

import type { AlertStatus } from "../../model/tables/alert.ts";
import { type Html, type HtmlContent, html } from "../../ui/html.ts";
import { getChannelPath } from "./channel_header.ts";
import { dayAndTime, relativeTime } from "./components.ts";
import { capitalize } from "./form_controls.ts";
import { getSearchText, markWords } from "./list_search.ts";
import type { MemberPageContext, OperationResultRow } from "./page_definitions.ts";

export type ListedAlert = OperationResultRow<"list_account_alerts">;
export type AlertListColumns = Record<string, (alert: ListedAlert) => HtmlContent>;

const TONES: Partial<Record<AlertStatus, string>> = { sent: " good", scheduled: " planned", repeating: " planned" };

export const renderAlertState = (status: AlertStatus): Html =>
  html`<span class="badge${TONES[status]}">${status}</span>`;

/** When an alert was sent, will be, or was last changed. */
export function renderAlertTime(alert: ListedAlert, now: Date): Html {
  if (alert.status === "scheduled") return dayAndTime(new Date(alert.send_at ?? ""), now);
  const at = alert.status === "cancelled" ? alert.cancelled_at : (alert.sent_at ?? alert.updated_at);
  return html`<span class="at">${relativeTime(at, now)}</span>`;
}

/**
 * The first columns of a list. The priority is a column where one differs from the usual one.
 * @param channels null for a list of one channel
 */
export function buildAlertColumns(
  context: MemberPageContext,
  alerts: readonly ListedAlert[],
  channels: readonly { id: string; name: string }[] | null,
): AlertListColumns {
  const names = new Map(channels?.map(({ id, name }) => [id, name]));
  const find = getSearchText(context);
  const hasPriorities = alerts.some(({ priority }) => priority !== "normal");
  return {
    Alert: ({ id, pusher_id, title, status, review_note }) =>
      html`<a class="title ${status}"
        href="${getChannelPath(context, pusher_id)}/alerts/${id}">${markWords(title, find)}</a>${
          status === "draft" && review_note && html`<span class="why"><q>${review_note}</q></span>`
        }`,
    ...(hasPriorities && {
      Priority: ({ priority }) => html`<span class="priority ${priority}">${capitalize(priority)}</span>`,
    }),
    ...(channels && {
      Channel: ({ pusher_id }) =>
        html`<a href="${getChannelPath(context, pusher_id)}">${names.get(pusher_id) ?? "A new channel"}</a>`,
    }),
  };
}
