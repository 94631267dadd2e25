// An alert channel, and its narrow companion row `channel_state`, which a send locks. Also the invites of private
// channels, which keep their first `revoked_at`, and the handles of channels that were deleted while suspended, which
// stay reserved.

import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import { CHANNEL_FIELDS, CHANNEL_INVITE_FIELDS } from "../fields/channel.ts";
import { createEntityProperties } from "../fields/field_table.ts";
import { timestampColumn, writtenAtColumn } from "../fields/sql_statement_types.ts";
import { Asset } from "./asset.ts";
import { Workspace } from "./member.ts";

/**
 * The arguments of the filter `visible`, which is on for every query. A query without them throws, so an omission fails
 * closed.
 */
export interface VisibilityFilter {
  workspace_id: string;
  /** The channels that the caller is narrowed to; null: all of the workspace's. */
  pusher_ids: string[] | null;
  member_id: string;
  /** The only channel of the caller's credential, or null. */
  bound_pusher_id: string | null;
}

export const CHANNEL_STATUSES = ["active", "paused", "suspended"] as const;

export const Channel = defineEntity({
  name: "Pusher",
  indexes: [
    { name: "pusher_list", properties: ["workspace", "created_at"] },
    { name: "pusher_directory", properties: ["created_at"], where: "is_public and status = 'active'" },
    {
      name: "pusher_geofenced",
      properties: ["created_at"],
      where: "is_public and status = 'active' and radius_km is not null",
    },
    { name: "pusher_search", properties: ["search_ngrams"], type: "gin", where: "is_public and status = 'active'" },
    { name: "pusher_image_asset", properties: ["image_asset"], where: "image_asset_id is not null" },
  ],
  checks: [
    { name: "pusher_geofence", expression: (c) => `num_nonnulls(${c.lat}, ${c.lon}, ${c.radius_km}) in (0, 3)` },
  ],
  filters: {
    // On for every query. Dispatch sets its arguments; without them a query throws, so forgetting fails closed.
    visible: {
      name: "visible",
      default: true,
      cond: (args: VisibilityFilter) => ({
        workspace: args.workspace_id,
        ...(args.pusher_ids ? { id: { $in: args.pusher_ids } } : {}),
      }),
    },
  },
  properties: {
    id: p.uuid().primary(),
    workspace: () => p.manyToOne(Workspace).ref().deleteRule("cascade"),
    handle: p.text().unique("pusher_handle"),
    ...createEntityProperties(CHANNEL_FIELDS),
    /** The uploaded file whose address `image_url` is, so that it stays (rules#channel-picture-held). */
    image_asset: () => p.manyToOne(Asset).ref().nullable().deleteRule("no action"),
    /** Name and tags in lower case, what the directory searches: lower-casing is not left to the database's locale. */
    search_text: p.text(),
    /**
     * All sequences of one, two and three letters of `search`, maintained by a trigger. They index a substring search
     * without an extension, and do not depend on the database's locale.
     */
    search_ngrams: p.array<string>().columnType("text[]").defaultRaw("'{}'").lazy(),
    status: p.enum(CHANNEL_STATUSES).default("active"),
    /** The earliest time for deletions by `retention_days`. A trigger sets it on each change. */
    retention_starts_at: timestampColumn().nullable(),
    created_at: writtenAtColumn(),
    updated_at: writtenAtColumn(),
  },
});

export type ChannelRow = InferEntity<typeof Channel>;

/**
 * Maintained by triggers in the transaction of the counted rows (see triggers.ts). `revision` grows with every change
 * of sent alerts, `published` counts sent and scheduled alerts, `subscribers` the subscriptions. The sender of events
 * maintains the reported counts (rules#subscriber-events-are-gathered).
 */
export const ChannelState = defineEntity({
  name: "ChannelState",
  indexes: [
    { name: "channel_state_next_due", properties: ["next_due_at"], where: "next_due_at is not null" },
    { name: "channel_state_pending", properties: ["pusher"], where: "subscribers_pending" },
  ],
  properties: {
    pusher: () => p.oneToOne(Channel).owner().primary().ref().deleteRule("cascade").updateRule("no action"),
    active: p.boolean().default(true),
    suspended: p.boolean().default(false),
    revision: p.bigint("number").default(0),
    /** When `revision` last grew. */
    changed_at: writtenAtColumn(),
    /** The time of the first scheduled alert, or null. In the past: an alert is due and not published yet. */
    next_due_at: timestampColumn().nullable(),
    published: p.bigint("number").default(0),
    subscribers: p.bigint("number").default(0),
    /** The count in the last subscriber event, and its time; null before the first one. */
    subscribers_reported: p.bigint("number").default(0),
    subscribers_reported_at: timestampColumn().nullable(),
    /** Devices joined or left after that event. */
    subscribers_pending: p.boolean().default(false),
  },
});

export const ChannelInvite = defineEntity({
  name: "Invite",
  indexes: [{ name: "invite_list", properties: ["pusher", "created_at"] }],
  properties: {
    id: p.uuid().primary(),
    pusher: () => p.manyToOne(Channel).ref().deleteRule("cascade"),
    /** Shown to the owner again and again, so it is stored as it is; 128 random bits or more. */
    code: p.text().unique("invite_code"),
    ...createEntityProperties(CHANNEL_INVITE_FIELDS),
    uses: p.integer().default(0),
    revoked_at: timestampColumn().nullable(),
    created_at: writtenAtColumn(),
  },
});

export type InviteRow = InferEntity<typeof ChannelInvite>;

export const ReservedHandle = defineEntity({ name: "ReservedHandle", properties: { handle: p.text().primary() } });
