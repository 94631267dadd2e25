import { z } from "zod";
import { notFound } from "../src/model/api_error.ts";
import { deriveAlertReviewDecision, REVIEW_DECISION_NOTES } from "../src/model/domain/review_url_and_decision.ts";
import { toIsoMicros } from "../src/model/fields/sql_statement_types.ts";
import { timestampSchema } from "../src/model/fields/value_schemas.ts";
import { LIMITS } from "../src/model/limits.ts";
import { getChannelScopeSqlParameters } from "../src/operation/access_checks.ts";
import { parseAlertPathIds } from "../src/operation/alerts/alert_verb_helpers.ts";
import { formatAlert, publishDueAlertsInRows } from "../src/operation/alerts/format_alert.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { readAlert } from "../src/store/queries/alerts.ts";
import {
  alertViewParameter,
  decidedAlertBriefAnswer,
  decidedAlertSchema,
} from "../src/store/response_schemas/alert_schemas.ts";
import {
  channelIdParameter,
  pathId,
  waitSecondsParameter,
} from "../src/store/response_schemas/shared_parameters_and_pages.ts";

export default defineOperation({
  name: "wait_for_review",
  title: "Wait for review",
  description: "Wait for a person's decision on an alert: sent, scheduled or declined (review_reply has the reason).",
  scope: "alerts:read",
  waits: true,
  tellsReview: (whole) => (whole as z.infer<typeof decidedAlertSchema>).decision !== "waiting",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/pushers/{id}/alerts/{alertId}/review", status: 200 },
  errors: ["invalid_request", "not_found"],
  input: z.strictObject({
    pusher_id: channelIdParameter(),
    alert_id: pathId("alr_…"),
    seconds: waitSecondsParameter(),
    seen_updated_at: timestampSchema().optional().describe("Waits until updated_at differs from this."),
    view: alertViewParameter,
  }),
  returnsText: true,
  output: decidedAlertSchema,
  brief: decidedAlertBriefAnswer,
  async handler(input, ctx) {
    const { pusherId, alertId } = parseAlertPathIds(input);
    const find = async () => {
      const [alert] = await ctx.sql(readAlert, { ...getChannelScopeSqlParameters(pusherId, ctx.caller), id: alertId });
      if (!alert) throw notFound("alert");
      return alert;
    };
    let alert = await find();
    const version = toIsoMicros(alert.updated_at);
    const { seconds = LIMITS.review_held_seconds, seen_updated_at: seen } = input;
    if (seen === undefined ? deriveAlertReviewDecision(alert) === "waiting" : seen === version) {
      const { id: subject } = ctx.caller.credential;
      const { signal, rest } = ctx.wait;
      const wait = { pusherId, alertId, version: alert.updated_at, ms: seconds * 1000, subject, signal };
      await rest(ctx.services.waitForChange(wait));
      alert = await find();
    }
    await publishDueAlertsInRows([alert], ctx);
    const decision = deriveAlertReviewDecision(alert);
    const whole = formatAlert(alert, alert.requested_perms, ctx);
    return { ...whole, decision, note: REVIEW_DECISION_NOTES[decision] };
  },
});
