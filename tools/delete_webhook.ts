import { z } from "zod";
import { parseId } from "../src/domain/ids.ts";
import { notFound } from "../src/errors.ts";
import { deleteWebhook, webhookScope } from "../src/queries/webhooks.ts";
import { deletedView, pathId } from "../src/shapes/fields.ts";
import { defineTool } from "../src/tool.ts";

export default defineTool({
  name: "delete_webhook",
  title: "Remove webhook",
  description:
    "Stop deliveries to a webhook endpoint and forget it. To mend a disabled one, remove it and register again.",
  scope: "webhooks:write",
  role: "editor",
  http: { method: "DELETE", path: "/api/v1/webhooks/{webhook_id}", status: 204 },
  hints: { readOnly: false, destructive: true, idempotent: false },
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({ webhook_id: pathId("whk_…") }),
  output: deletedView,
  async handler({ webhook_id }, ctx) {
    const id = parseId("whk", webhook_id);
    const [gone] = id ? await ctx.sql(deleteWebhook, [...webhookScope(ctx.caller), id]) : [];
    if (!gone) throw notFound("webhook");
    ctx.surroundings.webhooks.forget(gone.id);
    return { deleted: true as const, id: webhook_id };
  },
});
