import { z } from "zod";
import { EVENTS } from "../src/domain/events.ts";
import { newUuid } from "../src/domain/ids.ts";
import { conflict, invalidRequest } from "../src/errors.ts";
import { countWebhooks, insertWebhook, lockWorkspace } from "../src/queries/webhooks.ts";
import { text } from "../src/shapes/fields.ts";
import { showWebhook, webhookView } from "../src/shapes/webhook.ts";
import { defineTool } from "../src/tool.ts";

const MAX_ENDPOINTS = 20;

export default defineTool({
  name: "create_webhook",
  title: "Register webhook",
  description:
    "Register an https endpoint for signed events, at most 20 of them. The answer carries the signing secret, shown this once. Deliveries are best-effort: one POST, no retries; 20 failures in a row disable the endpoint.",
  scope: "webhooks:write",
  role: "editor",
  http: { method: "POST", path: "/api/v1/webhooks", status: 201 },
  hints: { readOnly: false, destructive: false, idempotent: false },
  creates: true,
  errors: ["invalid_request", "forbidden", "conflict"],
  input: z.strictObject({
    url: text(1, 2048).describe("https, reachable from the internet."),
    events: z
      .array(z.enum(EVENTS))
      .min(1, "must name at least one event")
      .transform((list) => [...new Set(list)]),
  }),
  output: webhookView.extend({ secret: z.string().describe("Signs every delivery; shown once.") }),
  async check({ url }, { webhooks }) {
    const reason = await webhooks.refusalOf(url);
    if (reason !== null) throw invalidRequest(reason, "url");
  },
  async handler({ url, events }, ctx) {
    const { workspace, member, credential } = ctx.caller;
    await ctx.sql(lockWorkspace, [workspace.id]);
    const [count] = await ctx.sql(countWebhooks, [workspace.id]);
    if (count!.endpoints >= MAX_ENDPOINTS)
      throw conflict(`A workspace has at most ${MAX_ENDPOINTS} webhook endpoints; delete one first.`);
    const { secret, sealed } = ctx.surroundings.webhooks.newSecret();
    const values = [newUuid(), workspace.id, member.id, credential.pusherId, url, events, sealed];
    const [row] = await ctx.sql(insertWebhook, values);
    return { ...showWebhook(row!), secret };
  },
});
