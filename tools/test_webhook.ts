import { z } from "zod";
import { newUuid, showId } from "../src/model/domain/ids.ts";
import { deliverManually, endpointOf, MANUAL_DELIVERIES } from "../src/operation/channels/manual_delivery.ts";
import { defineTool } from "../src/operation/tool.ts";
import { pathId } from "../src/store/shapes/fields.ts";
import { deliveryView } from "../src/store/shapes/webhook.ts";

/** The id of no channel, for receivers that insist on one. */
const NO_CHANNEL = showId("psh", "00000000-0000-0000-0000-000000000000");

export default defineTool({
  name: "test_webhook",
  title: "Test webhook",
  description: "Deliver a signed webhook.test event, also to a disabled webhook. list_deliveries tells the outcome.",
  scope: "webhooks:write",
  role: "editor",
  http: { method: "POST", path: "/api/v1/webhooks/{webhook_id}/test", status: 201 },
  reachesOut: true,
  creates: true,
  limit: MANUAL_DELIVERIES,
  errors: ["invalid_request", "forbidden", "not_found", "rate_limited"],
  input: z.strictObject({ webhook_id: pathId("whk_…") }),
  output: deliveryView,
  async handler({ webhook_id }, ctx) {
    const { id } = await endpointOf(webhook_id, ctx);
    const event = "webhook.test";
    const data = { pusher_id: NO_CHANNEL, webhook_id };
    const body = JSON.stringify({ event, created_at: ctx.now().toISOString(), data });
    return deliverManually({ endpoint_id: id, event_id: newUuid(), event, body, redelivery_of: null }, ctx);
  },
});
