import { z } from "zod";
import { createApiAndUiText } from "../src/model/api_and_ui_error_texts.ts";
import { conflict } from "../src/model/api_error.ts";
import { newUuid } from "../src/model/domain/type_ids.ts";
import {
  findWebhookDelivery,
  findWebhookEndpoint,
  MANUAL_WEBHOOK_DELIVERY_LIMIT,
  startManualWebhookDelivery,
} from "../src/operation/channels/manual_webhook_delivery.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { pathId } from "../src/store/response_schemas/shared_parameters_and_pages.ts";
import { deliverySchema } from "../src/store/response_schemas/webhook_schemas.ts";

export default defineOperation({
  name: "redeliver",
  title: "Redeliver event",
  description: "Resend an earlier delivery's event as a new delivery.",
  scope: "webhooks:write",
  role: "editor",
  http: { method: "POST", path: "/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver", status: 201 },
  reachesOut: true,
  creates: true,
  limit: MANUAL_WEBHOOK_DELIVERY_LIMIT,
  errors: ["invalid_request", "forbidden", "not_found", "conflict", "rate_limited"],
  input: z.strictObject({ webhook_id: pathId("whk_…"), delivery_id: pathId("dlv_…") }),
  returnsText: true,
  output: deliverySchema,
  async handler({ webhook_id, delivery_id }, ctx) {
    const endpoint = await findWebhookEndpoint(webhook_id, ctx);
    const old = await findWebhookDelivery(endpoint, delivery_id, ctx);
    if (endpoint.disabled_at)
      throw conflict(
        "webhook_disabled",
        createApiAndUiText(
          "The webhook is disabled. Fix its receiver, call test_webhook, then call enable_webhook.",
          "The webhook is disabled. Fix its receiver, send a test, then enable it.",
        ),
      );
    // Deliveries from before events had ids get one now.
    const { event, body, event_id = null } = old;
    const what = { endpoint_id: endpoint.id, event, body, event_id: event_id ?? newUuid() };
    return startManualWebhookDelivery({ ...what, redelivery_of: old.id }, ctx);
  },
});
