// A bearer key: only its hash is stored. It acts for its member and can never do more than that member. The first answer to a
// creating call is kept for a day under the caller's own key; of requests in another program's words (src/api/ingest) what
// became of the last, in one row a key and without anything that was sent.

import { defineEntity, p } from "@mikro-orm/core";
import { instant, writtenAt } from "../fields/columns.ts";
import type { Program } from "../fields/programs.ts";
import { Member } from "./member.ts";

export const ApiKey = defineEntity({
  name: "ApiKey",
  tableName: "api_key",
  properties: {
    id: p.uuid().primary(),
    member: () => p.manyToOne(Member).ref().deleteRule("cascade"),
    name: p.text(),
    /** SHA-256 of the whole key. */
    hash: p.blob().unique("api_key_hash"),
    scopes: p.array(),
    /** A person decides before it publishes. */
    asks_first: p.boolean().default(false),
    /** The program that it was made for (model/fields/programs.ts); it speaks every tongue all the same. */
    made_for: p.text().nullable(),
    /** The one channel that the key sees. No foreign key: a key whose channel is gone sees nothing, never everything. */
    pusher_id: p.uuid().nullable(),
    expires_at: instant().nullable(),
    revoked_at: instant().nullable(),
    last_used_at: instant().nullable(),
    created_at: writtenAt(),
  },
});

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

/** `nothing`: it asked for nothing to be published, as a ping does. */
export const SENDER_OUTCOMES = ["sent", "scheduled", "draft", "refused", "nothing"] as const;

export interface SenderRequest {
  /** ISO 8601 in UTC. */
  at: string;
  /** Null where nobody could tell. */
  program: Program | null;
  outcome: (typeof SENDER_OUTCOMES)[number];
  /** One sentence of ours. */
  said: string;
  /** As the wire has them; of several alerts the first. */
  alert_id: string | null;
  pusher_id: string | null;
  alerts: number;
  /** What had no counterpart, in sentences of ours. */
  notes: string[];
}

export const SenderLog = defineEntity({
  name: "SenderLog",
  tableName: "sender_log",
  properties: {
    key: () => p.manyToOne(ApiKey).ref().primary().deleteRule("cascade").updateRule("no action"),
    /** The newest first, LIMITS.sender_requests of them at most. */
    requests: p.json<SenderRequest[]>(),
  },
});
