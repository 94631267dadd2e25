import { z } from "zod";
import { parseChannelId, parseIdOrNull } from "../src/model/domain/type_ids.ts";
import { TIME_RANGE_DESCRIPTIONS, timestampSchema } from "../src/model/fields/value_schemas.ts";
import { LIMITS } from "../src/model/limits.ts";
import { visibilityParameters } from "../src/operation/access_checks.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { checkTimeRange, findTimeRangeProblem, readKeysetPage } from "../src/operation/read_keyset_page.ts";
import { listAudit } from "../src/store/queries/audit_and_events.ts";
import { auditEntrySchema, toAuditView } from "../src/store/response_schemas/audit_response_schemas.ts";
import {
  channelIdParameter,
  pageParameters,
  pageSchema,
} from "../src/store/response_schemas/shared_parameters_and_pages.ts";

const ACTORS = ["key", "con", "mem"] as const;

/** An actor by its id, or by its name at the time of its acts. */
const selectActor = (actor: string | undefined) => {
  const isId = ACTORS.some((kind) => parseIdOrNull(kind, actor ?? ""));
  return { actor_id: (isId && actor) || null, actor_name: (!isId && actor) || null };
};

export default defineOperation({
  name: "list_audit_events",
  title: "List audit log",
  description: "List changes and who made them, newest first, without texts.",
  scope: "audit:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/core/audit", status: 200 },
  errors: ["invalid_request", "not_found"],
  input: z.strictObject({
    ...pageParameters(),
    pusher_id: channelIdParameter().optional(),
    actor: z
      .string()
      .max(LIMITS.client_name, `must be at most ${LIMITS.client_name} characters long`)
      .optional()
      .describe("Name, key_…, con_… or mem_…"),
    operation: z.string().max(64, "must be the name of an operation").optional().describe("Such as send_alert."),
    from: timestampSchema().optional().describe(TIME_RANGE_DESCRIPTIONS.from),
    to: timestampSchema().optional().describe(TIME_RANGE_DESCRIPTIONS.to),
    subject_id: z.string().optional().describe("Such as alr_… or whk_…"),
  }),
  returnsText: true,
  output: pageSchema(auditEntrySchema),
  pagedBy: "created_at",
  contentProblem: findTimeRangeProblem,
  async handler(input, ctx) {
    checkTimeRange(input);
    // A channel may be deleted while its history is kept, so an unknown one has an empty history.
    const pusherId = input.pusher_id === undefined ? null : parseChannelId(input.pusher_id);
    const before = [input.before, input.to].filter((time) => time !== undefined).sort()[0];
    const { rows, meta } = await readKeysetPage({ ...input, before }, "created_at", (page) =>
      ctx.sql(listAudit, {
        ...visibilityParameters(ctx.caller),
        pusher_id: pusherId,
        ...selectActor(input.actor),
        subject_id: input.subject_id ?? null,
        operation: input.operation ?? null,
        from: input.from ?? null,
        ...page,
      }),
    );
    return { data: rows.map(toAuditView), meta };
  },
});
