import { z } from "zod";
import { conflict, invalidRequest } from "../src/model/api_error.ts";
import { newUuid } from "../src/model/domain/type_ids.ts";
import { createInsertArgumentSchemas } from "../src/model/fields/field_table.ts";
import { WEBHOOK_FIELDS } from "../src/model/fields/webhook.ts";
import { LIMITS } from "../src/model/limits.ts";
import { WebhookEndpoint } from "../src/model/tables/webhook.ts";
import { createActor } from "../src/operation/audit_lines.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { lockWorkspace } from "../src/store/queries/workspace_locks_and_user_accounts.ts";
import { toWebhookView, webhookSchema } from "../src/store/response_schemas/webhook_schemas.ts";

export default defineOperation({
  name: "create_webhook",
  title: "Register webhook",
  description:
    "Register an https endpoint for signed events. The secret is shown once. Each event is posted once; " +
    `${LIMITS.webhook_failures} consecutive failures disable the endpoint.`,
  scope: "webhooks:write",
  role: "editor",
  http: { method: "POST", path: "/api/v1/webhooks", status: 201 },
  reachesOut: true,
  creates: true,
  errors: ["invalid_request", "forbidden", "conflict"],
  input: z.strictObject({ ...createInsertArgumentSchemas(WEBHOOK_FIELDS) }),
  output: webhookSchema.extend({ secret: z.string().describe("Secret that signs every delivery; shown only once.") }),
  async check({ url }, { webhooks }) {
    const reason = await webhooks.checkUrl(url);
    if (reason !== null) throw invalidRequest("url_not_allowed", reason, "url");
  },
  async handler({ url, events }, ctx) {
    const { workspace, member, credential } = ctx.caller;
    await ctx.sql(lockWorkspace, { id: workspace.id });
    // All of the workspace's, not only what the caller sees of them.
    const count = await ctx.em.count(WebhookEndpoint, { workspace: workspace.id }, { filters: false });
    if (count >= LIMITS.webhooks)
      throw conflict(
        "quota_reached",
        `A workspace can have at most ${LIMITS.webhooks} webhook endpoints. Delete one first.`,
      );
    const { actor_id: created_by_id, actor_name: created_by_name } = createActor(ctx.caller, "rest");
    const { secret, sealed } = ctx.services.webhooks.newSecret();
    const endpoint = ctx.em.create(WebhookEndpoint, {
      id: newUuid(),
      workspace: workspace.id,
      member: member.id,
      pusher_id: credential.pusherId,
      created_by_id,
      created_by_name,
      url,
      events,
      secret: sealed,
    });
    await ctx.em.flush();
    return { ...toWebhookView(endpoint), secret };
  },
});
