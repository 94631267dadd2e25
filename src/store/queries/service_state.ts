// What a service has in its database as a whole, over all workspaces: for who runs it, and nobody else.

import { sqlIsDue, sqlIsPlanned } from "../../model/domain/alert_status.ts";
import { bigint, int, nullable, text, timestamptz } from "../../model/fields/sql_types.ts";
import { createStatementDefiner } from "../db/statement.ts";

const defineStatement = createStatementDefiner("upkeep");

/** How many workspaces there are, counted to two. */
export const hasSeveralWorkspaces = defineStatement.reading("has_several_workspaces", {
  columns: { workspaces: int },
  text: "select count(*)::int as workspaces from (select 1 from workspace limit 2) few",
});

/** How many rows a table has by the database's own last look; null before the first one. */
const about = (table: string) =>
  `(select nullif(greatest(reltuples, -1), -1)::bigint from pg_class where oid = '${table}'::regclass) as about_${table}s`;

/** Rows are counted by the database's estimate, so that asking costs the same however many there are. */
export const readServiceState = defineStatement.reading("read_service_state", {
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
