// Claiming a caller's idempotency key. The claim is a row in the transaction of the action itself: a concurrent repeat
// waits for the first one's commit and then finds its answer; a failed first one leaves nothing behind.

import { defineStatement } from "../db/statement.ts";

/** Forgets this key when its day is over; the others go by the housekeeping. */
export const forgetOldKey = defineStatement(
  "forget_old_key",
  `delete from idempotency_record
   where credential_id = $1 and operation = $2 and key = $3 and created_at < now() - interval '24 hours'`,
);

/** One row when the key is new to this credential and operation; none when it was used. */
export const claimKey = defineStatement<{ key: string }>(
  "claim_key",
  `insert into idempotency_record (credential_id, operation, key, request_hash) values ($1, $2, $3, $4)
   on conflict do nothing returning key`,
);

export const firstAnswer = defineStatement<{ request_hash: Uint8Array; answer: Uint8Array | null }>(
  "first_answer",
  "select request_hash, answer from idempotency_record where credential_id = $1 and operation = $2 and key = $3",
);

export const keepAnswer = defineStatement(
  "keep_answer",
  "update idempotency_record set answer = $4 where credential_id = $1 and operation = $2 and key = $3",
);
