// Subscribers of a channel, the breakdown of all of them from the rows that the triggers maintain, and the count that
// was last reported.

import { DEVICE_FIELDS } from "../../model/fields/device.ts";
import { getFieldSqlTypes, selectFieldsShownTo } from "../../model/fields/field_table.ts";
import {
  array,
  boolean,
  int,
  nullable,
  selectColumns,
  text,
  timestamptz,
  uuid,
} from "../../model/fields/sql_statement_types.ts";
import { createStatementDefiner } from "../db/statement.ts";

const defineStatement = createStatementDefiner("lists");
const defineSum = createStatementDefiner("statistics");
const defineJoin = createStatementDefiner("joins");

const FACTS = selectFieldsShownTo(DEVICE_FIELDS, "list");

/** Includes all rows of the last timestamp. `before` null: from the newest. */
const listBy = (status: string, filter: string) =>
  defineStatement.reading(`list_subscribers_${status}`, {
    parameters: { pusher_id: uuid, before: nullable(timestamptz), limit: int },
    columns: { device_id: text, ...getFieldSqlTypes(FACTS), muted: boolean, subscribed_at: timestamptz },
    text: `select s.device_id::text as device_id, ${selectColumns("d", FACTS)}, s.muted, s.subscribed_at
      from (select * from subscription s where s.pusher_id = $pusher_id and ${filter}
        and s.subscribed_at < coalesce($before::timestamptz, 'infinity')
        order by s.subscribed_at desc fetch first ($limit::int) rows with ties) s
      join device d on d.id = s.device_id order by s.subscribed_at desc, s.device_id`,
  });

export const listSubscribersByState = {
  any: listBy("any", "true"),
  active: listBy("active", "not s.muted"),
  muted: listBy("muted", "s.muted"),
};

/** The number of subscribers for each combination of properties. */
export const readSubscriberBreakdown = defineSum.reading("subscriber_breakdown", {
  parameters: { pusher_id: uuid },
  columns: { platform: text, app_version: text, locale: text, timezone: text, device_count: int, muted_count: int },
  text: `select platform, app_version, locale, timezone, device_count::int as device_count, muted_count::int
    as muted_count
    from subscriber_breakdown where pusher_id = $pusher_id and device_count > 0`,
});

/** SQL condition: the subscribers of a channel's state `c` may be reported again. */
const MAY_TELL = `coalesce(c.subscribers_reported_at, '-infinity') <= clock_timestamp() - interval '1 second'`;

/**
 * Records and returns the reported count of locked channels, with the change since the last one. If it is too early,
 * the event is marked as pending, without a row.
 */
export const claimSubscriberCountEvents = defineJoin("claim_subscriber_count_events", {
  parameters: { pusher_ids: array(uuid) },
  columns: { pusher_id: uuid, workspace_id: uuid, subscribers: int, delta: int },
  text: `with judged as materialized (
      select c.pusher_id, c.subscribers, c.subscribers - c.subscribers_reported as delta, ${MAY_TELL} as now
      from channel_state c where c.pusher_id = any($pusher_ids)),
    noted as (
      update channel_state c set subscribers_pending = not j.now,
        subscribers_reported = case when j.now then j.subscribers else c.subscribers_reported end,
        subscribers_reported_at = case when j.now and j.delta <> 0 then clock_timestamp()
          else c.subscribers_reported_at end
      from judged j
      where c.pusher_id = j.pusher_id and (j.delta <> 0 or c.subscribers_pending) and (j.now
        or not c.subscribers_pending))
    select j.pusher_id, p.workspace_id, j.subscribers::int as subscribers, j.delta::int as delta
    from judged j join pusher p on p.id = j.pusher_id where j.now and j.delta <> 0 order by 1`,
});

/** SQL: the channels `c` with pending events that may be emitted. */
export const CHANNELS_WITH_PENDING_EVENTS_SQL = `channel_state c where c.subscribers_pending and ${MAY_TELL}`;

/** Locks channels with pending events that may be emitted, and skips locked ones. */
export const lockChannelsWithPendingEvents = defineJoin("lock_channels_with_pending_events", {
  parameters: { max: int },
  columns: { pusher_id: uuid },
  text: `select c.pusher_id from ${CHANNELS_WITH_PENDING_EVENTS_SQL}
    order by c.pusher_id limit $max::int for no key update skip locked`,
});
