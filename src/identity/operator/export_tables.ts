// The tables whose rows `belfry export` writes and `belfry import` reads (docs/decisions/0037-export-format.md):
// their order, and how they come in. The columns are those of the rules in import_row_rules.ts; what they name is
// readable in the file.

import { array, int, jsonb, text, uuid } from "../../model/fields/sql_statement_types.ts";
import { createStatementDefiner } from "../../store/db/statement.ts";
import { bigintSchema, type ExportRowKind, ROW_SCHEMAS } from "./import_row_rules.ts";

export type { ExportRowKind } from "./import_row_rules.ts";

const defineStatement = createStatementDefiner("upkeep");

interface Kind {
  table: string;
  /** SQL condition: a row `r` belongs to one of the workspaces. */
  belongs: string;
  /** Columns by which the rows are in order. */
  key: string;
  /** Rows that are not exported. */
  except?: string;
  /** The statement that inserts rows; an `insert` by default. `come` has the rows of imported workspaces. */
  put?(columns: readonly string[]): string;
  /** Ends the insert. */
  conflict?(columns: readonly string[]): string;
}

const WORKSPACES = "$workspaces::uuid[]";
const OWN = `r.workspace_id = any(${WORKSPACES})`;
const OF_CHANNEL = `exists (select from pusher p where p.id = r.pusher_id and p.workspace_id = any(${WORKSPACES}))`;
const OF_MEMBER = `exists (select from member m where m.id = r.member_id and m.workspace_id = any(${WORKSPACES}))`;
const OF_ALERT = `exists (select from alert a join pusher p on p.id = a.pusher_id
  where a.id = r.alert_id and p.workspace_id = any(${WORKSPACES}))`;

/** Sets `columns` to what comes, but for those of the key. */
const settings = (columns: readonly string[], from: string, ...key: string[]) =>
  columns
    .filter((column) => !key.includes(column))
    .map((column) => `${column} = ${from}.${column}`)
    .join(", ");

/** In the order in which they are in a file: each after all that it names. */
const KINDS: Record<ExportRowKind, Kind> = {
  workspace: { table: "workspace", belongs: `r.id = any(${WORKSPACES})`, key: "id" },
  member: { table: "member", belongs: OWN, key: "id" },
  file: { table: "asset", belongs: OWN, key: "id", except: "r.reference_count = 0" },
  channel: { table: "pusher", belongs: OWN, key: "id" },
  invite: { table: "invite", belongs: OF_CHANNEL, key: "id" },
  key: { table: "api_key", belongs: OF_MEMBER, key: "id" },
  // Their secrets stay behind, so each waits for a new one before anything is signed with it.
  webhook: {
    table: "webhook_endpoint",
    belongs: OWN,
    key: "id",
    put: (columns) => `insert into webhook_endpoint (${columns}, secret, disabled_at)
      select ${columns}, secret, clock_timestamp() from come`,
  },
  alert: { table: "alert", belongs: OF_CHANNEL, key: "id" },
  change: { table: "alert_change", belongs: OF_ALERT, key: "alert_id, updated_at" },
  series: { table: "alert_series", belongs: OF_ALERT, key: "alert_id" },
  count: { table: "alert_counter", belongs: OF_ALERT, key: "alert_id" },
  count_stripe: { table: "alert_counter_stripe", belongs: OF_ALERT, key: "alert_id, stripe" },
  // The counts of deleted alerts are only in the days.
  day: {
    table: "channel_day",
    belongs: OF_CHANNEL,
    key: "pusher_id, day",
    conflict: (columns) =>
      `on conflict (pusher_id, day) do update set ${settings(columns, "excluded", "pusher_id", "day")}`,
  },
  day_stripe: { table: "channel_day_stripe", belongs: OF_CHANNEL, key: "pusher_id, day, stripe" },
  state: {
    table: "channel_state",
    belongs: OF_CHANNEL,
    key: "pusher_id",
    put: (columns) => `update channel_state s set revision = s.revision + come.revision + 1,
      ${settings(columns, "come", "pusher_id", "revision")}
      from come where s.pusher_id = come.pusher_id`,
  },
  // A device belongs to no workspace; it may exist from another import.
  device: {
    table: "device",
    belongs: `exists (select from subscription s join pusher p on p.id = s.pusher_id
      where s.device_id = r.id and p.workspace_id = any(${WORKSPACES}))`,
    key: "id",
    conflict: () => "on conflict (token_hash) do nothing",
  },
  subscription: { table: "subscription", belongs: OF_CHANNEL, key: "device_id, pusher_id" },
  report: { table: "report", belongs: OF_ALERT, key: "alert_id, device_id, kind" },
};

function statementsFor(kind: ExportRowKind) {
  const { table, belongs, key, except, put, conflict }: Kind = KINDS[kind];
  const { shape } = ROW_SCHEMAS[kind];
  const columns = Object.keys(shape);
  // A number with more digits than JSON's have is a text.
  const written = columns.map((column) => `r.${column}${shape[column] === bigintSchema ? `::text as ${column}` : ""}`);
  const into = `insert into ${table} (${columns}) select ${columns} from come ${conflict?.(columns) ?? ""}`;
  // The following subscriptions show the workspaces of a device.
  const comes = kind === "device" ? `cardinality(${WORKSPACES}) > 0` : belongs;
  return {
    kind,
    table,
    columns,
    /** A query for the lines of these workspaces' rows. */
    linesOf: (workspaces: readonly string[]) =>
      `select '{"kind":"${kind}","row":' || row_to_json(x) || '}'
        from ${table} r cross join lateral (select ${written.join(", ")}) x
        where ${belongs.replaceAll(WORKSPACES, `'{${workspaces}}'::uuid[]`)}${except ? ` and not (${except})` : ""}
        order by ${key.replaceAll(/\w+/g, "r.$&")}`,
    put: defineStatement(`import_${kind}`, {
      parameters: { workspaces: array(uuid), rows: jsonb<readonly object[]>() },
      columns: { come: int },
      text: `with come as materialized (select r.* from jsonb_populate_recordset(null::${table}, $rows) r where
        ${comes}),
        done as (${put?.(columns) ?? into})
        select count(*)::int as come from come`,
    }),
  };
}

export type ExportTableStatements = ReturnType<typeof statementsFor>;
export const EXPORT_TABLES: readonly ExportTableStatements[] = (Object.keys(KINDS) as ExportRowKind[]).map(
  statementsFor,
);
/** The names of the migrations: equal on servers with the same columns. */
export const readMigrationsFingerprint = defineStatement.reading("read_migrations_fingerprint", {
  columns: { schema: text },
  text: "select md5(string_agg(name, ' ' order by name)) as schema from migration",
});

export const findExistingWorkspaces = defineStatement.reading("find_existing_workspaces", {
  parameters: { ids: array(uuid) },
  columns: { id: uuid },
  text: "select id from workspace where id = any($ids) order by created_at",
});

/** Returns those of these handles that a channel has, or had. */
export const findTakenHandles = defineStatement.reading("taken_handles", {
  parameters: { handles: array(text) },
  columns: { handle: text },
  text: `select handle from pusher where handle = any($handles)
    union select handle from reserved_handle where handle = any($handles) order by 1`,
});

/** The columns of a constraint, or the key of a unique index, in their order in the table. */
export const readConstraintColumns = defineStatement.reading("read_constraint_columns", {
  parameters: { table: text, constraint: text },
  columns: { column: text },
  text: `select attname::text as column from pg_attribute
    where attrelid = to_regclass($table::text) and attnum = any(
      select unnest(conkey) from pg_constraint where conname = $constraint::text and conrelid =
        to_regclass($table::text)
      union all select unnest((indkey::int2[])[:indnkeyatts - 1]) from pg_index where indexrelid =
        to_regclass($constraint::text))
    order by attnum`,
});
