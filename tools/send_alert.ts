import { z } from "zod";
import { checkNotExpired } from "../src/model/domain/alert_content.ts";
import { nowMicros, toIsoMicrosOrNull } from "../src/model/fields/columns.ts";
import { LIMITS } from "../src/model/limits.ts";
import { ALERT_SENDS, alertFor, announce, countSend, published } from "../src/operation/alerts/change.ts";
import { defineTool } from "../src/operation/tool.ts";
import { publishAlert } from "../src/store/queries/alerts.ts";
import { publishedView } from "../src/store/shapes/alert.ts";
import { publishedBrief, view } from "../src/store/shapes/alert_brief.ts";
import { expectedVersion, pathId } from "../src/store/shapes/fields.ts";

export default defineTool({
  name: "send_alert",
  title: "Send alert",
  description: `Publish a draft or scheduled alert to every subscriber now. A sent alert cannot be unsent and cannot be edited; check it with get_alert first. Sending again changes nothing. At most ${LIMITS.sends} sends a minute for a channel.`,
  scope: "alerts:send",
  leadsToReview: true,
  role: "editor",
  http: {
    method: "PATCH",
    path: "/api/v1/pushers/{id}/alerts/{alertId}",
    status: 200,
    when: { action: "send" },
  },
  limit: ALERT_SENDS,
  errors: ["invalid_request", "forbidden", "not_found", "conflict", "rate_limited"],
  version: "updated_at",
  input: z.strictObject({
    pusher_id: pathId("Channel id, psh_…, or its handle"),
    alert_id: pathId("alr_…"),
    expected_updated_at: expectedVersion(),
    view,
  }),
  output: publishedView,
  brief: publishedBrief,
  async handler(input, ctx) {
    const { alert, cell, pusherId } = await alertFor("send", input, ctx);
    if (cell.do === "stay") return published("send", alert, ctx);
    checkNotExpired(toIsoMicrosOrNull(alert.expires_at), nowMicros(ctx));
    const [after] = await ctx.sql(publishAlert, { id: alert.id });
    // It came due while we looked at it: a repeat, like any send of a sent alert.
    if (!after) return published("send", (await alertFor("send", input, ctx)).alert, ctx);
    await countSend(ctx, pusherId);
    announce(ctx, "alert.sent", after);
    return published("send", after, ctx);
  },
});
