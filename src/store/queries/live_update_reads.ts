// Devices with the channels that their long polls and streams watch (rules#held-inbox), and the newest alerts of
// followed channels. Each statement reads one snapshot.

import {
  array,
  bigint,
  boolean,
  float8,
  int,
  nullable,
  nullableByOuterJoin,
  text,
  uuid,
} from "../../model/fields/sql_statement_types.ts";
import { LIMITS } from "../../model/limits.ts";
import { createStatementDefiner, type StatementRow } from "../db/statement.ts";
import { BATCH_TOKEN_HASH_LOOKUP } from "./api_keys.ts";
import { DUE_IN_SQL } from "./changed_revisions.ts";
import { DATABASE_EPOCH_SQL } from "./database_epoch.ts";
import { HANDSET_MARKUP_SQL, INBOX_ALERT_COLUMNS, INBOX_ALERT_SELECTION, INBOX_ROW_BYTES_SQL } from "./inbox.ts";
import {
  CHANNEL_ID_AND_REVISION_HASH_SQL,
  JOINED_AT_SQL,
  JOINED_CHANNELS_SQL,
  LEAVE_COUNT_VALIDATOR_SQL,
  SEEN_OVER_A_DAY_AGO_SQL,
} from "./subscriptions_and_directory.ts";

const defineStatement = createStatementDefiner("inbox");

/** One more than the channels of a long poll (see handset/live_updates/long_polling.ts), so that lists stay limited. */
export const MAX_CHANNELS_READ = LIMITS.channels_of_device + 1;

/** Devices by the hashes of their tokens, each with what its poll waits for. */
export const findLongPollDevicesByTokenHash = defineStatement.reading("find_long_poll_devices", {
  parameters: BATCH_TOKEN_HASH_LOOKUP.parameters,
  columns: {
    ...BATCH_TOKEN_HASH_LOOKUP.columns,
    id: text,
    rev: text,
    unseen: boolean,
    /** It is shown a test of a draft, as no other device is. */
    testing: boolean,
    /** The first part of its validators. */
    epoch: text,
    /** The sum of the channels' marks. */
    sum: text,
    channels: array(text),
    channel_revs: array(text),
    due_in: array(float8),
    /** When it joined the last of them, in microseconds since 1970. */
    newest: float8,
  },
  text: `select ${BATCH_TOKEN_HASH_LOOKUP.selected}, d.id::text as id, d.subscriptions_revision::text as rev,
    ${SEEN_OVER_A_DAY_AGO_SQL} as unseen, ${DATABASE_EPOCH_SQL} || ${LEAVE_COUNT_VALIDATOR_SQL} as epoch,
      coalesce(d.test_until > clock_timestamp(), false) as testing, joined.sum, joined.channels, joined.channel_revs,
        joined.due_in, joined.newest
    from ${BATCH_TOKEN_HASH_LOOKUP.from} join device d on d.token_hash = ${BATCH_TOKEN_HASH_LOOKUP.hash}
    cross join lateral (
      select coalesce(sum(mark), 0)::text as sum, coalesce(array_agg(id order by id), '{}') as channels,
        coalesce(array_agg(revision::text order by id), '{}') as channel_revs,
        coalesce(array_agg(due_in order by id), '{}') as due_in, coalesce(max(since), 0) as newest
      from (
        select c.pusher_id::text as id, c.revision, ${CHANNEL_ID_AND_REVISION_HASH_SQL} as mark,
          ${DUE_IN_SQL} as due_in,
          ${JOINED_AT_SQL}
          as since
        from ${JOINED_CHANNELS_SQL}
        where s.device_id = d.id limit ${MAX_CHANNELS_READ}) c) joined`,
});

export type LongPollDevice = StatementRow<typeof findLongPollDevicesByTokenHash>;

/**
 * Channels with their revision, mark and newest visible alerts: `limit` of them, and all with the last timestamp. One
 * row for each alert, newest first, or one without. The content of an alert is read in channels that are `told`, if it
 * is not `known`, and its markup only up to `max_bytes` (`small`). `moved` has the devices that were deleted, or whose
 * subscriptions have changed since the known revision.
 */
export const readChannelsWithNewestAlerts = defineStatement.reading("read_channel_changes", {
  parameters: {
    channels: array(uuid),
    told: array(uuid),
    known: array(uuid),
    limit: int,
    max_bytes: int,
    devices: array(bigint),
    device_revs: array(text),
  },
  columns: {
    channel: text,
    topic: text,
    open: boolean,
    suspended: boolean,
    rev: text,
    mark: text,
    due_in: float8,
    newest: nullableByOuterJoin(uuid),
    newest_sent: nullable(float8),
    /** Its `collapse_key`. */
    sequence: nullable(text),
    /** It has expired. */
    over: nullable(boolean),
    moved: nullable(array(text)),
  },
  joined: { ...INBOX_ALERT_COLUMNS, small: boolean, icon: nullable(text), has_page: boolean },
  text: `select c.pusher_id::text as channel, channel.handle as topic, channel.is_public as open, c.suspended,
    c.revision::text as rev,
      ${CHANNEL_ID_AND_REVISION_HASH_SQL}::text as mark, ${DUE_IN_SQL} as due_in, head.id as newest,
      (extract(epoch from head.visible_at) * 1000000)::float8 as newest_sent, head.collapse_key as sequence,
      head.expires_at <= now() as over, (
        select array_agg(w.id::text)
        from unnest((select $devices::bigint[]), (select $device_revs::text[])) w (id, rev)
        left join device d on d.id = w.id where coalesce(d.subscriptions_revision::text, '') <> w.rev) as moved,
      alert.id, alert.pusher_id, p.handle, alert.visible_at as sent_at, ${INBOX_ALERT_SELECTION}, p.image_url as icon,
      ${INBOX_ROW_BYTES_SQL} <= $max_bytes::int as small, case when ${INBOX_ROW_BYTES_SQL} <= $max_bytes::int then
        ${HANDSET_MARKUP_SQL} end as html,
      ${HANDSET_MARKUP_SQL} is not null as has_page
    from channel_state c join pusher channel on channel.id = c.pusher_id
    left join lateral (
      select a.id, a.visible_at, a.collapse_key, a.expires_at from alert a
      where a.pusher_id = c.pusher_id and a.status = 'sent' and not c.suspended
      order by a.visible_at desc fetch first ($limit::int) rows with ties) head on true
    left join alert on alert.id = head.id and alert.pusher_id = any($told::uuid[]) and head.id <> all($known::uuid[])
    left join pusher p on p.id = alert.pusher_id
    where c.pusher_id = any($channels::uuid[])
    order by c.pusher_id, head.visible_at desc, head.id desc`,
});

export type ChannelNewestAlertRow = StatementRow<typeof readChannelsWithNewestAlerts>;
