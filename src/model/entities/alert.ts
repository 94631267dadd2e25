// An alert. `visible_at` is generated from the status, so that what handsets see can never drift from it. With it go what the
// newest edits replaced, and how far the occurrences of a repeating one are written down.

import { defineEntity, p } from "@mikro-orm/core";
import { ALERT } from "../fields/alert.ts";
import { instant, writtenAt } from "../fields/columns.ts";
import { propertiesOf } from "../fields/record.ts";
import { Asset } from "./asset.ts";
import { Workspace } from "./member.ts";
import { Pusher } from "./pusher.ts";

export const ALERT_STATUSES = ["draft", "repeating", "scheduled", "sent", "cancelled"] as const;
export type AlertStatus = (typeof ALERT_STATUSES)[number];

// A repeating alert is never seen by handsets: its occurrences are, which are alerts of their own (docs/decisions/0033-an-occurrence-is-an-alert.md).

export const VISIBLE_AT = "case status when 'sent' then sent_at when 'scheduled' then send_at else null end";

export const Alert = defineEntity({
  name: "Alert",
  checks: [
    { name: "alert_visible", expression: "(status in ('sent', 'scheduled')) = (visible_at is not null)" },
    { name: "alert_geofence", expression: "num_nonnulls(lat, lon, radius_km) in (0, 3)" },
  ],
  indexes: [
    {
      name: "alert_inbox",
      // As a statement, since the ORM reads the order of `id` from `pusher_id` when it compares a database with this.
      expression:
        "create index alert_inbox on alert (pusher_id, visible_at desc, id desc) where status = 'sent'",
    },
    { name: "alert_scheduled", properties: ["pusher", "visible_at"], where: "status = 'scheduled'" },
    {
      name: "alert_list",
      properties: ["pusher", "created_at"],
      columns: [{ name: "pusher" }, { name: "created_at", sort: "DESC" }],
    },
    {
      name: "alert_draft",
      properties: ["pusher", "created_at"],
      columns: [{ name: "pusher" }, { name: "created_at", sort: "DESC" }],
      where: "status = 'draft'",
    },
    {
      name: "alert_repeating",
      properties: ["pusher", "created_at"],
      columns: [{ name: "pusher" }, { name: "created_at", sort: "DESC" }],
      where: "status = 'repeating'",
    },
    {
      name: "alert_occurrence",
      expression:
        "create unique index alert_occurrence on alert (series_id, occurs_at) where series_id is not null",
    },
    {
      name: "alert_cancelled",
      properties: ["pusher", "created_at"],
      columns: [{ name: "pusher" }, { name: "created_at", sort: "DESC" }],
      where: "status = 'cancelled'",
    },
    { name: "alert_image_asset", properties: ["image_asset"], where: "image_asset_id is not null" },
    { name: "alert_audio_asset", properties: ["audio_asset"], where: "audio_asset_id is not null" },
    { name: "alert_html_asset", properties: ["html_asset"], where: "html_asset_id is not null" },
  ],
  properties: {
    id: p.uuid().primary(),
    pusher: () => p.manyToOne(Pusher).ref().deleteRule("cascade"),
    status: p.enum(ALERT_STATUSES).default("draft"),
    ...propertiesOf(ALERT),
    image_asset: () => p.manyToOne(Asset).ref().nullable().deleteRule("no action"),
    audio_asset: () => p.manyToOne(Asset).ref().nullable().deleteRule("no action"),
    html_asset: () => p.manyToOne(Asset).ref().nullable().deleteRule("no action"),
    /** Of a draft that waited for a review: the alert that told of it. It is written once, so each is told of once. */
    notice_id: p.uuid().nullable(),
    /** Of an occurrence: the repeating alert that it was made of, and when its rule has it, wherever it was moved since. */
    series_id: p.uuid().nullable(),
    occurs_at: instant().nullable(),
    /** An occurrence that was edited by itself: it says no more what its series says. */
    apart: p.boolean().default(false),
    sent_at: instant().nullable(),
    cancelled_at: instant().nullable(),
    visible_at: instant().nullable().generated(`(${VISIBLE_AT}) stored`),
    created_at: writtenAt(),
    updated_at: writtenAt(),
  },
});

export const AlertChange = defineEntity({
  name: "AlertChange",
  indexes: [{ name: "alert_change_age", properties: ["updated_at"] }],
  properties: {
    alert: () => p.manyToOne(Alert).ref().primary().deleteRule("cascade"),
    /** The version of the alert that the edit made. */
    updated_at: instant().primary(),
    /** Former values by the name of their field, as the row had them. */
    former: p.json<Record<string, unknown>>(),
  },
});

export const AlertSeries = defineEntity({
  name: "AlertSeries",
  indexes: [{ name: "alert_series_due", properties: ["fill_at"] }],
  properties: {
    alert: () => p.manyToOne(Alert).ref().primary().deleteRule("cascade"),
    /** Up to here its rule was read: what it names until then is written, was left out, or was deleted by somebody. */
    filled_to: instant(),
    /** From then on more of it is to be written, or it is found to be over. */
    fill_at: instant(),
  },
});

/**
 * The words by which an alert is found. Beside it and not in it: what sends, settles or cancels an alert writes its row anew, and with
 * it every entry of its indexes, while its words stay as they are. No index stands on them: some hundred alerts of a workspace together
 * make a block, which has one (docs/decisions/0029), and what is in none yet is loose and is looked at one by one.
 */
export const AlertWords = defineEntity({
  name: "AlertWords",
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
