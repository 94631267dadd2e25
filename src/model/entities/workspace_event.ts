// What webhooks are told of, kept for clients that fetch it: written in the transaction that made it true, numbered once it is
// read. It refers to nothing, so that nobody waits for it, and goes when its time is over.

import { defineEntity, p } from "@mikro-orm/core";
import { writtenAt } from "../fields/columns.ts";

export const WorkspaceEvent = defineEntity({
  name: "WorkspaceEvent",
  tableName: "workspace_event",
  indexes: [
    { name: "event_feed", properties: ["workspace_id", "position"], where: "position is not null" },
    { name: "event_unnumbered", properties: ["workspace_id", "serial"], where: "position is null" },
    { name: "event_age", properties: ["created_at"] },
  ],
  properties: {
    /** In the order of writing, which is not that of commits: nobody outside may go by it. */
    serial: p.bigint("string").primary().autoincrement(),
    /** What receivers are told as X-Webhook-Event-Id. */
    id: p.uuid(),
    workspace_id: p.uuid(),
    pusher_id: p.uuid(),
    /** The JSON text, as webhooks send it. */
    body: p.text(),
    /** Its place in the feed, given by the first reader who finds it committed (docs/decisions/0018). */
    position: p.bigint("string").nullable(),
    created_at: writtenAt(),
  },
});
