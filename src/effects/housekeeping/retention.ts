// Removes alerts that were kept as long as their channel says, a slice at a time, and then what handsets reported of them. A slice is one
// transaction: whoever stops in the middle has left nothing half done, and several processes never take the same.

import type { Orm } from "../../store/db/orm.ts";
import { run } from "../../store/db/statement.ts";
import {
  findEnded,
  lockEndedChannels,
  removeEnded,
  removeLeftReports,
} from "../../store/queries/retention.ts";

/** Removes up to `max` alerts; answers how many. Channels on which somebody publishes are left for another time. */
export function removeEndedAlerts(orm: Orm, max: number): Promise<number> {
  const em = orm.em.fork();
  return em.transactional(async (inner) => {
    const found = await run(inner, findEnded, { max });
    if (found.length === 0) return 0;
    const wanted = [...new Set(found.map(({ pusher_id }) => pusher_id))];
    const pusher_ids = (await run(inner, lockEndedChannels, { pusher_ids: wanted })).map(({ id }) => id);
    const [row] = await run(inner, removeEnded, { ids: found.map(({ id }) => id), pusher_ids });
    return row?.removed ?? 0;
  });
}

/** Removes up to `max` reports of alerts that are gone; answers how many rows went. */
export async function removeReportsLeft(orm: Orm, max: number): Promise<number> {
  const em = orm.em.fork();
  for (let done = 0; ; ) {
    const [row] = await run(em, removeLeftReports, { max: max - done });
    if (!row) return done;
    done += Math.max(1, row.removed);
    if (done >= max) return max;
  }
}
