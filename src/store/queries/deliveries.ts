// Pages of the log of deliveries. One delivery goes through the entity manager; what is written of each result stands in
// webhooks.ts, since it is one step with the count of failures.

import { boolean, int, nullable, text, timestamptz, uuid } from "../../model/fields/sql.ts";
import { type RowOf, statementsOf } from "../db/statement.ts";

const defineStatement = statementsOf("lists");

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
export const listDeliveries = defineStatement.reading("list_deliveries", {
  parameters: { endpoint_id: uuid, before: nullable(timestamptz), limit: int },
  columns: SHOWN,
  text: `select ${COLUMNS} from webhook_delivery
    where endpoint_id = $endpoint_id and created_at < coalesce($before::timestamptz, 'infinity')
    order by created_at desc fetch first ($limit::int) rows with ties`,
});

export type DeliveryRecord = RowOf<typeof listDeliveries>;
