// Deletion of devices: their channels are locked first, then the devices, each in one order, like joins, leaves and
// evictions. Also the transfer of subscriptions to another device, by export and import or by a single-use code, stored
// as a hash. Also test devices, with their shown draft (rules#own-devices). The entity manager handles device details.

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
} from "../../model/fields/sql_statement_types.ts";
import { LIMITS } from "../../model/limits.ts";
import { createStatementDefiner } from "../db/statement.ts";

const defineStatement = createStatementDefiner("joins");
const defineList = createStatementDefiner("lists");
const defineClaim = createStatementDefiner("claims");

/** Locks the channels before the devices and in one order, as every join, leave and eviction does. */
export const lockChannelsOfDevices = defineStatement("lock_channels_of_devices", {
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
 * Subscriptions go in a statement before the devices, since the trigger that counts reads the device. `channels` are
 * the locked ones, null: all.
 */
export const removeSubscriptionsOfDevices = defineStatement("unsubscribe_devices", {
  parameters: { devices: array(bigint), channels: nullable(array(uuid)) },
  columns: { pusher_id: uuid },
  text: `with gone as (
      delete from subscription where device_id = any($devices)
        and ($channels::uuid[] is null or pusher_id = any($channels)) returning pusher_id)
    select distinct pusher_id from gone`,
});

/** A device that has joined a channel which is not locked stays. */
export const removeUnsubscribedDevices = defineStatement("remove_devices", {
  parameters: { devices: array(bigint) },
  columns: { removed: int },
  text: `with gone as (
      delete from device d where id = any($devices)
        and not exists (select 1 from subscription s where s.device_id = d.id) returning 1)
    select count(*)::int as removed from gone`,
});

/** The subscriptions of a device, newest first, without suspended channels, with all rows of the last timestamp. */
export const listExportedSubscriptions = defineList.reading("exported_subscriptions", {
  parameters: { device_id: bigint, before: nullable(timestamptz), limit: int },
  columns: { handle: text, muted: boolean, permissions: array(text), subscribed_at: timestamptz },
  text: `select p.handle, s.muted, s.permissions, s.subscribed_at
    from subscription s join pusher p on p.id = s.pusher_id
    where s.device_id = $device_id and p.status <> 'suspended'
      and s.subscribed_at < coalesce($before::timestamptz, 'infinity')
    order by s.subscribed_at desc fetch first ($limit::int) rows with ties`,
});

/** Locks the channels that a device may join without an invite, or has joined; others have no row. */
export const lockJoinableChannels = defineStatement("lock_joinable_channels", {
  parameters: { device_id: bigint, handles: array(text) },
  columns: { id: uuid, handle: text, workspace_id: uuid },
  text: `select p.id, p.handle, p.workspace_id from channel_state c join pusher p on p.id = c.pusher_id
    where p.handle = any($handles) and not c.suspended and (p.is_public
      or exists (select 1 from subscription s where s.device_id = $device_id and s.pusher_id = p.id))
    order by c.pusher_id for no key update of c`,
});

/**
 * Joins locked channels. Existing subscriptions stay and have no row. Arrays have equal lengths; permissions are
 * separated by commas.
 */
export const joinChannels = defineStatement("join_channels", {
  parameters: { device_id: bigint, pusher_ids: array(uuid), muted: array(boolean), permissions: array(text) },
  columns: { pusher_id: uuid },
  text: `insert into subscription (device_id, pusher_id, muted, permissions)
    select d.id, t.pusher_id, t.muted, string_to_array(t.permissions, ',')
    from device d, unnest($pusher_ids::uuid[], $muted::boolean[], $permissions::text[]) t (pusher_id, muted,
      permissions)
    where d.id = $device_id for key share of d
    on conflict do nothing returning pusher_id`,
});

export const countJoinedChannels = defineStatement.reading("count_joined_channels", {
  parameters: { device_id: bigint },
  columns: { joined: int },
  text: "select count(*)::int as joined from subscription where device_id = $device_id",
});

/** A device has one code at a time. No row if the device was deleted. */
export const storeTransferCode = defineClaim("put_transfer", {
  parameters: { device_id: bigint, code_hash: bytea, seconds: int },
  columns: { expires_at: timestamptz },
  text: `insert into device_transfer as t (device_id, code_hash, expires_at)
    select d.id, $code_hash::bytea, clock_timestamp() + $seconds::int * interval '1 second'
    from device d where d.id = $device_id for key share
    on conflict (device_id) do update set code_hash = excluded.code_hash, expires_at = excluded.expires_at
    returning expires_at`,
});

/** Uses a code up, for exactly one of simultaneous uses; a device does not take over from itself. */
export const claimDeviceTransferCode = defineClaim("redeem_transfer", {
  parameters: { code_hash: bytea, device_id: bigint },
  columns: { from_device: text },
  text: `delete from device_transfer where code_hash = $code_hash and expires_at > now() and device_id <> $device_id
    returning device_id::text as from_device`,
});

/**
 * Copies subscriptions with their invites to another device; existing ones have no row. Both devices and the channels
 * are locked.
 */
export const copySubscriptions = defineStatement("copy_subscriptions", {
  parameters: { from_device: bigint, to_device: bigint },
  columns: { pusher_id: uuid },
  text: `insert into subscription (device_id, pusher_id, invite_id, muted, permissions, subscribed_at)
    select $to_device, pusher_id, invite_id, muted, permissions, subscribed_at
    from subscription where device_id = $from_device
    on conflict do nothing returning pusher_id`,
});

/**
 * SQL for test devices `o` with their shown draft `alert`. It is the tested version, while it is a draft, on a channel
 * that the device follows and its person may write on.
 */
export const TEST_DRAFT_JOIN_SQL = `(test_device o
      join alert on alert.id = o.draft_id and alert.status = 'draft' and alert.updated_at = o.draft_version
      join pusher p on p.id = alert.pusher_id and p.status <> 'suspended'
      join subscription s on s.device_id = o.device_id and s.pusher_id = alert.pusher_id
      join member m on m.user_id = o.user_id and m.workspace_id = p.workspace_id and m.role <> 'viewer'
        and (m.pusher_ids is null or p.id = any(m.pusher_ids)))`;

/** A person has one link that waits; a newer one takes its place. No row: the person has as many devices as may be. */
export const storeTestDeviceCode = defineClaim("put_own_link", {
  parameters: { id: uuid, user_id: text, code_hash: bytea },
  columns: { expires_at: nullable(timestamptz) },
  text: `with before as (delete from test_device where user_id = $user_id and device_id is null)
    insert into test_device (id, user_id, code_hash, expires_at)
    select $id, $user_id, $code_hash, now() + interval '${LIMITS.own_device_minutes} minutes'
    where (select count(*) from test_device where user_id = $user_id and device_id is not null) < ${LIMITS.own_devices}
    returning expires_at`,
});

/** Uses a link, for exactly one of simultaneous uses; returns its owner. */
export const consumeTestDeviceCode = defineClaim("redeem_own_link", {
  parameters: { code_hash: bytea },
  columns: { user_id: text, name: text },
  text: `with taken as (
      delete from test_device where code_hash = $code_hash and device_id is null and expires_at > now()
        returning user_id)
    select taken.user_id, u.name from taken join auth."user" u on u.id = taken.user_id`,
});

/** Links the device to this person, replacing any earlier link. No row if it was deleted. */
export const linkTestDevice = defineStatement("link_own_device", {
  parameters: { id: uuid, user_id: text, device_id: bigint },
  columns: { id: uuid },
  text: `insert into test_device (id, user_id, device_id)
    select $id, $user_id, d.id from device d where d.id = $device_id for key share
    on conflict (device_id) do update set id = excluded.id, user_id = excluded.user_id, created_at = clock_timestamp(),
      draft_id = null
    returning id`,
});

/** The person to whom the device is linked. */
export const findOwnerOfDevice = defineList.reading("owner_of_device", {
  parameters: { device_id: bigint },
  columns: { name: text },
  text: `select u.name from test_device o join auth."user" u on u.id = o.user_id where o.device_id = $device_id`,
});

/** The devices of a person, the newest link first. */
export const listTestDevicesOfUser = defineList.reading("list_own_devices", {
  parameters: { user_id: text },
  columns: { id: uuid, platform: text, app_version: text, created_at: timestamptz },
  text: `select o.id, d.platform, d.app_version, o.created_at from test_device o join device d on d.id = o.device_id
    where o.user_id = $user_id order by o.created_at desc, o.id`,
});

/** Ends the tests of an unlinked device and returns it. */
const unlinkBy = (which: string) => `with gone as (delete from test_device where ${which} returning device_id)
    update device d set subscriptions_revision = d.subscriptions_revision + 1, test_until = null from gone
      where d.id = gone.device_id
    returning d.id::text as device_id`;

export const unlinkTestDevice = defineStatement("unlink_own_device", {
  parameters: { user_id: text, id: uuid },
  columns: { device_id: text },
  text: unlinkBy("user_id = $user_id and id = $id and device_id is not null"),
});

export const unlinkDevice = defineStatement("unlink_device", {
  parameters: { device_id: bigint },
  columns: { device_id: text },
  text: unlinkBy("device_id = $device_id"),
});

/** Deletes all test devices and links of a person, and ends their tests. */
export const deleteTestDevicesOfUser = defineStatement("forget_own_devices", {
  parameters: { user_id: text },
  text: "delete from test_device where user_id = $user_id",
});

/**
 * Shows a version of a draft on those of a person's devices that follow its channel, in place of an earlier one.
 * Returns these. `linked` is the number of all devices of the person, in a row without a device where none follows.
 */
export const showTestDraftOnTestDevices = defineStatement("show_test_draft_on_own_devices", {
  parameters: { user_id: text, pusher_id: uuid, draft_id: uuid, draft_version: timestamptz, test_alert_id: uuid },
  columns: { linked: int, device_id: nullable(text) },
  text: `with own as materialized (
      select o.device_id, s.device_id is not null as follows from test_device o
      left join subscription s on s.device_id = o.device_id and s.pusher_id = $pusher_id
      where o.user_id = $user_id and o.device_id is not null),
    held as materialized (
      select d.id from device d where d.id in (select device_id from own where follows) order by d.id for no key
        update),
    shown as (
      update test_device o set draft_id = $draft_id, draft_version = $draft_version, test_alert_id = $test_alert_id,
        test_shown_at = clock_timestamp()
      from held where o.device_id = held.id),
    touched as (
      update device d set subscriptions_revision = d.subscriptions_revision + 1,
        test_until = clock_timestamp() + interval '${LIMITS.test_minutes} minutes'
      from held where d.id = held.id)
    select (select count(*) from own)::int as linked, held.id::text as device_id from (values (1)) one left join held on
      true`,
});
