import { z } from "zod";
import { checkContent, checkSchedule } from "../src/model/domain/alert_content.ts";
import { alreadySent } from "../src/model/domain/alert_status.ts";
import { forBoth } from "../src/model/error_messages.ts";
import { invalidRequest } from "../src/model/errors.ts";
import { instant } from "../src/model/fields/accepts.ts";
import { nowMicros, toIsoMicrosOrNull } from "../src/model/fields/columns.ts";
import { LIMITS } from "../src/model/limits.ts";
import { ALERT_SENDS, alertFor, announce, countSend, published } from "../src/operation/alerts/change.ts";
import { beginSeries } from "../src/operation/alerts/series.ts";
import { defineTool } from "../src/operation/tool.ts";
import { scheduleAlert } from "../src/store/queries/alerts.ts";
import { publishedBrief, publishedView, showAlert, view } from "../src/store/shapes/alert.ts";
import { expectedVersion, pathId } from "../src/store/shapes/fields.ts";

export default defineTool({
  name: "schedule_alert",
  title: "Schedule alert",
  description: `Publish a draft later: it appears at send_at by itself; with a recurrence again and again, each time as an alert of its own. On a scheduled alert send_at moves it. At most ${LIMITS.sends} sends and schedules a minute for a channel.`,
  scope: "alerts:send",
  leadsToReview: true,
  role: "editor",
  http: {
    method: "PATCH",
    path: "/api/v1/pushers/{id}/alerts/{alertId}",
    status: 200,
    when: { action: "schedule" },
  },
  limit: ALERT_SENDS,
  errors: ["invalid_request", "forbidden", "not_found", "conflict", "rate_limited"],
  version: "updated_at",
  input: z.strictObject({
    pusher_id: pathId("Channel id, psh_…, or its handle"),
    alert_id: pathId("alr_…"),
    send_at: instant().optional().describe("In the future; the draft's own when absent."),
    expected_updated_at: expectedVersion(),
    view,
  }),
  output: publishedView,
  brief: publishedBrief,
  async handler(input, ctx) {
    const { alert, cell, pusherId } = await alertFor("schedule", input, ctx);
    const before = toIsoMicrosOrNull(alert.send_at);
    const wanted = input.send_at ?? before;
    if (cell.do === "stay" && wanted === before)
      return published(alert.status === "repeating" ? "repeat" : "schedule", alert, ctx);
    const sendAt = checkSchedule(wanted, nowMicros(ctx));
    const changed = { send_at: true, expires_at: true, scheduled: true };
    const stored = showAlert(alert, ctx.services.assets);
    checkContent({ ...stored, send_at: sendAt }, 0, changed, nowMicros(ctx));
    const former = sendAt === before ? null : { send_at: before };
    if (former) ctx.audit({ changed: Object.keys(former) });
    if (alert.recurrence !== null && alert.status === "draft") {
      return published("repeat", await beginSeries(alert, { send_at: sendAt, former }, ctx), ctx);
    }
    if (alert.status === "repeating")
      throw invalidRequest(
        "recurrence_not_allowed",
        forBoth("send_at of what repeats is moved with update_alert.", "It repeats. To move its time, edit it."),
        "send_at",
      );
    const [after] = await ctx.sql(scheduleAlert, { id: alert.id, send_at: sendAt, former });
    // It came due while we looked at it.
    if (!after) throw alreadySent("schedule");
    // Moving the instant changes no state, so it is not counted (rules#limit-sends).
    if (cell.do === "change") await countSend(ctx, pusherId);
    announce(ctx, "alert.scheduled", after);
    return published("schedule", after, ctx);
  },
});
