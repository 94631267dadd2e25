import { z } from "zod";
import { LIMITS } from "../src/model/limits.ts";
import { ALERT_SENDS, published } from "../src/operation/alerts/change.ts";
import { send } from "../src/operation/alerts/send.ts";
import { defineTool } from "../src/operation/tool.ts";
import { publishedBrief, publishedView, view } from "../src/store/shapes/alert.ts";
import { expectedVersion, pathId } from "../src/store/shapes/fields.ts";

export default defineTool({
  name: "send_alert",
  title: "Send alert",
  description: `Publish a draft or scheduled alert to every subscriber now. It cannot be unsent or edited then; check it with get_alert first. Sending again changes nothing. At most ${LIMITS.sends} sends a minute for a channel.`,
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
  // Its conditions, the change, the line of the audit log and the event.
  isOneStatement: () => true,
  handler: async (input, ctx) => published("send", await send(input, ctx), ctx),
});
