import { z } from "zod";
import { listWebhooks, webhookScope } from "../src/queries/webhooks.ts";
import { showWebhook, webhookView } from "../src/shapes/webhook.ts";
import { defineTool } from "../src/tool.ts";

export default defineTool({
  name: "list_webhooks",
  title: "List webhooks",
  description:
    "List the webhook endpoints, newest first, with their failure counts and whether they are disabled.",
  scope: "webhooks:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/webhooks", status: 200 },
  hints: { readOnly: true, destructive: false, idempotent: true },
  errors: ["invalid_request"],
  input: z.strictObject({}),
  output: z.object({ data: z.array(webhookView) }),
  async handler(_input, ctx) {
    const rows = await ctx.sql(listWebhooks, webhookScope(ctx.caller));
    return { data: rows.map(showWebhook) };
  },
});
