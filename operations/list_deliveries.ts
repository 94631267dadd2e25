import { z } from "zod";
import { toIsoMicros } from "../src/model/fields/sql_types.ts";
import { LIMITS } from "../src/model/limits.ts";
import { findWebhookEndpoint, getVisibleDeliveryChannelIds } from "../src/operation/channels/manual_delivery.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { readKeysetPage } from "../src/operation/pagination.ts";
import { listDeliveries } from "../src/store/queries/webhooks.ts";
import {
  beforeParameter,
  DEFAULT_PAGE_SIZE,
  limitParameter,
  paginationMetaSchema,
  pathId,
} from "../src/store/response_schemas/common_fields.ts";
import { deliveryView, toDeliveryView } from "../src/store/response_schemas/webhook_schemas.ts";

export default defineOperation({
  name: "list_deliveries",
  title: "List webhook deliveries",
  description: `List outcomes of a webhook's last ${LIMITS.deliveries} deliveries, newest first, with their alerts.`,
  scope: "webhooks:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/webhooks/{webhook_id}/deliveries", status: 200 },
  errors: ["invalid_request", "not_found"],
  input: z.strictObject({
    webhook_id: pathId("whk_…"),
    limit: limitParameter(),
    before: beforeParameter(),
  }),
  returnsText: true,
  output: z.object({ data: z.array(deliveryView), meta: paginationMetaSchema }),
  pagedBy: "created_at",
  async handler(input, ctx) {
    const endpoint = await findWebhookEndpoint(input.webhook_id, ctx);
    const of = {
      endpoint_id: endpoint.id,
      channel_ids: getVisibleDeliveryChannelIds(ctx.caller),
      before: input.before ?? null,
    };
    const { rows, next_before } = await readKeysetPage(
      input.limit ?? DEFAULT_PAGE_SIZE,
      (limit) => ctx.sql(listDeliveries, { ...of, limit }),
      (row) => row.created_at,
    );
    return { data: rows.map(toDeliveryView), meta: { next_before: next_before && toIsoMicros(next_before) } };
  },
});
