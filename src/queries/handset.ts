// Devices, the directory and subscriptions by raw SQL. A handset sees channels by handle and by its own subscriptions;
// a suspended channel is left out everywhere.

import { defineStatement } from "../db/statement.ts";
import { isDue } from "../domain/alert_status.ts";

/**
 * What the rows that say `sent` in a device's channels are called: its own revision, and the sum of its channels'. Each
 * only ever grows and knows no clock, so equal text means equal rows. The first part changes when the database is
 * restored or replaced.
 */
const REVISION = `concat_ws('.',
  (select left(md5(concat_ws(' ', pg_postmaster_start_time(), 'channel_state'::regclass::oid,
     (select oid from pg_database where datname = current_database()))), 8)),
  d.subs_rev, coalesce(joined.rev, 0))`;

/** Nobody wrote down for a day that the device is there. */
const UNSEEN = "d.seen_at < now() - interval '1 day'";

/** Waits for nobody: who holds the row is busy with the device, so it will be seen again. $1 devices. */
export const touchDevices = defineStatement(
  "touch_devices",
  `update device set seen_at = now() where id in (
     select d.id from device d where d.id = any($1::bigint[]) and ${UNSEEN} order by d.id for no key update skip locked)`,
);

/**
 * Token hashes in hex → device ids, by position. The array stands in a subquery so that the planner does not see its
 * length: with a short one it would take a plan made for that call to be cheaper, and plan anew every time.
 */
export const findDevices = defineStatement<{ position: number; id: string; unseen: boolean }>(
  "find_devices",
  `select t.position::int as position, d.id::text as id, ${UNSEEN} as unseen
   from unnest((select $1::text[])) with ordinality t (hash, position) join device d on d.token_hash = decode(t.hash, 'hex')`,
);

interface DeviceRecord {
  position: number;
  id: string;
  unseen: boolean;
  revision: string;
  due: string[];
}

/** `due` is a query over the device `d`, run only when something has come due in its channels and is not settled. */
const withRevision = (due: string) => `
   select t.position::int as position, d.id::text as id, ${UNSEEN} as unseen, ${REVISION} as revision,
     case when joined.due then array(${due}) else '{}' end as due
   from unnest((select $1::text[])) with ordinality t (hash, position) join device d on d.token_hash = decode(t.hash, 'hex')
   cross join lateral (
     select sum(c.rev) as rev, bool_or(c.next_at <= now()) as due
     from subscription s join channel_state c on c.pusher_id = s.pusher_id where s.device_id = d.id) joined`;

/** The same with the revision: all that a 304 takes. `due` names the channels in which something is to be settled. */
export const findDevicesWithRevision = defineStatement<DeviceRecord>(
  "find_devices_with_revision",
  withRevision(`
       select c.pusher_id::text from subscription s join channel_state c on c.pusher_id = s.pusher_id
       where s.device_id = d.id and c.next_at <= now()`),
);

/** The same where settling failed: `due` names the newest due alerts themselves, as `id.version`. */
export const findDevicesWithDue = defineStatement<DeviceRecord>(
  "find_devices_with_due",
  withRevision(`
       select concat_ws('.', a.id, a.xmin) from subscription s join alert a on a.pusher_id = s.pusher_id
       where s.device_id = d.id and ${isDue("a")} order by a.visible_at desc, a.id limit 200`),
);

export const insertDevice = defineStatement(
  "insert_device",
  `insert into device (id, token_hash, platform, app_version, locale, timezone) values ($1::bigint, $2, $3, $4, $5, $6)`,
);

/** What a channel's card shows, beside the device's own subscription where there is one. */
const CARD = `p.handle, p.name, p.category, p.description, p.long, p.site, p.city, p.lat, p.lon, p.radius_km, p.loc_rule,
  p.requested_perms, p.alert_types, p.tags, p.is_public, p.image_url, p.gradient_from, p.gradient_to, p.initials,
  p.created_at, s.muted, s.permissions, s.subscribed_at`;

export interface CardRecord {
  handle: string;
  name: string;
  category: string;
  description: string;
  long: string | null;
  site: string | null;
  city: string | null;
  lat: number | null;
  lon: number | null;
  radius_km: number | null;
  loc_rule: string | null;
  requested_perms: string[];
  alert_types: string[];
  tags: string[];
  is_public: boolean;
  image_url: string | null;
  gradient_from: string;
  gradient_to: string;
  initials: string;
  created_at: string;
  muted: boolean | null;
  permissions: string[] | null;
  subscribed_at: string | null;
}

/** Holds for an invite `i` that still admits somebody. */
const USABLE_INVITE =
  "i.revoked_at is null and (i.expires_at is null or i.expires_at > now()) and (i.max_uses is null or i.uses < i.max_uses)";

/**
 * docs/rules.md#directory. $1 device, $2 what to find in name and tags (null: all), $3 category
 * (null: all), $4 strictly before (null: from the newest), $5 how many.
 */
export const directory = defineStatement<CardRecord>(
  "directory",
  `select ${CARD} from pusher p left join subscription s on s.pusher_id = p.id and s.device_id = $1::bigint
   where p.is_public and p.status = 'active'
     and ($2::text is null or position($2::text in p.search) > 0)
     and ($3::text is null or p.category = $3::text)
     and p.created_at < coalesce($4::timestamptz, 'infinity')
   order by p.created_at desc fetch first $5 rows with ties`,
);

/** docs/rules.md#channel-public. $1 device, $2 handle, $3 code or null. */
export const channelCard = defineStatement<CardRecord>(
  "channel_card",
  `select ${CARD} from pusher p left join subscription s on s.pusher_id = p.id and s.device_id = $1::bigint
   where p.handle = $2 and p.status <> 'suspended' and (p.is_public or s.device_id is not null
     or exists (select 1 from invite i where i.pusher_id = p.id and i.code = $3::text and ${USABLE_INVITE}))`,
);

/** The channel of a handle, locked as every change of its counts is: first of all, so that all queue in one order. */
export const holdChannel = defineStatement<{
  id: string;
  workspace_id: string;
  is_public: boolean;
  suspended: boolean;
}>(
  "hold_channel",
  `select p.id, p.workspace_id, p.is_public, c.suspended from channel_state c join pusher p on p.id = c.pusher_id
   where p.handle = $1 for no key update of c`,
);

interface SubscriptionRecord {
  muted: boolean;
  permissions: string[];
  subscribed_at: string;
}

/** $1 device, $2 handle, $3 muted, $4 permissions; null leaves each as it is. */
export const changeSubscription = defineStatement<SubscriptionRecord>(
  "change_subscription",
  `update subscription s set muted = coalesce($3::boolean, s.muted), permissions = coalesce($4::text[], s.permissions)
   from pusher p
   where s.device_id = $1::bigint and s.pusher_id = p.id and p.handle = $2 and p.status <> 'suspended'
   returning s.muted, s.permissions, s.subscribed_at`,
);

/** No row when the device joined meanwhile. */
export const joinChannel = defineStatement<SubscriptionRecord>(
  "join_channel",
  `insert into subscription (device_id, pusher_id, muted, permissions)
   values ($1::bigint, $2, coalesce($3::boolean, false), coalesce($4::text[], '{}'))
   on conflict do nothing returning muted, permissions, subscribed_at`,
);

/** Takes one use of an invite, exactly: of simultaneous joins on the last use one gets the row. */
export const takeInvite = defineStatement<{ id: string }>(
  "take_invite",
  `update invite i set uses = i.uses + 1 where i.pusher_id = $1 and i.code = $2 and ${USABLE_INVITE} returning i.id`,
);

export const rememberInvite = defineStatement(
  "remember_invite",
  "update subscription set invite_id = $3 where device_id = $1::bigint and pusher_id = $2",
);

/** One row when the device had joined. */
export const leaveChannel = defineStatement<{ pusher_id: string }>(
  "leave_channel",
  "delete from subscription where device_id = $1::bigint and pusher_id = $2 returning pusher_id",
);

export const subscriberCount = defineStatement<{ subscribers: number }>(
  "subscriber_count",
  "select subscribers::int as subscribers from channel_state where pusher_id = $1",
);
