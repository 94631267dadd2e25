// Many scheduled alerts cancelled or moved by one statement: which they are, what refuses each of them, and what becomes of the others.

import { isPlanned } from "../../model/domain/alert_status.ts";
import { boolean, int, neverNull, nullable, text, timestamptz, uuid } from "../../model/fields/sql.ts";
import { LIMITS } from "../../model/limits.ts";
import { statementsOf } from "../db/statement.ts";
import { WHOLE } from "./alert_columns.ts";
import { NEXT_VERSION } from "./alerts.ts";
import { VISIBLE } from "./channels.ts";

const defineStatement = statementsOf("publish");

const PLANNED = isPlanned("alert", "clock_timestamp()");

/**
 * What is planned of the channels that the caller sees, the soonest first; of more than the most, one more is found and nothing is
 * changed. `minutes` null cancels. `refused` is why one stays as it is. The channels are locked by their ids, then the alerts by theirs.
 */
export const moveAlerts = defineStatement("move_alerts", {
  parameters: {
    ...VISIBLE.parameters,
    pusher_id: nullable(uuid),
    from: nullable(timestamptz),
    to: nullable(timestamptz),
    minutes: nullable(int),
    dry_run: boolean,
  },
  columns: {
    alert_id: uuid,
    channel_id: uuid,
    planned_title: text,
    planned_at: neverNull(timestamptz),
    becomes: nullable(timestamptz),
    refused: nullable(text),
  },
  joined: WHOLE.columns,
  text: `with picked as materialized (
      select near.id, p.id as pusher_id from pusher p cross join lateral (
        select id, visible_at from alert where pusher_id = p.id and ${PLANNED}
          and visible_at >= coalesce($from::timestamptz, '-infinity') and visible_at < coalesce($to::timestamptz, 'infinity')
        order by visible_at limit ${LIMITS.moves + 1}) near
      where ${VISIBLE.text} and ($pusher_id::uuid is null or p.id = $pusher_id)
      order by near.visible_at, near.id limit ${LIMITS.moves + 1}),
    c as materialized (
      select pusher_id, active from channel_state where pusher_id = any(array(select pusher_id from picked))
      order by pusher_id for no key update),
    a as materialized (
      select id, pusher_id, title, send_at, expires_at, send_at + $minutes::int * interval '1 minute' as becomes from alert
      where id = any(array(select id from picked)) and ${PLANNED} and (select count(*) from c) > 0
      order by id for no key update),
    judged as materialized (
      select a.*, case when $minutes::int is null then null
          when not c.active then 'inactive' when a.becomes <= clock_timestamp() then 'past'
          when a.expires_at <= a.becomes then 'expires' end as refused
      from a join c using (pusher_id)),
    changed as (
      update alert set status = case when judged.becomes is null then 'cancelled' else 'scheduled' end,
        send_at = coalesce(judged.becomes, alert.send_at), cancelled_at = case when judged.becomes is null then clock_timestamp() end,
        review_reply = case when judged.becomes is null then alert.review_reply end, updated_at = ${NEXT_VERSION}
      from judged where alert.id = judged.id and judged.refused is null and not $dry_run::boolean
        and (select count(*) from picked) <= ${LIMITS.moves}
      returning ${WHOLE.text}),
    kept as (
      insert into alert_change (alert_id, updated_at, former)
      select changed.id, changed.updated_at, jsonb_build_object('send_at',
          to_char(judged.send_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
      from changed join judged using (id) where judged.becomes is not null),
    let_go as (
      delete from alert_change old using changed where old.alert_id = changed.id and $minutes::int is not null and old.updated_at < (
        select updated_at from alert_change where alert_id = changed.id
        order by updated_at desc offset ${LIMITS.alert_changes - 2} limit 1))
    select judged.id as alert_id, judged.pusher_id as channel_id, judged.title as planned_title, judged.send_at as planned_at,
      judged.becomes, judged.refused, changed.*
    from judged left join changed using (id) order by judged.send_at, judged.id`,
});
