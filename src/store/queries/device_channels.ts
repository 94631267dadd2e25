// Devices, cards of channels and subscriptions by raw SQL. A handset sees channels by handle and by its own
// subscriptions; a suspended channel is left out everywhere. And the directory, for handsets and for pages: public
// channels that are active, newest first, all of them or those that hold some letters.

import { sqlIsDue } from "../../model/domain/alert_status.ts";
import { normalizeText } from "../../model/domain/search_terms.ts";
import { CATEGORIES, CHANNEL_FIELDS } from "../../model/fields/channel.ts";
import { getSqlColumns, selectShownTo } from "../../model/fields/field_table.ts";
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
} from "../../model/fields/sql_types.ts";
import { createStatementDefiner, type RowOf, type Statement } from "../db/statement.ts";
import { HASH_PARAMETERS } from "./api_keys.ts";
import { EPOCH_SQL } from "./database_epoch.ts";

const defineStatement = createStatementDefiner("inbox");
const defineList = createStatementDefiner("lists");
const defineJoin = createStatementDefiner("joins");

/**
 * SQL that holds for every row of a joined table: of an `or` PostgreSQL never comes to the second half. It counts it
 * all the same, for each row that it would read, so reading the whole table to join a few rows is no cheap plan.
 * Without it a table of some hundred rows is read whole for each handset, since by its count a page that is looked up
 * costs four times one that comes next. @param key the column that names the row, a uuid
 */
export const indexedById = (key: string): string =>
  `(${key} >= '00000000-0000-0000-0000-000000000000' or to_tsvector('simple', to_tsvector('simple', ${key}::text)::text) is null)`;

/**
 * A number of 64 bits for the channel `c` at its revision, which only ever grows. The sum of those of several
 * channels stands for all of them, each at its own revision: a sum of revisions could be that of two different
 * states.
 */
export const CHANNEL_MARK = "hashint8extended(c.revision, uuid_hash_extended(c.pusher_id, 0))";

/** SQL: when the subscription `s` began, in microseconds since 1970, which a double holds exactly. */
export const JOINED_AT = "(extract(epoch from s.subscribed_at) * 1000000)::float8";

/**
 * SQL: how often the device `d` left a channel, as a part of its validators; empty where it never did
 * (rules#inbox-validator).
 */
export const LEAVE_COUNT = "coalesce('-' || nullif(d.leave_count, 0), '')";

/**
 * The name of the rows that say `sent` in a device's channels: the sum of the channels' marks. It depends on no
 * clock. Equal text means equal rows for one device, and devices with the same channels that left none have the same.
 * The first part changes when the database is restored or replaced, and when the device leaves a channel, which it
 * may join again later.
 */
const REVISION = `concat(${EPOCH_SQL}, ${LEAVE_COUNT}, '.', coalesce(joined.mark, 0))`;

/** Nobody wrote down for a day that the device is there. */
export const UNSEEN_CONDITION = "d.last_seen_at < now() - interval '1 day'";

/** Waits for nobody: who holds the row is busy with the device, so it will be seen again. */
export const noteDevicesSeen = defineStatement("note_devices_seen", {
  parameters: { devices: array(bigint) },
  text: `update device set last_seen_at = now() where id in (
    select d.id from device d where d.id = any($devices) and ${UNSEEN_CONDITION} order by d.id for no key update skip locked)`,
});

/** Devices by the hashes of their tokens. */
const LOOK_UP = {
  parameters: HASH_PARAMETERS.parameters,
  columns: { ...HASH_PARAMETERS.columns, id: text, unseen: boolean },
  selected: `${HASH_PARAMETERS.selected}, d.id::text as id, ${UNSEEN_CONDITION} as unseen`,
  from: `${HASH_PARAMETERS.from} join device d on d.token_hash = ${HASH_PARAMETERS.hash}`,
};

export const findDevices = defineStatement.reading("find_devices", {
  primary: true,
  parameters: LOOK_UP.parameters,
  columns: LOOK_UP.columns,
  text: `select ${LOOK_UP.selected} from ${LOOK_UP.from}`,
});

/** Subscriptions `s`, each with the state of its channel as `c`. */
export const JOINED_CHANNELS = `subscription s join channel_state c on c.pusher_id = s.pusher_id and ${indexedById("c.pusher_id")}`;

/**
 * An InboxState of the device `d`. `due` is a query over it, run only when something has come due in its channels and
 * is not settled.
 */
const inboxState = (due: string) => ({
  columns: { revision: text, testing: boolean, due: array(text) },
  selected: `${REVISION} as revision, coalesce(d.test_until > now(), false) as testing, case when joined.due then array(${due}) else '{}' end as due`,
  joined: `cross join lateral (
      select sum(${CHANNEL_MARK}) as mark, bool_or(c.next_due_at <= now()) as due
      from ${JOINED_CHANNELS} where s.device_id = d.id) joined`,
});

const dueChannels = inboxState(`
        select c.pusher_id::text from ${JOINED_CHANNELS}
        where s.device_id = d.id and c.next_due_at <= now()`);

/**
 * The devices with their InboxState: all that a 304 takes. `due` names the channels in which something is to be
 * settled.
 */
export const findDevicesWithInbox = defineStatement.reading("find_devices_with_inbox", {
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
export const inboxStates = defineStatement.reading("inbox_states", {
  parameters: { devices: array(bigint) },
  columns: { position: int, ...dueAlerts.columns },
  text: `select t.position::int as position, ${dueAlerts.selected}
    from unnest((select $devices::int8[])) with ordinality t (id, position) join device d on d.id = t.id
    ${dueAlerts.joined}`,
});

/** What a channel's card shows of the channel `p`. */
export const CARD = {
  handle: text,
  ...getSqlColumns(selectShownTo(CHANNEL_FIELDS, "handset")),
  created_at: timestamptz,
};

/** The device's own subscription `s`. */
const SUBSCRIPTION = { muted: boolean, permissions: array(text), subscribed_at: timestamptz };

/** Channels `p` with the subscription `s` of one device. */
const cardsOf = (
  join: "join" | "left join",
) => `select ${selectColumns("p", CARD)}, s.muted, s.permissions, s.subscribed_at
    from pusher p ${join} subscription s on s.pusher_id = p.id and s.device_id = $device_id`;

/** A channel with the subscription, where there is one, of one device; null asks for nobody's. */
export const CARDS = {
  parameters: { device_id: nullable(bigint) },
  columns: CARD,
  joined: SUBSCRIPTION,
  text: cardsOf("left join"),
};

/** Holds for an invite `i` that still admits somebody. */
export const USABLE_INVITE =
  "i.revoked_at is null and (i.expires_at is null or i.expires_at > now()) and (i.max_uses is null or i.uses < i.max_uses)";

/**
 * The channels that a device joined, the newest subscription first; `before` null: from the newest. Ties of the last
 * instant come along.
 */
export const subscribedChannels = defineList.reading("subscribed_channels", {
  parameters: { device_id: bigint, before: nullable(timestamptz), limit: int },
  columns: { ...CARDS.columns, ...SUBSCRIPTION },
  text: `${cardsOf("join")}
    where p.status <> 'suspended' and s.subscribed_at < coalesce($before::timestamptz, 'infinity')
    order by s.subscribed_at desc fetch first ($limit::int) rows with ties`,
});

/** rules#channel-public. */
export const channelCard = defineList.reading("channel_card", {
  parameters: { ...CARDS.parameters, handle: text, code: nullable(text) },
  columns: CARDS.columns,
  joined: CARDS.joined,
  text: `${CARDS.text}
    where p.handle = $handle and p.status <> 'suspended' and (p.is_public or s.device_id is not null
      or exists (select 1 from invite i where i.pusher_id = p.id and i.code = $code::text and ${USABLE_INVITE}))`,
});

/** The channel of a handle, locked as every change of its counts is: first of all, so that all queue in one order. */
export const lockChannelByHandle = defineJoin("lock_channel_by_handle", {
  parameters: { handle: text },
  columns: { id: uuid, workspace_id: uuid, is_public: boolean, suspended: boolean },
  text: `select p.id, p.workspace_id, p.is_public, c.suspended from channel_state c join pusher p on p.id = c.pusher_id
    where p.handle = $handle for no key update of c`,
});

/** What a device wants of its subscription; null leaves each as it is. */
const WANTED = { device_id: bigint, muted: nullable(boolean), permissions: nullable(array(text)) };

export const changeSubscription = defineJoin("change_subscription", {
  parameters: { ...WANTED, handle: text },
  columns: SUBSCRIPTION,
  text: `update subscription s set muted = coalesce($muted, s.muted), permissions = coalesce($permissions, s.permissions)
    from pusher p
    where s.device_id = $device_id and s.pusher_id = p.id and p.handle = $handle and p.status <> 'suspended'
    returning s.muted, s.permissions, s.subscribed_at`,
});

/** No row when the device joined meanwhile, or is gone. */
export const joinChannel = defineJoin("join_channel", {
  parameters: { ...WANTED, pusher_id: uuid },
  columns: SUBSCRIPTION,
  text: `insert into subscription (device_id, pusher_id, muted, permissions)
    select d.id, $pusher_id::uuid, coalesce($muted::boolean, false), coalesce($permissions::text[], '{}')
    from device d where d.id = $device_id for key share
    on conflict do nothing returning muted, permissions, subscribed_at`,
});

/** Takes one use of an invite, exactly: of simultaneous joins on the last use one gets the row. */
export const redeemInvite = defineJoin("redeem_invite", {
  parameters: { pusher_id: uuid, code: text },
  columns: { id: uuid },
  text: `update invite i set uses = i.uses + 1
    where i.pusher_id = $pusher_id and i.code = $code and ${USABLE_INVITE} returning i.id`,
});

/** What the directory lists of the channel `p`, newest first. Null is any category, and from the newest on. */
const LISTED = {
  parameters: { category: nullable(textEnum(CATEGORIES)), before: nullable(timestamptz), limit: int },
  text: `p.is_public and p.status = 'active'
      and ($category::text is null or p.category = $category::text)
      and p.created_at < coalesce($before::timestamptz, 'infinity')
    order by p.created_at desc fetch first ($limit::int) rows with ties`,
};

/** rules#directory. Ties of the last instant come along. */
export const directory = defineList.reading("directory", {
  parameters: { ...CARDS.parameters, ...LISTED.parameters },
  columns: CARDS.columns,
  joined: CARDS.joined,
  text: `${CARDS.text} where ${LISTED.text}`,
});

/**
 * The same of channels whose name and tags contain `find`. The index finds those with all of its `ngrams`, and of them
 * those are taken that have them in this order. It is asked first and apart: a plan that walks the newest channels
 * until enough are found would walk all of them for what is rare.
 */
export const directorySearch = defineList.reading("directory_search", {
  parameters: { ...CARDS.parameters, ...LISTED.parameters, find: text, ngrams: array(text) },
  columns: CARDS.columns,
  joined: CARDS.joined,
  text: `with found as materialized (
      select f.id from pusher f
      where f.is_public and f.status = 'active' and f.search_ngrams @> $ngrams::text[]
        and position($find in f.search_text) > 0)
    ${CARDS.text} join found on found.id = p.id where ${LISTED.text}`,
});

/**
 * The runs of letters by which an index finds a text: those of three, or the whole of a shorter one
 * (model/entities/channel.ts).
 */
export function searchTrigrams(find: string): string[] {
  const letters = [...find];
  const long = Math.min(3, letters.length);
  return [
    ...new Set(letters.slice(0, letters.length - long + 1).map((_, at) => letters.slice(at, at + long).join(""))),
  ];
}

/** What a search of the directory asks for; `find` null lists it. */
export interface DirectoryFilter {
  find: string | null;
  category: (typeof CATEGORIES)[number] | null;
  before: string | null;
}

/** A page of the directory as `device_id` sees it, or as anybody does. `sql` runs a statement. */
export function directoryPage(
  sql: <In, Row>(statement: Statement<In, Row>, parameters: NoInfer<In>) => Promise<Row[]>,
  { find, ...filter }: DirectoryFilter & { device_id: string | null; limit: number },
): Promise<CardRecord[]> {
  if (find === null) return sql(directory, filter);
  const text = normalizeText(find);
  return sql(directorySearch, { ...filter, find: text, ngrams: searchTrigrams(text) });
}

export type CardRecord = RowOf<typeof directory>;
