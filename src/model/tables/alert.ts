// An alert. `visible_at` is generated from the status, so that what handsets see can never drift from it. With it go
// what the newest edits replaced, and how far the occurrences of a repeating one are written down.

import { defineEntity, p } from "@mikro-orm/core";
import { ALERT_FIELDS } from "../fields/alert.ts";
import { createEntityProperties } from "../fields/field_table.ts";
import { timestampColumn, writtenAtColumn } from "../fields/sql_statement_types.ts";
import { Asset } from "./asset.ts";
import { Channel } from "./channel.ts";

export const ALERT_STATUSES = ["draft", "repeating", "scheduled", "sent", "cancelled"] as const;
export type AlertStatus = (typeof ALERT_STATUSES)[number];

// A repeating alert is never seen by handsets: its occurrences are, which are alerts of their own
// (docs/decisions/0033-each-occurrence-is-an-alert.md).

const VISIBLE_AT_SQL = "case status when 'sent' then sent_at when 'scheduled' then send_at else null end";

export const Alert = defineEntity({
  name: "Alert",
  checks: [
    { name: "alert_visible", expression: "(status in ('sent', 'scheduled')) = (visible_at is not null)" },
    { name: "alert_geofence", expression: "num_nonnulls(lat, lon, radius_km) in (0, 3)" },
  ],
  // Columns ascend, also for lists that begin with the newest row, which read an index backwards. With a descending
  // column each new row comes first, and leaves half-empty pages.
  indexes: [
    { name: "alert_inbox", properties: ["pusher", "visible_at", "id"], where: "status = 'sent'" },
    { name: "alert_scheduled", properties: ["pusher", "visible_at"], where: "status = 'scheduled'" },
    { name: "alert_list", properties: ["pusher", "created_at"] },
    { name: "alert_draft", properties: ["pusher", "created_at"], where: "status = 'draft'" },
    { name: "alert_repeating", properties: ["pusher", "created_at"], where: "status = 'repeating'" },
    {
      name: "alert_occurrence",
      expression: "create unique index alert_occurrence on alert (series_id, occurs_at) where series_id is not null",
    },
    { name: "alert_cancelled", properties: ["pusher", "created_at"], where: "status = 'cancelled'" },
    // The orders in which a search of all channels reads the nearest alerts (store/queries/alert_search.ts).
    { name: "alert_newest", properties: ["created_at"] },
    { name: "alert_newest_sent", properties: ["visible_at", "id"], where: "status = 'sent'" },
    { name: "alert_next_scheduled", properties: ["visible_at", "id"], where: "status = 'scheduled'" },
    // New entries wait in a list of 512 kB, which each search reads, and which the write that fills it puts into the
    // index.
    ...["visible", "hidden"].map((side) => ({
      name: `alert_search_${side}`,
      expression: `create index alert_search_${side} on alert using gin (search_vector)
        with (gin_pending_list_limit = 512)
        where search_vector is not null and visible_at is ${side === "visible" ? "not null" : "null"}`,
    })),
    { name: "alert_unindexed", properties: ["id"], where: "search_vector is null" },
    { name: "alert_image_asset", properties: ["image_asset"], where: "image_asset_id is not null" },
    { name: "alert_audio_asset", properties: ["audio_asset"], where: "audio_asset_id is not null" },
    { name: "alert_html_asset", properties: ["html_asset"], where: "html_asset_id is not null" },
  ],
  properties: {
    id: p.uuid().primary(),
    pusher: () => p.manyToOne(Channel).ref().deleteRule("cascade"),
    status: p.enum(ALERT_STATUSES).default("draft"),
    ...createEntityProperties(ALERT_FIELDS),
    image_asset: () => p.manyToOne(Asset).ref().nullable().deleteRule("no action"),
    audio_asset: () => p.manyToOne(Asset).ref().nullable().deleteRule("no action"),
    html_asset: () => p.manyToOne(Asset).ref().nullable().deleteRule("no action"),
    /** The alert that notified reviewers of this draft. It is set once, so each draft causes one notification. */
    review_notice_id: p.uuid().nullable(),
    /** For an occurrence: its repeating alert, and its original time by the rule, even if it was moved. */
    series_id: p.uuid().nullable(),
    occurs_at: timestampColumn().nullable(),
    /** An occurrence that was edited separately and no longer follows its series. */
    detached_from_series: p.boolean().default(false),
    sent_at: timestampColumn().nullable(),
    cancelled_at: timestampColumn().nullable(),
    visible_at: timestampColumn().nullable().generated(`(${VISIBLE_AT_SQL}) stored`),
    /**
     * The search terms of title and text, with prefixed ids for filters (store/queries/alert_search_index.ts). Null if
     * an earlier version wrote the row; the housekeeping then creates them.
     */
    search_vector: p.string().columnType("tsvector").nullable().lazy(),
    created_at: writtenAtColumn(),
    updated_at: writtenAtColumn(),
  },
});

export const AlertChange = defineEntity({
  name: "AlertChange",
  indexes: [{ name: "alert_change_age", properties: ["updated_at"] }],
  properties: {
    alert: () => p.manyToOne(Alert).ref().primary().deleteRule("cascade"),
    /** The version of the alert that the edit made. */
    updated_at: timestampColumn().primary(),
    /** Former values by the name of their field, as the row had them. */
    previous_values: p.json<Record<string, unknown>>(),
  },
});

export const AlertSeriesFillState = defineEntity({
  name: "AlertSeries",
  indexes: [{ name: "alert_series_due", properties: ["next_fill_at"] }],
  properties: {
    alert: () => p.manyToOne(Alert).ref().primary().deleteRule("cascade"),
    /** The time up to which occurrences were created, skipped or deleted. */
    filled_until: timestampColumn(),
    /** From then on more of it is to be written, or it is found to be over. */
    next_fill_at: timestampColumn(),
  },
});
