// What goes with its time. Alerts that were kept as long as their channel says, a slice at a time, and then what
// handsets reported of them: a slice is one transaction, so whoever stops in the middle has left nothing half done,
// and several processes never take the same. Lines of the audit log, which is only added to: its trigger lets go of
// what is older than the instant that the statement names, and of nothing else. Devices that never come back: for the
// counts this is the same as leaving, the channel's subscribers fall by one and its account gets the event; what the
// device reported stays counted.

import { assertDefined } from "../../model/assert.ts";
import type { DomainEvent } from "../../model/domain/domain_events.ts";
import { array, bigint, int, text } from "../../model/fields/sql_types.ts";
import type { Orm } from "../../store/db/orm.ts";
import { createStatementDefiner, getKysely, runStatement } from "../../store/db/statement.ts";
import {
  findEnded,
  lockEndedChannels,
  removeEnded,
  removeOrphanedReports,
} from "../../store/queries/alert_retention.ts";
import { lockChannelsOf, removeDevices, unsubscribeDevices } from "../../store/queries/devices.ts";
import { emitSubscriberEvents } from "./deferred_events.ts";

const defineStatement = createStatementDefiner("upkeep");

/** Removes up to `max` alerts; answers how many. Channels on which somebody publishes are left for another time. */
export function removeEndedAlerts(orm: Orm, max: number): Promise<number> {
  const em = orm.em.fork();
  return em.transactional(async (inner) => {
    const found = await runStatement(inner, findEnded, { max });
    if (found.length === 0) return 0;
    const wanted = [...new Set(found.map(({ pusher_id }) => pusher_id))];
    const pusher_ids = (await runStatement(inner, lockEndedChannels, { pusher_ids: wanted })).map(({ id }) => id);
    const [row] = await runStatement(inner, removeEnded, { ids: found.map(({ id }) => id), pusher_ids });
    return row?.removed ?? 0;
  });
}

/** Removes up to `max` reports of alerts that are gone; answers how many rows went. */
export async function removeReportsOfDeletedAlerts(orm: Orm, max: number): Promise<number> {
  const em = orm.em.fork();
  for (let done = 0; ; ) {
    const [row] = await runStatement(em, removeOrphanedReports, { max: max - done });
    if (!row) return done;
    done += Math.max(1, row.removed);
    if (done >= max) return max;
  }
}

const removeAudit = defineStatement("remove_audit", {
  parameters: { days: int, batch: int },
  columns: { removed: int },
  text: `with before as materialized (
      select set_config('belfry.audit_removed_before', (now() - $days::int * interval '1 day')::text, true)::timestamptz as at),
    gone as (
      delete from audit_event where ctid = any (array(
        select a.ctid from before join audit_event a on a.created_at < before.at
        order by a.created_at limit $batch::int for update of a skip locked)) returning 1)
    select count(*)::int as removed from gone`,
});

/** Removes up to `max` lines that are older than so many days, the oldest first; answers how many. */
export async function removeOldAudit(orm: Orm, days: number, max: number): Promise<number> {
  const [row] = await runStatement(getKysely(orm), removeAudit, { days, batch: max });
  return assertDefined(row, "a count has a row").removed;
}

export interface DeviceRemovalDeps {
  orm: Orm;
  publish(event: DomainEvent): void;
  now(): Date;
}

const UNSEEN = {
  parameters: { days: int },
  text: "last_seen_at < now() - $days::int * interval '1 day'",
};

const unseenDevices = defineStatement.reading("unseen_devices", {
  parameters: { ...UNSEEN.parameters, max: int },
  columns: { id: text },
  text: `select id::text as id from device where ${UNSEEN.text} order by last_seen_at limit $max::int`,
});

/** Locks the devices, without those that another transaction has locked and those that came back meanwhile. */
const lockUnseen = defineStatement("lock_unseen", {
  parameters: { ...UNSEEN.parameters, devices: array(bigint) },
  columns: { id: text },
  text: `select id::text as id from device where id = any($devices) and ${UNSEEN.text}
    order by id for update skip locked`,
});

/**
 * Removes up to `max` devices that were not seen for `days`, the longest unseen first, and answers how many. Accounts
 * are told as of leaving.
 */
export async function removeUnseenDevices(
  { orm, publish, now }: DeviceRemovalDeps,
  days: number,
  max: number,
): Promise<number> {
  const done = await orm.em.fork().transactional(async (em) => {
    const found = (await runStatement(em, unseenDevices, { days, max })).map(({ id }) => id);
    if (found.length === 0) return { events: [], removed: 0 };
    const channels = (await runStatement(em, lockChannelsOf, { devices: found })).map(({ id }) => id);
    const held = (await runStatement(em, lockUnseen, { devices: found, days })).map(({ id }) => id);
    const left = await runStatement(em, unsubscribeDevices, { devices: held, channels });
    const [row] = await runStatement(em, removeDevices, { devices: held });
    return {
      events: await emitSubscriberEvents(left, em, now()),
      removed: assertDefined(row, "a count has a row").removed,
    };
  });
  for (const event of done.events) publish(event);
  return done.removed;
}
