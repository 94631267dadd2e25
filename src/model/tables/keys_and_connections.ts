// Credentials that act for a member, with at most its permissions. They are connected assistants with their consents
// and requested scopes, and API keys, stored as hashes. Also the first response to a creating call, stored for a day
// under the caller's idempotency key. Also the results of the last requests in another program's format
// (src/api/ingest), one row for each key, without their content.

import { defineEntity, p } from "@mikro-orm/core";
import type { IngestSourceProgramId } from "../fields/sender_programs.ts";
import { timestampColumn, writtenAtColumn } from "../fields/sql_statement_types.ts";
import { Member } from "./member.ts";

/**
 * An assistant that a person connected for one member: what it may do at most, and on which channel. Every request of
 * the assistant reads this row, so disconnecting and unticking take effect at once.
 */
export const Connection = defineEntity({
  name: "Connection",
  uniques: [{ name: "connection_client", properties: ["user_id", "client_id", "member"] }],
  indexes: [{ name: "connection_member", properties: ["member"] }],
  properties: {
    id: p.uuid().primary(),
    user_id: p.text(),
    client_id: p.text(),
    member: () => p.manyToOne(Member).ref().deleteRule("cascade"),
    pusher_id: p.uuid().nullable(),
    scopes: p.array(),
    requires_approval: p.boolean().default(false),
    last_used_at: timestampColumn().nullable(),
    created_at: writtenAtColumn(),
  },
});

/**
 * One consent: what the library's codes, refresh tokens and remembered consents call their reference, and access tokens
 * carry as a claim. Without this row none of them is worth anything, on any process.
 */
export const ConnectionConsent = defineEntity({
  name: "ConnectionGrant",
  indexes: [
    { name: "connection_grant_connection", properties: ["connection"] },
    { name: "connection_grant_codes", properties: ["code_hashes"], type: "gin" },
  ],
  properties: {
    id: p.uuid().primary(),
    connection: () => p.manyToOne(Connection).ref().deleteRule("cascade"),
    /** Hashes of the last codes that were presented, so that one presented again is known. */
    code_hashes: p.array().defaultRaw("'{}'"),
    created_at: writtenAtColumn(),
  },
});

/**
 * Kept for seconds only: until the assistant comes back, with a person for the consent or with a refresh token
 * without.
 */
export const StepUpRequest = defineEntity({
  name: "StepUp",
  properties: { user_id: p.text().primary(), client_id: p.text().primary(), requested_at: timestampColumn() },
});

export const ApiKey = defineEntity({
  name: "ApiKey",
  properties: {
    id: p.uuid().primary(),
    member: () => p.manyToOne(Member).ref().deleteRule("cascade"),
    name: p.text(),
    /** SHA-256 of the whole key. */
    hash: p.blob().unique("api_key_hash"),
    scopes: p.array(),
    /** A person decides before it publishes. */
    requires_approval: p.boolean().default(false),
    /** The program that it was made for (model/fields/sender_programs.ts); it accepts every format all the same. */
    client_program: p.text().nullable(),
    /**
     * The only channel of the key, without a foreign key: after the channel is deleted, the key sees nothing instead of
     * everything.
     */
    pusher_id: p.uuid().nullable(),
    expires_at: timestampColumn().nullable(),
    revoked_at: timestampColumn().nullable(),
    last_used_at: timestampColumn().nullable(),
    created_at: writtenAtColumn(),
  },
});

export const IdempotencyRecord = defineEntity({
  name: "IdempotencyRecord",
  indexes: [{ name: "idempotency_age", properties: ["created_at"] }],
  properties: {
    credential_id: p.text().primary(),
    operation: p.text().primary(),
    key: p.text().primary(),
    request_hash: p.blob(),
    /** The answer, sealed under the server secret: it may show a secret for the one time. */
    sealed_response: p.blob().nullable(),
    /** The values that the statement adds to a response that was encrypted before it ran. */
    response_patch: p.json().nullable(),
    created_at: writtenAtColumn(),
  },
});

/** `nothing`: the request had nothing to publish, for example a ping. */
export const INGEST_REQUEST_OUTCOMES = ["sent", "scheduled", "draft", "refused", "nothing"] as const;

export interface IngestRequestRecord {
  /** ISO 8601 in UTC. */
  at: string;
  /** Null if the program is unknown. */
  program: IngestSourceProgramId | null;
  outcome: (typeof INGEST_REQUEST_OUTCOMES)[number];
  /** One sentence of ours. */
  said: string;
  /** As the wire has them; of several alerts the first. */
  alert_id: string | null;
  pusher_id: string | null;
  alerts: number;
  /** Our notes about unsupported values. */
  notes: string[];
}

export const RecentIngestRequestsOfKey = defineEntity({
  name: "SenderLog",
  properties: {
    key: () => p.manyToOne(ApiKey).ref().primary().deleteRule("cascade").updateRule("no action"),
    /** The newest first, LIMITS.sender_requests of them at most. */
    requests: p.json<IngestRequestRecord[]>(),
  },
});
