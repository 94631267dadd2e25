// The words by which alerts are found (see model/entities/alert.ts), as SQL: how they are kept beside an alert, how they are asked
// for, and how blocks of alerts are made of what is loose, and made anew where an alert is gone.

import { array, int, jsonb, nullable, text, uuid } from "../../model/fields/sql.ts";
import { statementsOf } from "../db/statement.ts";

const defineStatement = statementsOf("upkeep");

/** SQL: what stands before the words of a channel. Channels may share it: whoever finds a word looks at the alert's channel as well. */
const mark = (channel: string) => `right(${channel}::text, 6)`;

/** SQL: an alert's entries, from its words and the id of who wrote it, which may be null. */
export const foundBy = (channel: string, words: string, writer: string) =>
  `array_to_tsvector(array(select ${mark(channel)} || word from unnest(${words}) word)
      || (${mark(channel)} || '@' || coalesce(${writer}, '')))`;

/**
 * SQL, for who adds an alert's entries in the statement that adds the alert: PostgreSQL runs the trigger that sees to alerts without any
 * after the whole statement, Citus after the alert.
 */
export const HAS_WORDS = "on conflict (alert_id) do update set words = excluded.words";

/** SQL: what a block has besides of an alert that handsets do not see. No word has the sign. */
export const stateOf = (channel: string, status: string) => `(${mark(channel)} || '#' || ${status})`;

/** SQL: the writer's id, of entries. */
const writerIn = (entries: string) =>
  `(select substr(entry, 8) from unnest(tsvector_to_array(${entries})) entry where substr(entry, 7, 1) = '@')`;

/**
 * `with` part that follows `changed`, the rows that an edit returns: the entries follow what it says now, unless `$words` is null. Who
 * wrote it stays. Entries that are still to be made are made of what it says then.
 */
export const KEEP_FOUND = `found as (
    update alert_words w
    set words = ${foundBy("changed.pusher_id", "$words::text[]", writerIn("w.words"))}
    from changed where w.alert_id = changed.id and w.words is not null and $words::text[] is not null)`;

/** What stands between the words of a tag, as spaces. */
const TAGS = `' ' || translate(array_to_string(p.tags, ' '), '-_/.,:;&+#()''"', repeat(' ', 14))`;

/**
 * SQL: a word of a search stands for all that begin so. A letter or digit alone does not: half of the index may begin with it. In
 * scripts without spaces, whose characters come after these, one is much of a word.
 */
const ALONE = `(length(word) = 1 and ascii(word) < x'0530'::int)`;

/**
 * SQL: what the entries of an alert of channel `p` must hold: words that begin so, `$writer` where that is not null. Words that a tag of
 * the channel begins with need no other place. Null: every alert of the channel is found.
 */
export const SOUGHT = `(select string_agg(part, ' & ')::tsquery from (
      select '''' || ${mark("p.id")} || word || case when ${ALONE} then '''' else ''':*' end as part from unnest($words::text[]) word
      where position(' ' || word || case when ${ALONE} then ' ' else '' end in ${TAGS} || ' ') = 0
      union all
      select '''' || ${mark("p.id")} || '@' || $writer::text || '''' where $writer::text is not null) parts)`;

/** Channels whose `sought` is asked for as one: a query of very many parts is deeper than PostgreSQL goes. */
export const SOUGHT_TOGETHER = 64;

/** SQL: what the entries of a block must hold for one of the channels in a group; `status`: one that handsets do not see. */
export const anySought = (status: string | null) => {
  const state = status ? ` || ' & ''' || ${stateOf("id", `'${status}'`)} || ''''` : "";
  return `string_agg('((' || sought::text || ')'${state} || ')', ' | ')::tsquery`;
};

/** Locks up to `max` alerts whose entries are still to be made, but for those that somebody is changing. */
export const lockWanted = defineStatement("lock_wanted_words", {
  parameters: { max: int },
  columns: { id: uuid, title: text, body: nullable(text) },
  text: `select a.id, a.title, a.body from alert_words w join alert a on a.id = w.alert_id
    where w.words is null order by a.id limit $max::int for no key update of a skip locked`,
});

/** Makes the entries of locked alerts. The audit log says who wrote them, as far as it goes back; `subject` is an alert's id there. */
export const makeWanted = defineStatement("make_wanted_words", {
  parameters: { items: jsonb<readonly { id: string; subject: string; words: string[] }[]>() },
  text: `update alert_words w set words = ${foundBy("a.pusher_id", "r.words", "r.writer")}
    from (
      select r.*, (
        select actor_id from audit_event where subject_id = r.subject and operation in ('create_alert', 'duplicate_alert')
        order by created_at limit 1) as writer
      from jsonb_to_recordset((select $items::jsonb)) r (id uuid, subject text, words text[])) r
    join alert a on a.id = r.id
    where w.alert_id = r.id`,
});

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
