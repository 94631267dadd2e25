// The events that receivers get. They never contain a device's identity.

import { ALERT_FIELDS } from "../fields/alert.ts";
import { type AlertAction, pairReplyChoicesWithCounts } from "../fields/alert_actions.ts";
import { type FieldValuesOf, formatResponseFields, selectFieldsShownTo } from "../fields/field_table.ts";
import { toIsoMicrosOrNull } from "../fields/sql_statement_types.ts";
import type { EventName } from "../fields/webhook.ts";
import { formatId } from "./type_ids.ts";

/**
 * `data` always includes `pusher_id` in its wire form. `workspaceId`, `listening` and `requestId` are for ourselves
 * and are not sent.
 */
export interface DomainEvent {
  /** The UUID of the event, equal in all deliveries. */
  id: string;
  event: EventName;
  /** ISO 8601 UTC: when it was announced, in the transaction that made it true. */
  created_at: string;
  workspaceId: string;
  /** False when it is known that no endpoint waits for the workspace's events. */
  listening: boolean;
  requestId?: string;
  data: { pusher_id: string } & Record<string, unknown>;
}

/** The fields of an alert that events contain. */
export const EVENT_ALERT_FIELDS = selectFieldsShownTo(ALERT_FIELDS, "webhook");

/** Returns the data of an event about an alert. */
export const createAlertEventData = (
  alert: FieldValuesOf<typeof EVENT_ALERT_FIELDS> & {
    id: string;
    pusher_id: string;
    status: string;
    sent_at: string | null;
  },
): DomainEvent["data"] => ({
  pusher_id: formatId("psh", alert.pusher_id),
  alert_id: formatId("alr", alert.id),
  ...formatResponseFields(EVENT_ALERT_FIELDS, alert),
  status: alert.status,
  sent_at: toIsoMicrosOrNull(alert.sent_at),
});

/**
 * Returns the data of `alert.acknowledged`: the alert, the count, and the increase since the last event. It never names
 * devices.
 */
export const createAckCountEventData = (alert: {
  id: string;
  pusher_id: string;
  acks: number;
  delta: number;
}): DomainEvent["data"] => ({
  pusher_id: formatId("psh", alert.pusher_id),
  alert_id: formatId("alr", alert.id),
  count: alert.acks,
  delta: alert.delta,
});

/** Devices chose a reply: the alert, the number of replies so far, and the count of each choice; never the devices. */
export const createReplyCountsEventData = (alert: {
  id: string;
  pusher_id: string;
  actions: readonly AlertAction[];
  replies: readonly number[];
}): DomainEvent["data"] => {
  const choices = pairReplyChoicesWithCounts(alert, alert.replies);
  return {
    pusher_id: formatId("psh", alert.pusher_id),
    alert_id: formatId("alr", alert.id),
    count: choices.reduce((sum, { count }) => sum + count, 0),
    choices,
  };
};

/** Returns the event about joins and leaves: the channel, the count, and the change since the last event. */
export const createSubscriberEvent = (channel: {
  pusher_id: string;
  workspace_id: string;
  subscribers: number;
  delta: number;
}): Pick<DomainEvent, "event" | "workspaceId" | "data"> => ({
  event: channel.delta > 0 ? "subscriber.created" : "subscriber.deleted",
  workspaceId: channel.workspace_id,
  data: { pusher_id: formatId("psh", channel.pusher_id), count: channel.subscribers, delta: channel.delta },
});

/** Returns the exact bytes of an event, for deliveries and for the feed (rules#event-body). */
export const serializeEvent = ({
  event,
  created_at,
  data,
}: Pick<DomainEvent, "event" | "created_at" | "data">): string => JSON.stringify({ event, created_at, data });
