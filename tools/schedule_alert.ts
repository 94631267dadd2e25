import { z } from "zod";
import { ALERT_SENDS, alertFor, announce, nowMicros, published } from "../src/alerts/change.ts";
import { checkContent } from "../src/domain/alert_content.ts";
import { scheduleAlert } from "../src/queries/alerts.ts";
import { publishedView, showAlert } from "../src/shapes/alert.ts";
import { pathId } from "../src/shapes/fields.ts";
import { defineTool } from "../src/tool.ts";

export default defineTool({
  name: "schedule_alert",
  title: "Schedule alert",
  description:
    "Turn a draft with a future send_at into a scheduled alert: it becomes visible at that instant by itself. Until then it can be edited, cancelled or returned to draft.",
  scope: "alerts:send",
  role: "editor",
  http: {
    method: "PATCH",
    path: "/api/v1/pushers/{id}/alerts/{alertId}",
    status: 200,
    when: { action: "schedule" },
  },
  hints: { readOnly: false, destructive: false, idempotent: true },
  limit: ALERT_SENDS,
  errors: ["invalid_request", "forbidden", "not_found", "conflict", "rate_limited"],
  input: z.strictObject({ pusher_id: pathId("psh_…"), alert_id: pathId("alr_…") }),
  output: publishedView,
  async handler(input, ctx) {
    const { alert, cell, pusherId } = await alertFor("schedule", input, ctx);
    if (cell.do === "stay") return published("schedule", alert, ctx);
    const touched = { send_at: true, expires_at: true, scheduled: true };
    checkContent({ ...showAlert(alert, ctx.surroundings.assets) }, 0, touched, nowMicros(ctx));
    const [after] = await ctx.sql(scheduleAlert, [alert.id]);
    await ctx.countAgainstLimit(pusherId);
    announce(ctx, "alert.scheduled", after!);
    return published("schedule", after!, ctx);
  },
});
