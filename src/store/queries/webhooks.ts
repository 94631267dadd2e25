// SQL for webhook endpoints: the recipients of an event, the results of deliveries, and pages of the delivery log. The
// entity manager handles the operations and single deliveries.

import {
  array,
  boolean,
  bytea,
  int,
  nullable,
  text,
  timestamptz,
  uuid,
} from "../../model/fields/sql_statement_types.ts";
import type { EventName } from "../../model/fields/webhook.ts";
import { LIMITS } from "../../model/limits.ts";
import { createStatementDefiner, type StatementRow } from "../db/statement.ts";

const defineStatement = createStatementDefiner("deliveries");
const defineLists = createStatementDefiner("lists");

/** The secrets of an endpoint `e`: the current one, and the previous one while it is valid. */
const SECRETS = {
  columns: { secret: bytea, previous: nullable(bytea) },
  text: "e.secret, case when e.previous_secret_until > clock_timestamp() then e.previous_secret end as previous",
};

/** One endpoint, disabled or not. */
export const findWebhookEndpointById = defineStatement.reading("find_webhook_endpoint_by_id", {
  parameters: { id: uuid },
  columns: { id: uuid, url: text, ...SECRETS.columns },
  text: `select e.id, e.url, ${SECRETS.text} from webhook_endpoint e where e.id = $id`,
});

/** The active endpoints that subscribe to an event of a channel, and whose creators still see that channel. */
export const findWebhookEndpointsForEvent = defineStatement.reading("find_webhook_endpoints_for_event", {
  parameters: { workspace_id: uuid, event: text, pusher_id: nullable(uuid) },
  columns: { id: uuid, url: text, ...SECRETS.columns },
  text: `select e.id, e.url, ${SECRETS.text} from webhook_endpoint e join member m on m.id = e.member_id
    where e.workspace_id = $workspace_id and e.disabled_at is null and e.paused_at is null and $event = any(e.events)
      and (m.pusher_ids is null or $pusher_id = any(m.pusher_ids)) and (e.pusher_id is null or e.pusher_id =
        $pusher_id)`,
});

/** SQL condition for an event that strangers cause, named by `event`. */
const OF_STRANGERS = (event: string) =>
  `(${event} like 'subscriber.%' or ${event} in ('alert.acknowledged', 'alert.replied'))`;

/** SQL condition: an endpoint of the workspace of channel `p`, enabled or not, subscribes to an event. */
export const sqlIsSubscribedToEvent = (event: EventName) =>
  `exists (select from webhook_endpoint e where e.workspace_id = p.workspace_id and '${event}' = any(e.events))`;

/** SQL condition for a failure that counts. */
const COUNTED = `(not $ok::boolean and (not ${OF_STRANGERS("$event")} or subscriber_failure_at is null
        or subscriber_failure_at
          <= clock_timestamp() - interval '${LIMITS.webhook_subscriber_failure_seconds} seconds'))`;

/**
 * Counts a result in one step, so simultaneous ones are not lost. Enough consecutive failures disable the endpoint, and
 * a success resets the counter. A disabled endpoint stays disabled; `enabled` is also false for a paused one. The same
 * step writes the delivery into the endpoint's log, which keeps the newest, and deletes an expired secret. Subscriber
 * events can neither disable an endpoint that is briefly down, nor push the owner's own events out of the log.
 */
export const recordDelivery = defineStatement("record_delivery", {
  parameters: {
    id: uuid,
    ok: boolean,
    status: nullable(int),
    delivery_id: uuid,
    event_id: uuid,
    event: text,
    body: text,
    failure: nullable(text),
    duration_ms: int,
    kept: int,
    disabling: int,
  },
  columns: { enabled: boolean },
  text: `with e as (update webhook_endpoint set
      failure_count = case when ${COUNTED} then failure_count + 1
        when $ok and disabled_at is null then 0 else failure_count end,
      disabled_at = case when ${COUNTED} and failure_count + 1 >= $disabling::int
        then coalesce(disabled_at, clock_timestamp()) else disabled_at end,
      subscriber_failure_at = case when ${COUNTED} and ${OF_STRANGERS("$event")}
        then clock_timestamp() else subscriber_failure_at end,
      last_delivery_at = clock_timestamp(), last_status = $status,
      previous_secret = case when previous_secret_until > clock_timestamp() then previous_secret end,
      previous_secret_until = case when previous_secret_until > clock_timestamp() then previous_secret_until end
    where id = $id returning id, disabled_at is null and paused_at is null as enabled),
    written as (
      insert into webhook_delivery as d (id, endpoint_id, event_id, event, body, ok, status, failure, duration_ms)
      select $delivery_id, e.id, $event_id, $event, $body, $ok, $status, $failure, $duration_ms from e
      on conflict (id) do update set ok = excluded.ok, status = excluded.status, failure = excluded.failure,
        duration_ms = excluded.duration_ms),
    gone as (
      delete from webhook_delivery where id = any (array(
        select id from webhook_delivery where endpoint_id = $id and ${OF_STRANGERS("event")} = ${OF_STRANGERS("$event")}
        order by created_at desc, id desc offset $kept::int - 1)) and id <> $delivery_id)
    select enabled from e`,
});

/** A full queue of ours is not a failure of the receiver, so it changes nothing else. */
export const recordDroppedEvents = defineStatement("record_dropped_events", {
  parameters: { id: uuid, count: int },
  text: "update webhook_endpoint set dropped_count = dropped_count + $count::int where id = $id",
});

const SHOWN = {
  id: uuid,
  endpoint_id: uuid,
  event_id: nullable(uuid),
  event: text,
  body: text,
  ok: nullable(boolean),
  status: nullable(int),
  failure: nullable(text),
  duration_ms: nullable(int),
  redelivery_of: nullable(uuid),
  created_at: timestamptz,
};
const COLUMNS = Object.keys(SHOWN).join(", ");

/**
 * A page of an endpoint's deliveries, newest first, with all rows of the last timestamp. `channel_ids` limits it to
 * events of these channels and to tests, which belong to no channel; null is all.
 */
export const listDeliveries = defineLists.reading("list_deliveries", {
  parameters: { endpoint_id: uuid, channel_ids: nullable(array(text)), before: nullable(timestamptz), limit: int },
  columns: SHOWN,
  text: `select ${COLUMNS} from webhook_delivery
    where endpoint_id = $endpoint_id and created_at < coalesce($before::timestamptz, 'infinity')
      and ($channel_ids::text[] is null or event = 'webhook.test'
        or body::json #>> '{data,pusher_id}' = any($channel_ids::text[]))
    order by created_at desc fetch first ($limit::int) rows with ties`,
});

export type DeliveryRecord = StatementRow<typeof listDeliveries>;
