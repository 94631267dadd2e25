// A webhook endpoint on the wire. Its secret appears in the answer that makes it and nowhere else.

import { z } from "zod";
import { showId } from "../domain/ids.ts";
import { toIsoMicros, toIsoMicrosOrNull } from "../entities/columns.ts";
import type { WebhookRecord } from "../queries/webhooks.ts";
import { named } from "./named.ts";

export const webhookView = named(
  "Webhook",
  z.object({
    id: z.string(),
    url: z.string(),
    events: z.array(z.string()),
    failure_count: z.int().describe("Consecutive failures; any success resets it."),
    dropped_count: z
      .int()
      .describe("Deliveries that this server dropped because too many were waiting; they never disable."),
    disabled: z.boolean(),
    disabled_at: z.string().nullable(),
    last_delivery_at: z.string().nullable(),
    last_status: z.int().nullable(),
    created_at: z.string(),
  }),
);

export function showWebhook(record: WebhookRecord): z.infer<typeof webhookView> {
  return {
    ...record,
    id: showId("whk", record.id),
    disabled: record.disabled_at !== null,
    disabled_at: toIsoMicrosOrNull(record.disabled_at),
    last_delivery_at: toIsoMicrosOrNull(record.last_delivery_at),
    created_at: toIsoMicros(record.created_at),
  };
}
