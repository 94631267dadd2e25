// A webhook endpoint, its deliveries and the feed of events on the wire. The secret appears only in the response that
// creates it. The receiver's response body is not stored. An event has the content of a webhook's body, and its id. A
// position in the feed is opaque to the client. It contains the place and the time, so that a position that outlived
// the next events is detected.

import { z } from "zod";
import { createApiAndUiText, createZodRefineParams } from "../../model/api_and_ui_error_texts.ts";
import { assertDefined } from "../../model/assert.ts";
import { formatId, formatIdOrNull } from "../../model/domain/type_ids.ts";
import { ALERT_FIELDS } from "../../model/fields/alert.ts";
import { choiceCountsSchema } from "../../model/fields/alert_actions.ts";
import { createResponseSchemas, formatResponseFields, selectFieldsShownTo } from "../../model/fields/field_table.ts";
import { registerSchemaName } from "../../model/fields/schema_names.ts";
import { toIsoMicros } from "../../model/fields/sql_statement_types.ts";
import { EVENT_NAMES, WEBHOOK_FIELDS } from "../../model/fields/webhook.ts";
import type { WebhookRow } from "../../model/tables/webhook.ts";
import type { EventRecord } from "../queries/audit_and_events.ts";
import type { DeliveryRecord } from "../queries/webhooks.ts";
import { truncateText } from "./shared_parameters_and_pages.ts";

export const webhookSchema = registerSchemaName(
  "Webhook",
  z.object({
    id: z.string(),
    ...createResponseSchemas(selectFieldsShownTo(WEBHOOK_FIELDS, "owner")),
    failure_count: z.int().describe("Consecutive failures; any success resets the count."),
    dropped_count: z
      .int()
      .describe(
        "Number of deliveries that this server dropped because too many were waiting. Dropped " +
          "deliveries never cause the endpoint to be disabled.",
      ),
    disabled: z.boolean(),
    disabled_at: z.string().nullable(),
    paused_at: z
      .string()
      .nullable()
      .describe("When a member paused the endpoint. It gets no events until it is resumed."),
    last_delivery_at: z.string().nullable(),
    last_status: z.int().nullable(),
    previous_secret_until: z
      .string()
      .nullable()
      .describe("Time until which deliveries are also signed with the previous secret; otherwise null."),
    made_by: z
      .object({ id: z.string(), name: z.string().nullable() })
      .nullable()
      .describe("The key, connection or member that registered the endpoint; null if unknown."),
    created_at: z.string(),
  }),
);

export function toWebhookView(row: Omit<WebhookRow, "secret" | "previous_secret">): z.infer<typeof webhookSchema> {
  const { id, failure_count, dropped_count, created_at } = row;
  return {
    id: formatId("whk", id),
    ...formatResponseFields(WEBHOOK_FIELDS, row),
    failure_count,
    dropped_count,
    disabled: (row.disabled_at ?? null) !== null,
    disabled_at: row.disabled_at ?? null,
    paused_at: row.paused_at ?? null,
    last_delivery_at: row.last_delivery_at ?? null,
    last_status: row.last_status ?? null,
    previous_secret_until: row.previous_secret_until ?? null,
    made_by: row.created_by_id == null ? null : { id: row.created_by_id, name: row.created_by_name ?? null },
    created_at,
  };
}

/** Addresses may be long, and a list of them has no pages: cut, with their lengths. */
export const webhookListBriefAnswer = {
  output: z.object({ data: z.array(webhookSchema.extend({ url_length: z.int() })) }),
  of: (whole: unknown) => ({
    data: (whole as { data: { url: string }[] }).data.map(({ url, ...row }) => ({
      ...row,
      url: truncateText(url),
      url_length: url.length,
    })),
  }),
};

export const deliverySchema = registerSchemaName(
  "WebhookDelivery",
  z.object({
    id: z.string().describe("Sent to the receiver as X-Webhook-Id."),
    webhook_id: z.string(),
    event_id: z.string().nullable().describe("Sent as X-Webhook-Event-Id; the same in redeliveries and list_events."),
    event: z.string(),
    alert_id: z.string().nullable().describe("The alert that the event is about; null if it is not about an alert."),
    title: z.string().nullable().describe("The title of the alert when the event occurred."),
    ok: z.boolean().nullable().describe("null means in progress, or interrupted by a server shutdown."),
    status: z.int().nullable().describe("The receiver's HTTP status, if it responded."),
    failure: z
      .string()
      .nullable()
      .describe("The stage that failed: refused_target, dns, timeout, connect, tls, redirect, status or reply."),
    duration_ms: z.int().nullable(),
    redelivery_of: z.string().nullable(),
    created_at: z.string(),
  }),
);

export function toDeliveryView(row: DeliveryRecord): z.infer<typeof deliverySchema> {
  const { id, endpoint_id, event_id, redelivery_of, created_at, body, ...rest } = row;
  const { data = {} } = JSON.parse(body) as { data?: { alert_id?: string; title?: string } };
  return {
    alert_id: data.alert_id ?? null,
    title: data.title ?? null,
    id: formatId("dlv", id),
    webhook_id: formatId("whk", endpoint_id),
    event_id: formatIdOrNull("evt", event_id),
    ...rest,
    redelivery_of: formatIdOrNull("dlv", redelivery_of),
    created_at: toIsoMicros(created_at),
  };
}

const PLACE = createZodRefineParams(
  "invalid_cursor",
  createApiAndUiText("must be the next_after of a response", "is not valid for this list; start from the beginning"),
);

export const eventSchema = registerSchemaName(
  "FeedEvent",
  z.object({
    id: z.string().describe("Sent to webhooks as X-Webhook-Event-Id."),
    event: z.enum(EVENT_NAMES),
    created_at: z.string(),
    data: z
      .object({
        pusher_id: z.string(),
        alert_id: z.string().optional(),
        ...z.object(createResponseSchemas(selectFieldsShownTo(ALERT_FIELDS, "webhook"))).partial().shape,
        status: z.string().optional(),
        sent_at: z.string().nullable().optional(),
        count: z.int().optional().describe("Number of subscribers, acknowledgements or replies at that time."),
        delta: z.int().optional().describe("Change since the previous event; negative when subscribers left."),
        choices: choiceCountsSchema.optional().describe("Number of replies for each choice at that time."),
      })
      .describe("As in the webhook body."),
  }),
);

export function toEventView({ id, body }: EventRecord): z.infer<typeof eventSchema> {
  return { id: formatId("evt", id), ...JSON.parse(body) };
}

/** A position in the feed: after this number of events, at a time in milliseconds. */
interface EventFeedPosition {
  position: string;
  at: number;
}

export const formatEventFeedPosition = ({ position, at }: EventFeedPosition): string =>
  Buffer.from(`${position}.${at}`).toString("base64url");

/** Null for a text that is not a position. */
function readFeedPlace(value: string): EventFeedPosition | null {
  const [, position, at] = /^(\d{1,18})\.(\d{1,15})$/.exec(Buffer.from(value, "base64url").toString()) ?? [];
  return position === undefined ? null : { position, at: Number(at) };
}

export const eventFeedPositionParameter = () =>
  z
    .string()
    .max(64, PLACE.error)
    .refine((value) => readFeedPlace(value) !== null, PLACE)
    .transform((value) => assertDefined(readFeedPlace(value), "the value was validated above"));
