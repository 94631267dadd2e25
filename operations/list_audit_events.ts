import { z } from "zod";
import { parseChannelId } from "../src/model/domain/type_ids.ts";
import { toIsoMicros } from "../src/model/fields/timestamp_columns.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { readKeysetPage } from "../src/operation/pagination.ts";
import { listAudit } from "../src/store/queries/audit_and_events.ts";
import { visibilityParameters } from "../src/store/queries/channels.ts";
import { auditView, showAudit } from "../src/store/schemas/audit_schemas.ts";
import {
  beforeParameter,
  channelId,
  DEFAULT_LIMIT,
  limitParameter,
  pageMeta,
} from "../src/store/schemas/common_fields.ts";

export default defineOperation({
  name: "list_audit_events",
  title: "List audit log",
  description: "List who changed what, newest first. No contents.",
  scope: "audit:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/core/audit", status: 200 },
  errors: ["invalid_request", "not_found"],
  input: z.strictObject({
    limit: limitParameter(),
    before: beforeParameter(),
    pusher_id: channelId().optional(),
    actor: z
      .string()
      .max(64, "must be the id of a key, a connection or a member")
      .optional()
      .describe("key_…, con_… or mem_…"),
    subject_id: z.string().optional().describe("Such as alr_… or whk_…"),
  }),
  returnsText: true,
  output: z.object({ data: z.array(auditView), meta: pageMeta }),
  pagedBy: "created_at",
  async handler(input, ctx) {
    // A channel may be gone whose history is not, so one that nobody knows has an empty history.
    const pusherId = input.pusher_id === undefined ? null : parseChannelId(input.pusher_id);
    const { rows, next_before } = await readKeysetPage(
      input.limit ?? DEFAULT_LIMIT,
      (n) =>
        ctx.sql(listAudit, {
          ...visibilityParameters(ctx.caller),
          pusher_id: pusherId,
          actor_id: input.actor ?? null,
          subject_id: input.subject_id ?? null,
          before: input.before ?? null,
          limit: n,
        }),
      (row) => row.created_at,
    );
    return { data: rows.map(showAudit), meta: { next_before: next_before && toIsoMicros(next_before) } };
  },
});
