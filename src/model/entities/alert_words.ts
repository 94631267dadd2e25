// The words by which an alert is found. Beside it and not in it: what sends, settles or cancels an alert writes its row anew, and with
// it every entry of its indexes, while its words stay as they are. No index stands on them: some hundred alerts of a workspace together
// make a block, which has one (docs/decisions/0029), and what is in none yet is loose and is looked at one by one.

import { defineEntity, p } from "@mikro-orm/core";
import { instant } from "../fields/columns.ts";
import { Workspace } from "./member.ts";

export const AlertWords = defineEntity({
  name: "AlertWords",
  tableName: "alert_words",
  indexes: [
    { name: "alert_words_wanted", properties: ["alert_id"], where: "words is null" },
    { name: "alert_words_in_block", properties: ["block_id"], where: "block_id is not null" },
  ],
  properties: {
    /** Refers to an alert without a constraint, as reports do; triggers make it with the alert and remove it with it. */
    alert_id: p.uuid().primary(),
    /**
     * Each word, and `@` and the writer's id, behind six letters of the channel's id: so a block tells in which channel it has a word.
     * Null: written by who knew of no words, and made soon (effects/housekeeping).
     */
    words: p.string().columnType("tsvector").nullable(),
    /** Null: loose. Else what follows is as the alert has it: a trigger makes it loose again before that changes. */
    block_id: p.uuid().nullable(),
    pusher_id: p.uuid().nullable(),
    created_at: instant().nullable(),
    visible_at: instant().nullable(),
  },
});

/** Alerts that are in no block; triggers write it with the alert. */
export const LooseAlert = defineEntity({
  name: "LooseAlert",
  tableName: "loose_alert",
  indexes: [{ name: "loose_alert_age", properties: ["workspace_id", "created_at"] }],
  properties: {
    alert_id: p.uuid().primary(),
    workspace_id: p.uuid(),
    pusher_id: p.uuid(),
    created_at: instant(),
  },
});

/** What some hundred alerts of a workspace have together; made by the housekeeping and changed by nobody else. */
export const AlertBlock = defineEntity({
  name: "AlertBlock",
  tableName: "alert_block",
  indexes: [
    { name: "alert_block_workspace", properties: ["workspace"] },
    { name: "alert_block_stale", properties: ["id"], where: "stale" },
    {
      name: "alert_block_found",
      // No list of what waits (`fastupdate`), which every search would read.
      expression: "create index alert_block_found on alert_block using gin (words) with (fastupdate = off)",
    },
  ],
  properties: {
    id: p.uuid().primary(),
    workspace: () => p.manyToOne(Workspace).ref().deleteRule("cascade"),
    /** Each entry that one of its alerts has; more than that where one went or changed since. */
    words: p.string().columnType("tsvector"),
    /** Between these are the instants of all its alerts, and those at which some become visible. */
    created_from: instant(),
    created_to: instant(),
    visible_from: instant().nullable(),
    visible_to: instant().nullable(),
    /** An alert of it was removed, and what it alone said goes soon. */
    stale: p.boolean().default(false),
  },
});
