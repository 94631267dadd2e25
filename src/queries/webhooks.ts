// What happens to webhook endpoints beside the owner's own operations: which of them an event goes to, and what became of
// a delivery. The operations go through the entity manager.

import { defineStatement } from "../db/statement.ts";

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
