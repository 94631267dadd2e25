import { z } from "zod";
import { assertDefined } from "../src/model/assert.ts";
import { getConsoleAlertPath } from "../src/model/domain/review_url_and_decision.ts";
import { throwIfApprovalRequired } from "../src/operation/access_checks.ts";
import { cancelOccurrencesFrom, cancelSeriesOccurrences } from "../src/operation/alerts/alert_series.ts";
import {
  emitAlertEvent,
  formatVerbAnswer,
  lockAlertForVerb,
  toAuditSubject,
} from "../src/operation/alerts/alert_verb_helpers.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { cancelAlert } from "../src/store/queries/alerts.ts";
import {
  alertStatusChangeBriefAnswer,
  alertStatusChangeSchema,
  alertViewParameter,
} from "../src/store/response_schemas/alert_schemas.ts";
import {
  channelIdParameter,
  expectedVersion,
  pathId,
} from "../src/store/response_schemas/shared_parameters_and_pages.ts";

export default defineOperation({
  name: "cancel_alert",
  title: "Cancel alert",
  description: "Withdraw a sent, scheduled or repeating alert. Phones that received it keep it. Cannot be undone.",
  scope: "alerts:send",
  publishesNothing: () => true,
  mayNeedApproval: true,
  role: "editor",
  http: { method: "PATCH", path: "/api/v1/pushers/{id}/alerts/{alertId}", status: 200, when: { action: "cancel" } },
  errors: ["invalid_request", "forbidden", "not_found", "conflict"],
  version: "updated_at",
  input: z.strictObject({
    pusher_id: channelIdParameter(),
    alert_id: pathId("alr_…"),
    following: z.boolean().optional().describe("If true, also cancels all later alerts in its series."),
    expected_updated_at: expectedVersion(),
    view: alertViewParameter,
  }),
  returnsText: true,
  output: alertStatusChangeSchema,
  brief: alertStatusChangeBriefAnswer,
  async handler(input, ctx) {
    const { alert, cell } = await lockAlertForVerb("cancel", input, ctx);
    if (cell.do === "stay") return formatVerbAnswer("cancel", alert, ctx);
    if (input.following || alert.status === "repeating") throwIfApprovalRequired(ctx, getConsoleAlertPath(alert));
    if (input.following) return formatVerbAnswer("cancel", await cancelOccurrencesFrom(alert, ctx), ctx);
    const [row] = await ctx.sql(cancelAlert, { id: alert.id });
    const after = assertDefined(row, "the alert is locked");
    if (alert.status === "repeating")
      ctx.audit({ lines: [after, ...(await cancelSeriesOccurrences(after, ctx))].map(toAuditSubject) });
    else emitAlertEvent(ctx, "alert.cancelled", after);
    return formatVerbAnswer("cancel", after, ctx);
  },
});
