// A receiver of signed events. Its secret must sign again and again, so it is sealed, not hashed.

import { defineEntity, p } from "@mikro-orm/core";
import { instant, writtenAt } from "./columns.ts";
import { Member } from "./member.ts";
import { Workspace } from "./workspace.ts";

export const WebhookEndpoint = defineEntity({
  name: "WebhookEndpoint",
  tableName: "webhook_endpoint",
  indexes: [{ name: "webhook_list", properties: ["workspace", "created_at"] }],
  properties: {
    id: p.uuid().primary(),
    workspace: () => p.manyToOne(Workspace).ref().deleteRule("cascade"),
    /** Who registered it: a member restricted to channels hears of those channels only. */
    member: () => p.manyToOne(Member).ref().deleteRule("cascade"),
    /** The channel of the credential that registered it, when that was bound to one. */
    pusher_id: p.uuid().nullable(),
    url: p.text(),
    events: p.array(),
    secret: p.blob(),
    failure_count: p.integer().default(0),
    /** Deliveries that this server dropped for its own lack of room: never a failure. */
    dropped_count: p.integer().default(0),
    disabled_at: instant().nullable(),
    last_delivery_at: instant().nullable(),
    last_status: p.integer().nullable(),
    created_at: writtenAt(),
  },
});
