// The words by which alerts are found, as SQL (see `words` in model/entities/alert.ts): how statements write them,
// and how they are made where an earlier version wrote none.

import { int, jsonb, nullable, text, uuid } from "../../model/fields/sql_types.ts";
import { createStatementDefiner } from "../db/statement.ts";

const defineStatement = createStatementDefiner("upkeep");

/**
 * Signs before what is no word: the workspace, the channel and the writer of the alert, and that it was edited an odd
 * number of times.
 */
export const TERM_PREFIXES = { workspace: "%", channel: "#", writer: "@", edited: "~" } as const;

/** How much of an id is enough to tell most of a database apart; its row is looked at as well. */
export const ID_SUFFIX_LENGTH = 8;

/**
 * SQL: the words of a new alert. `writer`: SQL of the id of the credential or member that wrote it, which may be
 * null.
 */
export const newSearchTerms = (channel: string, words: string, writer: string) =>
  `array_to_tsvector(${words} || array_remove(array[
      '${TERM_PREFIXES.channel}' || right(${channel}::text, ${ID_SUFFIX_LENGTH}), '${TERM_PREFIXES.writer}' || ${writer},
      (select '${TERM_PREFIXES.workspace}' || right(workspace_id::text, ${ID_SUFFIX_LENGTH}) from pusher where id = ${channel})], null))`;

/** SQL: whether the `alert` was written by this credential or member. */
export const isWrittenBy = (writer: string) =>
  `alert.search_vector @@ ('''${TERM_PREFIXES.writer}' || ${writer} || '''')::tsquery`;

/** SQL: the signs that an edit keeps. */
const STAYING = [TERM_PREFIXES.workspace, TERM_PREFIXES.channel, TERM_PREFIXES.writer]
  .map((sign) => `'${sign}'`)
  .join(", ");

/**
 * SQL: the words of the updated row of `alert` after an edit. Who wrote it stays, and each edit changes them: a
 * version that does not know the column leaves them as they were, which a trigger recognises. Null stays null until
 * all words are made.
 */
export const editedSearchTerms = (words: string) =>
  `case when alert.search_vector is not null then array_to_tsvector(${words}
      || array(select entry from unnest(tsvector_to_array(alert.search_vector)) entry where left(entry,
        1) in (${STAYING}))
      || case when alert.search_vector @@ '''${TERM_PREFIXES.edited}''' then '{}'::text[]
        else '{${TERM_PREFIXES.edited}}'::text[] end) end`;

/** Locks up to `max` alerts that have no words yet, the newest first, except those that are being changed. */
export const lockUnindexed = defineStatement("lock_unindexed_alerts", {
  parameters: { max: int },
  columns: { id: uuid, title: text, body: nullable(text) },
  text: `select id, title, body from alert where search_vector is null order by id desc limit $max::int
    for no key update skip locked`,
});

/**
 * Makes the words of locked alerts. The audit log names who wrote them, as far as it goes back; `subject` is an
 * alert's id there.
 */
export const indexAlerts = defineStatement("index_alerts", {
  parameters: { items: jsonb<readonly { id: string; subject: string; words: string[] }[]>() },
  text: `update alert set search_vector = ${newSearchTerms("alert.pusher_id", "r.words", "r.writer")}
    from (
      select r.*, (
        select actor_id from audit_event where subject_id = r.subject and operation in ('create_alert', 'duplicate_alert')
        order by created_at limit 1) as writer
      from jsonb_to_recordset((select $items::jsonb)) r (id uuid, subject text, words text[])) r
    where alert.id = r.id`,
});
