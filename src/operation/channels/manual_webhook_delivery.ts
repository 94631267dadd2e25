// Shared parts of operations on one webhook endpoint: finding it, and a delivery by hand. That is an ordinary delivery:
// one POST, counted once, and never repeated automatically.

import { notFound } from "../../model/api_error.ts";
import { formatId, newUuid, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { LIMITS } from "../../model/limits.ts";
import { WebhookDelivery, WebhookEndpoint } from "../../model/tables/webhook.ts";
import type { HandlerContext } from "../../store/handler_context.ts";
import { toDeliveryView } from "../../store/response_schemas/webhook_schemas.ts";

/** Calls that make this server send requests to other servers. */
export const MANUAL_WEBHOOK_DELIVERY_LIMIT = {
  name: "webhook-calls",
  per: "creator",
  max: LIMITS.manual_deliveries,
  seconds: LIMITS.window_seconds,
} as const;

/** @throws 404 when the caller sees no such endpoint. */
export async function findWebhookEndpoint(webhookId: string, ctx: Pick<HandlerContext, "em">) {
  const id = parseIdOrNull("whk", webhookId);
  const endpoint = id && (await ctx.em.findOne(WebhookEndpoint, { id }));
  if (!endpoint) throw notFound("webhook");
  return endpoint;
}

/** The channels whose deliveries the caller sees, by their ids in events. Null is all channels. */
export const getVisibleDeliveryChannelIds = ({ pusherIds }: HandlerContext["caller"]): string[] | null =>
  pusherIds?.map((id) => formatId("psh", id)) ?? null;

/**
 * A delivery of an endpoint. A test belongs to no channel, so each caller that sees the endpoint sees it.
 * @throws 404 for a missing or invisible one (rules#webhook-log)
 */
export async function findWebhookDelivery(
  endpoint: { id: string },
  deliveryId: string,
  ctx: Pick<HandlerContext, "em" | "caller">,
) {
  const id = parseIdOrNull("dlv", deliveryId);
  const delivery = id && (await ctx.em.findOne(WebhookDelivery, { id, endpoint: endpoint.id }));
  if (!delivery) throw notFound("delivery");
  const visible = getVisibleDeliveryChannelIds(ctx.caller);
  const { data } = JSON.parse(delivery.body) as { data?: { pusher_id?: string } };
  if (visible && delivery.event !== "webhook.test" && !visible.includes(data?.pusher_id ?? ""))
    throw notFound("delivery");
  return delivery;
}

/** The unknown values of a running delivery. */
const UNDER_WAY = { ok: null, status: null, failure: null, duration_ms: null };

/** Writes the delivery down as under way, counts it, and begins it after the commit. */
export async function startManualWebhookDelivery(
  what: { endpoint_id: string; event_id: string; event: string; body: string; redelivery_of: string | null },
  ctx: HandlerContext,
) {
  const { endpoint_id, ...columns } = what;
  const row = ctx.em.create(WebhookDelivery, { id: newUuid(), endpoint: endpoint_id, ...columns });
  await ctx.em.flush();
  await ctx.countAgainstLimit(ctx.caller.member.id);
  const { workspace } = ctx.caller;
  ctx.afterCommit(() => ctx.services.webhooks.deliver(workspace.id, { ...what, id: row.id }));
  return toDeliveryView({ ...what, ...UNDER_WAY, id: row.id, created_at: row.created_at });
}
