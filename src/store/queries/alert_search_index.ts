// SQL for the search terms of alerts (see `search_vector` in model/tables/alert.ts): writing them, and creating
// them for rows of an earlier version.

import { int, jsonb, nullable, text, uuid } from "../../model/fields/sql_statement_types.ts";
import { createStatementDefiner } from "../db/statement.ts";

const defineStatement = createStatementDefiner("upkeep");

/**
 * Prefixes of other search terms: the workspace, the channel and the author of the alert, and an odd number of edits.
 */
export const METADATA_TERM_PREFIXES = { workspace: "%", channel: "#", writer: "@", edited: "~" } as const;

/** The length of an id's suffix that is nearly unique; the row is also checked. */
export const ID_SUFFIX_LENGTH = 8;

/**
 * SQL for the terms of a new alert. `writer`: SQL for the id of its author, a credential or member, which may be null.
 */
export const buildSearchVectorSql = (channel: string, words: string, writer: string) =>
  `array_to_tsvector(${words} || array_remove(array[
      '${METADATA_TERM_PREFIXES.channel}' || right(${channel}::text, ${ID_SUFFIX_LENGTH}),
      '${METADATA_TERM_PREFIXES.writer}' || ${writer},
      (select '${METADATA_TERM_PREFIXES.workspace}' || right(workspace_id::text, ${ID_SUFFIX_LENGTH}) from pusher
        where id = ${channel})], null))`;

/** SQL: whether the `alert` was written by this credential or member. */
export const isWrittenBy = (writer: string) =>
  `alert.search_vector @@ ('''${METADATA_TERM_PREFIXES.writer}' || ${writer} || '''')::tsquery`;

/** SQL for the id of the author of the `alert`; null if its terms do not have it. */
export const ALERT_WRITER_ID_SQL = `(select substr(term, 2) from unnest(tsvector_to_array(alert.search_vector)) term
    where left(term, 1) = '${METADATA_TERM_PREFIXES.writer}' limit 1)`;

/** SQL: the signs that an edit keeps. */
const STAYING = [METADATA_TERM_PREFIXES.workspace, METADATA_TERM_PREFIXES.channel, METADATA_TERM_PREFIXES.writer]
  .map((sign) => `'${sign}'`)
  .join(", ");

/**
 * SQL for the terms of an updated `alert`. The author stays. Each edit changes the terms, so a trigger detects a
 * version that does not know the column, because it leaves them unchanged. Null stays null until all terms are created.
 */
export const editedSearchTerms = (words: string) =>
  `case when alert.search_vector is not null then array_to_tsvector(${words}
      || array(select entry from unnest(tsvector_to_array(alert.search_vector)) entry
        where left(entry, 1) in (${STAYING}))
      || case when alert.search_vector @@ '''${METADATA_TERM_PREFIXES.edited}''' then '{}'::text[]
        else '{${METADATA_TERM_PREFIXES.edited}}'::text[] end) end`;

/** Locks up to `max` alerts without terms, the newest first, and skips locked ones. */
export const lockUnindexedAlerts = defineStatement("lock_unindexed_alerts", {
  parameters: { max: int },
  columns: { id: uuid, title: text, body: nullable(text) },
  text: `select id, title, body from alert where search_vector is null order by id desc limit $max::int
    for no key update skip locked`,
});

/**
 * Creates the terms of locked alerts. The audit log has their authors, as far as it is kept; `subject` there is an
 * alert's id.
 */
export const indexAlerts = defineStatement("index_alerts", {
  parameters: { items: jsonb<readonly { id: string; subject: string; words: string[] }[]>() },
  text: `update alert set search_vector = ${buildSearchVectorSql("alert.pusher_id", "r.words", "r.writer")}
    from (
      select r.*, (
        select actor_id from audit_event where subject_id = r.subject and operation in ('create_alert',
          'duplicate_alert')
        order by created_at limit 1) as writer
      from jsonb_to_recordset((select $items::jsonb)) r (id uuid, subject text, words text[])) r
    where alert.id = r.id`,
});
