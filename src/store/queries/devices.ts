// How devices go. Whoever takes them away locks their channels first, then the devices, each in one order, as joins, leaves and
// evictions do. What one says of itself goes through the entity manager.

import { array, bigint, int, nullable, text, uuid } from "../../model/fields/sql.ts";
import { statementsOf } from "../db/statement.ts";

const defineStatement = statementsOf("joins");

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
