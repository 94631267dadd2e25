import { z } from "zod";
import { notFound } from "../src/model/api_error.ts";
import { deriveAlertReviewDecision, REVIEW_DECISION_NOTES } from "../src/model/domain/alert_review.ts";
import { toIsoMicros } from "../src/model/fields/postgres_types.ts";
import { timestampSchema } from "../src/model/fields/value_schemas.ts";
import { LIMITS } from "../src/model/limits.ts";
import { channelScopeParameters } from "../src/operation/access_checks.ts";
import { parseAlertPathIds } from "../src/operation/alerts/change_alert.ts";
import { formatAlert, publishDueShown } from "../src/operation/alerts/format_alert.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { readAlert } from "../src/store/queries/alerts.ts";
import {
  alertViewParameter,
  decidedAlertBrief,
  decidedAlertView,
} from "../src/store/response_schemas/alert_schemas.ts";
import { channelIdParameter, pathId, waitSecondsParameter } from "../src/store/response_schemas/common_fields.ts";

export default defineOperation({
  name: "wait_for_review",
  title: "Wait for review",
  description: "Wait for a person's decision about an alert: sent, scheduled or declined (review_reply is the reason).",
  scope: "alerts:read",
  waits: true,
  tellsReview: (whole) => (whole as z.infer<typeof decidedAlertView>).decision !== "waiting",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/pushers/{id}/alerts/{alertId}/review", status: 200 },
  errors: ["invalid_request", "not_found"],
  input: z.strictObject({
    pusher_id: channelIdParameter(),
    alert_id: pathId("alr_…"),
    seconds: waitSecondsParameter(),
    seen_updated_at: timestampSchema().optional().describe("Waits while updated_at equals this."),
    view: alertViewParameter,
  }),
  returnsText: true,
  output: decidedAlertView,
  brief: decidedAlertBrief,
  async handler(input, ctx) {
    const { pusherId, alertId } = parseAlertPathIds(input);
    const find = async () => {
      const [alert] = await ctx.sql(readAlert, { ...channelScopeParameters(pusherId, ctx.caller), id: alertId });
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
    await publishDueShown([alert], ctx);
    const decision = deriveAlertReviewDecision(alert);
    const whole = formatAlert(alert, alert.requested_perms, ctx);
    return { ...whole, decision, note: REVIEW_DECISION_NOTES[decision] };
  },
});
