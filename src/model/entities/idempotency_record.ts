// The first answer to a creating call, kept for a day under the caller's own key, so that a retry never acts twice.

import { defineEntity, p } from "@mikro-orm/core";
import { writtenAt } from "../fields/columns.ts";

export const IdempotencyRecord = defineEntity({
  name: "IdempotencyRecord",
  tableName: "idempotency_record",
  indexes: [{ name: "idempotency_age", properties: ["created_at"] }],
  properties: {
    credential_id: p.text().primary(),
    operation: p.text().primary(),
    key: p.text().primary(),
    request_hash: p.blob(),
    /** The answer, sealed under the server secret: it may show a secret for the one time. */
    answer: p.blob().nullable(),
    /** What the statement that took the key said of the answer, where that was sealed before it ran. */
    given: p.json().nullable(),
    created_at: writtenAt(),
  },
});
