// A line of the audit log on the wire.

import { z } from "zod";
import { formatId, formatIdOrNull } from "../../model/domain/type_ids.ts";
import { registerSchemaName } from "../../model/fields/schema_names.ts";
import { toIsoMicros } from "../../model/fields/sql_statement_types.ts";
import { formatLimit } from "../../model/limits.ts";
import { ACTOR_TYPES, CALL_TRANSPORTS } from "../../model/tables/audit_event.ts";
import type { AuditRecord } from "../queries/audit_and_events.ts";

export const auditEntrySchema = registerSchemaName(
  "AuditEvent",
  z.object({
    id: z.string(),
    actor: z.object({
      type: z.enum(ACTOR_TYPES),
      id: z.string().nullable().describe("ID of the key, the assistant's connection or the signed-in member."),
      name: z.string().nullable().describe("The actor's name at that time."),
      member_id: z.string().nullable().describe("The member on whose behalf the actor acted."),
    }),
    transport: z.enum(CALL_TRANSPORTS),
    operation: z.string(),
    pusher_id: z.string().nullable(),
    handle: z.string().nullable().describe("Channel handle; null if the channel was deleted."),
    subject_id: z.string().nullable().describe("ID of the item that was created, changed or removed."),
    status: z
      .string()
      .nullable()
      .describe("The resulting state of an alert or a channel; `failed` for a failed sign-in."),
    count: z
      .int()
      .nullable()
      .describe(
        `Number of failed attempts of this kind for this account within ${formatLimit("failed_runs_minutes")} ` +
          "minutes.",
      ),
    changed: z
      .array(z.string())
      .nullable()
      .describe("Names of the fields that an edit changed, without their values; null if nothing was edited."),
    created_at: z.string(),
  }),
);

export function toAuditView(row: AuditRecord): z.infer<typeof auditEntrySchema> {
  const { id, actor_type, actor_id, actor_name, member_id, pusher_id, created_at, ...rest } = row;
  return {
    id: formatId("aud", id),
    actor: { type: actor_type, id: actor_id, name: actor_name, member_id: formatIdOrNull("mem", member_id) },
    ...rest,
    pusher_id: formatIdOrNull("psh", pusher_id),
    created_at: toIsoMicros(created_at),
  };
}
