// Removes devices that never come back. For the counts this is the same as leaving: the channel's subscribers fall by one
// and its account gets the event. What the device reported stays counted.

import type { DomainEvent } from "../../model/domain/events.ts";
import { array, bigint, int, text } from "../../model/fields/sql.ts";
import { need } from "../../model/need.ts";
import type { Orm } from "../../store/db/orm.ts";
import { run, statementsOf } from "../../store/db/statement.ts";
import { lockChannelsOf, removeDevices, unsubscribeDevices } from "../../store/queries/devices.ts";
import { tell } from "./told.ts";

const defineStatement = statementsOf("upkeep");

export interface DeviceCleaning {
  orm: Orm;
  publish(event: DomainEvent): void;
  now(): Date;
}

const UNSEEN = {
  parameters: { days: int },
  text: "seen_at < now() - $days::int * interval '1 day'",
};

const unseenDevices = defineStatement("unseen_devices", {
  reads: true,
  parameters: { ...UNSEEN.parameters, max: int },
  columns: { id: text },
  text: `select id::text as id from device where ${UNSEEN.text} order by seen_at limit $max::int`,
});

/** Locks the devices, without those that another transaction has locked and those that came back meanwhile. */
const lockUnseen = defineStatement("lock_unseen", {
  parameters: { ...UNSEEN.parameters, devices: array(bigint) },
  columns: { id: text },
  text: `select id::text as id from device where id = any($devices) and ${UNSEEN.text}
    order by id for update skip locked`,
});

/**
 * Removes up to `max` devices that were not seen for `days`, the longest unseen first, and answers how many. Accounts are told
 * as of leaving.
 */
export async function removeUnseenDevices(
  { orm, publish, now }: DeviceCleaning,
  days: number,
  max: number,
): Promise<number> {
  const done = await orm.em.fork().transactional(async (em) => {
    const found = (await run(em, unseenDevices, { days, max })).map(({ id }) => id);
    if (found.length === 0) return { events: [], removed: 0 };
    const channels = (await run(em, lockChannelsOf, { devices: found })).map(({ id }) => id);
    const held = (await run(em, lockUnseen, { devices: found, days })).map(({ id }) => id);
    const left = await run(em, unsubscribeDevices, { devices: held, channels });
    const [row] = await run(em, removeDevices, { devices: held });
    return { events: await tell(left, em, now()), removed: need(row, "a count has a row").removed };
  });
  for (const event of done.events) publish(event);
  return done.removed;
}
