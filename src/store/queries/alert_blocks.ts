// Blocks of alerts, by which searches find (see model/entities/alert_words.ts): how they are made of what is loose, and made anew where
// an alert is gone.

import { array, int, uuid } from "../../model/fields/sql.ts";
import { statementsOf } from "../db/statement.ts";
import { stateOf } from "./alert_words.ts";

const defineStatement = statementsOf("upkeep");

/** A block's greatest measures: alerts, and entries, which bound the size of what stands in one row of the index's table. */
const BLOCK = { alerts: 200, entries: 6_000 };

/** Alerts that became visible later than this after they were written make blocks of their own, so that the others' are short in time. */
const LATE = "interval '1 day'";

/** SQL: the entries that alerts have together. */
const TOGETHER = "array_to_tsvector(array_agg(distinct entry) filter (where entry is not null))";

/** SQL: what a block has of an alert: its entries, and its state where handsets do not see it. */
const entriesOf = (words: string, alert: string) => `unnest(tsvector_to_array(${words})
        || case when ${alert}.visible_at is null then ${stateOf(`${alert}.pusher_id`, `${alert}.status`)} end)`;

/**
 * Locks the oldest loose alerts of a workspace that has enough for a block, but for those that somebody is changing. Enough is what two
 * blocks hold: in time and late, one of both is full.
 */
export const lockLoose = defineStatement("lock_loose_alerts", {
  columns: { id: uuid },
  text: `with crowded as materialized (
      select id as workspace_id from workspace
      where exists (select from loose_alert l where l.workspace_id = workspace.id offset ${2 * BLOCK.alerts - 1}) limit 1),
    oldest as materialized (
      select l.alert_id from crowded cross join lateral (
        select alert_id from loose_alert where workspace_id = crowded.workspace_id
        order by created_at limit ${2 * BLOCK.alerts}) l)
    select a.id from oldest loose
    join alert_words w on w.alert_id = loose.alert_id and w.words is not null
    join alert a on a.id = loose.alert_id for no key update of a skip locked`,
});

/** Makes a block of locked alerts, the oldest ones of those that are in time or late, whichever are more. */
export const makeBlock = defineStatement("make_alert_block", {
  parameters: { id: uuid, ids: array(uuid) },
  columns: { alerts: int },
  text: `with loose as (
      select l.workspace_id, a.id, a.pusher_id, a.status, a.created_at, a.visible_at, w.words,
        coalesce(a.visible_at - a.created_at > ${LATE}, false) as late
      from unnest($ids::uuid[]) locked (id) join alert a on a.id = locked.id
      join loose_alert l on l.alert_id = a.id join alert_words w on w.alert_id = a.id),
    counted as (
      select *, count(*) over (partition by late) as n,
        row_number() over (partition by late order by created_at, id) as place,
        sum(length(words)) over (partition by late order by created_at, id) as entries from loose),
    chosen as materialized (
      select * from counted
      where late = (select late from counted order by n desc, late limit 1)
        and (place = 1 or place <= ${BLOCK.alerts} and entries <= ${BLOCK.entries})),
    made as (
      insert into alert_block (id, workspace_id, words, created_from, created_to, visible_from, visible_to)
      select $id, workspace_id, ${TOGETHER}, min(created_at), max(created_at), min(visible_at), max(visible_at)
      from chosen cross join lateral ${entriesOf("words", "chosen")} entry group by workspace_id),
    placed as (
      update alert_words w
      set block_id = $id, pusher_id = chosen.pusher_id, created_at = chosen.created_at, visible_at = chosen.visible_at
      from chosen where w.alert_id = chosen.id),
    gone as (delete from loose_alert l using chosen where l.alert_id = chosen.id)
    select count(*)::int as alerts from chosen`,
});

/** Has a block of which an alert is gone say what the others say; removes it where none is left. */
export const mendBlock = defineStatement("mend_alert_block", {
  columns: { mended: int },
  text: `with worn as materialized (select id from alert_block where stale limit 1 for update skip locked),
    held as materialized (
      select worn.id, ${TOGETHER} as words from worn
      left join alert_words w on w.block_id = worn.id
      left join alert a on a.id = w.alert_id
      left join lateral ${entriesOf("w.words", "a")} entry on true group by worn.id),
    gone as (delete from alert_block b using held where b.id = held.id and held.words is null),
    mended as (
      update alert_block b set words = held.words, stale = false from held where b.id = held.id and held.words is not null)
    select count(*)::int as mended from worn`,
});
