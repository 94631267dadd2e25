import { z } from "zod";
import { findWebhookEndpoint } from "../src/operation/channels/manual_webhook_delivery.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { pathId } from "../src/store/response_schemas/shared_parameters_and_pages.ts";
import { toWebhookView, webhookSchema } from "../src/store/response_schemas/webhook_schemas.ts";

export default defineOperation({
  name: "enable_webhook",
  title: "Enable webhook",
  description:
    "Enable a disabled webhook and reset its failure count. Missed events are not sent; redeliver sends one.",
  scope: "webhooks:write",
  role: "editor",
  http: { method: "POST", path: "/api/v1/webhooks/{webhook_id}/enable", status: 200 },
  reachesOut: true,
  creates: true,
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({ webhook_id: pathId("whk_…") }),
  returnsText: true,
  output: webhookSchema,
  async handler({ webhook_id }, ctx) {
    const endpoint = await findWebhookEndpoint(webhook_id, ctx);
    if (!endpoint.disabled_at) return toWebhookView(endpoint);
    ctx.em.assign(endpoint, { disabled_at: null, failure_count: 0 });
    await ctx.em.flush();
    return toWebhookView(endpoint);
  },
});
