// SQL for devices, channel cards and subscriptions. A handset sees channels by handle and by its own subscriptions,
// without suspended ones. Also the directory for handsets and pages: public active channels, newest first, all or those
// that match a search.

import { sqlIsDue } from "../../model/domain/alert_transitions.ts";
import { toLowerCaseNfc } from "../../model/domain/search_terms.ts";
import { CHANNEL_CATEGORIES, CHANNEL_FIELDS } from "../../model/fields/channel.ts";
import { getFieldSqlTypes, selectFieldsShownTo } from "../../model/fields/field_table.ts";
import {
  array,
  bigint,
  boolean,
  int,
  nullable,
  selectColumns,
  text,
  textEnum,
  timestamptz,
  uuid,
} from "../../model/fields/sql_statement_types.ts";
import { createStatementDefiner, type Statement, type StatementRow } from "../db/statement.ts";
import { BATCH_TOKEN_HASH_LOOKUP } from "./api_keys.ts";
import { DATABASE_EPOCH_SQL } from "./database_epoch.ts";

const defineStatement = createStatementDefiner("inbox");
const defineList = createStatementDefiner("lists");
const defineJoin = createStatementDefiner("joins");

/**
 * SQL that is always true for a joined table. PostgreSQL never evaluates the second half of the `or`, but counts its
 * cost for each row. A full scan for a few rows is therefore expensive. Without it, a table of some hundred rows is
 * scanned for each handset. The reason is that a random page is estimated at four times the cost of a sequential one.
 * @param key the column with the row's UUID
 */
export const buildIndexForcingConditionSql = (key: string): string =>
  `(${key} >= '00000000-0000-0000-0000-000000000000' or to_tsvector('simple', to_tsvector('simple', ` +
  `${key}::text)::text) is null)`;

/**
 * SQL for a 64-bit number of the channel `c` at its revision, which only grows. The sum of several identifies all of
 * them with their revisions. A sum of revisions could be equal for two different states.
 */
export const CHANNEL_ID_AND_REVISION_HASH_SQL = "hashint8extended(c.revision, uuid_hash_extended(c.pusher_id, 0))";

/** SQL for the start of the subscription `s`, in microseconds since 1970, which fits exactly into a double. */
export const JOINED_AT_SQL = "(extract(epoch from s.subscribed_at) * 1000000)::float8";

/**
 * SQL: how often the device `d` left a channel, as a part of its validators; empty where it never did
 * (rules#inbox-validator).
 */
export const LEAVE_COUNT_VALIDATOR_SQL = "coalesce('-' || nullif(d.leave_count, 0), '')";

/**
 * SQL for the identity of the sent alerts in a device's channels: the sum of the channels' marks, without any clock.
 * Equal text means equal rows for one device. Devices with the same channels that left none have the same text. The
 * first part changes when the database is restored or replaced, and when the device leaves a channel, because it may
 * join again.
 */
const REVISION = `concat(${DATABASE_EPOCH_SQL}, ${LEAVE_COUNT_VALIDATOR_SQL}, '.', coalesce(joined.mark, 0))`;

/** SQL condition: the last activity is older than a day. */
export const SEEN_OVER_A_DAY_AGO_SQL = "d.last_seen_at < now() - interval '1 day'";

/** Skips locked rows: they are in use, so the device is seen again. */
export const noteDevicesSeen = defineStatement("note_devices_seen", {
  parameters: { devices: array(bigint) },
  text: `update device set last_seen_at = now() where id in (
    select d.id from device d where d.id = any($devices) and ${SEEN_OVER_A_DAY_AGO_SQL} order by d.id for no key update
      skip
      locked)`,
});

/** Devices by the hashes of their tokens. */
const LOOK_UP = {
  parameters: BATCH_TOKEN_HASH_LOOKUP.parameters,
  columns: { ...BATCH_TOKEN_HASH_LOOKUP.columns, id: text, unseen: boolean },
  selected: `${BATCH_TOKEN_HASH_LOOKUP.selected}, d.id::text as id, ${SEEN_OVER_A_DAY_AGO_SQL} as unseen`,
  from: `${BATCH_TOKEN_HASH_LOOKUP.from} join device d on d.token_hash = ${BATCH_TOKEN_HASH_LOOKUP.hash}`,
};

export const findDevicesByTokenHash = defineStatement.reading("find_devices", {
  primary: true,
  parameters: LOOK_UP.parameters,
  columns: LOOK_UP.columns,
  text: `select ${LOOK_UP.selected} from ${LOOK_UP.from}`,
});

/** Subscriptions `s`, each with the state of its channel as `c`. */
export const JOINED_CHANNELS_SQL = `subscription s join channel_state c
    on c.pusher_id = s.pusher_id and ${buildIndexForcingConditionSql("c.pusher_id")}`;

/**
 * SQL for an InboxState of the device `d`. `due` is a query over it, which only runs if its channels have unpublished
 * due alerts.
 */
const inboxState = (due: string) => ({
  columns: { revision: text, testing: boolean, due: array(text) },
  selected:
    `${REVISION} as revision, coalesce(d.test_until > now(), false) as testing, case when joined.due then ` +
    `array(${due}) else '{}' end as due`,
  joined: `cross join lateral (
      select sum(${CHANNEL_ID_AND_REVISION_HASH_SQL}) as mark, bool_or(c.next_due_at <= now()) as due
      from ${JOINED_CHANNELS_SQL} where s.device_id = d.id) joined`,
});

const dueChannels = inboxState(`
        select c.pusher_id::text from ${JOINED_CHANNELS_SQL}
        where s.device_id = d.id and c.next_due_at <= now()`);

/** The devices with their InboxState, which is all that a 304 needs. `due` has the channels with alerts to publish. */
export const findDevicesWithInboxState = defineStatement.reading("find_devices_with_inbox", {
  parameters: LOOK_UP.parameters,
  columns: { ...LOOK_UP.columns, ...dueChannels.columns },
  text: `select ${LOOK_UP.selected}, ${dueChannels.selected} from ${LOOK_UP.from} ${dueChannels.joined}`,
});

const dueAlerts = inboxState(`
        select concat_ws('.', a.id, a.xmin) from subscription s join alert a on a.pusher_id = s.pusher_id
        where s.device_id = d.id and ${sqlIsDue("a")} order by a.visible_at desc, a.id limit 200`);

/**
 * The InboxState of devices that are known, by position. `due` names the newest due alerts themselves, as
 * `id.version`.
 */
export const readInboxStatesOfDevices = defineStatement.reading("inbox_states", {
  parameters: { devices: array(bigint) },
  columns: { position: int, ...dueAlerts.columns },
  text: `select t.position::int as position, ${dueAlerts.selected}
    from unnest((select $devices::int8[])) with ordinality t (id, position) join device d on d.id = t.id
    ${dueAlerts.joined}`,
});

/** The columns of a channel's card. */
export const CHANNEL_CARD_COLUMNS = {
  handle: text,
  ...getFieldSqlTypes(selectFieldsShownTo(CHANNEL_FIELDS, "handset")),
  created_at: timestamptz,
};

/** The device's own subscription `s`. */
const SUBSCRIPTION = { muted: boolean, permissions: array(text), subscribed_at: timestamptz };

/** Channels `p` with the subscription `s` of one device. */
const cardsOf = (
  join: "join" | "left join",
) => `select ${selectColumns("p", CHANNEL_CARD_COLUMNS)}, s.muted, s.permissions, s.subscribed_at
    from pusher p ${join} subscription s on s.pusher_id = p.id and s.device_id = $device_id`;

/** A channel with a device's subscription, if there is one; null for no device. */
const CHANNEL_CARD_QUERY_PARTS = {
  parameters: { device_id: nullable(bigint) },
  columns: CHANNEL_CARD_COLUMNS,
  joined: SUBSCRIPTION,
  text: cardsOf("left join"),
};

/** SQL condition for a usable invite `i`. */
export const USABLE_INVITE_SQL =
  "i.revoked_at is null and (i.expires_at is null or i.expires_at > now()) and (i.max_uses is null or i.uses < " +
  "i.max_uses)";

/**
 * The channels of a device, the newest subscription first, with all rows of the last timestamp. `before` null: from the
 * newest.
 */
export const listSubscribedChannels = defineList.reading("subscribed_channels", {
  parameters: { device_id: bigint, before: nullable(timestamptz), limit: int },
  columns: { ...CHANNEL_CARD_QUERY_PARTS.columns, ...SUBSCRIPTION },
  text: `${cardsOf("join")}
    where p.status <> 'suspended' and s.subscribed_at < coalesce($before::timestamptz, 'infinity')
    order by s.subscribed_at desc fetch first ($limit::int) rows with ties`,
});

/** rules#channel-public. */
export const findChannelCard = defineList.reading("find_channel_card", {
  parameters: { ...CHANNEL_CARD_QUERY_PARTS.parameters, handle: text, code: nullable(text) },
  columns: CHANNEL_CARD_QUERY_PARTS.columns,
  joined: CHANNEL_CARD_QUERY_PARTS.joined,
  text: `${CHANNEL_CARD_QUERY_PARTS.text}
    where p.handle = $handle and p.status <> 'suspended' and (p.is_public or s.device_id is not null
      or exists (select 1 from invite i where i.pusher_id = p.id and i.code = $code::text and ${USABLE_INVITE_SQL}))`,
});

/** The channel of a handle, locked as every change of its counts is: first of all, so that all queue in one order. */
export const lockChannelByHandle = defineJoin("lock_channel_by_handle", {
  parameters: { handle: text },
  columns: { id: uuid, workspace_id: uuid, is_public: boolean, suspended: boolean },
  text: `select p.id, p.workspace_id, p.is_public, c.suspended from channel_state c join pusher p on p.id = c.pusher_id
    where p.handle = $handle for no key update of c`,
});

/** The requested changes of a subscription; null leaves a value unchanged. */
const WANTED = { device_id: bigint, muted: nullable(boolean), permissions: nullable(array(text)) };

export const changeSubscription = defineJoin("change_subscription", {
  parameters: { ...WANTED, handle: text },
  columns: SUBSCRIPTION,
  text: `update subscription s set muted = coalesce($muted, s.muted), permissions = coalesce($permissions,
    s.permissions)
    from pusher p
    where s.device_id = $device_id and s.pusher_id = p.id and p.handle = $handle and p.status <> 'suspended'
    returning s.muted, s.permissions, s.subscribed_at`,
});

/** No row if the device has just joined or was deleted. */
export const joinChannel = defineJoin("join_channel", {
  parameters: { ...WANTED, pusher_id: uuid },
  columns: SUBSCRIPTION,
  text: `insert into subscription (device_id, pusher_id, muted, permissions)
    select d.id, $pusher_id::uuid, coalesce($muted::boolean, false), coalesce($permissions::text[], '{}')
    from device d where d.id = $device_id for key share
    on conflict do nothing returning muted, permissions, subscribed_at`,
});

/** Takes one use of an invite, exactly: of simultaneous joins on the last use one gets the row. */
export const consumeInviteUse = defineJoin("redeem_invite", {
  parameters: { pusher_id: uuid, code: text },
  columns: { id: uuid },
  text: `update invite i set uses = i.uses + 1
    where i.pusher_id = $pusher_id and i.code = $code and ${USABLE_INVITE_SQL} returning i.id`,
});

/**
 * The columns and filter of the directory for the channel `p`, newest first. Null: any category, and from the newest
 * on.
 */
const LISTED = {
  parameters: { category: nullable(textEnum(CHANNEL_CATEGORIES)), before: nullable(timestamptz), limit: int },
  text: `p.is_public and p.status = 'active'
      and ($category::text is null or p.category = $category::text)
      and p.created_at < coalesce($before::timestamptz, 'infinity')
    order by p.created_at desc fetch first ($limit::int) rows with ties`,
};

/** rules#directory. It includes all rows of the last timestamp. */
const listDirectoryChannels = defineList.reading("list_directory_channels", {
  parameters: { ...CHANNEL_CARD_QUERY_PARTS.parameters, ...LISTED.parameters },
  columns: CHANNEL_CARD_QUERY_PARTS.columns,
  joined: CHANNEL_CARD_QUERY_PARTS.joined,
  text: `${CHANNEL_CARD_QUERY_PARTS.text} where ${LISTED.text}`,
});

/**
 * The same for channels whose name and tags contain `find`. The index finds those with all `ngrams`; those with the
 * right order are kept. The index runs first and separately, because a scan of the newest channels would read all of
 * them for a rare term.
 */
export const searchDirectoryChannels = defineList.reading("search_directory_channels", {
  parameters: { ...CHANNEL_CARD_QUERY_PARTS.parameters, ...LISTED.parameters, find: text, ngrams: array(text) },
  columns: CHANNEL_CARD_QUERY_PARTS.columns,
  joined: CHANNEL_CARD_QUERY_PARTS.joined,
  text: `with found as materialized (
      select f.id from pusher f
      where f.is_public and f.status = 'active' and f.search_ngrams @> $ngrams::text[]
        and position($find in f.search_text) > 0)
    ${CHANNEL_CARD_QUERY_PARTS.text} join found on found.id = p.id where ${LISTED.text}`,
});

/**
 * The runs of letters by which an index finds a text: those of three, or the whole of a shorter one
 * (model/tables/channel.ts).
 */
export function splitIntoSearchTrigrams(find: string): string[] {
  const letters = [...find];
  const long = Math.min(3, letters.length);
  return [
    ...new Set(letters.slice(0, letters.length - long + 1).map((_, at) => letters.slice(at, at + long).join(""))),
  ];
}

/** The filter of the directory; `find` null lists all. */
export interface DirectoryFilter {
  find: string | null;
  category: (typeof CHANNEL_CATEGORIES)[number] | null;
  before: string | null;
}

/** A page of the directory for `device_id`, or for the public. `sql` runs a statement. */
export function readDirectoryPage(
  sql: <In, Row>(statement: Statement<In, Row>, parameters: NoInfer<In>) => Promise<Row[]>,
  { find, ...filter }: DirectoryFilter & { device_id: string | null; limit: number },
): Promise<ChannelCardRecord[]> {
  if (find === null) return sql(listDirectoryChannels, filter);
  const text = toLowerCaseNfc(find);
  return sql(searchDirectoryChannels, { ...filter, find: text, ngrams: splitIntoSearchTrigrams(text) });
}

export type ChannelCardRecord = StatementRow<typeof listDirectoryChannels>;
