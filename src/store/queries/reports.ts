// Reports of many devices in one statement: rows, counters and days change together or not at all. The same statement
// marks pending events for subscribed accounts (rules#events-asked-for), which any process emits afterwards.

import { sqlIsVisible } from "../../model/domain/alert_transitions.ts";
import { EVENT_ALERT_FIELDS } from "../../model/domain/domain_events.ts";
import { ALERT_FIELDS } from "../../model/fields/alert.ts";
import { getFieldSqlTypes } from "../../model/fields/field_table.ts";
import {
  array,
  bigint,
  boolean,
  int,
  nullable,
  selectColumns,
  smallint,
  text,
  timestamptz,
  uuid,
} from "../../model/fields/sql_statement_types.ts";
import type { EventName } from "../../model/fields/webhook.ts";
import { LIMITS } from "../../model/limits.ts";
import { COUNTER_HAS_PENDING_EVENTS_SQL } from "../../model/tables/devices_and_reports.ts";
import { createStatementDefiner } from "../db/statement.ts";
import { isShownByJoinTimeSql } from "./alerts_before_joining.ts";
import { sqlIsSubscribedToEvent } from "./webhooks.ts";

const defineStatement = createStatementDefiner("reports");

/** The text of an array with one element for each choice that a question may have. */
export const buildArraySqlPerReplyChoice = (element: (place: number) => string) =>
  `array[${Array.from({ length: LIMITS.reply_choices }, (_, i) => element(i + 1)).join(", ")}]`;

/**
 * SQL: the one row with all `reads`, `acks` and `replies` of an alert, which may be counted in several rows or in
 * none yet.
 */
export const selectReportCounts = (alertId: string) => `(
    select coalesce(sum(reads), 0) as reads, coalesce(sum(acks), 0) as acks,
      ${buildArraySqlPerReplyChoice((place) => `coalesce(sum(replies[${place}]), 0)::bigint`)} as replies
    from (select reads, acks, replies from alert_counter where alert_id = ${alertId}
      union all select reads, acks, replies from alert_counter_stripe where alert_id = ${alertId}) parts)`;

/**
 * SQL condition: the workspace of an alert of `n` subscribes to an event. It uses no list of all subscribed alerts,
 * which would grow with history.
 */
const isEventSubscribed = (event: EventName) =>
  `coalesce((select true from pusher p where p.id = n.pusher_id and ${sqlIsSubscribedToEvent(event)}
    limit 1), false)`;

const REPORTS = { requests: array(int), alerts: array(uuid), devices: array(bigint), kinds: array(smallint) };

const WITH_CHOICES = { ...REPORTS, choices: array(text) };

/**
 * SQL for `r`, the reports, and `held`, their alerts with the needed columns. The alerts are locked, so the deletion of
 * one includes its reports, or the alert accepts none. Arrays are in subqueries for the reason in
 * store/queries/subscriptions_and_directory.ts.
 */
const begin = (parameters: object, columns: string) => `with r as materialized (
     select * from unnest(${Object.entries(parameters)
       .map(([name, { sql }]) => `(select $${name}::${sql})`)
       .join(", ")}) with ordinality
       t (request, alert_id, device_id, kind${"choices" in parameters ? ", reply" : ""}, n)),
   held as materialized (
     select a.id, a.pusher_id, a.visible_at${columns} from alert a
     where a.id = any(array(select alert_id from r)) and ${sqlIsVisible("a")} order by a.id for key share)`;

/** `v`: what its device can see. */
const SEEN = `from r
     join held a on a.id = r.alert_id
     join subscription s on s.device_id = r.device_id and s.pusher_id = a.pusher_id
       and ${isShownByJoinTimeSql("a")}
     join channel_state c on c.pusher_id = a.pusher_id and not c.suspended`;

const READ = (where: string) => `
     insert into report (alert_id, device_id, kind, reported_at)
     select distinct alert_id, device_id, kind, now() from v where ${where} order by 1, 2, 3
     on conflict do nothing returning alert_id, kind`;

const DAYS = `
     insert into channel_day as k (pusher_id, day, reads, acks)
     select n.pusher_id, (now() at time zone 'UTC')::date, sum(n.reads), sum(n.acks)
     from n where n.reads + n.acks > 0 group by n.pusher_id order by 1
     on conflict (pusher_id, day) do update set reads = k.reads + excluded.reads, acks = k.acks + excluded.acks`;

/**
 * Reads and acks: arrays of one length, which request, of which alert, by which device, what. A row that its device
 * cannot see is skipped; a repeat counts nothing. One row a request that had any that was taken, with how many of
 * them.
 */
export const recordReports = defineStatement("record_reports", {
  parameters: REPORTS,
  columns: { request: int, accepted: int },
  text: `${begin(REPORTS, "")},
   v as materialized (select r.*, a.pusher_id ${SEEN}),
   i as (${READ("true")}),
   n as materialized (
     select i.alert_id, a.pusher_id, count(*) filter (where kind = 1) as reads, count(*) filter (where kind = 2) as acks
     from i join held a on a.id = i.alert_id group by 1, 2),
   counted as (
     insert into alert_counter as c (alert_id, reads, acks, acks_pending)
     select alert_id, reads, acks, acks > 0 and ${isEventSubscribed("alert.acknowledged")} from n order by alert_id
     on conflict (alert_id) do update set reads = c.reads + excluded.reads, acks = c.acks + excluded.acks,
       acks_pending = c.acks_pending or excluded.acks_pending),
   days as (${DAYS})
   select request, count(*)::int as accepted from v group by request`,
});

/**
 * The same for reports of every kind, with the choice of each reply (else empty). A reply that the alert does not
 * offer, or after its expiry, is skipped. The last reply of a device counts. Its row keeps the previous one
 * (`previous_choice`), which the statement subtracts.
 */
export const recordReportsWithReplies = defineStatement("record_reports_with_replies", {
  parameters: WITH_CHOICES,
  columns: { request: int, accepted: int },
  text: `${begin(WITH_CHOICES, ", a.actions, a.expires_at")},
   v as materialized (
     select r.*, a.pusher_id, o.place ${SEEN}
     left join lateral (
       select place from jsonb_array_elements(a.actions) b, jsonb_array_elements_text(b -> 'choices') with ordinality e
         (text, place)
       where r.kind = 3 and e.text = r.reply and coalesce(a.expires_at > clock_timestamp(), true)) o on true
     where r.kind <> 3 or o.place is not null),
   i as (${READ("kind <> 3")}),
   chosen as (
     insert into report as t (alert_id, device_id, kind, reported_at, choice)
     select distinct on (alert_id, device_id) alert_id, device_id, kind, now(), place from v where kind = 3
     order by alert_id, device_id, n desc
     on conflict (alert_id, device_id, kind) do update set previous_choice = t.choice, choice = excluded.choice,
       reported_at = excluded.reported_at
     where t.choice is distinct from excluded.choice returning alert_id, kind, choice, previous_choice),
   n as materialized (
     select k.alert_id, a.pusher_id, count(*) filter (where kind = 1) as reads, count(*) filter (where kind = 2) as
       acks,
       ${buildArraySqlPerReplyChoice(
         (place) => `count(*) filter (where choice = ${place})
         - count(*) filter (where previous_choice = ${place})`,
       )} as replies,
       bool_or(kind = 3) as replied
     from (select alert_id, kind, null::smallint as choice, null::smallint as previous_choice
       from i union all table chosen) k
     join held a on a.id = k.alert_id group by 1, 2),
   counted as (
     insert into alert_counter as c (alert_id, reads, acks, acks_pending, replies, replies_pending)
     select alert_id, reads, acks, acks > 0 and ${isEventSubscribed("alert.acknowledged")}, replies, replied and
       ${isEventSubscribed("alert.replied")}
     from n order by alert_id
     on conflict (alert_id) do update set reads = c.reads + excluded.reads, acks = c.acks + excluded.acks,
       acks_pending = c.acks_pending or excluded.acks_pending, replies_pending = c.replies_pending
         or excluded.replies_pending,
       replies = ${buildArraySqlPerReplyChoice((place) => `c.replies[${place}] + excluded.replies[${place}]`)}),
   days as (${DAYS})
   select request, count(*)::int as accepted from v group by request`,
});

/** Deletes the times of reports before a timestamp; their counts stay (rules#prune-reports). */
export const clearReportTimesOfDevice = defineStatement("clear_report_times", {
  parameters: { device_id: bigint, before: timestamptz },
  text: `update report set reported_at = null where device_id = $device_id and reported_at is not null
    and reported_at < $before`,
});

/** SQL conditions: the acks, or replies, of counter `c` may be reported again. */
const MAY_TELL = `coalesce(c.acks_reported_at, '-infinity')
  <= clock_timestamp() - interval '${LIMITS.acks_told_seconds} seconds'`;
const MAY_TELL_REPLIES = `coalesce(c.replies_reported_at, '-infinity') <= clock_timestamp() - interval '1 second'`;

/** SQL: the counters `c` of alerts with pending events, also those that wait for their time. */
export const WAITING_ALERT_EVENTS_FROM_SQL = `alert_counter c where (${COUNTER_HAS_PENDING_EVENTS_SQL})`;

/** SQL: the counters `c` of alerts with pending events that may be emitted. */
export const PENDING_ALERT_EVENTS_FROM_SQL = `${WAITING_ALERT_EVENTS_FROM_SQL}
  and (visible_pending or acks_pending and ${MAY_TELL} or replies_pending and ${MAY_TELL_REPLIES})`;

/** Locks the counters of alerts with pending events, and skips locked ones. */
export const lockAlertsWithPendingEvents = defineStatement("lock_alerts_with_pending_events", {
  parameters: { max: int },
  columns: { alert_id: uuid },
  text: `select c.alert_id from ${PENDING_ALERT_EVENTS_FROM_SQL}
    order by c.alert_id limit $max::int for no key update skip locked`,
});

/**
 * Records and returns the reported state of alerts with locked counters. The state includes visibility, unless it was
 * withdrawn; the acknowledgements (`acks`) with the change since the last event (`delta`); and the count of each reply.
 */
export const claimAlertReportEvents = defineStatement("claim_alert_report_events", {
  parameters: { alert_ids: array(uuid) },
  columns: {
    id: uuid,
    pusher_id: uuid,
    workspace_id: uuid,
    appeared: boolean,
    acks: int,
    delta: int,
    replied: boolean,
    replies: array(int),
    ...getFieldSqlTypes(EVENT_ALERT_FIELDS),
    ...getFieldSqlTypes({ actions: ALERT_FIELDS.actions }),
    status: text,
    sent_at: nullable(timestamptz),
  },
  text: `with judged as materialized (
      select c.alert_id, c.visible_pending as appeared, n.acks, c.acks_pending and ${MAY_TELL} as now,
        n.acks - c.acks_reported as delta, c.replies_pending and ${MAY_TELL_REPLIES} as replied, n.replies
      from alert_counter c cross join lateral ${selectReportCounts("c.alert_id")} n where c.alert_id = any($alert_ids)),
    noted as (
      update alert_counter c set visible_pending = false, acks_pending = c.acks_pending and not j.now,
        acks_reported = case when j.now then j.acks else c.acks_reported end,
        acks_reported_at = case when j.now then clock_timestamp() else c.acks_reported_at end,
        replies_pending = c.replies_pending and not j.replied,
        replies_reported_at = case when j.replied then clock_timestamp() else c.replies_reported_at end
      from judged j where c.alert_id = j.alert_id)
    select alert.id, alert.pusher_id, p.workspace_id, j.appeared and alert.status = 'sent' as appeared,
      j.acks::int as acks,
      case when j.now then j.delta else 0 end::int as delta,
      j.replied, j.replies::int[] as replies, alert.actions,
      ${selectColumns("alert", EVENT_ALERT_FIELDS)}, alert.status, alert.sent_at
    from judged j join alert on alert.id = j.alert_id join pusher p on p.id = alert.pusher_id order by 1`,
});
