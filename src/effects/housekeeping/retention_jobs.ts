// Deletion by retention period. Alerts are deleted by their channel's retention, in batches, and then their device
// reports. A batch is one transaction, so an interruption leaves nothing incomplete, and processes never take the same
// rows. Lines of the append-only audit log: its trigger only allows the deletion of lines before the time that the
// statement sets. Inactive devices: this equals leaving, so the channel's subscribers decrease and its account gets the
// event; the device's reports stay counted.

import { randomUUID } from "node:crypto";
import { assertDefined } from "../../model/assert.ts";
import type { DomainEvent } from "../../model/domain/domain_events.ts";
import { buildUuid } from "../../model/domain/type_ids.ts";
import { array, bigint, int, text, uuid } from "../../model/fields/sql_statement_types.ts";
import type { Orm } from "../../store/db/orm.ts";
import { createStatementDefiner, getKysely, runStatement } from "../../store/db/statement.ts";
import {
  findAlertsPastRetention,
  lockChannelsForRetention,
  removeAlertsPastRetention,
  removeOrphanedReports,
} from "../../store/queries/alert_retention.ts";
import {
  lockChannelsOfDevices,
  removeSubscriptionsOfDevices,
  removeUnsubscribedDevices,
} from "../../store/queries/device_removal_and_transfer.ts";
import { persistSubscriberCountEvents } from "./pending_events.ts";

const defineStatement = createStatementDefiner("upkeep");

/** Deletes up to `max` alerts and returns their number. Channels that are being published on are skipped. */
export function removeEndedAlerts(orm: Orm, max: number): Promise<number> {
  const em = orm.em.fork();
  return em.transactional(async (inner) => {
    const found = await runStatement(inner, findAlertsPastRetention, { max });
    if (found.length === 0) return 0;
    const wanted = [...new Set(found.map(({ pusher_id }) => pusher_id))];
    const pusher_ids = (await runStatement(inner, lockChannelsForRetention, { pusher_ids: wanted })).map(
      ({ id }) => id,
    );
    const [row] = await runStatement(inner, removeAlertsPastRetention, { ids: found.map(({ id }) => id), pusher_ids });
    return row?.removed ?? 0;
  });
}

/** Deletes up to `max` reports of deleted alerts and returns their number. */
export async function removeReportsOfDeletedAlerts(orm: Orm, max: number): Promise<number> {
  const em = orm.em.fork();
  for (let done = 0; ; ) {
    const [row] = await runStatement(em, removeOrphanedReports, { max: max - done });
    if (!row) return done;
    done += Math.max(1, row.removed);
    if (done >= max) return max;
  }
}

const DAY_MS = 86_400_000;

const removeAudit = defineStatement("remove_audit", {
  /** `first_kept`: an id of this age. Ids begin with the time of their process, so the lines' times are also compared. */
  parameters: { days: int, first_kept: uuid, batch: int },
  columns: { removed: int },
  text: `with before as materialized (
      select set_config('belfry.audit_removed_before', (now() - $days::int * interval '1 day')::text, true)::timestamptz
        as at),
    gone as (
      delete from audit_event where ctid = any (array(
        select a.ctid from before join audit_event a on a.id < $first_kept and a.created_at < before.at
        order by a.id limit $batch::int for update of a skip locked)) returning 1)
    select count(*)::int as removed from gone`,
});

/** Deletes up to `max` lines older than `days` days, the oldest first, and returns their number. */
export async function removeOldAudit(
  { orm, now }: Pick<DeviceRemovalDeps, "orm" | "now">,
  days: number,
  max: number,
): Promise<number> {
  const first_kept = buildUuid(Math.max(0, now().getTime() - days * DAY_MS), 0, randomUUID());
  const [row] = await runStatement(getKysely(orm), removeAudit, { days, first_kept, batch: max });
  return assertDefined(row, "a count query always returns a row").removed;
}

export interface DeviceRemovalDeps {
  orm: Orm;
  publish(event: DomainEvent): void;
  now(): Date;
}

const UNSEEN = { parameters: { days: int }, text: "last_seen_at < now() - $days::int * interval '1 day'" };

const unseenDevices = defineStatement.reading("unseen_devices", {
  parameters: { ...UNSEEN.parameters, max: int },
  columns: { id: text },
  text: `select id::text as id from device where ${UNSEEN.text} order by last_seen_at limit $max::int`,
});

/** Locks the devices, without locked ones and those that were just active. */
const lockUnseen = defineStatement("lock_unseen", {
  parameters: { ...UNSEEN.parameters, devices: array(bigint) },
  columns: { id: text },
  text: `select id::text as id from device where id = any($devices) and ${UNSEEN.text}
    order by id for update skip locked`,
});

/**
 * Deletes up to `max` devices that were inactive for `days`, the longest first, and returns their number. Accounts get
 * the events of leaving.
 */
export async function removeUnseenDevices(
  { orm, publish, now }: DeviceRemovalDeps,
  days: number,
  max: number,
): Promise<number> {
  const done = await orm.em.fork().transactional(async (em) => {
    const found = (await runStatement(em, unseenDevices, { days, max })).map(({ id }) => id);
    if (found.length === 0) return { events: [], removed: 0 };
    const channels = (await runStatement(em, lockChannelsOfDevices, { devices: found })).map(({ id }) => id);
    const held = (await runStatement(em, lockUnseen, { devices: found, days })).map(({ id }) => id);
    const left = await runStatement(em, removeSubscriptionsOfDevices, { devices: held, channels });
    const [row] = await runStatement(em, removeUnsubscribedDevices, { devices: held });
    return {
      events: await persistSubscriberCountEvents(left, em, now()),
      removed: assertDefined(row, "a count query always returns a row").removed,
    };
  });
  for (const event of done.events) publish(event);
  return done.removed;
}
