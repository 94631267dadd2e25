// Self-reports, many devices' in one statement: rows, counters and days change together or not at all.

import { defineStatement } from "../db/statement.ts";
import { isVisible } from "../domain/alert_status.ts";

/**
 * $1 which request, $2 alert, $3 device, $4 kind, as arrays of one length. A row that its device cannot see is skipped;
 * a repeat counts nothing. One row a request that had any visible report, with how many of them. The arrays stand in
 * subqueries for the reason that queries/handset.ts gives.
 */
export const takeReports = defineStatement<{ request: number; accepted: number }>(
  "take_reports",
  `with r as materialized (
     select * from unnest((select $1::int[]), (select $2::uuid[]), (select $3::bigint[]),
       (select $4::smallint[])) t (request, alert_id, device_id, kind)),
   -- Held, so that an alert that is being deleted takes its reports along, or takes none any more.
   held as materialized (
     select a.id, a.pusher_id from alert a
     where a.id in (select alert_id from r) and ${isVisible("a")} order by a.id for key share),
   v as materialized (
     select r.*, a.pusher_id from r
     join held a on a.id = r.alert_id
     join subscription s on s.device_id = r.device_id and s.pusher_id = a.pusher_id
     join channel_state c on c.pusher_id = a.pusher_id and not c.suspended),
   i as (
     insert into report (alert_id, device_id, kind, at)
     select distinct alert_id, device_id, kind, now() from v order by 1, 2, 3
     on conflict do nothing returning alert_id, kind),
   n as (
     select alert_id, count(*) filter (where kind = 1) as reads, count(*) filter (where kind = 2) as acks
     from i group by 1),
   counted as (
     insert into alert_counter as c (alert_id, reads, acks) select alert_id, reads, acks from n order by alert_id
     on conflict (alert_id) do update set reads = c.reads + excluded.reads, acks = c.acks + excluded.acks),
   days as (
     insert into channel_day as k (pusher_id, day, reads, acks)
     select of.pusher_id, (now() at time zone 'UTC')::date, sum(n.reads), sum(n.acks)
     from n join (select distinct alert_id, pusher_id from v) of using (alert_id) group by 1 order by 1
     on conflict (pusher_id, day) do update set reads = k.reads + excluded.reads, acks = k.acks + excluded.acks)
   select request, count(*)::int as accepted from v group by request`,
);

/** The time goes, the fact stays (docs/rules.md#prune-reports). $1 device, $2 strictly before. */
export const pruneReports = defineStatement(
  "prune_reports",
  "update report set at = null where device_id = $1::bigint and at is not null and at < $2::timestamptz",
);
