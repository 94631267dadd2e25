// The account: what owns channels, members, keys and webhook endpoints.

import { defineEntity, p } from "@mikro-orm/core";
import { instant, writtenAt } from "../fields/columns.ts";

export const Workspace = defineEntity({
  name: "Workspace",
  tableName: "workspace",
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    /** The last place of the feed of events that was given to one (docs/decisions/0018). */
    events_numbered: p.bigint("string").default("0"),
    /** The channel that tells of drafts which wait for a review. No foreign key: one that is gone takes nothing. */
    reviews_id: p.uuid().nullable(),
    /** What holds for channels that say nothing of their own (docs/rules.md#retention); null and 0: for ever. */
    retention_days: p.integer().nullable(),
    retention_from: instant().nullable(),
    created_at: writtenAt(),
  },
});
