// Many scheduled alerts cancelled or moved by one statement: which they are, why each of them stays as it is, and how
// the others change. And the plans of dry runs, which are stored as idempotency keys are, and go with them.

import { sqlIsPlanned } from "../../model/domain/alert_transitions.ts";
import {
  array,
  boolean,
  int,
  jsonb,
  neverNull,
  nullable,
  text,
  timestamptz,
  uuid,
} from "../../model/fields/sql_statement_types.ts";
import { LIMITS } from "../../model/limits.ts";
import { createStatementDefiner, type StatementRow } from "../db/statement.ts";
import { FULL_SELECTION, NEXT_ALERT_VERSION_SQL } from "./alerts.ts";
import { VISIBLE_TO_CALLER_SQL } from "./channels.ts";
import { formatTimestampSql } from "./create_and_publish_alerts.ts";

const defineStatement = createStatementDefiner("publish");

const PLANNED = sqlIsPlanned("alert", "clock_timestamp()");

/**
 * Moves or cancels the alerts of these ids, or the scheduled ones of a channel within a time, the soonest first. If
 * there are more than the maximum, one more is returned and nothing changes. Only visible ones are found. `minutes`
 * null cancels. `refused` is the reason for an unchanged one. The channels are locked by their ids, then the alerts.
 */
export const rescheduleOrCancelAlerts = defineStatement("move_alerts", {
  parameters: {
    ...VISIBLE_TO_CALLER_SQL.parameters,
    pusher_id: nullable(uuid),
    ids: nullable(array(uuid)),
    from: nullable(timestamptz),
    to: nullable(timestamptz),
    minutes: nullable(int),
    dry_run: boolean,
  },
  columns: {
    alert_id: uuid,
    channel_id: uuid,
    handle: text,
    planned_series: nullable(uuid),
    planned_title: text,
    planned_at: nullable(timestamptz),
    version: text,
    becomes: nullable(timestamptz),
    refused: nullable(text),
  },
  joined: FULL_SELECTION.columns,
  text: `with picked as materialized (
      select near.id, p.id as pusher_id, p.handle from pusher p cross join lateral (
        select id, visible_at from alert where pusher_id = p.id and ${PLANNED}
          and visible_at >= coalesce($from::timestamptz, '-infinity') and visible_at < coalesce($to::timestamptz,
            'infinity')
        order by visible_at limit ${LIMITS.moves + 1}) near
      where $ids::uuid[] is null and p.id = $pusher_id::uuid and ${VISIBLE_TO_CALLER_SQL.text}
      union all
      select alert.id, p.id, p.handle from alert join pusher p on p.id = alert.pusher_id
      where alert.id = any($ids::uuid[]) and p.id = coalesce($pusher_id::uuid, p.id) and ${VISIBLE_TO_CALLER_SQL.text}),
    c as materialized (
      select pusher_id, active from channel_state where pusher_id = any(array(select pusher_id from picked))
      order by pusher_id for no key update),
    a as materialized (
      select id, pusher_id, series_id, title, send_at, expires_at, updated_at as seen_at, send_at + $minutes::int *
        interval '1 minute' as becomes,
        case when ${PLANNED} then 'planned' when status = 'scheduled' then 'sent' else status end as state from alert
      where id = any(array(select id from picked)) and ($ids::uuid[] is not null or ${PLANNED}) and (select count(*)
        from c) > 0
      order by id for no key update),
    judged as materialized (
      select a.*, case when a.state <> 'planned' then a.state when $minutes::int is null then null
          when not c.active then 'inactive' when a.becomes <= clock_timestamp() then 'past'
          when a.expires_at <= a.becomes then 'expires' end as refused
      from a join c using (pusher_id)),
    changed as (
      update alert set status = case when judged.becomes is null then 'cancelled' else 'scheduled' end,
        send_at = coalesce(judged.becomes, alert.send_at), cancelled_at = case when judged.becomes is null then
          clock_timestamp() end,
        review_reply = case when judged.becomes is null then alert.review_reply end,
        updated_at = ${NEXT_ALERT_VERSION_SQL}
      from judged where alert.id = judged.id and judged.refused is null and not $dry_run::boolean
        and (select count(*) from picked) <= ${LIMITS.moves}
      returning ${FULL_SELECTION.text}),
    kept as (
      insert into alert_change (alert_id, updated_at, previous_values)
      select changed.id, changed.updated_at, jsonb_build_object('send_at', ${formatTimestampSql("judged.send_at")})
      from changed join judged using (id) where judged.becomes is not null),
    let_go as (
      delete from alert_change old using changed where old.alert_id = changed.id and $minutes::int is not null and
        old.updated_at < (
        select updated_at from alert_change where alert_id = changed.id
        order by updated_at desc offset ${LIMITS.alert_changes - 2} limit 1))
    select judged.id as alert_id, judged.pusher_id as channel_id, picked.handle, judged.series_id as planned_series,
      judged.title as planned_title, judged.send_at as planned_at, ${formatTimestampSql("judged.seen_at")} as version,
      judged.becomes, judged.refused, changed.*
    from judged join picked using (id) left join changed using (id) order by judged.send_at, judged.id`,
});

export type RescheduleOrCancelResult = StatementRow<typeof rescheduleOrCancelAlerts>;

const PLAN = "move_plan";

interface StoredPlan {
  minutes: number | null;
  rows: { id: string; version: string; refused: string | null }[];
}

export const insertBulkChangePlan = defineStatement("store_move_plan", {
  parameters: { credential_id: text, key: text, plan: jsonb<StoredPlan>() },
  text: `insert into idempotency_record (credential_id, operation, key, request_hash, response_patch)
    values ($credential_id, '${PLAN}', $key, '', $plan)`,
});

/** The plan of a credential, while it is kept. */
export const readBulkChangePlan = defineStatement.reading("find_move_plan", {
  parameters: { credential_id: text, key: text, hours: int },
  columns: { plan: neverNull(jsonb<StoredPlan>()) },
  text: `select response_patch as plan from idempotency_record
    where credential_id = $credential_id and operation = '${PLAN}' and key = $key
      and created_at >= now() - $hours::int * interval '1 hour'`,
});
