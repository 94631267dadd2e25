// The inbox, a query over sent alerts: rules#publishing-is-one-row. A scheduled alert is marked as sent before handsets
// see it, so no clock can withdraw it on any replica. This needs no worker, since readers of the row treat it as sent
// already. So the rows of a page are those with the status `sent`, for any clock. The same statement marks pending
// events for subscribed endpoints (rules#events-asked-for).

import { sqlIsDue } from "../../model/domain/alert_transitions.ts";
import { ALERT_FIELDS } from "../../model/fields/alert.ts";
import { type FieldDefinition, getFieldSqlTypes, selectFieldsShownTo } from "../../model/fields/field_table.ts";
import {
  array,
  bigint,
  boolean,
  float8,
  int,
  neverNull,
  nullable,
  nullableByOuterJoin,
  text,
  timestamptz,
  uuid,
} from "../../model/fields/sql_statement_types.ts";
import { createStatementDefiner, type StatementRow } from "../db/statement.ts";
import {
  FULL_BODY_LENGTH_COLUMN_TYPE,
  selectBodyExcerptByteLength,
  selectColumnsWithExcerpt,
  selectFullBodyLength,
} from "./alert_excerpt.ts";
import { buildJoinHistoryStartSql } from "./alerts_before_joining.ts";
import { buildIndexForcingConditionSql, JOINED_AT_SQL, JOINED_CHANNELS_SQL } from "./subscriptions_and_directory.ts";
import { sqlIsSubscribedToEvent } from "./webhooks.ts";

const defineStatement = createStatementDefiner("inbox");

const { html, ...OTHERS } = selectFieldsShownTo(ALERT_FIELDS, "handset");
/** The fields of a card but its markup. */
export const INBOX_FIELDS_WITHOUT_MARKUP = OTHERS;
const NAMES = [...Object.keys(INBOX_FIELDS_WITHOUT_MARKUP), ...Object.keys(FULL_BODY_LENGTH_COLUMN_TYPE)];
/** SQL: these, with the beginning of the text. */
export const INBOX_ALERT_SELECTION = `${selectColumnsWithExcerpt(
  "alert",
  INBOX_FIELDS_WITHOUT_MARKUP,
)}, ${selectFullBodyLength("alert")}`;

/** The markup for handsets, including that of an uploaded page. */
export const HANDSET_MARKUP_SQL = "coalesce(alert.html, alert.asset_html)";

/** An unescaped row, about: what may be long in it, and a kilobyte for everything else that a handset is shown. */
export const INBOX_ROW_BYTES_SQL = [
  "1024",
  ...[
    html.bytes?.(HANDSET_MARKUP_SQL),
    ...Object.entries<FieldDefinition>(INBOX_FIELDS_WITHOUT_MARKUP).map(([name, { bytes }]) =>
      name === "body" ? selectBodyExcerptByteLength("alert") : bytes?.(`alert.${name}`),
    ),
  ]
    .filter((bytes) => bytes !== undefined)
    .map((bytes) => `coalesce(${bytes}, 0)`),
].join(" + ");

/** The columns of an alert on a page. */
export const INBOX_ALERT_COLUMNS = {
  id: uuid,
  pusher_id: uuid,
  handle: text,
  sent_at: neverNull(timestamptz),
  html: html.sql,
  ...getFieldSqlTypes(INBOX_FIELDS_WITHOUT_MARKUP),
  ...FULL_BODY_LENGTH_COLUMN_TYPE,
};

const PLACE = {
  parameters: { before: nullable(timestamptz), inside: nullable(uuid) },
  text: `a.visible_at <= coalesce($before::timestamptz, 'infinity')
          and (a.visible_at < coalesce($before::timestamptz, 'infinity') or a.id < $inside)`,
};

/**
 * SQL for the state of a first page: channels `c` with their revisions, from `from`. Equal text means equal rows for
 * any device.
 */
const channelsAt = (from: string) =>
  `(select string_agg(concat_ws('.', c.pusher_id, c.revision), ' ' order by c.pusher_id) from ${from})`;

/** The same of each of these devices, by position, and when it joined these channels, in their order. */
export const readInboxChannelsOfDevices = defineStatement.reading("inbox_channels", {
  parameters: { devices: array(bigint) },
  columns: { position: int, channels_at: nullable(text), since: nullable(array(float8)) },
  text: `select t.position::int as position, joined.channels_at, joined.since
    from unnest((select $devices::int8[])) with ordinality t (id, position) cross join lateral (
      select string_agg(concat_ws('.', c.pusher_id, c.revision), ' ' order by c.pusher_id) as channels_at,
        array_agg(${JOINED_AT_SQL} order by c.pusher_id) as since
      from ${JOINED_CHANNELS_SQL} and not c.suspended where s.device_id = t.id) joined`,
});

/**
 * A page of a device's inbox, newest first, before a timestamp (null: from the newest), with all rows of the last
 * timestamp. `max_bytes` ends it after its first row at the earliest; further markup is not read. `inside` is an alert
 * that became visible at `before`; later alerts of this timestamp are included. Ids come from the index, full rows only
 * for the page, and long values only where they are shown. A few alerts of each channel from before the device joined
 * are included (rules#before-joining). `also` is SQL that adds to the ids of one channel.
 */
const page = (also: string) => ({
  parameters: { device_id: bigint, ...PLACE.parameters, limit: int, max_bytes: int },
  columns: {
    /** When the next older alert became visible; null after the oldest one that was looked at. */
    following: nullable(timestamptz),
    /** About how many bytes this row and those before it have, unescaped. */
    so_far: float8,
    /** In the first row. */
    channels_at: nullable(text),
    before_joining: boolean,
    ...INBOX_ALERT_COLUMNS,
  },
  text: `with channels as materialized (
      select s.pusher_id, s.subscribed_at, c.revision, p.handle, coalesce(first.visible_at, '-infinity') as first_at,
        first.id as first_id
      from ${JOINED_CHANNELS_SQL} and not c.suspended
      join pusher p on p.id = s.pusher_id and ${buildIndexForcingConditionSql("p.id")}
      left join lateral (${buildJoinHistoryStartSql("s.pusher_id", "s.subscribed_at")}) first on true
      where s.device_id = $device_id),
    top as (
      select channels.handle, ids.id, ids.visible_at, ids.visible_at < channels.subscribed_at as before_joining
      from channels cross join lateral (
        (select a.id, a.visible_at from alert a
        where a.pusher_id = channels.pusher_id and a.status = 'sent' and ${PLACE.text}
          and a.visible_at >= channels.first_at and (a.visible_at > channels.first_at or a.id >= channels.first_id)
        order by a.visible_at desc fetch first ($limit::int) rows with ties)${also}) ids
      order by ids.visible_at desc fetch first ($limit::int) rows with ties),
    page as (
      select lead(sent_at) over newest as following, sum(size) over newest as so_far, sized.*
      from (
        select ${INBOX_ROW_BYTES_SQL} as size, alert.id, alert.pusher_id, top.handle, top.before_joining,
          alert.visible_at as sent_at,
          ${HANDSET_MARKUP_SQL} as html, ${INBOX_ALERT_SELECTION}
        from top join alert on alert.id = top.id) sized
      window newest as (order by sent_at desc, id desc))
    select following, so_far::float8, case when so_far = size then ${channelsAt("channels c")} end as channels_at,
      before_joining, id, pusher_id, handle, sent_at, html, ${NAMES.join(", ")}
    from page
    where so_far <= $max_bytes::int or so_far = size
    order by sent_at desc, id desc`,
});

export const readInboxPage = defineStatement.reading("inbox_page", page(""));

const withDue = page(`
        union all select a.id, a.visible_at from alert a
        where a.pusher_id = channels.pusher_id and a.status = 'scheduled'
          and concat_ws('.', a.id, a.xmin) = any($due::text[]) and ${PLACE.text}`);

/** The same with unpublished due alerts, as named by `inbox_states`. */
export const readInboxPageWithDueAlerts = defineStatement.reading("inbox_page_with_unpublished_alerts", {
  ...withDue,
  parameters: { ...withDue.parameters, due: array(text) },
});

/** A visible alert with its channel's handle. */
export type InboxRecord = Omit<StatementRow<typeof readInboxPage>, "channels_at" | "before_joining"> &
  Partial<Pick<StatementRow<typeof readInboxPage>, "before_joining"> & { test_until: string }>;

/**
 * The first pages of several devices, read once for each set of devices with the same channels in this snapshot. Larger
 * sets come first, and the first row of a set has its devices. Sets are `read` while their channels are at most
 * `max_channels` and their pages at most `max_total` bytes; the first one always is. Deleted devices are in no set.
 * `channels_at` is that of `inbox_channels`. A device is its id, followed by the channels that it joined after the
 * oldest alert of the page, each with the time in microseconds since 1970. There is one row for each alert of a set's
 * page, newest first, or one without an alert. `devices` and `channels_at` are only in the first row of a set, and the
 * content of an alert only in the first row with it.
 */
export const readInboxPages = defineStatement.reading("inbox_pages", {
  parameters: { devices: array(bigint), limit: int, max_bytes: int, max_channels: int, max_total: int },
  columns: {
    set: int,
    read: boolean,
    alert: nullableByOuterJoin(uuid),
    following: nullable(timestamptz),
    so_far: nullable(float8),
    devices: nullable(array(text)),
    channels_at: nullable(text),
  },
  joined: INBOX_ALERT_COLUMNS,
  text: `with joined as materialized (
      select d.id as device, s.* from unnest((select $devices::int8[])) wanted (id) join device d on d.id = wanted.id
      cross join lateral (
        select coalesce(array_agg(s.pusher_id order by s.pusher_id), '{}') as channels,
          array_agg(s.subscribed_at order by s.pusher_id) as since, max(s.subscribed_at) as newest
        from subscription s where s.device_id = d.id) s),
    sets as materialized (
      select channels, row_number() over most as set,
        sum(cardinality(channels)) over most <= $max_channels::int or row_number() over most = 1 as near
      from (select channels, count(*) as devices from joined group by channels) alike
      window most as (order by devices desc, channels rows unbounded preceding)),
    top as (
      select sets.set, ids.id, ids.visible_at from sets cross join lateral (
        select a.id, a.visible_at from unnest(sets.channels) channel (id)
        join channel_state c on c.pusher_id = channel.id and not c.suspended
          and ${buildIndexForcingConditionSql("c.pusher_id")}
        cross join lateral (
          select a.id, a.visible_at from alert a where a.pusher_id = c.pusher_id and a.status = 'sent'
          order by a.visible_at desc fetch first ($limit::int) rows with ties) a
        order by a.visible_at desc fetch first ($limit::int) rows with ties) ids
      where sets.near),
    page as (
      select top.set, top.id, top.visible_at, lead(top.visible_at) over newest as following, ${INBOX_ROW_BYTES_SQL}
        as size, sum(${INBOX_ROW_BYTES_SQL}) over newest as so_far
      from top join alert on alert.id = top.id
      window newest as (partition by top.set order by top.visible_at desc, top.id desc)),
    kept as materialized (select * from page where so_far <= $max_bytes::int or so_far = size),
    bytes as (select set, max(so_far) as bytes, min(visible_at) as oldest from kept group by set),
    told as (
      select sets.set, members.devices, ${channelsAt(
        `unnest(sets.channels) s (id) join channel_state c
          on c.pusher_id = s.id and not c.suspended and ${buildIndexForcingConditionSql("c.pusher_id")}`,
      )} as channels_at,
        sets.near and (sets.set = 1 or coalesce(
          sum(bytes.bytes) over (order by sets.set rows unbounded preceding), 0) <= $max_total::int) as read
      from sets left join bytes on bytes.set = sets.set join (
        select sets.set, array_agg(concat_ws(' ', joined.device, case when joined.newest > bytes.oldest then (
          select string_agg(concat_ws(' ', s.pusher_id, extract(epoch from s.subscribed_at) * 1000000), ' ')
          from unnest(joined.channels, joined.since) s (pusher_id, subscribed_at) where s.subscribed_at > bytes.oldest)
            end)) as devices
        from joined join sets on sets.channels = joined.channels left join bytes on bytes.set = sets.set
        group by sets.set) members on members.set = sets.set),
    shown as (
      select told.*, kept.id, kept.visible_at, kept.following, kept.so_far,
        row_number() over (partition by kept.id order by told.set) = 1 as introduced,
        row_number() over (partition by told.set order by kept.visible_at desc, kept.id desc) as place
      from told left join kept on kept.set = told.set and told.read)
    select shown.set::int as set, shown.read, case when shown.place = 1 then shown.devices end as devices,
      case when shown.place = 1 then shown.channels_at end as channels_at,
      shown.id as alert, shown.following, shown.so_far::float8 as so_far,
      alert.id, alert.pusher_id, p.handle, alert.visible_at as sent_at, ${HANDSET_MARKUP_SQL} as html,
        ${INBOX_ALERT_SELECTION}
    from shown left join alert on alert.id = shown.id and shown.introduced left join pusher p on p.id = alert.pusher_id
    order by shown.set, shown.place`,
});

export type InboxPageRow = StatementRow<typeof readInboxPages>;

/**
 * Publishes due alerts of channels, up to a limit. It returns their number for each channel, and the priorities of
 * those that have not expired. Only one caller publishes an alert, so that caller notifies its devices. The channels
 * are locked first, in one order, as for every change of an alert. A channel that another transaction has just handled
 * has no due alerts left. `updated_at` stays, because nothing was edited.
 */
export const publishDueAlerts = defineStatement("publish_due_alerts", {
  parameters: { channels: array(uuid), limit: int },
  columns: { pusher_id: uuid, settled: int, waking: array(text) },
  text: `with held as materialized (
      select pusher_id from channel_state where pusher_id = any($channels) and next_due_at <= now()
      order by pusher_id for no key update),
    settled as (
      update alert set status = 'sent', sent_at = send_at
      where id in (
          select due.id from held cross join lateral (
            select a.id from alert a where a.pusher_id = held.pusher_id and ${sqlIsDue("a")}) due
          limit $limit::int)
        and ${sqlIsDue()}
      returning id, pusher_id, priority, expires_at),
    appeared as (
      insert into alert_counter (alert_id, visible_pending)
      select s.id, true from settled s join pusher p on p.id = s.pusher_id
      where ${sqlIsSubscribedToEvent("alert.visible")} order by s.id
      on conflict (alert_id) do update set visible_pending = true)
    select pusher_id, count(*)::int as settled,
      coalesce(array_agg(distinct priority) filter (where coalesce(expires_at > now(), true)), '{}') as waking
    from settled group by pusher_id`,
});

/** The published alerts of one channel. */
export type ChannelPublishSummary = StatementRow<typeof publishDueAlerts>;

/** SQL: the channels with due alerts. */
export const CHANNELS_WITH_DUE_SQL = "channel_state where next_due_at <= now()";

/** Channels with due alerts, the longest waiting first. */
export const findChannelsWithDueAlerts = defineStatement.reading("channels_with_due", {
  primary: true,
  parameters: { limit: int },
  columns: { id: uuid },
  text: `select pusher_id as id from ${CHANNELS_WITH_DUE_SQL} order by next_due_at limit $limit::int`,
});
