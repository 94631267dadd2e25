import { z } from "zod";
import { createApiAndUiText, createZodFieldIssue, type ErrorMessage } from "../src/model/api_and_ui_error_texts.ts";
import { invalidRequest, notFound } from "../src/model/api_error.ts";
import { CHANNEL_NOT_ACTIVE } from "../src/model/domain/alert_transitions.ts";
import { formatId, formatIdOrNull } from "../src/model/domain/type_ids.ts";
import type { ErrorCodeOfType } from "../src/model/error_codes.ts";
import { toIsoMicrosOrNull } from "../src/model/fields/sql_statement_types.ts";
import { TIME_RANGE_DESCRIPTIONS, timestampSchema } from "../src/model/fields/value_schemas.ts";
import { LIMITS } from "../src/model/limits.ts";
import { throwIfApprovalRequired, visibilityParameters } from "../src/operation/access_checks.ts";
import { emitAlertEvent, toAuditSubject } from "../src/operation/alerts/alert_verb_helpers.ts";
import {
  findAlertsForBulkChange,
  findStoredBulkChangePlan,
  requireUnchangedBulkPlan,
  storeBulkChangePlan,
} from "../src/operation/alerts/bulk_change_plan.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { createValidationError } from "../src/operation/validation_errors.ts";
import { type RescheduleOrCancelResult, rescheduleOrCancelAlerts } from "../src/store/queries/bulk_alert_changes.ts";
import { channelIdParameter } from "../src/store/response_schemas/shared_parameters_and_pages.ts";

type Refusal = readonly [code: ErrorCodeOfType<"conflict" | "invalid_request">, message: string];

/** The code and the message for an alert that stays, by the state that the statement reports. */
const REFUSALS: Record<string, Refusal> = {
  inactive: ["channel_not_active", CHANNEL_NOT_ACTIVE],
  past: ["time_in_past", "The new send_at must be in the future."],
  expires: ["invalid_time_range", "expires_at must be later than the new send_at. Change it with update_alert."],
  draft: ["alert_not_sent", "This alert is a draft, so it is not scheduled."],
  repeating: ["alert_repeats", "A repeating alert cannot be moved here. Use update_alert or cancel_alert."],
  sent: ["alert_already_sent", "This alert was already sent. Withdraw it with cancel_alert."],
  cancelled: ["alert_cancelled", "This alert is already cancelled."],
};

const moved = z.object({
  id: z.string(),
  pusher_id: z.string(),
  handle: z.string().describe("Handle of the alert's channel."),
  series_id: z.string().nullable().describe("The repeating alert (series) that this occurrence belongs to."),
  title: z.string(),
  send_at: z.string().nullable(),
  becomes: z.string().nullable().describe("The new send_at; null if cancelled or unchanged."),
  outcome: z.enum(["done", "would", "refused"]),
  code: z.string().nullable().describe("Error code if the alert was refused, as in `error.code`."),
  message: z.string().nullable().describe("Error message if the alert was refused."),
});

const NOTHING_SELECTED = createApiAndUiText(
  "is required unless you pass alert_ids or a plan from a dry run",
  "is required unless alerts are selected",
);

const MINUTES = `must be a whole number from -${LIMITS.shift_minutes} to ${LIMITS.shift_minutes}`;
const MOST = LIMITS.moves;
const TIMES = ["from", "to"] as const;
const SELECTORS = ["pusher_id", "alert_ids", ...TIMES] as const;

interface MoveArguments extends Partial<Record<(typeof SELECTORS)[number], unknown>> {
  action?: "move" | "cancel" | undefined;
  by_minutes?: number | undefined;
  plan?: string | undefined;
}

/** The problems that arguments have together. `isKnown` is false for an argument that is wrong itself. */
function findIssues(value: MoveArguments, isKnown: (name: keyof MoveArguments) => boolean = () => true) {
  const issue = (name: keyof MoveArguments, code: ErrorCodeOfType<"invalid_request">, message: ErrorMessage) =>
    createZodFieldIssue(code, message, value, [name]);
  const { plan, action, by_minutes = 0, pusher_id, alert_ids } = value;
  if (plan !== undefined)
    return SELECTORS.filter((name) => value[name] !== undefined).map((name) =>
      issue(name, "misplaced_field", "is already part of the plan, so omit it"),
    );
  if (!isKnown("plan")) return [];
  const isMove = action === "move";
  const selects =
    [pusher_id, alert_ids].some((one) => one !== undefined) || !(isKnown("pusher_id") && isKnown("alert_ids"));
  const times = alert_ids === undefined ? [] : TIMES.filter((name) => value[name] !== undefined);
  return [
    ...(action === undefined && isKnown("action") ? [issue("action", "field_required", "must be move or cancel")] : []),
    ...(action !== undefined && isKnown("by_minutes") && isMove !== (by_minutes !== 0)
      ? [
          issue(
            "by_minutes",
            "fields_required_together",
            "must be a number other than 0 to move alerts, and must be omitted to cancel them",
          ),
        ]
      : []),
    ...(selects ? [] : [issue("pusher_id", "field_required", NOTHING_SELECTED)]),
    ...times.map((name) => issue(name, "mutually_exclusive_fields", "cannot be combined with alert_ids")),
  ];
}

export default defineOperation({
  name: "move_alerts",
  title: "Move or cancel scheduled alerts",
  description:
    `Move or cancel up to ${MOST} scheduled alerts, by channel or ids. Run with dry_run first, show its rows to a ` +
    "person, then pass only the plan.",
  scope: "alerts:send",
  publishesNothing: ({ action, dry_run, plan }) => action === "cancel" || dry_run === true || plan !== undefined,
  mayNeedApproval: true,
  role: "editor",
  http: { method: "POST", path: "/api/v1/core/alerts/move", status: 200 },
  creates: true,
  errors: ["invalid_request", "forbidden", "not_found", "conflict"],
  input: z
    .strictObject({
      pusher_id: channelIdParameter().optional(),
      alert_ids: z
        .array(z.string())
        .min(1, "must contain at least one id")
        .max(MOST, `must contain at most ${MOST} ids`)
        .optional()
        .describe("alr_…, instead of pusher_id."),
      from: timestampSchema().optional().describe(TIME_RANGE_DESCRIPTIONS.from),
      to: timestampSchema().optional().describe(TIME_RANGE_DESCRIPTIONS.to),
      action: z.enum(["move", "cancel"]).optional().describe("Required without a plan."),
      by_minutes: z
        .int(MINUTES)
        .min(-LIMITS.shift_minutes, MINUTES)
        .max(LIMITS.shift_minutes, MINUTES)
        .optional()
        .describe("Minutes to move by; negative for earlier."),
      dry_run: z.boolean().optional().describe("If true, changes nothing and returns a plan."),
      plan: z.string().optional().describe("Plan from the dry run."),
    })
    .check(({ value, issues }) => {
      issues.push(...findIssues(value));
    }),
  contentProblem(valid, { wrong }) {
    const issues = findIssues(valid, (name) => !wrong.has(name));
    return issues.length > 0 ? createValidationError({ issues }, z.object({})) : null;
  },
  returnsText: true,
  output: z.object({
    data: z.array(moved),
    dry_run: z.boolean(),
    plan: z
      .string()
      .nullable()
      .describe(`Returned by a dry run if it would change anything; valid for ${LIMITS.idempotency_hours} hours.`),
  }),
  async handler(input, ctx) {
    const { action, by_minutes, dry_run = false } = input;
    const plan = input.plan === undefined ? null : await findStoredBulkChangePlan(input.plan, input, ctx);
    const minutes = plan ? plan.minutes : action === "move" ? (by_minutes ?? null) : null;
    if (minutes !== null && !dry_run) throwIfApprovalRequired(ctx, "/scheduled");
    const selection = await findAlertsForBulkChange(plan, input, ctx);
    const asked = { ...visibilityParameters(ctx.caller), ...selection, minutes };
    // The first reading locks what it answers, so the second one does what was looked at.
    const planned = await ctx.sql(rescheduleOrCancelAlerts, { ...asked, dry_run: true });
    if (plan) requireUnchangedBulkPlan(plan, planned);
    else if (selection.ids && planned.length < selection.ids.length) throw notFound("alert");
    if (planned.length > MOST)
      throw invalidRequest(
        "wrong_item_count",
        `More than ${MOST} alerts are scheduled in this range. Choose an earlier end for the range (to).`,
        "to",
      );
    const changing = planned.filter(({ refused }) => refused === null);
    ctx.audit({ lines: [] });
    if (dry_run)
      return { data: planned.map(rowOf("would")), dry_run, plan: await storeBulkChangePlan(minutes, planned, ctx) };
    if (minutes === null && changing.length > 1) throwIfApprovalRequired(ctx, listOf(changing));
    if (changing.length === 0) return { data: planned.map(rowOf("done")), dry_run, plan: null };
    const rows = await ctx.sql(rescheduleOrCancelAlerts, {
      ...asked,
      ids: planned.map(({ alert_id }) => alert_id),
      from: null,
      to: null,
      dry_run: false,
    });
    if (plan) requireUnchangedBulkPlan(plan, rows);
    const changed = rows.filter((row) => row.id !== null);
    for (const row of changed)
      emitAlertEvent(ctx, row.status === "cancelled" ? "alert.cancelled" : "alert.scheduled", row);
    ctx.audit({ lines: changed.map(toAuditSubject) });
    if (minutes !== null) ctx.audit({ changed: ["send_at"] });
    return { data: rows.map(rowOf("done")), dry_run, plan: null };
  },
});

/** The console's list of what is scheduled on the only channel of these rows, or on all. */
function listOf(rows: readonly RescheduleOrCancelResult[]): string {
  const [first, ...others] = new Set(rows.map(({ channel_id }) => channel_id));
  return first && others.length === 0 ? `/channels/${formatId("psh", first)}?status=scheduled` : "/scheduled";
}

const rowOf = (outcome: "done" | "would") => (row: RescheduleOrCancelResult) => {
  const [code, message] = (row.refused !== null && REFUSALS[row.refused]) || [null, null];
  return {
    id: formatId("alr", row.alert_id),
    pusher_id: formatId("psh", row.channel_id),
    handle: row.handle,
    series_id: formatIdOrNull("alr", row.planned_series),
    title: row.planned_title,
    send_at: toIsoMicrosOrNull(row.planned_at),
    becomes: row.refused === null ? toIsoMicrosOrNull(row.becomes) : null,
    outcome: row.refused === null ? outcome : ("refused" as const),
    ...{ code, message },
  };
};
