// Webhook endpoints, their deliveries, and events. A secret signs many times, so it is encrypted, not hashed. The
// newest deliveries of each endpoint are recorded, and repeated only by hand. Events for the feed are written in the
// transaction that caused them and numbered when they are read. They have no foreign keys, so they block nothing.

import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import { createEntityProperties } from "../fields/field_table.ts";
import { timestampColumn, writtenAtColumn } from "../fields/sql_statement_types.ts";
import { WEBHOOK_FIELDS } from "../fields/webhook.ts";
import type { VisibilityFilter } from "./channel.ts";
import { Member, Workspace } from "./member.ts";

export const WebhookEndpoint = defineEntity({
  name: "WebhookEndpoint",
  indexes: [{ name: "webhook_list", properties: ["workspace", "created_at"] }],
  filters: {
    // A caller with restricted channels sees only the endpoints that it, or its key, created.
    visible: {
      name: "visible",
      default: true,
      cond: ({ workspace_id, pusher_ids, member_id, bound_pusher_id }: VisibilityFilter) => ({
        workspace: workspace_id,
        ...(pusher_ids ? { member: member_id } : {}),
        ...(pusher_ids && bound_pusher_id ? { pusher_id: bound_pusher_id } : {}),
      }),
    },
  },
  properties: {
    id: p.uuid().primary(),
    workspace: () => p.manyToOne(Workspace).ref().deleteRule("cascade"),
    /** The member that registered it. A member restricted to channels receives only events of these channels. */
    member: () => p.manyToOne(Member).ref().deleteRule("cascade"),
    /** The channel of the credential that registered it; null for a credential of all channels. */
    pusher_id: p.uuid().nullable(),
    /**
     * With what it was registered, as the audit log names that: a key, a connection or a member; null from before
     * this was kept.
     */
    created_by_id: p.text().nullable(),
    /** Its name at that time. */
    created_by_name: p.text().nullable(),
    ...createEntityProperties(WEBHOOK_FIELDS),
    /** Read where it signs, and nowhere else. */
    secret: p.blob().lazy(),
    /** The previous secret. Deliveries are also signed with it until it expires. */
    previous_secret: p.blob().lazy().nullable(),
    previous_secret_until: timestampColumn().nullable(),
    failure_count: p.integer().default(0),
    /** When a failure of a subscriber's event was last counted: strangers cause these. */
    subscriber_failure_at: timestampColumn().nullable(),
    /** Deliveries that this server dropped for its own lack of room: never a failure. */
    dropped_count: p.integer().default(0),
    disabled_at: timestampColumn().nullable(),
    /** Paused by a member since then. A paused endpoint gets no events, only deliveries by hand. */
    paused_at: timestampColumn().nullable(),
    last_delivery_at: timestampColumn().nullable(),
    last_status: p.integer().nullable(),
    created_at: writtenAtColumn(),
  },
});

export type WebhookRow = InferEntity<typeof WebhookEndpoint>;

export const WebhookDelivery = defineEntity({
  name: "WebhookDelivery",
  indexes: [
    { name: "webhook_delivery_list", properties: ["endpoint", "created_at"] },
    { name: "webhook_delivery_age", properties: ["created_at"] },
  ],
  properties: {
    /** The value of X-Webhook-Id. */
    id: p.uuid().primary(),
    endpoint: () => p.manyToOne(WebhookEndpoint).ref().deleteRule("cascade"),
    /** The event, equal in all its deliveries; null for deliveries from before events had ids. */
    event_id: p.uuid().nullable(),
    event: p.text(),
    /** As it was signed, so that it can be delivered again. */
    body: p.text(),
    redelivery_of: p.uuid().nullable(),
    /** Null during the delivery, and permanently if this server stopped or dropped it. */
    ok: p.boolean().nullable(),
    status: p.integer().nullable(),
    failure: p.text().nullable(),
    duration_ms: p.integer().nullable(),
    created_at: writtenAtColumn(),
  },
});

export const WorkspaceEvent = defineEntity({
  name: "WorkspaceEvent",
  indexes: [
    { name: "event_feed", properties: ["workspace_id", "position"], where: "position is not null" },
    { name: "event_unnumbered", properties: ["workspace_id", "serial"], where: "position is null" },
    { name: "event_age", properties: ["created_at"] },
  ],
  properties: {
    /** The order of writing, which differs from the order of commits, so clients must not rely on it. */
    serial: p.bigint("string").primary().autoincrement(),
    /** The value of X-Webhook-Event-Id. */
    id: p.uuid(),
    workspace_id: p.uuid(),
    pusher_id: p.uuid(),
    /** The JSON text, as webhooks send it. */
    body: p.text(),
    /** Its place in the feed, given by the first reader who finds it committed (docs/decisions/0018). */
    position: p.bigint("string").nullable(),
    created_at: writtenAtColumn(),
  },
});
