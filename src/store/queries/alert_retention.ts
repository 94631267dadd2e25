// Deletion of alerts after their retention (rules#retention): finding, counting and deleting them. Their statistics
// stay. An index reads them from the oldest on, so the cost depends on the deleted alerts, not on the kept ones.

import { array, boolean, int, nullable, timestamptz, uuid } from "../../model/fields/sql_statement_types.ts";
import { LIMITS } from "../../model/limits.ts";
import { createStatementDefiner } from "../db/statement.ts";
import { VISIBLE_TO_CALLER_SQL } from "./channels.ts";

const defineStatement = createStatementDefiner("upkeep");
const defineSum = createStatementDefiner("statistics");

/** SQL for channels `p` with a retention, and the time before which nothing is deleted. */
const RULE = `select p.id as pusher_id, coalesce(p.retention_days, w.retention_days) as days,
    coalesce(greatest(p.retention_starts_at, case when p.retention_days is null then w.retention_starts_at end),
      '-infinity') as begins_at
  from pusher p join workspace w on w.id = p.workspace_id
  where coalesce(p.retention_days, w.retention_days) > 0`;

/**
 * SQL for sent and withdrawn alerts `a` of a channel that ended before a time; the end of an expiring alert is its
 * expiry.
 */
const SENT_BEFORE = (channel: string, before: string) =>
  `a.pusher_id = ${channel} and a.status = 'sent' and a.visible_at < ${before} and coalesce(a.expires_at < ` +
  `${before}, true)`;
const CANCELLED_BEFORE = (channel: string, before: string) =>
  `a.pusher_id = ${channel} and a.status = 'cancelled' and a.created_at < ${before} and a.cancelled_at < ${before}`;

const PAST = "now() - r.days * interval '1 day'";

/** SQL for ids of a channel's alerts that ended before a time, the oldest first, with a limit for each part. */
const ended = (channel: string, before: string, limit: string) => `
      (select a.id from alert a where ${SENT_BEFORE(channel, before)} order by a.visible_at limit ${limit})
      union all
      (select a.id from alert a where ${CANCELLED_BEFORE(channel, before)} order by a.created_at limit ${limit})`;

/** Finds alerts to delete now. */
export const findAlertsPastRetention = defineStatement.reading("find_alerts_past_retention", {
  parameters: { max: int },
  columns: { id: uuid, pusher_id: uuid },
  text: `select ended.id, r.pusher_id from (${RULE}) r cross join lateral (${ended("r.pusher_id", PAST, "$max::int")})
    ended
    where r.begins_at <= now() limit $max::int`,
});

/** Locks channels, except those that another transaction has locked. */
export const lockChannelsForRetention = defineStatement("lock_channels_for_retention", {
  parameters: { pusher_ids: array(uuid) },
  columns: { id: uuid },
  text: `select pusher_id as id from channel_state where pusher_id = any($pusher_ids)
    order by pusher_id for no key update skip locked`,
});

/**
 * Deletes those of these alerts whose channels are locked and whose retention still applies. Handsets are notified with
 * the last expired alert of a channel, not with each batch.
 */
export const removeAlertsPastRetention = defineStatement("remove_alerts_past_retention", {
  parameters: { ids: array(uuid), pusher_ids: array(uuid) },
  columns: { removed: int },
  text: `with counted as materialized (select set_config('belfry.keep_counts', 'on', true) as stays),
    r as materialized (select * from (${RULE} and p.id = any($pusher_ids)) r where begins_at <= now()),
    gone as (
      delete from alert where id in (
        select a.id from counted cross join r join alert a on a.pusher_id = r.pusher_id
        where counted.stays = 'on' and a.id = any($ids)
          and (${SENT_BEFORE("r.pusher_id", PAST)} or ${CANCELLED_BEFORE("r.pusher_id", PAST)})
        for update of a skip locked)
      returning pusher_id, status, visible_at),
    days as (
      insert into channel_day as k (pusher_id, day, deleted)
      select pusher_id, (visible_at at time zone 'UTC')::date, count(*) from gone where visible_at is not null
      group by 1, 2 order by 1, 2
      on conflict (pusher_id, day) do update set deleted = k.deleted + excluded.deleted),
    told as (
      update channel_state s set revision = s.revision + 1, changed_at = clock_timestamp()
      from r where s.pusher_id = r.pusher_id and s.pusher_id in (select pusher_id from gone where status = 'sent')
        and not exists (select from alert a where ${SENT_BEFORE("r.pusher_id", PAST)} and a.id <> all($ids)))
    select count(*)::int as removed from gone`,
});

/** Deletes up to `max` reports of one deleted alert; no row if none are left. */
export const removeOrphanedReports = defineStatement("remove_orphaned_reports", {
  parameters: { max: int },
  columns: { removed: int },
  text: `with l as materialized (select alert_id from orphaned_report_alert limit 1 for update skip locked),
    gone as (
      delete from report where ctid = any (array(
        select r.ctid from l cross join lateral (
          select ctid from report where alert_id = l.alert_id limit $max::int) r)) returning 1),
    n as (select count(*)::int as removed from gone),
    done as (delete from orphaned_report_alert using l, n where orphaned_report_alert.alert_id = l.alert_id
      and n.removed < $max::int)
    select n.removed from n, l`,
});

/**
 * Counts the alerts that the current retention deletes first, or now, up to a limit. It covers one channel, or all
 * visible ones without a retention of their own.
 */
export const countUpcomingRemovals = defineSum.reading("count_upcoming_removals", {
  parameters: { ...VISIBLE_TO_CALLER_SQL.parameters, pusher_id: nullable(uuid) },
  columns: { days: nullable(int), begins_at: nullable(timestamptz), alerts: int, more: boolean },
  text: `with r as materialized (${RULE} and ${VISIBLE_TO_CALLER_SQL.text}
        and case when $pusher_id::uuid is null then p.retention_days is null else p.id = $pusher_id end),
    counted as (
      select count(*)::int as n from (
        select from (select r.*, greatest(r.begins_at, now()) - r.days * interval '1 day' as before from r) r
        cross join lateral (${ended("r.pusher_id", "r.before", `${LIMITS.retention_counted + 1}`)}) ended
        limit ${LIMITS.retention_counted + 1}) found)
    select (select max(days) from r) as days, (select greatest(min(nullif(begins_at, '-infinity')), now()) from r) as
      begins_at,
      least(n, ${LIMITS.retention_counted}) as alerts, n > ${LIMITS.retention_counted} as more
    from counted`,
});
