// What happens to webhook endpoints beside the owner's own operations: which of them an event goes to, and what became of
// a delivery. The operations go through the entity manager.

import { defineStatement } from "../db/statement.ts";
import { boolean, bytea, int, nullable, text, uuid } from "../fields/sql.ts";

/** The enabled endpoints that asked for an event of a channel, and whose makers may still hear of that channel. */
export const endpointsFor = defineStatement("endpoints_for", {
  parameters: { workspace_id: uuid, event: text, pusher_id: nullable(uuid) },
  columns: { id: uuid, url: text, secret: bytea },
  text: `select e.id, e.url, e.secret from webhook_endpoint e join member m on m.id = e.member_id
    where e.workspace_id = $workspace_id and e.disabled_at is null and $event = any(e.events)
      and (m.pusher_ids is null or $pusher_id = any(m.pusher_ids)) and (e.pusher_id is null or e.pusher_id = $pusher_id)`,
});

/**
 * Counts a result in one step, so that simultaneous ones cannot lose one another: "Twenty consecutive failures disable
 * the endpoint. Any success resets the counter to zero." A disabled endpoint stays so.
 */
export const recordDelivery = defineStatement("record_delivery", {
  parameters: { id: uuid, ok: boolean, status: nullable(int) },
  columns: { enabled: boolean },
  text: `update webhook_endpoint set
      failure_count = case when not $ok::boolean then failure_count + 1 when disabled_at is null then 0 else failure_count end,
      disabled_at = case when not $ok::boolean and failure_count + 1 >= 20 then coalesce(disabled_at, clock_timestamp())
        else disabled_at end,
      last_delivery_at = clock_timestamp(), last_status = $status
    where id = $id returning disabled_at is null as enabled`,
});

/** Our own lack of room says nothing about the receiver, so it touches nothing else. */
export const recordDropped = defineStatement("record_dropped", {
  parameters: { id: uuid, count: int },
  text: "update webhook_endpoint set dropped_count = dropped_count + $count::int where id = $id",
});
