// What is asked so that a standby answers nothing that is older than the question (src/store/replicas/replicas.ts). Places in PostgreSQL's
// log are numbers of bytes.

import { array, float8, nullable, text } from "../../model/fields/sql.ts";
import { statementsOf } from "../db/statement.ts";
import { EPOCH, TIMELINE } from "./epoch.ts";

const defineStatement = statementsOf("upkeep");

/** Whatever is visible on the primary stands before this place. Without waiting for the disk it is visible before it is written. */
export const readPlace = defineStatement.reading("read_place", {
  columns: { place: float8, timeline: text },
  text: `select (case when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
      else pg_current_wal_flush_lsn() end - '0/0'::pg_lsn)::float8 as place, ${TIMELINE} as timeline`,
});

/** Whose rows these are: equal on a primary and its standbys, and in no other database. */
const IDENTITY = `concat_ws(' ', ${EPOCH}, (select system_identifier from pg_control_system()),
    (select oid from pg_database where datname = current_database()))`;

export const readIdentity = defineStatement.reading("read_identity", {
  columns: { identity: text },
  text: `select ${IDENTITY} as identity`,
});

/** How far a standby has come; null where it is none. */
export const readReplayed = defineStatement.reading("read_replayed", {
  columns: { place: nullable(float8), identity: text },
  text: `select case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::float8 end as place,
    ${IDENTITY} as identity`,
});

/**
 * The transactions that may be about to commit: of those `known` what still is. A standby may show what such a one has written
 * to the log before it is visible here.
 */
export const committing = defineStatement.reading("committing", {
  parameters: { known: nullable(array(text)) },
  columns: { transactions: array(text) },
  text: `select coalesce(array_agg(backend_xid::text), '{}') as transactions from pg_stat_activity
    where backend_xid is not null and state = 'active' and datname = current_database()
      and ($known::text[] is null or backend_xid::text = any($known::text[]))`,
});
