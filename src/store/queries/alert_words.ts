// The words by which alerts are found (see model/entities/alert_words.ts), as SQL: how they are kept beside an alert, and how
// they are asked for.

import { int, jsonb, nullable, text, uuid } from "../../model/fields/sql.ts";
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
