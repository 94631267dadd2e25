// The end of devices that never come back. For the counts it is a leaving: the channel's subscribers fall by one and its
// account hears of it; what the device reported stays counted.

import type { Orm } from "../db/orm.ts";
import { defineStatement, run } from "../db/statement.ts";
import type { DomainEvent } from "../domain/events.ts";
import { showId } from "../domain/ids.ts";

export interface DeviceCleaning {
  orm: Orm;
  /** Told of every event after its commit. */
  publish(event: DomainEvent): void;
}

const UNSEEN = "seen_at < now() - $2::int * interval '1 day'";

/** $1 how many, $2 days. */
const unseenDevices = defineStatement<{ id: string }>(
  "unseen_devices",
  `select id::text as id from device where ${UNSEEN} order by seen_at limit $1::int`,
);

/** Channels before devices, in one order: as every join, leave and eviction locks them. $1 devices. */
const holdChannelsOf = defineStatement<{ id: string }>(
  "hold_channels_of",
  `select pusher_id as id from channel_state
   where pusher_id in (select pusher_id from subscription where device_id = any($1::bigint[]))
   order by pusher_id for no key update`,
);

/** The same devices, but for those that somebody holds or that came back meanwhile. $1 devices, $2 days. */
const holdUnseen = defineStatement<{ id: string }>(
  "hold_unseen",
  `select id::text as id from device where id = any($1::bigint[]) and ${UNSEEN} order by id for update skip locked`,
);

/** A statement before the devices' own: the counters' trigger reads the device. $1 devices, $2 the held channels. */
const unsubscribe = defineStatement<{ pusher_id: string; workspace_id: string; subscribers: number }>(
  "unsubscribe_devices",
  `with gone as (
     delete from subscription where device_id = any($1::bigint[]) and pusher_id = any($2::uuid[]) returning pusher_id)
   select c.pusher_id, p.workspace_id, (c.subscribers - n)::int as subscribers
   from (select pusher_id, count(*) as n from gone group by 1) g
   join channel_state c on c.pusher_id = g.pusher_id join pusher p on p.id = g.pusher_id order by 1`,
);

/** One that joined a channel which is not held stays for another time. $1 devices. */
const removeDevices = defineStatement<{ removed: number }>(
  "remove_devices",
  `with gone as (
     delete from device d where id = any($1::bigint[])
       and not exists (select 1 from subscription s where s.device_id = d.id) returning 1)
   select count(*)::int as removed from gone`,
);

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
    const found = (await run(em, unseenDevices, [max, days])).map(({ id }) => id);
    if (found.length === 0) return { left: [], removed: 0 };
    const channels = (await run(em, holdChannelsOf, [found])).map(({ id }) => id);
    const held = (await run(em, holdUnseen, [found, days])).map(({ id }) => id);
    const left = await run(em, unsubscribe, [held, channels]);
    const [row] = await run(em, removeDevices, [held]);
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
