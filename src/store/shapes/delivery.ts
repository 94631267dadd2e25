// A delivery on the wire: what its owner may know of it. The answer's body is nobody's business, so it is not kept.

import { z } from "zod";
import { showId, showIdOrNull } from "../../model/domain/ids.ts";
import { toIsoMicros } from "../../model/fields/columns.ts";
import { named } from "../../model/fields/named.ts";
import type { DeliveryRecord } from "../queries/deliveries.ts";

export const deliveryView = named(
  "WebhookDelivery",
  z.object({
    id: z.string().describe("What the receiver gets as X-Webhook-Id."),
    webhook_id: z.string(),
    event_id: z
      .string()
      .nullable()
      .describe("X-Webhook-Event-Id: the same in a redelivery, and in list_events."),
    event: z.string(),
    ok: z.boolean().nullable().describe("null: under way, or its server stopped meanwhile."),
    status: z.int().nullable().describe("The receiver's HTTP status, if one came."),
    failure: z
      .string()
      .nullable()
      .describe("Where it ended: refused_target, dns, timeout, connect, tls, redirect, status or reply."),
    duration_ms: z.int().nullable(),
    redelivery_of: z.string().nullable(),
    created_at: z.string(),
  }),
);

export function showDelivery(row: DeliveryRecord): z.infer<typeof deliveryView> {
  const { id, endpoint_id, event_id, redelivery_of, created_at, ...rest } = row;
  return {
    id: showId("dlv", id),
    webhook_id: showId("whk", endpoint_id),
    event_id: showIdOrNull("evt", event_id),
    ...rest,
    redelivery_of: showIdOrNull("dlv", redelivery_of),
    created_at: toIsoMicros(created_at),
  };
}
