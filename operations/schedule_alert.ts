import { z } from "zod";
import { createApiAndUiText } from "../src/model/api_and_ui_error_texts.ts";
import { invalidRequest } from "../src/model/api_error.ts";
import { alreadySent } from "../src/model/domain/alert_transitions.ts";
import { checkAlertContent, requireFutureSendAt } from "../src/model/domain/alert_validation.ts";
import { getNowIsoMicros, toIsoMicrosOrNull } from "../src/model/fields/sql_statement_types.ts";
import { timestampSchema } from "../src/model/fields/value_schemas.ts";
import { startAlertSeries } from "../src/operation/alerts/alert_series.ts";
import {
  ALERT_SEND_LIMIT,
  countAgainstSendLimit,
  emitAlertEvent,
  formatVerbAnswer,
  lockAlertForVerb,
} from "../src/operation/alerts/alert_verb_helpers.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { scheduleAlert } from "../src/store/queries/alerts.ts";
import {
  alertStatusChangeBriefAnswer,
  alertStatusChangeSchema,
  alertViewParameter,
  toAlertView,
} from "../src/store/response_schemas/alert_schemas.ts";
import {
  channelIdParameter,
  expectedVersion,
  pathId,
} from "../src/store/response_schemas/shared_parameters_and_pages.ts";

export default defineOperation({
  name: "schedule_alert",
  title: "Schedule alert",
  description:
    "Publish a draft at send_at or, with a recurrence, repeatedly as separate alerts. To reschedule, pass a " +
    "new send_at.",
  scope: "alerts:send",
  leadsToReview: true,
  role: "editor",
  http: { method: "PATCH", path: "/api/v1/pushers/{id}/alerts/{alertId}", status: 200, when: { action: "schedule" } },
  limit: ALERT_SEND_LIMIT,
  errors: ["invalid_request", "forbidden", "not_found", "conflict", "rate_limited"],
  version: "updated_at",
  input: z.strictObject({
    pusher_id: channelIdParameter(),
    alert_id: pathId("alr_…"),
    send_at: timestampSchema()
      .optional()
      .describe("RFC 3339 or 2026-11-24T07:30 Europe/Lisbon. Default: the draft's send_at."),
    expected_updated_at: expectedVersion(),
    view: alertViewParameter,
  }),
  returnsText: true,
  output: alertStatusChangeSchema,
  brief: alertStatusChangeBriefAnswer,
  async handler(input, ctx) {
    const { alert, cell, pusherId } = await lockAlertForVerb("schedule", input, ctx);
    const before = toIsoMicrosOrNull(alert.send_at);
    const wanted = input.send_at ?? before;
    if (cell.do === "stay" && wanted === before)
      return formatVerbAnswer(alert.status === "repeating" ? "repeat" : "schedule", alert, ctx);
    const sendAt = requireFutureSendAt(wanted, getNowIsoMicros(ctx));
    const changed = { send_at: true, expires_at: true, scheduled: true };
    const stored = toAlertView(alert, ctx.services.assets);
    checkAlertContent({ ...stored, send_at: sendAt }, 0, changed, getNowIsoMicros(ctx));
    const previousValues = sendAt === before ? null : { send_at: before };
    if (previousValues) ctx.audit({ changed: Object.keys(previousValues) });
    if (alert.recurrence !== null && alert.status === "draft") {
      return formatVerbAnswer(
        "repeat",
        await startAlertSeries(alert, { send_at: sendAt, previous_values: previousValues }, ctx),
        ctx,
      );
    }
    if (alert.status === "repeating")
      throw invalidRequest(
        "recurrence_not_allowed",
        createApiAndUiText(
          "schedule_alert cannot change the send_at of a repeating alert. Use update_alert.",
          "A repeating alert cannot be rescheduled. To change its time, edit it.",
        ),
        "send_at",
      );
    const [after] = await ctx.sql(scheduleAlert, { id: alert.id, send_at: sendAt, previous_values: previousValues });
    // It came due while we looked at it.
    if (!after) throw alreadySent("schedule");
    // Moving the time changes no state, so it is not counted (rules#limit-sends).
    if (cell.do === "change") await countAgainstSendLimit(ctx, pusherId);
    emitAlertEvent(ctx, "alert.scheduled", after);
    return formatVerbAnswer("schedule", after, ctx);
  },
});
