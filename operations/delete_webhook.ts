import { z } from "zod";
import { notFound } from "../src/model/api_error.ts";
import { parseIdOrNull } from "../src/model/domain/type_ids.ts";
import { WebhookEndpoint } from "../src/model/tables/webhook.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { deletedResourceSchema, pathId } from "../src/store/response_schemas/shared_parameters_and_pages.ts";

export default defineOperation({
  name: "delete_webhook",
  title: "Remove webhook",
  description: "Delete a webhook endpoint. To resume a disabled one, use enable_webhook.",
  scope: "webhooks:write",
  role: "editor",
  http: { method: "DELETE", path: "/api/v1/webhooks/{webhook_id}", status: 204 },
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({ webhook_id: pathId("whk_…") }),
  output: deletedResourceSchema,
  async handler({ webhook_id }, ctx) {
    const id = parseIdOrNull("whk", webhook_id);
    // One statement: of two that delete it at the same time one finds nothing.
    const gone = id ? await ctx.em.nativeDelete(WebhookEndpoint, { id }) : 0;
    if (!id || gone === 0) throw notFound("webhook");
    ctx.services.webhooks.forget(id);
    return { deleted: true as const, id: webhook_id };
  },
});
