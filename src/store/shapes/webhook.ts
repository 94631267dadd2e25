// A webhook endpoint and its deliveries on the wire. The secret appears in the answer that makes it and nowhere else; the
// answer's body is nobody's business, so it is not kept.

import { z } from "zod";
import { showId, showIdOrNull } from "../../model/domain/ids.ts";
import type { WebhookRow } from "../../model/entities/webhook.ts";
import { toIsoMicros } from "../../model/fields/columns.ts";
import { named } from "../../model/fields/named.ts";
import { answersOf, showFields, shownTo } from "../../model/fields/record.ts";
import { WEBHOOK } from "../../model/fields/webhook.ts";
import type { DeliveryRecord } from "../queries/webhooks.ts";
import { cut } from "./cut.ts";

export const webhookView = named(
  "Webhook",
  z.object({
    id: z.string(),
    ...answersOf(shownTo(WEBHOOK, "owner")),
    failure_count: z.int().describe("Consecutive failures; any success resets it."),
    dropped_count: z
      .int()
      .describe("Deliveries that this server dropped because too many were waiting; they never disable."),
    disabled: z.boolean(),
    disabled_at: z.string().nullable(),
    last_delivery_at: z.string().nullable(),
    last_status: z.int().nullable(),
    previous_secret_until: z
      .string()
      .nullable()
      .describe("Until then deliveries are signed with the secret before as well; null when there is none."),
    made_by: z
      .object({ id: z.string(), name: z.string().nullable() })
      .nullable()
      .describe("The key, connection or member that registered it; null when that is not known."),
    created_at: z.string(),
  }),
);

export function showWebhook(
  row: Omit<WebhookRow, "secret" | "previous_secret">,
): z.infer<typeof webhookView> {
  const { id, failure_count, dropped_count, created_at } = row;
  return {
    id: showId("whk", id),
    ...showFields(WEBHOOK, row),
    failure_count,
    dropped_count,
    disabled: (row.disabled_at ?? null) !== null,
    disabled_at: row.disabled_at ?? null,
    last_delivery_at: row.last_delivery_at ?? null,
    last_status: row.last_status ?? null,
    previous_secret_until: row.previous_secret_until ?? null,
    made_by: row.maker_id == null ? null : { id: row.maker_id, name: row.maker_name ?? null },
    created_at,
  };
}

/** Addresses may be long, and a list of them has no pages: cut, with their lengths. */
export const webhookListBrief = {
  output: z.object({ data: z.array(webhookView.extend({ url_length: z.int() })) }),
  of: (whole: unknown) => ({
    data: (whole as { data: { url: string }[] }).data.map(({ url, ...row }) => ({
      ...row,
      url: cut(url),
      url_length: url.length,
    })),
  }),
};

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
