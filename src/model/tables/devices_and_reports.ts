// Devices, their subscriptions and reports. Triggers and the report statement maintain the counters in the transaction
// of the counted rows.

import { defineEntity, p } from "@mikro-orm/core";
import type { RequestablePermission } from "../fields/channel.ts";
import { DEVICE_FIELDS } from "../fields/device.ts";
import { createEntityProperties } from "../fields/field_table.ts";
import { timestampColumn, writtenAtColumn } from "../fields/sql_statement_types.ts";
import { Channel, ChannelInvite } from "./channel.ts";

export const Device = defineEntity({
  name: "Device",
  uniques: [{ name: "device_token", properties: ["token_hash"], include: ["id"] }],
  indexes: [{ name: "device_last_seen", properties: ["last_seen_at"] }],
  properties: {
    /** 63 random bits: a sample by device id is uniform. */
    id: p.bigint("string").primary().autoincrement(false),
    token_hash: p.blob(),
    /** Grows with every join, leave, eviction and test: half of the inbox's validator. */
    subscriptions_revision: p.bigint("number").default(0),
    /**
     * Grows when the device leaves a channel or is evicted. Part of the inbox's validator: a device that joins the
     * same channel later is shown other alerts as sent before it joined.
     */
    leave_count: p.bigint("number").default(0),
    ...createEntityProperties(DEVICE_FIELDS),
    /** Until when it may be shown a test of a draft; null on nearly every device (see TestDevice). */
    test_until: timestampColumn().nullable(),
    /** Within a day of the truth (see handset/device_authentication.ts). */
    last_seen_at: writtenAtColumn(),
    created_at: writtenAtColumn(),
  },
});

/** A code by which another device takes over the subscriptions of this one; only its hash is kept. */
export const DeviceTransfer = defineEntity({
  name: "DeviceTransfer",
  uniques: [{ name: "device_transfer_code", properties: ["code_hash"] }],
  indexes: [{ name: "device_transfer_expiry", properties: ["expires_at"] }],
  properties: {
    device: () => p.oneToOne(Device).primary().ref().deleteRule("cascade").updateRule("no action"),
    code_hash: p.blob(),
    expires_at: timestampColumn(),
  },
});

/**
 * SQL for subscriptions with push notifications: at least one visible or audible permission is granted. The index
 * contains only these.
 */
export const WANTS_PUSH_SQL = "not muted and permissions && '{notify,sound,vibrate,tts,full}'::text[]";

export const Subscription = defineEntity({
  name: "Subscription",
  indexes: [
    { name: "subscription_list", properties: ["pusher", "subscribed_at"] },
    { name: "subscription_muted_list", properties: ["pusher", "subscribed_at"], where: "muted" },
    { name: "subscription_invite", properties: ["invite"], where: "invite_id is not null" },
    { name: "subscription_push", properties: ["pusher", "device"], where: WANTS_PUSH_SQL },
  ],
  properties: {
    device: () => p.manyToOne(Device).primary().ref().deleteRule("cascade").updateRule("no action"),
    pusher: () => p.manyToOne(Channel).primary().ref().deleteRule("restrict").updateRule("no action"),
    invite: () => p.manyToOne(ChannelInvite).ref().nullable().deleteRule("set null"),
    permissions: p.array().$type<RequestablePermission[]>(),
    muted: p.boolean().default(false),
    subscribed_at: writtenAtColumn(),
  },
});

/** The push endpoint of a device, encrypted, because anyone who knows it can notify the device. */
export const PUSH_KINDS = ["web_push", "unified_push"] as const;

export const PushEndpoint = defineEntity({
  name: "PushEndpoint",
  properties: {
    device: () => p.oneToOne(Device).owner().primary().ref().deleteRule("cascade").updateRule("no action"),
    kind: p.enum(PUSH_KINDS),
    endpoint: p.blob(),
    /**
     * Consecutive failures. After enough of them over enough time, the endpoint is deleted. Nothing else about push
     * notifications is stored.
     */
    failures: p.integer().default(0),
    failing_since: timestampColumn().nullable(),
    created_at: writtenAtColumn(),
  },
});

/**
 * The number of subscribers with the same platform, version, locale and time zone. The breakdown is a sum over these
 * few rows.
 */
export const SubscriberBreakdown = defineEntity({
  name: "SubscriberBreakdown",
  properties: {
    pusher: () => p.manyToOne(Channel).primary().ref().deleteRule("cascade").updateRule("no action"),
    platform: p.text().primary(),
    app_version: p.text().primary(),
    locale: p.text().primary(),
    timezone: p.text().primary(),
    device_count: p.bigint("number"),
    muted_count: p.bigint("number"),
  },
});

/** 1 read, 2 ack, 3 reply. Pruning clears `at` and keeps the row, so that a repeat never counts twice. */
export const DEVICE_REPORT_KINDS = { read: 1, ack: 2, reply: 3 } as const;

export const DeviceReport = defineEntity({
  name: "Report",
  indexes: [{ name: "report_device", properties: ["device_id"], where: "reported_at is not null" }],
  properties: {
    alert_id: p.uuid().primary(),
    device_id: p.bigint("string").primary(),
    kind: p.smallint().primary(),
    reported_at: timestampColumn().nullable(),
    /** The position of the chosen reply, from 1, and of the previous choice, which the counters subtract. */
    choice: p.smallint().nullable(),
    previous_choice: p.smallint().nullable(),
  },
});

/** Counters with events that were not yet reported to the account; the index has only these. */
export const COUNTER_HAS_PENDING_EVENTS_SQL = "visible_pending or acks_pending or replies_pending";

/**
 * The numbers of reads and acknowledgements of an alert, and of those that events reported (rules#events-asked-for).
 */
export const AlertCounter = defineEntity({
  name: "AlertCounter",
  indexes: [{ name: "alert_counter_pending", properties: ["alert_id"], where: COUNTER_HAS_PENDING_EVENTS_SQL }],
  properties: {
    alert_id: p.uuid().primary(),
    reads: p.bigint("number").default(0),
    acks: p.bigint("number").default(0),
    /** The alert was scheduled and has become visible, and this event is pending. */
    visible_pending: p.boolean().default(false),
    /** Acknowledgements were counted after the last event about them. */
    acks_pending: p.boolean().default(false),
    /** The count of acknowledgements in the last event, and its time; null before the first one. */
    acks_reported: p.bigint("number").default(0),
    acks_reported_at: timestampColumn().nullable(),
    /** The current number of devices for each choice, in the order of the choices. */
    replies: p.array().$type<number[]>().columnType("bigint[]").defaultRaw("'{0,0,0,0}'"),
    /** Replies were counted after the last event about them, and the time of that event. */
    replies_pending: p.boolean().default(false),
    replies_reported_at: timestampColumn().nullable(),
  },
});

/**
 * Further counts of an alert, from simultaneous statements on its channel (store/queries/reports.ts). The total is the
 * sum of all rows.
 */
export const AlertCounterStripe = defineEntity({
  name: "AlertCounterStripe",
  properties: {
    alert_id: p.uuid().primary(),
    stripe: p.smallint().primary(),
    reads: p.bigint("number"),
    acks: p.bigint("number"),
    replies: p.array().$type<number[]>().columnType("bigint[]"),
  },
});

/** Deleted alerts with remaining reports, which are deleted in batches (effects/housekeeping). */
export const OrphanedReportAlert = defineEntity({
  name: "OrphanedReportAlert",
  properties: { alert_id: p.uuid().primary() },
});

/** One row a channel and UTC day: statistics cost days, not alerts. `gone` of the published ones are kept no longer. */
export const ChannelDay = defineEntity({
  name: "ChannelDay",
  properties: {
    pusher: () => p.manyToOne(Channel).primary().ref().deleteRule("cascade").updateRule("no action"),
    day: p.date().primary(),
    published: p.bigint("number").default(0),
    deleted: p.bigint("number").default(0),
    reads: p.bigint("number").default(0),
    acks: p.bigint("number").default(0),
  },
});

/** Further counts of reports on a channel's alerts in a day. The total is the sum of all rows. */
export const ChannelDayStripe = defineEntity({
  name: "ChannelDayStripe",
  properties: {
    pusher: () => p.manyToOne(Channel).primary().ref().deleteRule("cascade").updateRule("no action"),
    day: p.date().primary(),
    stripe: p.smallint().primary(),
    reads: p.bigint("number"),
    acks: p.bigint("number"),
  },
});

/**
 * A test device: a handset that a person linked to an account, and the draft that it shows (rules#own-devices). The
 * link is made on that handset. Channels and other members cannot see it.
 */
export const TestDevice = defineEntity({
  name: "TestDevice",
  uniques: [
    { name: "test_device_device", properties: ["device"] },
    { name: "test_device_code", properties: ["code_hash"] },
  ],
  indexes: [
    { name: "test_device_user", properties: ["user_id"] },
    { name: "test_device_expiry", properties: ["expires_at"], where: "device_id is null" },
  ],
  properties: {
    id: p.uuid().primary(),
    user_id: p.text(),
    /** Null until the handset has opened the link; a person has one such row at most. */
    device: () => p.manyToOne(Device).ref().nullable().deleteRule("cascade").updateRule("no action"),
    /** The hash of the link's code. The link works once. */
    code_hash: p.blob().nullable(),
    expires_at: timestampColumn().nullable(),
    created_at: writtenAtColumn(),
    /** The draft and its shown version, the id of the test alert, and the start time. The device has the end time. */
    draft_id: p.uuid().nullable(),
    draft_version: timestampColumn().nullable(),
    test_alert_id: p.uuid().nullable(),
    test_shown_at: timestampColumn().nullable(),
  },
});
