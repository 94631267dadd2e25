// Operations of signed-in members on one webhook endpoint: its events, its pause, and the payload of a delivery.

import { z } from "zod";
import { toIsoMicros } from "../../model/fields/sql_statement_types.ts";
import { WEBHOOK_FIELDS } from "../../model/fields/webhook.ts";
import { findWebhookDelivery, findWebhookEndpoint } from "../../operation/channels/manual_webhook_delivery.ts";
import { defineMemberOperation } from "../../operation/define_operation.ts";
import {
  deliverySchema,
  toDeliveryView,
  toWebhookView,
  webhookSchema,
} from "../../store/response_schemas/webhook_schemas.ts";

/** rules#webhook-edited and rules#webhook-paused */
export const update_webhook = defineMemberOperation({
  name: "update_webhook",
  title: "Change webhook",
  description:
    "Change a webhook endpoint's events, or pause or resume it. A paused endpoint's pending events are dropped.",
  role: "editor",
  errors: ["not_found"],
  input: z.strictObject({
    webhook_id: z.string(),
    events: WEBHOOK_FIELDS.events.accepts.optional(),
    paused: z.boolean().optional(),
  }),
  output: webhookSchema,
  async handler({ webhook_id, events, paused }, ctx) {
    const endpoint = await findWebhookEndpoint(webhook_id, ctx);
    const isPaused = (endpoint.paused_at ?? null) !== null;
    const selects = events?.length !== endpoint.events.length || events.some((one) => !endpoint.events.includes(one));
    const changed: string[] = [];
    if (events !== undefined && selects) {
      endpoint.events = events;
      changed.push("events");
    }
    if (paused !== undefined && paused !== isPaused) {
      endpoint.paused_at = paused ? toIsoMicros(ctx.now()) : null;
      changed.push("paused");
      if (paused) ctx.afterCommit(() => ctx.services.webhooks.forgetEvents(endpoint.id));
    }
    if (changed.length > 0) ctx.audit({ changed });
    await ctx.em.flush();
    return toWebhookView(endpoint);
  },
});

/** rules#webhook-payload */
export const get_delivery = defineMemberOperation({
  name: "get_delivery",
  title: "Read a webhook delivery",
  description: "One delivery to a webhook endpoint, with its payload. It is available while it is in the delivery log.",
  role: "viewer",
  writes: "nothing",
  errors: ["not_found"],
  input: z.strictObject({ webhook_id: z.string(), delivery_id: z.string() }),
  output: deliverySchema.extend({ body: z.string().describe("The request body, exactly as it was signed.") }),
  async handler({ webhook_id, delivery_id }, ctx) {
    const endpoint = await findWebhookEndpoint(webhook_id, ctx);
    const delivery = await findWebhookDelivery(endpoint, delivery_id, ctx);
    const {
      event_id = null,
      ok = null,
      status = null,
      failure = null,
      duration_ms = null,
      redelivery_of = null,
    } = delivery;
    const result = { event_id, ok, status, failure, duration_ms, redelivery_of };
    const { id, event, body, created_at } = delivery;
    return { ...toDeliveryView({ id, endpoint_id: endpoint.id, event, body, created_at, ...result }), body };
  },
});
