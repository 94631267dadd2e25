import { z } from "zod";
import { toIsoMicros } from "../src/model/fields/columns.ts";
import { LIMITS } from "../src/model/limits.ts";
import { endpointOf } from "../src/operation/channels/manual_delivery.ts";
import { keysetPage } from "../src/operation/page.ts";
import { defineTool } from "../src/operation/tool.ts";
import { listDeliveries } from "../src/store/queries/webhooks.ts";
import { before, DEFAULT_LIMIT, limit, pageMeta, pathId } from "../src/store/shapes/fields.ts";
import { deliveryView, showDelivery } from "../src/store/shapes/webhook.ts";

export default defineTool({
  name: "list_deliveries",
  title: "List webhook deliveries",
  description: `List what became of a webhook's deliveries, newest first: the last ${LIMITS.deliveries} of ${LIMITS.deliveries_days} days.`,
  scope: "webhooks:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/webhooks/{webhook_id}/deliveries", status: 200 },
  errors: ["invalid_request", "not_found"],
  input: z.strictObject({
    webhook_id: pathId("whk_…"),
    limit: limit(),
    before: before(),
  }),
  output: z.object({ data: z.array(deliveryView), meta: pageMeta }),
  pagedBy: "created_at",
  async handler(input, ctx) {
    const endpoint = await endpointOf(input.webhook_id, ctx);
    const { rows, next_before } = await keysetPage(
      input.limit ?? DEFAULT_LIMIT,
      (n) => ctx.sql(listDeliveries, { endpoint_id: endpoint.id, before: input.before ?? null, limit: n }),
      (row) => row.created_at,
    );
    return { data: rows.map(showDelivery), meta: { next_before: next_before && toIsoMicros(next_before) } };
  },
});
