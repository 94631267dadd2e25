// The log of deliveries: what an owner looks at, and what is delivered again by hand. What is written of each result stands
// in webhooks.ts, since it is one step with the count of failures.

import { boolean, int, nullable, text, timestamptz, uuid } from "../../model/fields/sql.ts";
import { defineStatement, type RowOf } from "../db/statement.ts";

const SHOWN = {
  id: uuid,
  endpoint_id: uuid,
  event_id: nullable(uuid),
  event: text,
  ok: nullable(boolean),
  status: nullable(int),
  failure: nullable(text),
  duration_ms: nullable(int),
  redelivery_of: nullable(uuid),
  created_at: timestamptz,
};
const COLUMNS = Object.keys(SHOWN).join(", ");

/** A page of an endpoint's deliveries, newest first; ties of the last instant come along. */
export const listDeliveries = defineStatement("list_deliveries", {
  parameters: { endpoint_id: uuid, before: nullable(timestamptz), limit: int },
  columns: SHOWN,
  text: `select ${COLUMNS} from webhook_delivery
    where endpoint_id = $endpoint_id and created_at < coalesce($before::timestamptz, 'infinity')
    order by created_at desc fetch first ($limit::int) rows with ties`,
});

export const deliveredBody = defineStatement("delivered_body", {
  parameters: { endpoint_id: uuid, id: uuid },
  columns: { event_id: nullable(uuid), event: text, body: text },
  text: "select event_id, event, body from webhook_delivery where endpoint_id = $endpoint_id and id = $id",
});

/** A delivery that is about to begin. */
export const beginDelivery = defineStatement("begin_delivery", {
  parameters: {
    id: uuid,
    endpoint_id: uuid,
    event_id: uuid,
    event: text,
    body: text,
    redelivery_of: nullable(uuid),
  },
  columns: SHOWN,
  text: `insert into webhook_delivery (id, endpoint_id, event_id, event, body, redelivery_of)
    values ($id, $endpoint_id, $event_id, $event, $body, $redelivery_of) returning ${COLUMNS}`,
});

export type DeliveryRecord = RowOf<typeof listDeliveries>;
