// What became of a delivery, for its owner to look at: the newest of each endpoint, for some days. Only a record: nothing is
// delivered out of it but what somebody asks for by hand.

import { defineEntity, p } from "@mikro-orm/core";
import { writtenAt } from "../fields/columns.ts";
import { WebhookEndpoint } from "./webhook_endpoint.ts";

export const WebhookDelivery = defineEntity({
  name: "WebhookDelivery",
  tableName: "webhook_delivery",
  indexes: [
    {
      name: "webhook_delivery_list",
      properties: ["endpoint", "created_at"],
      columns: [{ name: "endpoint" }, { name: "created_at", sort: "DESC" }],
    },
    { name: "webhook_delivery_age", properties: ["created_at"] },
  ],
  properties: {
    /** What the receiver is told as X-Webhook-Id. */
    id: p.uuid().primary(),
    endpoint: () => p.manyToOne(WebhookEndpoint).ref().deleteRule("cascade"),
    /** What it tells of, the same in every delivery of it; null of those from before events had ids. */
    event_id: p.uuid().nullable(),
    event: p.text(),
    /** As it was signed, so that it can be delivered again. */
    body: p.text(),
    redelivery_of: p.uuid().nullable(),
    /** Null while it is under way, and for good when this server stopped meanwhile or had no room for it. */
    ok: p.boolean().nullable(),
    status: p.integer().nullable(),
    failure: p.text().nullable(),
    duration_ms: p.integer().nullable(),
    created_at: writtenAt(),
  },
});
