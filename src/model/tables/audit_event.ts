// The audit log. Rows are only inserted (see triggers.ts), and deleted after their retention, in the order of their ids.
// They outlive their subjects, so they have no foreign keys.

import { defineEntity, p } from "@mikro-orm/core";
import { writtenAtColumn } from "../fields/sql_statement_types.ts";

/** The kinds of credentials; `operator` is a person on the server's machine. */
export const ACTOR_TYPES = ["key", "oauth", "session", "operator"] as const;
export const CALL_TRANSPORTS = ["rest", "mcp", "cli", "console", "operator"] as const;
export type CallTransport = (typeof CALL_TRANSPORTS)[number];

/** The audit line of one call. */
export interface AuditLine {
  id: string;
  workspace_id: string | null;
  actor_type: (typeof ACTOR_TYPES)[number];
  actor_id: string | null;
  actor_name: string | null;
  member_id: string | null;
  transport: CallTransport;
  operation: string;
  pusher_id: string | null;
  subject_id: string | null;
  status: string | null;
  count: number | null;
  /** The names of the fields that an edit changed, never their values. */
  changed: string[] | null;
}

export const AuditEvent = defineEntity({
  name: "AuditEvent",
  indexes: [
    { name: "audit_by_workspace_id", properties: ["workspace_id", "created_at"] },
    { name: "audit_by_pusher_id", properties: ["pusher_id", "created_at"], where: "pusher_id is not null" },
    { name: "audit_by_actor_id", properties: ["actor_id", "created_at"], where: "actor_id is not null" },
    { name: "audit_by_subject_id", properties: ["subject_id", "created_at"], where: "subject_id is not null" },
  ],
  properties: {
    id: p.uuid().primary(),
    /** Null for what concerns a person alone, or the whole service. */
    workspace_id: p.uuid().nullable(),
    actor_type: p.enum(ACTOR_TYPES),
    /** As the wire has it: of a key, a connection, or the member whose session it was; null for the operator. */
    actor_id: p.text().nullable(),
    /** Its name at that time. */
    actor_name: p.text().nullable(),
    member_id: p.uuid().nullable(),
    transport: p.enum(CALL_TRANSPORTS),
    operation: p.text(),
    pusher_id: p.uuid().nullable(),
    /** As the wire has it. */
    subject_id: p.text().nullable(),
    /** The resulting state of an alert or a channel; `failed` for a failed sign-in attempt. */
    status: p.text().nullable(),
    count: p.integer().nullable(),
    /** The names of the fields that an edit changed. */
    changed: p.array().$type<string[]>().nullable(),
    created_at: writtenAtColumn(),
  },
});
