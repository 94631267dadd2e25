import { z } from "zod";
import { LIMITS } from "../src/model/limits.ts";
import {
  findWebhookEndpoint,
  getVisibleDeliveryChannelIds,
} from "../src/operation/channels/manual_webhook_delivery.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { readKeysetPage } from "../src/operation/read_keyset_page.ts";
import { listDeliveries } from "../src/store/queries/webhooks.ts";
import { pageParameters, pageSchema, pathId } from "../src/store/response_schemas/shared_parameters_and_pages.ts";
import { deliverySchema, toDeliveryView } from "../src/store/response_schemas/webhook_schemas.ts";

export default defineOperation({
  name: "list_deliveries",
  title: "List webhook deliveries",
  description: `List a webhook's last ${LIMITS.deliveries} deliveries with outcomes and alerts, newest first.`,
  scope: "webhooks:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/webhooks/{webhook_id}/deliveries", status: 200 },
  errors: ["invalid_request", "not_found"],
  input: z.strictObject({ webhook_id: pathId("whk_…"), ...pageParameters() }),
  returnsText: true,
  output: pageSchema(deliverySchema),
  pagedBy: "created_at",
  async handler(input, ctx) {
    const endpoint = await findWebhookEndpoint(input.webhook_id, ctx);
    const of = { endpoint_id: endpoint.id, channel_ids: getVisibleDeliveryChannelIds(ctx.caller) };
    const { rows, meta } = await readKeysetPage(input, "created_at", (page) =>
      ctx.sql(listDeliveries, { ...of, ...page }),
    );
    return { data: rows.map(toDeliveryView), meta };
  },
});
