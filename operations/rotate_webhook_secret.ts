import { LockMode } from "@mikro-orm/core";
import { z } from "zod";
import { notFound } from "../src/model/api_error.ts";
import { parseIdOrNull } from "../src/model/domain/type_ids.ts";
import { toIsoMicros } from "../src/model/fields/sql_statement_types.ts";
import { LIMITS } from "../src/model/limits.ts";
import { WebhookEndpoint } from "../src/model/tables/webhook.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { pathId } from "../src/store/response_schemas/shared_parameters_and_pages.ts";
import { toWebhookView, webhookSchema } from "../src/store/response_schemas/webhook_schemas.ts";

const OVERLAP_MS = LIMITS.webhook_overlap_hours * 3600 * 1000;

export default defineOperation({
  name: "rotate_webhook_secret",
  title: "Rotate webhook secret",
  description:
    "Create a new signing secret, shown once. The old one stays valid for " + `${LIMITS.webhook_overlap_hours} hours.`,
  scope: "webhooks:write",
  role: "editor",
  http: { method: "POST", path: "/api/v1/webhooks/{webhook_id}/secret", status: 200 },
  destroys: true,
  creates: true,
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({ webhook_id: pathId("whk_…") }),
  returnsText: true,
  output: webhookSchema.extend({
    secret: z.string().describe("Secret that signs every delivery from now on; shown only once."),
  }),
  async handler({ webhook_id }, ctx) {
    const id = parseIdOrNull("whk", webhook_id);
    const lock = { populate: ["secret"], lockMode: LockMode.PESSIMISTIC_WRITE } as const;
    const endpoint = id && (await ctx.em.findOne(WebhookEndpoint, { id }, lock));
    if (!endpoint) throw notFound("webhook");
    const { secret, sealed } = ctx.services.webhooks.newSecret();
    ctx.em.assign(endpoint, {
      previous_secret: endpoint.secret,
      previous_secret_until: toIsoMicros(new Date(ctx.now().getTime() + OVERLAP_MS)),
      secret: sealed,
    });
    await ctx.em.flush();
    return { ...toWebhookView(endpoint), secret };
  },
});
