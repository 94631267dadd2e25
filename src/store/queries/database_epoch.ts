// The epoch of the database: the part of an inbox validator that changes when a backup is restored or another server is
// promoted (rules#inbox-epoch). Revisions are counted again in a restored database, so they are not sufficient. The
// epoch is a random number in the rows and PostgreSQL's timeline. A restart changes neither. Also the positions by
// which a standby answers nothing older than the request (src/store/replicas/replicas.ts).

import { array, float8, nullable, text, uuid } from "../../model/fields/sql_statement_types.ts";
import { createStatementDefiner } from "../db/statement.ts";

const defineStatement = createStatementDefiner("upkeep");

const WAL_TIMELINE_SQL = "left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)";

/**
 * Alike on a server and on its standbys, which know of a promotion what was written down of it. A table that was
 * dropped and restored in place has another number.
 */
export const DATABASE_EPOCH_SQL = `(select left(md5(concat_ws(' ', e.epoch, 'channel_state'::regclass::oid,
     case when pg_is_in_recovery() then e.timeline else ${WAL_TIMELINE_SQL} end)), 8) from database_epoch e)`;

/** From now on no validator from before matches. The last step of a restore, in its transaction or after it. */
export const renewDatabaseEpoch = defineStatement("renew_database_epoch", {
  parameters: { epoch: uuid },
  text: "update database_epoch set epoch = $epoch",
});

/**
 * Runs at each start. A row from another server, another database or (`place`, of the embedded one) other files is a
 * copy, and gets a new epoch. It also stores the timeline for standbys.
 */
export const ensureDatabaseEpoch = defineStatement("ensure_database_epoch", {
  parameters: { place: nullable(text) },
  text: `insert into database_epoch as e (origin, timeline)
    select concat_ws(' ', s.system_identifier, d.oid, $place::text), ${WAL_TIMELINE_SQL}
    from pg_control_system() s, pg_database d where d.datname = current_database()
    on conflict (one_row) do update set origin = excluded.origin, timeline = excluded.timeline,
      epoch = case when e.origin = excluded.origin then e.epoch else excluded.epoch end
    where (e.origin, e.timeline) is distinct from (excluded.origin, excluded.timeline)`,
});

/**
 * All visible changes of the primary are before this position. With asynchronous commits, a change may be visible
 * before it is written.
 */
export const readWalPosition = defineStatement.reading("read_wal_position", {
  columns: { place: float8, timeline: text },
  text: `select (case when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
      else pg_current_wal_flush_lsn() end - '0/0'::pg_lsn)::float8 as place, ${WAL_TIMELINE_SQL} as timeline`,
});

/** The identity of the rows: equal on a primary and its standbys only. */
const IDENTITY = `concat_ws(' ', ${DATABASE_EPOCH_SQL}, (select system_identifier from pg_control_system()),
    (select oid from pg_database where datname = current_database()))`;

export const readDatabaseIdentity = defineStatement.reading("read_database_identity", {
  columns: { identity: text },
  text: `select ${IDENTITY} as identity`,
});

/**
 * A name of the database that all its processes know, and no other database has. It changes when a backup is
 * restored.
 */
export const readInstallationId = defineStatement.reading("read_installation", {
  primary: true,
  columns: { installation: text },
  text: "select left(md5('installation ' || epoch), 16) as installation from database_epoch",
});

/** The replayed position of a standby; null on a primary. */
export const readStandbyReplayPosition = defineStatement.reading("read_replay_position", {
  columns: { place: nullable(float8), identity: text },
  text: `select case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::float8 end as place,
    ${IDENTITY} as identity`,
});

/**
 * The transactions that may be about to commit: of those `known` what still is. A standby may show what such a one
 * has written to the log before it is visible here.
 */
export const readCommittingTransactions = defineStatement.reading("read_committing_transactions", {
  parameters: { known: nullable(array(text)) },
  columns: { transactions: array(text) },
  text: `select coalesce(array_agg(backend_xid::text), '{}') as transactions from pg_stat_activity
    where backend_xid is not null and state = 'active' and datname = current_database()
      and ($known::text[] is null or backend_xid::text = any($known::text[]))`,
});
