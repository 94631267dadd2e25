// How devices go. Whoever takes them away locks their channels first, then the devices, each in one order, as joins, leaves and
// evictions do. What one says of itself goes through the entity manager. And subscriptions on their way to another device: written down and
// read again, or moved by a one-time code of which only the hash is kept.

import {
  array,
  bigint,
  boolean,
  bytea,
  int,
  nullable,
  text,
  timestamptz,
  uuid,
} from "../../model/fields/sql.ts";
import { statementsOf } from "../db/statement.ts";

const defineStatement = statementsOf("joins");
const defineList = statementsOf("lists");
const defineClaim = statementsOf("claims");

/** Locks the channels before the devices and in one order, as every join, leave and eviction does. */
export const lockChannelsOf = defineStatement("lock_channels_of", {
  parameters: { devices: array(bigint) },
  columns: { id: uuid },
  text: `select pusher_id as id from channel_state
    where pusher_id in (select pusher_id from subscription where device_id = any($devices))
    order by pusher_id for no key update`,
});

/** Nothing refers to them newly from here on: a device that is joining has joined, or has not begun. */
export const lockDevices = defineStatement("lock_devices", {
  parameters: { devices: array(bigint) },
  columns: { id: text },
  text: "select id::text as id from device where id = any($devices) order by id for update",
});

/**
 * Subscriptions go in a statement before the devices, since the trigger that counts reads the device. `channels` are the
 * locked ones, null: all.
 */
export const unsubscribeDevices = defineStatement("unsubscribe_devices", {
  parameters: { devices: array(bigint), channels: nullable(array(uuid)) },
  columns: { pusher_id: uuid },
  text: `with gone as (
      delete from subscription where device_id = any($devices)
        and ($channels::uuid[] is null or pusher_id = any($channels)) returning pusher_id)
    select distinct pusher_id from gone`,
});

/** A device that has joined a channel which is not locked stays. */
export const removeDevices = defineStatement("remove_devices", {
  parameters: { devices: array(bigint) },
  columns: { removed: int },
  text: `with gone as (
      delete from device d where id = any($devices)
        and not exists (select 1 from subscription s where s.device_id = d.id) returning 1)
    select count(*)::int as removed from gone`,
});

/** What a device joined, the newest first; a suspended channel is left out. Ties of the last instant come along. */
export const exportedSubscriptions = defineList.reading("exported_subscriptions", {
  parameters: { device_id: bigint, before: nullable(timestamptz), limit: int },
  columns: { handle: text, muted: boolean, permissions: array(text), subscribed_at: timestamptz },
  text: `select p.handle, s.muted, s.permissions, s.subscribed_at
    from subscription s join pusher p on p.id = s.pusher_id
    where s.device_id = $device_id and p.status <> 'suspended'
      and s.subscribed_at < coalesce($before::timestamptz, 'infinity')
    order by s.subscribed_at desc fetch first ($limit::int) rows with ties`,
});

/** Locks those of the channels that a device may join without an invite or has joined; all others are no rows. */
export const lockOpenChannels = defineStatement("lock_open_channels", {
  parameters: { device_id: bigint, handles: array(text) },
  columns: { id: uuid, handle: text, workspace_id: uuid },
  text: `select p.id, p.handle, p.workspace_id from channel_state c join pusher p on p.id = c.pusher_id
    where p.handle = any($handles) and not c.suspended and (p.is_public
      or exists (select 1 from subscription s where s.device_id = $device_id and s.pusher_id = p.id))
    order by c.pusher_id for no key update of c`,
});

/**
 * Joins channels that are locked; what is joined already stays as it is and is no row. Arrays of one length; permissions
 * with commas between.
 */
export const joinChannels = defineStatement("join_channels", {
  parameters: { device_id: bigint, pusher_ids: array(uuid), muted: array(boolean), permissions: array(text) },
  columns: { pusher_id: uuid },
  text: `insert into subscription (device_id, pusher_id, muted, permissions)
    select d.id, t.pusher_id, t.muted, string_to_array(t.permissions, ',')
    from device d, unnest($pusher_ids::uuid[], $muted::boolean[], $permissions::text[]) t (pusher_id, muted, permissions)
    where d.id = $device_id for key share of d
    on conflict do nothing returning pusher_id`,
});

export const channelsJoined = defineStatement.reading("channels_joined", {
  parameters: { device_id: bigint },
  columns: { joined: int },
  text: "select count(*)::int as joined from subscription where device_id = $device_id",
});

/** A device has one code at a time. No row when the device is gone. */
export const putTransfer = defineClaim("put_transfer", {
  parameters: { device_id: bigint, code_hash: bytea, seconds: int },
  columns: { expires_at: timestamptz },
  text: `insert into device_transfer as t (device_id, code_hash, expires_at)
    select d.id, $code_hash::bytea, clock_timestamp() + $seconds::int * interval '1 second'
    from device d where d.id = $device_id for key share
    on conflict (device_id) do update set code_hash = excluded.code_hash, expires_at = excluded.expires_at
    returning expires_at`,
});

/** Uses a code up, for exactly one of simultaneous uses; a device does not take over from itself. */
export const takeTransfer = defineClaim("take_transfer", {
  parameters: { code_hash: bytea, device_id: bigint },
  columns: { from_device: text },
  text: `delete from device_transfer where code_hash = $code_hash and expires_at > now() and device_id <> $device_id
    returning device_id::text as from_device`,
});

/**
 * The same subscriptions for another device, the invites that they came by included; one that it has already is no row.
 * Both devices and the channels are locked.
 */
export const copySubscriptions = defineStatement("copy_subscriptions", {
  parameters: { from_device: bigint, to_device: bigint },
  columns: { pusher_id: uuid },
  text: `insert into subscription (device_id, pusher_id, invite_id, muted, permissions, subscribed_at)
    select $to_device, pusher_id, invite_id, muted, permissions, subscribed_at
    from subscription where device_id = $from_device
    on conflict do nothing returning pusher_id`,
});
