import { z } from "zod";
import { formatId, newUuid } from "../src/model/domain/type_ids.ts";
import {
  findWebhookEndpoint,
  MANUAL_WEBHOOK_DELIVERY_LIMIT,
  startManualWebhookDelivery,
} from "../src/operation/channels/manual_webhook_delivery.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { pathId } from "../src/store/response_schemas/shared_parameters_and_pages.ts";
import { deliverySchema } from "../src/store/response_schemas/webhook_schemas.ts";

/** The id of no channel, for receivers that insist on one. */
const NO_CHANNEL = formatId("psh", "00000000-0000-0000-0000-000000000000");

export default defineOperation({
  name: "test_webhook",
  title: "Test webhook",
  description: "Deliver a signed webhook.test event. list_deliveries shows the outcome.",
  scope: "webhooks:write",
  role: "editor",
  http: { method: "POST", path: "/api/v1/webhooks/{webhook_id}/test", status: 201 },
  reachesOut: true,
  creates: true,
  limit: MANUAL_WEBHOOK_DELIVERY_LIMIT,
  errors: ["invalid_request", "forbidden", "not_found", "rate_limited"],
  input: z.strictObject({ webhook_id: pathId("whk_…") }),
  output: deliverySchema,
  async handler({ webhook_id }, ctx) {
    const { id } = await findWebhookEndpoint(webhook_id, ctx);
    const event = "webhook.test";
    const data = { pusher_id: NO_CHANNEL, webhook_id };
    const body = JSON.stringify({ event, created_at: ctx.now().toISOString(), data });
    return startManualWebhookDelivery({ endpoint_id: id, event_id: newUuid(), event, body, redelivery_of: null }, ctx);
  },
});
