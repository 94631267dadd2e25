// Self-reports, many devices' in one statement: rows, counters and days change together or not at all.

import { isVisible } from "../../model/domain/alert_status.ts";
import { array, bigint, int, smallint, text, timestamptz, uuid } from "../../model/fields/sql.ts";
import type { EventName } from "../../model/fields/webhook.ts";
import { LIMITS } from "../../model/limits.ts";
import { statementsOf } from "../db/statement.ts";
import { asksFor } from "./webhooks.ts";

const defineStatement = statementsOf("reports");

/** The text of an array with one element for each choice that a question may have. */
export const eachChoice = (element: (place: number) => string) =>
  `array[${Array.from({ length: LIMITS.reply_choices }, (_, i) => element(i + 1)).join(", ")}]`;

/** Holds for an alert of `n` whose workspace asks for an event. */
const asked = (event: EventName) => `exists (
       select from alert a join pusher p on p.id = a.pusher_id
       where a.id = n.alert_id and ${asksFor(event, "p.workspace_id")})`;

/**
 * Arrays of one length: which request, of which alert, by which device, what, and the choice of a reply (else empty). A row that
 * its device cannot see is skipped, and a reply that the alert does not offer or that comes when it is over; a repeat counts nothing.
 * Of a device's replies to an alert the last one counts: its row keeps the one before it (`was`), and who changes the row takes that
 * back. One row a request that had any that was taken, with how many of them. The arrays stand in subqueries for the reason that
 * store/queries/handset.ts gives.
 */
export const takeReports = defineStatement("take_reports", {
  parameters: {
    requests: array(int),
    alerts: array(uuid),
    devices: array(bigint),
    kinds: array(smallint),
    choices: array(text),
  },
  columns: { request: int, accepted: int },
  text: `with r as materialized (
     select * from unnest((select $requests::int[]), (select $alerts::uuid[]), (select $devices::bigint[]),
       (select $kinds::smallint[]), (select $choices::text[])) with ordinality
       t (request, alert_id, device_id, kind, reply, n)),
   -- Held, so that an alert that is being deleted takes its reports along, or takes none any more.
   held as materialized (
     select a.id, a.pusher_id, a.actions, a.expires_at from alert a
     where a.id in (select alert_id from r) and ${isVisible("a")} order by a.id for key share),
   v as materialized (
     select r.*, a.pusher_id, o.place from r
     join held a on a.id = r.alert_id
     join subscription s on s.device_id = r.device_id and s.pusher_id = a.pusher_id
     join channel_state c on c.pusher_id = a.pusher_id and not c.suspended
     left join lateral (
       select place from jsonb_array_elements(a.actions) b, jsonb_array_elements_text(b -> 'choices') with ordinality e (text, place)
       where r.kind = 3 and e.text = r.reply and coalesce(a.expires_at > clock_timestamp(), true)) o on true
     where r.kind <> 3 or o.place is not null),
   i as (
     insert into report (alert_id, device_id, kind, at)
     select distinct alert_id, device_id, kind, now() from v where kind <> 3 order by 1, 2, 3
     on conflict do nothing returning alert_id, kind),
   chosen as (
     insert into report as t (alert_id, device_id, kind, at, choice)
     select distinct on (alert_id, device_id) alert_id, device_id, kind, now(), place from v where kind = 3
     order by alert_id, device_id, n desc
     on conflict (alert_id, device_id, kind) do update set was = t.choice, choice = excluded.choice, at = excluded.at
     where t.choice is distinct from excluded.choice returning alert_id, kind, choice, was),
   n as (
     select alert_id, count(*) filter (where kind = 1) as reads, count(*) filter (where kind = 2) as acks,
       ${eachChoice((place) => `count(*) filter (where choice = ${place}) - count(*) filter (where was = ${place})`)} as replies,
       bool_or(kind = 3) as replied
     from (select alert_id, kind, null::smallint as choice, null::smallint as was from i union all table chosen) k group by 1),
   counted as (
     insert into alert_counter as c (alert_id, reads, acks, untold, replies, replied)
     select alert_id, reads, acks, acks > 0 and ${asked("alert.acknowledged")}, replies, replied and ${asked("alert.replied")}
     from n order by alert_id
     on conflict (alert_id) do update set reads = c.reads + excluded.reads, acks = c.acks + excluded.acks,
       untold = c.untold or excluded.untold, replied = c.replied or excluded.replied,
       replies = ${eachChoice((place) => `c.replies[${place}] + excluded.replies[${place}]`)}),
   days as (
     insert into channel_day as k (pusher_id, day, reads, acks)
     select of.pusher_id, (now() at time zone 'UTC')::date, sum(n.reads), sum(n.acks)
     from n join (select distinct alert_id, pusher_id from v) of using (alert_id) where n.reads + n.acks > 0 group by 1 order by 1
     on conflict (pusher_id, day) do update set reads = k.reads + excluded.reads, acks = k.acks + excluded.acks)
   select request, count(*)::int as accepted from v group by request`,
});

/** Forgets when reports before an instant were made; that they were made stays (docs/rules.md#prune-reports). */
export const pruneReports = defineStatement("prune_reports", {
  parameters: { device_id: bigint, before: timestamptz },
  text: "update report set at = null where device_id = $device_id and at is not null and at < $before",
});
