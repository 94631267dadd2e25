// Self-reports, many devices' in one statement: rows, counters and days change together or not at all.

import { isVisible } from "../../model/domain/alert_status.ts";
import { array, bigint, int, smallint, timestamptz, uuid } from "../../model/fields/sql.ts";
import { statementsOf } from "../db/statement.ts";
import { asksFor } from "./webhooks.ts";

const defineStatement = statementsOf("reports");

/**
 * Arrays of one length: which request, of which alert, by which device, what. A row that its device cannot see is
 * skipped; a repeat counts nothing. One row a request that had any visible report, with how many of them. The arrays
 * stand in subqueries for the reason that store/queries/handset.ts gives.
 */
export const takeReports = defineStatement("take_reports", {
  parameters: { requests: array(int), alerts: array(uuid), devices: array(bigint), kinds: array(smallint) },
  columns: { request: int, accepted: int },
  text: `with r as materialized (
     select * from unnest((select $requests::int[]), (select $alerts::uuid[]), (select $devices::bigint[]),
       (select $kinds::smallint[])) t (request, alert_id, device_id, kind)),
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
     insert into alert_counter as c (alert_id, reads, acks, untold)
     select alert_id, reads, acks, acks > 0 and exists (
       select from alert a join pusher p on p.id = a.pusher_id
       where a.id = n.alert_id and ${asksFor("alert.acknowledged", "p.workspace_id")})
     from n order by alert_id
     on conflict (alert_id) do update set reads = c.reads + excluded.reads, acks = c.acks + excluded.acks,
       untold = c.untold or excluded.untold),
   days as (
     insert into channel_day as k (pusher_id, day, reads, acks)
     select of.pusher_id, (now() at time zone 'UTC')::date, sum(n.reads), sum(n.acks)
     from n join (select distinct alert_id, pusher_id from v) of using (alert_id) group by 1 order by 1
     on conflict (pusher_id, day) do update set reads = k.reads + excluded.reads, acks = k.acks + excluded.acks)
   select request, count(*)::int as accepted from v group by request`,
});

/** Forgets when reports before an instant were made; that they were made stays (docs/rules.md#prune-reports). */
export const pruneReports = defineStatement("prune_reports", {
  parameters: { device_id: bigint, before: timestamptz },
  text: "update report set at = null where device_id = $device_id and at is not null and at < $before",
});
