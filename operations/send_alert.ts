import { z } from "zod";
import { ALERT_SEND_LIMIT, formatVerbAnswer } from "../src/operation/alerts/change_alert.ts";
import { publishAlert } from "../src/operation/alerts/publish_alert.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { alertViewParameter, publishedBrief, publishedView } from "../src/store/response_schemas/alert_schemas.ts";
import { channelIdParameter, expectedVersion, pathId } from "../src/store/response_schemas/common_fields.ts";

export default defineOperation({
  name: "send_alert",
  title: "Send alert",
  description:
    "Publish a draft or scheduled alert to all subscribers now. Check it with get_alert first: this cannot be undone.",
  scope: "alerts:send",
  leadsToReview: true,
  role: "editor",
  http: { method: "PATCH", path: "/api/v1/pushers/{id}/alerts/{alertId}", status: 200, when: { action: "send" } },
  limit: ALERT_SEND_LIMIT,
  errors: ["invalid_request", "forbidden", "not_found", "conflict", "rate_limited"],
  version: "updated_at",
  input: z.strictObject({
    pusher_id: channelIdParameter(),
    alert_id: pathId("alr_…"),
    expected_updated_at: expectedVersion(),
    view: alertViewParameter,
  }),
  returnsText: true,
  output: publishedView,
  brief: publishedBrief,
  // Its conditions, the change, the line of the audit log and the event.
  isOneStatement: () => true,
  handler: async (input, ctx) => formatVerbAnswer("send", await publishAlert(input, ctx), ctx),
});
