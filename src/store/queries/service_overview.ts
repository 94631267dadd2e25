// The state of the whole service over all workspaces, for its operator only.

import { sqlIsDue, sqlIsPlanned } from "../../model/domain/alert_transitions.ts";
import { bigint, int, nullable, text, timestamptz } from "../../model/fields/sql_statement_types.ts";
import { createStatementDefiner } from "../db/statement.ts";

const defineStatement = createStatementDefiner("upkeep");

/** Checks for a second workspace. */
export const hasSeveralWorkspaces = defineStatement.reading("has_several_workspaces", {
  columns: { workspaces: int },
  text: "select count(*)::int as workspaces from (select 1 from workspace limit 2) few",
});

/** SQL for the estimated rows of a table; null before the first estimate. */
const about = (table: string) =>
  `(select nullif(greatest(reltuples, -1), -1)::bigint from pg_class where oid = '${table}'::regclass) as
    about_${table}s`;

/**
 * SQL that is true while writes of this service wait for a synchronous standby. A wait is normally milliseconds. A role
 * sees the waits of its own connections.
 */
export const WRITES_DELAYED_BY_STANDBY_SQL = `exists (select from pg_stat_activity where wait_event = 'SyncRep'
  and state_change < clock_timestamp() - interval '1 second')`;

/** The numbers of rows are estimates of the database, so the cost does not depend on their size. */
export const readServiceOverview = defineStatement.reading("read_service_state", {
  columns: {
    postgres: text,
    bytes: bigint,
    about_alerts: nullable(bigint),
    about_devices: nullable(bigint),
    due: int,
    next_due_at: nullable(timestamptz),
    disabled_webhooks: int,
  },
  text: `select current_setting('server_version') as postgres, pg_database_size(current_database()) as bytes,
    ${about("alert")}, ${about("device")},
    (select count(*)::int from alert where ${sqlIsDue()}) as due,
    (select min(visible_at) from alert where ${sqlIsPlanned()}) as next_due_at,
    (select count(*)::int from webhook_endpoint where disabled_at is not null) as disabled_webhooks`,
});
