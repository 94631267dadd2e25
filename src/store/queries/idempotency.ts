// Claiming a caller's idempotency key. The claim is a row in the transaction of the action itself: a concurrent repeat
// waits for the first one's commit and then finds its answer; a failed first one leaves nothing behind. A new alert's statement takes
// its key itself (store/queries/new_alerts.ts).

import { bytea, int, jsonb, nullable, text } from "../../model/fields/sql.ts";
import { statementsOf } from "../db/statement.ts";

const defineStatement = statementsOf("journal");

/** Whose key it is, and of which operation. */
const OWN = {
  parameters: { credential_id: text, operation: text, key: text },
  text: "credential_id = $credential_id and operation = $operation and key = $key",
};

const OVER = "created_at < now() - $hours::int * interval '1 hour'";

/** Forgets this key when its time is over; the others go by the housekeeping. */
export const forgetOldKey = defineStatement("forget_old_key", {
  parameters: { ...OWN.parameters, hours: int },
  text: `delete from idempotency_record where ${OWN.text} and ${OVER}`,
});

/** One row when the key is new to this credential and operation; none when it was used. */
export const claimKey = defineStatement("claim_key", {
  parameters: { ...OWN.parameters, request_hash: bytea },
  columns: { key: text },
  text: `insert into idempotency_record (credential_id, operation, key, request_hash)
    values ($credential_id, $operation, $key, $request_hash) on conflict do nothing returning key`,
});

export const firstAnswer = defineStatement.reading("first_answer", {
  parameters: { ...OWN.parameters, hours: int },
  columns: { request_hash: bytea, answer: nullable(bytea), given: nullable(jsonb<unknown>()) },
  text: `select request_hash, answer, given from idempotency_record where ${OWN.text} and not (${OVER})`,
});

export const keepAnswer = defineStatement("keep_answer", {
  parameters: { ...OWN.parameters, answer: bytea },
  text: `update idempotency_record set answer = $answer where ${OWN.text}`,
});
