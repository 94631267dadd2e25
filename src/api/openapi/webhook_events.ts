// The requests to registered endpoints: one signed POST for each event (rules#signed-webhooks).

import { EVENT_NAMES } from "../../model/fields/webhook.ts";
import { LIMITS, spellLimit } from "../../model/limits.ts";
import type { OpenApiJson } from "./error_responses.ts";
import { EXAMPLE_IDS } from "./examples.ts";

/** The events of endpoints: those they subscribe to, and the event of `test_webhook`, which has no subscription. */
const RECEIVED = [...EVENT_NAMES, "webhook.test"] as const;
type Received = (typeof RECEIVED)[number];

const WORDS: Record<Received, [summary: string, description: string]> = {
  "alert.sent": ["Alert sent", "An alert was sent immediately, from a draft, or earlier than scheduled."],
  "alert.scheduled": [
    "Alert scheduled",
    "The alert will become visible at `send_at`. To act at that time, use this payload or subscribe to " +
      "`alert.visible`.",
  ],
  "alert.cancelled": [
    "Alert cancelled",
    "The alert was withdrawn or returned to draft (see `status`). Handsets that already received it keep it.",
  ],
  "subscriber.created": [
    "Subscribers joined",
    "The number of subscribers (`count`) and the change since the last event (`delta`), but never a device identity. " +
      "A channel's events are sent at most once a second, so one event can cover several joins and leaves.",
  ],
  "subscriber.deleted": [
    "Subscribers left",
    "The same data, with a negative `delta`. Also sent when revoking an invite removes subscribers.",
  ],
  "alert.visible": [
    "Scheduled alert became visible",
    "A scheduled alert became visible. Sent once: within seconds if the server is running, otherwise later. Stored " +
      "and listed in the feed only while one of the workspace's endpoints subscribes to this event.",
  ],
  "alert.acknowledged": [
    "Alert acknowledged",
    "The number of devices that acknowledged an alert (`count`) and the change since the last event (`delta`), but " +
      `never their identity. Sent at most once every ${LIMITS.acks_told_seconds} seconds per alert, and only while ` +
      "one of the workspace's endpoints subscribes to this event.",
  ],
  "alert.replied": [
    "Alert replied to",
    "The current number of replies for each choice (`choices`) and the number of devices that " +
      "replied (`count`), but never their identity. A device that changes its reply counts once. Sent " +
      "at most once a second per alert while one of the workspace's endpoints subscribes to this event; the " +
      "final state is always sent.",
  ],
  "webhook.test": [
    "Test",
    "The event that `test_webhook` sends, signed like any delivery. Its `pusher_id` does not belong to a channel.",
  ],
};

const text = { type: "string" };
const instantOrNull = { type: ["string", "null"], format: "date-time" };

const ALERT_DATA: OpenApiJson = {
  pusher_id: text,
  alert_id: text,
  title: text,
  priority: text,
  status: text,
  send_at: instantOrNull,
  sent_at: instantOrNull,
};
const count = { type: "integer" };
const SUBSCRIBER_DATA: OpenApiJson = { pusher_id: text, count, delta: count };

const object = (properties: OpenApiJson): OpenApiJson => ({
  type: "object",
  properties,
  required: Object.keys(properties),
});

const header = (name: string, description: string): OpenApiJson => ({
  name,
  in: "header",
  required: true,
  description,
  schema: text,
});

export function createOpenApiWebhooks(): OpenApiJson {
  return Object.fromEntries(RECEIVED.map((event) => [event, { post: delivery(event) }]));
}

function delivery(event: Received): OpenApiJson {
  const [summary, description] = WORDS[event];
  const [data, about] = dataOf(event);
  return {
    operationId: `on_${event.replace(".", "_")}`,
    tags: ["Events"],
    summary,
    description,
    security: [],
    parameters: [
      header(
        "X-Webhook-Signature",
        "`t=<unix>,v1=<hex>`: v1 is the hex HMAC-SHA256 of `<t>.<raw body>` with the endpoint's secret. For a day " +
          "after rotate_webhook_secret, there are two `v1` values, and one match is enough. Verify the signature " +
          "before parsing. Reject a `t` that differs from the current time by more than " +
          `${LIMITS.webhook_clock_seconds} seconds.`,
      ),
      header("X-Webhook-Event", "Event name."),
      header("X-Webhook-Event-Id", "Event id, the same in all deliveries of the event and in list_events."),
      header("X-Webhook-Id", "Unique for each delivery."),
    ],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: object({
            event: { ...text, const: event },
            created_at: { ...text, format: "date-time" },
            data: object(data),
          }),
          example: { event, created_at: "2026-11-20T14:25:31.130Z", data: about },
        },
      },
    },
    responses: {
      "2XX": {
        description:
          `Accepted. Any other status, or no response within ${spellLimit("webhook_seconds")} seconds, counts as a ` +
          "failure.",
      },
    },
  };
}

/** Shape and example of an event's `data`. */
function dataOf(event: Received): [shape: OpenApiJson, example: OpenApiJson] {
  if (event === "webhook.test")
    return [
      { pusher_id: text, webhook_id: text },
      { pusher_id: "psh_00000000000000000000000000", webhook_id: EXAMPLE_IDS.webhook_id },
    ];
  const { pusher_id } = EXAMPLE_IDS;
  if (!event.startsWith("alert."))
    return [SUBSCRIBER_DATA, { pusher_id, count: 1204, delta: event === "subscriber.created" ? 1 : -1 }];
  if (event === "alert.acknowledged")
    return [
      { pusher_id: text, alert_id: text, count, delta: count },
      { pusher_id, alert_id: EXAMPLE_IDS.alert_id, count: 871, delta: 12 },
    ];
  if (event === "alert.replied")
    return [
      {
        ...{ pusher_id: text, alert_id: text, count },
        choices: { type: "array", items: object({ choice: text, count }) },
      },
      {
        ...{ pusher_id, alert_id: EXAMPLE_IDS.alert_id, count: 12 },
        choices: [
          { choice: "On my way", count: 2 },
          { choice: "Not me", count: 10 },
        ],
      },
    ];
  const scheduled = event === "alert.scheduled";
  const example = {
    pusher_id,
    alert_id: EXAMPLE_IDS.alert_id,
    title: "Line 3 suspended until 18:00",
    priority: "important",
    status: event === "alert.visible" ? "sent" : event.slice("alert.".length),
    send_at: scheduled
      ? "2030-06-01T16:00:00.000000Z"
      : event === "alert.visible"
        ? "2026-11-20T14:25:31.123456Z"
        : null,
    sent_at: scheduled ? null : "2026-11-20T14:25:31.123456Z",
  };
  return [ALERT_DATA, example];
}
