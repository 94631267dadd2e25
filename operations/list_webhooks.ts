import { z } from "zod";
import { WebhookEndpoint } from "../src/model/tables/webhook.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { toWebhookView, webhookListBriefAnswer, webhookSchema } from "../src/store/response_schemas/webhook_schemas.ts";

export default defineOperation({
  name: "list_webhooks",
  title: "List webhooks",
  description: "List webhook endpoints, newest first, with failure counts.",
  scope: "webhooks:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/webhooks", status: 200 },
  errors: ["invalid_request"],
  input: z.strictObject({}),
  returnsText: true,
  output: z.object({ data: z.array(webhookSchema) }),
  brief: webhookListBriefAnswer,
  async handler(_input, ctx) {
    const orderBy = { created_at: "desc", id: "desc" } as const;
    const rows = await ctx.em.find(WebhookEndpoint, {}, { orderBy });
    return { data: rows.map(toWebhookView) };
  },
});
