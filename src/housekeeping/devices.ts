// Removes devices that never come back. For the counts this is the same as leaving: the channel's subscribers fall by one
// and its account gets the event. What the device reported stays counted.

import type { Orm } from "../db/orm.ts";
import { defineStatement, run } from "../db/statement.ts";
import type { DomainEvent } from "../domain/events.ts";
import { showId } from "../domain/ids.ts";
import { array, bigint, int, text, uuid } from "../fields/sql.ts";

export interface DeviceCleaning {
  orm: Orm;
  /** Told of every event after its commit. */
  publish(event: DomainEvent): void;
}

const UNSEEN = {
  parameters: { days: int },
  text: "seen_at < now() - $days::int * interval '1 day'",
};

const unseenDevices = defineStatement("unseen_devices", {
  parameters: { ...UNSEEN.parameters, max: int },
  columns: { id: text },
  text: `select id::text as id from device where ${UNSEEN.text} order by seen_at limit $max::int`,
});

/** Locks the channels before the devices and in one order, as every join, leave and eviction does. */
const lockChannelsOf = defineStatement("lock_channels_of", {
  parameters: { devices: array(bigint) },
  columns: { id: uuid },
  text: `select pusher_id as id from channel_state
    where pusher_id in (select pusher_id from subscription where device_id = any($devices))
    order by pusher_id for no key update`,
});

/** Locks the devices, without those that another transaction has locked and those that came back meanwhile. */
const lockUnseen = defineStatement("lock_unseen", {
  parameters: { ...UNSEEN.parameters, devices: array(bigint) },
  columns: { id: text },
  text: `select id::text as id from device where id = any($devices) and ${UNSEEN.text}
    order by id for update skip locked`,
});

/**
 * Subscriptions go in a statement before the devices, since the trigger that counts reads the device. `channels` are the
 * locked ones.
 */
const unsubscribe = defineStatement("unsubscribe_devices", {
  parameters: { devices: array(bigint), channels: array(uuid) },
  columns: { pusher_id: uuid, workspace_id: uuid, subscribers: int },
  text: `with gone as (
      delete from subscription where device_id = any($devices) and pusher_id = any($channels) returning pusher_id)
    select c.pusher_id, p.workspace_id, (c.subscribers - n)::int as subscribers
    from (select pusher_id, count(*) as n from gone group by 1) g
    join channel_state c on c.pusher_id = g.pusher_id join pusher p on p.id = g.pusher_id order by 1`,
});

/** A device that has joined a channel which is not locked stays for the next round. */
const removeDevices = defineStatement("remove_devices", {
  parameters: { devices: array(bigint) },
  columns: { removed: int },
  text: `with gone as (
      delete from device d where id = any($devices)
        and not exists (select 1 from subscription s where s.device_id = d.id) returning 1)
    select count(*)::int as removed from gone`,
});

/**
 * Removes up to `max` devices that were not seen for `days`, the longest unseen first, and answers how many. One
 * subscriber.deleted a channel, with the count that is left.
 */
export async function removeUnseenDevices(
  { orm, publish }: DeviceCleaning,
  days: number,
  max: number,
): Promise<number> {
  const done = await orm.em.fork().transactional(async (em) => {
    const found = (await run(em, unseenDevices, { days, max })).map(({ id }) => id);
    if (found.length === 0) return { left: [], removed: 0 };
    const channels = (await run(em, lockChannelsOf, { devices: found })).map(({ id }) => id);
    const held = (await run(em, lockUnseen, { devices: found, days })).map(({ id }) => id);
    const left = await run(em, unsubscribe, { devices: held, channels });
    const [row] = await run(em, removeDevices, { devices: held });
    return { left, removed: row!.removed };
  });
  for (const { pusher_id, workspace_id, subscribers } of done.left)
    publish({
      event: "subscriber.deleted",
      workspaceId: workspace_id,
      listening: true,
      data: { pusher_id: showId("psh", pusher_id), count: subscribers },
    });
  return done.removed;
}
