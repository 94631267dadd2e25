// Webhook endpoints by raw SQL. A caller restricted to channels sees the endpoints that it (or its bound key) made.

import type { Caller } from "../context.ts";
import { defineStatement } from "../db/statement.ts";

export interface WebhookRecord {
  id: string;
  url: string;
  events: string[];
  failure_count: number;
  dropped_count: number;
  disabled_at: string | null;
  last_delivery_at: string | null;
  last_status: number | null;
  created_at: string;
}

const COLUMNS =
  "e.id, e.url, e.events, e.failure_count, e.dropped_count, e.disabled_at, e.last_delivery_at, e.last_status, e.created_at";

/** $1 workspace, $2 the caller's member when it is restricted (null: sees all), $3 the channel it is bound to or null. */
const VISIBLE = `e.workspace_id = $1 and ($2::uuid is null or (e.member_id = $2::uuid
  and ($3::uuid is null or e.pusher_id = $3::uuid)))`;

/** The first three parameters of the webhook statements: what of the workspace's endpoints the caller sees. */
export function webhookScope(caller: Caller): [string, string | null, string | null] {
  const restricted = caller.pusherIds !== null;
  return [caller.workspace.id, restricted ? caller.member.id : null, caller.credential.pusherId];
}

export const listWebhooks = defineStatement<WebhookRecord>(
  "list_webhooks",
  `select ${COLUMNS} from webhook_endpoint e where ${VISIBLE} order by e.created_at desc, e.id desc`,
);

/** $4 the endpoint. */
export const webhookExists = defineStatement<{ id: string }>(
  "webhook_exists",
  `select e.id from webhook_endpoint e where ${VISIBLE} and e.id = $4`,
);

/** Held until the transaction ends, so that two registrations cannot both be the twentieth. */
export const lockWorkspace = defineStatement<{ id: string }>(
  "lock_workspace",
  "select id from workspace where id = $1 for no key update",
);

export const countWebhooks = defineStatement<{ endpoints: number }>(
  "count_webhooks",
  "select count(*)::int as endpoints from webhook_endpoint where workspace_id = $1",
);

export const insertWebhook = defineStatement<WebhookRecord>(
  "insert_webhook",
  `insert into webhook_endpoint as e (id, workspace_id, member_id, pusher_id, url, events, secret)
   values ($1, $2, $3, $4, $5, $6, $7) returning ${COLUMNS}`,
);

/** $4 the endpoint. */
export const deleteWebhook = defineStatement<{ id: string }>(
  "delete_webhook",
  `delete from webhook_endpoint e where ${VISIBLE} and e.id = $4 returning e.id`,
);

/** The enabled endpoints that asked for an event of a channel, and whose makers may still hear of that channel. */
export const endpointsFor = defineStatement<{ id: string; url: string; secret: Uint8Array }>(
  "endpoints_for",
  `select e.id, e.url, e.secret from webhook_endpoint e join member m on m.id = e.member_id
   where e.workspace_id = $1 and e.disabled_at is null and $2 = any(e.events)
     and (m.pusher_ids is null or $3::uuid = any(m.pusher_ids)) and (e.pusher_id is null or e.pusher_id = $3::uuid)`,
);

/**
 * Counts a result in one step, so that simultaneous ones cannot lose one another: "Twenty consecutive failures disable
 * the endpoint. Any success resets the counter to zero." A disabled endpoint stays so. $2 success, $3 status or null.
 */
export const recordDelivery = defineStatement<{ enabled: boolean }>(
  "record_delivery",
  `update webhook_endpoint set
     failure_count = case when not $2::boolean then failure_count + 1 when disabled_at is null then 0 else failure_count end,
     disabled_at = case when not $2::boolean and failure_count + 1 >= 20 then coalesce(disabled_at, clock_timestamp())
       else disabled_at end,
     last_delivery_at = clock_timestamp(), last_status = $3
   where id = $1 returning disabled_at is null as enabled`,
);

/** Our own lack of room says nothing about the receiver, so it touches nothing else. $2 how many. */
export const recordDropped = defineStatement(
  "record_dropped",
  "update webhook_endpoint set dropped_count = dropped_count + $2::int where id = $1",
);
