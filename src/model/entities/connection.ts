// The assistants that people connected, the consents by which they came in, and which further scopes one was just told that a
// call needs.

import { defineEntity, p } from "@mikro-orm/core";
import { instant, writtenAt } from "../fields/columns.ts";
import { Member } from "./member.ts";

/**
 * An assistant that a person connected for one member: what it may do at most, and on which channel. Every request of the
 * assistant reads this row, so disconnecting and unticking take effect at once.
 */
export const Connection = defineEntity({
  name: "Connection",
  tableName: "connection",
  uniques: [{ name: "connection_client", properties: ["user_id", "client_id", "member"] }],
  indexes: [{ name: "connection_member", properties: ["member"] }],
  properties: {
    id: p.uuid().primary(),
    user_id: p.text(),
    client_id: p.text(),
    member: () => p.manyToOne(Member).ref().deleteRule("cascade"),
    pusher_id: p.uuid().nullable(),
    scopes: p.array(),
    asks_first: p.boolean().default(false),
    last_used_at: instant().nullable(),
    created_at: writtenAt(),
  },
});

/**
 * One consent: what the library's codes, refresh tokens and remembered consents call their reference, and access tokens
 * carry as a claim. Without this row none of them is worth anything, on any process.
 */
export const ConnectionGrant = defineEntity({
  name: "ConnectionGrant",
  tableName: "connection_grant",
  indexes: [
    { name: "connection_grant_connection", properties: ["connection"] },
    { name: "connection_grant_codes", properties: ["codes"], type: "gin" },
  ],
  properties: {
    id: p.uuid().primary(),
    connection: () => p.manyToOne(Connection).ref().deleteRule("cascade"),
    /** Hashes of the last codes that were presented, so that one presented again is known. */
    codes: p.array().defaultRaw("'{}'"),
    created_at: writtenAt(),
  },
});

/** Kept for seconds only: until the assistant comes back, with a person for the consent or with a refresh token without. */
export const StepUp = defineEntity({
  name: "StepUp",
  tableName: "step_up",
  properties: {
    user_id: p.text().primary(),
    client_id: p.text().primary(),
    asked_at: instant(),
  },
});
