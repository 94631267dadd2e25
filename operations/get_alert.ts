import { z } from "zod";
import { notFound } from "../src/model/api_error.ts";
import { deriveAlertReviewDecision } from "../src/model/domain/review_url_and_decision.ts";
import { formatLimit } from "../src/model/limits.ts";
import { getChannelScopeSqlParameters } from "../src/operation/access_checks.ts";
import { findWriterOrigins } from "../src/operation/alerts/alert_origins.ts";
import { parseAlertPathIds } from "../src/operation/alerts/alert_verb_helpers.ts";
import { formatAlert, publishDueAlertsInRows } from "../src/operation/alerts/format_alert.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { readAlert } from "../src/store/queries/alerts.ts";
import { createBriefAlertSchema, singleAlertSchema } from "../src/store/response_schemas/alert_schemas.ts";
import { channelIdParameter, pathId } from "../src/store/response_schemas/shared_parameters_and_pages.ts";

export default defineOperation({
  name: "get_alert",
  title: "Read alert",
  description:
    "Show one alert, with notes on why it may be silent. " + `Markup beyond ${formatLimit("mcp_answer")} is omitted.`,
  scope: "alerts:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/pushers/{id}/alerts/{alertId}", status: 200 },
  errors: ["invalid_request", "not_found"],
  version: "updated_at",
  // An alert that came due was sent without a client's change (rules#expected-version).
  stillSame: (alert) => {
    const { status, send_at } = alert as z.infer<typeof singleAlertSchema>;
    return status !== "sent" || send_at === null;
  },
  card: true,
  input: z.strictObject({ pusher_id: channelIdParameter(), alert_id: pathId("alr_…") }),
  returnsText: true,
  output: singleAlertSchema,
  brief: createBriefAlertSchema(singleAlertSchema),
  async handler(input, ctx) {
    const { pusherId, alertId } = parseAlertPathIds(input);
    const [alert] = await ctx.sql(readAlert, { ...getChannelScopeSqlParameters(pusherId, ctx.caller), id: alertId });
    if (!alert) throw notFound("alert");
    await publishDueAlertsInRows([alert], ctx);
    const [via = null] = await findWriterOrigins([alert.writer], ctx);
    return { ...formatAlert(alert, alert.requested_perms, ctx), via, decision: deriveAlertReviewDecision(alert) };
  },
});
