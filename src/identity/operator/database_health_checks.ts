// The database checks of `belfry doctor`: connection, version, ownership, clock and recounted counters, in one
// read-only transaction.

import { IsolationLevel } from "@mikro-orm/core";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { assertDefined } from "../../model/assert.ts";
import { boolean, float8, int, text } from "../../model/fields/sql_statement_types.ts";
import type { Config } from "../../store/config/all_settings.ts";
import { dataPaths } from "../../store/config/data_paths.ts";
import { CELL_SCHEMA_PREFIX } from "../../store/db/citus_cell.ts";
import { compareMigrations, readAppliedMigrations } from "../../store/db/migrate.ts";
import { createStatementDefiner, runStatement, type StatementRow } from "../../store/db/statement.ts";
import { hasEmbeddedDatabase } from "../../store/embedded/cluster.ts";
import { WRITES_DELAYED_BY_STANDBY_SQL } from "../../store/queries/service_overview.ts";
import { loadSecret } from "../../store/secret/server_secret.ts";
import { checkOrStoreSecretFingerprint } from "../auth/server_secret_check.ts";
import { checkDatabaseConsistency, type DatabaseConsistencyReport } from "./consistency_checks.ts";
import { createFindingBuilder, type FindingState, getErrorReason, type HealthFinding } from "./health_finding.ts";
import { type OperatorDatabaseSettings, withOperatorDatabaseTarget, withOrm } from "./operator_database.ts";
import { checkReplicas } from "./read_replica_checks.ts";

export interface HealthFindingsReport {
  findings: HealthFinding[];
  /** Counters that were counted again, as ever. */
  checks: DatabaseConsistencyReport["checks"];
}

const clockCheck = createFindingBuilder("clock");
const countersCheck = createFindingBuilder("counters");
const databaseCheck = createFindingBuilder("database");
const schemaCheck = createFindingBuilder("schema");
const secretCheck = createFindingBuilder("secret");

const defineStatement = createStatementDefiner("upkeep");

const serverState = defineStatement.reading("server_state", {
  columns: {
    version: int,
    shown: text,
    ahead_ms: float8,
    standby: boolean,
    may_create: boolean,
    durable: boolean,
    utf8: boolean,
    connections: int,
    waits: boolean,
  },
  parameters: { now: float8 },
  text: `select current_setting('server_version_num')::int / 10000 as version, current_setting('server_version') as
    shown,
      extract(epoch from clock_timestamp())::float8 * 1000 - $now as ahead_ms, pg_is_in_recovery() as standby,
      has_schema_privilege(current_schema(), 'create')
        and (starts_with(current_schema(), '${CELL_SCHEMA_PREFIX}') or has_database_privilege(current_database(),
          'create')) as
          may_create,
      current_setting('fsync') = 'on' and current_setting('full_page_writes') = 'on' as durable,
      current_setting('server_encoding') = 'UTF8' as utf8, current_setting('max_connections')::int as connections,
      ${WRITES_DELAYED_BY_STANDBY_SQL} as waits`,
});

export async function checkDatabase(
  where: OperatorDatabaseSettings,
  config: Partial<Config>,
  now: () => Date,
): Promise<HealthFindingsReport> {
  if (where.databaseUrl === null) {
    // Looking for one must not make it.
    let made: boolean;
    try {
      made = hasEmbeddedDatabase(where.dataDir);
    } catch (error) {
      const { message } = error as Error;
      return { findings: [databaseCheck.wrong(message, "follow the message")], checks: [] };
    }
    if (!made)
      return { findings: [databaseCheck.skipped("does not exist yet", "belfry serve creates it")], checks: [] };
  }
  try {
    const { databasePoolerMode } = where;
    return await withOperatorDatabaseTarget(where, ({ url }) =>
      withOrm({ databaseUrl: url, databasePoolSize: 1, databasePoolerMode }, async (orm) => {
        const em = orm.em.fork();
        const began = now().getTime();
        const [row] = await runStatement(em, serverState, { now: began });
        const state = assertDefined(row, "this function always returns a row");
        // Half of the time it took is the way there.
        const findings = stateFindings(state, state.ahead_ms - (now().getTime() - began) / 2, config);
        const report = await em.transactional(
          async (inside): Promise<HealthFindingsReport> => {
            const version = await versionFinding(inside as SqlEntityManager);
            findings.push(version);
            if (version.state !== "ok") return { findings, checks: [] };
            findings.push(await secretFinding(inside as SqlEntityManager, config));
            const { checks } = await checkDatabaseConsistency(inside as SqlEntityManager);
            return { findings: [...findings, ...counterFindings(checks)], checks };
          },
          { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true },
        );
        // A schema of another version has no checks. Connections to other servers do not work inside a transaction.
        if (report.checks.length > 0) report.findings.push(...(await checkReplicas(em, config.databaseReadUrls ?? [])));
        return report;
      }),
    );
  } catch (error) {
    const own = error instanceof Error && /^(ConfigError|ApiError)$/.test(error.name);
    const says = own ? error.message : `is not responding, or is refusing connections (${getErrorReason(error)})`;
    const way = own
      ? "follow the message"
      : "check DATABASE_URL, and make sure that PostgreSQL is running and accepting connections";
    return { findings: [databaseCheck.wrong(says, way)], checks: [] };
  }
}

/** Alerts are due by the database's clock, sessions and signatures by ours. */
const SKEW_MS = 2_000;
/** With this difference, one-time codes and signatures fail. */
const FAR_MS = 30_000;
/** The three that PostgreSQL reserves for its superuser by default, and one for a command. */
const OTHER_CONNECTIONS = 4;

function stateFindings(
  { version, shown, standby, may_create, durable, utf8, connections, waits }: ServerState,
  ahead: number,
  { databasePoolSize = 0, databaseUrl, messageBusUrl, workers = 1 }: Partial<Config>,
): HealthFinding[] {
  // The workers share the pool, and each has one more connection to listen.
  const used = databasePoolSize + (messageBusUrl ? 0 : workers);
  const found: HealthFinding[] = [];
  const when = (bad: boolean, state: FindingState, says: string, way: string) =>
    void (bad && found.push(databaseCheck[state](says, way)));
  when(version < 15, "wrong", `is PostgreSQL ${shown}`, "use 15 or newer");
  when(standby, "wrong", "is a standby, which does not accept writes", "set DATABASE_URL to the primary");
  when(
    !standby && !may_create,
    "wrong",
    "does not allow creating tables",
    "grant the CREATE privilege on the database and schema to the role",
  );
  when(
    !utf8,
    "wrong",
    "does not use the UTF-8 encoding",
    "create a database with encoding UTF8 and move to it with belfry backup and restore",
  );
  when(
    waits,
    "wrong",
    "is waiting for a synchronous standby, so writes fail",
    "connect the standby, or change synchronous_standby_names on the primary",
  );
  when(!durable, "warning", "can lose acknowledged writes if the power fails", "set fsync and full_page_writes to on");
  when(
    databaseUrl !== null && connections < used + OTHER_CONNECTIONS,
    "warning",
    `allows ${connections} connections, and the service uses up to ${used}`,
    "raise max_connections, or lower DATABASE_POOL_SIZE",
  );
  if (found.length === 0) found.push(databaseCheck.ok(`PostgreSQL ${shown} is responding`));
  const off = Math.abs(ahead);
  const says = `the clocks of this machine and the database differ by ${(off / 1000).toFixed(1)} seconds`;
  const way = "synchronise both clocks (chrony, systemd-timesyncd)";
  if (off < SKEW_MS) found.push(clockCheck.ok("the clocks of this machine and the database agree"));
  else found.push(clockCheck[off < FAR_MS ? "warning" : "wrong"](says, way));
  return found;
}

type ServerState = StatementRow<typeof serverState>;

async function versionFinding(em: SqlEntityManager): Promise<HealthFinding> {
  const done = await readAppliedMigrations(em);
  const { missing, newer, before } = compareMigrations(done ?? []);
  if (before)
    return schemaCheck.wrong(
      `is from a build older than ${before}`,
      `start ${before} on this database once, then start this version`,
    );
  if (newer.length > 0)
    return schemaCheck.wrong("a newer version of Belfry has changed this database", "run that version or a later one");
  if (missing.length > 0)
    return schemaCheck[done ? "warning" : "skipped"](
      done ? `${missing.length} migrations are pending` : "has no Belfry tables yet",
      "start the service, or run belfry migrate",
    );
  return schemaCheck.ok("matches this version");
}

async function secretFinding(em: SqlEntityManager, config: Partial<Config>): Promise<HealthFinding> {
  const { secret, dataDir = "", databaseUrl } = config;
  try {
    const own = loadSecret({ secret: secret ?? null, dataDir }, true);
    if (await checkOrStoreSecretFingerprint(em, own)) return secretCheck.ok("matches the database");
    return secretCheck.wrong(
      `${databaseUrl === null && !secret ? dataPaths(dataDir).secret : "SECRET"} does not match the database`,
      "restore the previous secret; encrypted values cannot be decrypted with a different one",
    );
  } catch (error) {
    return secretCheck.skipped(`could not be checked (${getErrorReason(error)})`, "start the service once");
  }
}

function counterFindings(checks: DatabaseConsistencyReport["checks"]): HealthFinding[] {
  const wrong = checks.filter((check) => check.wrong > 0);
  if (wrong.length === 0) return [countersCheck.ok("all counters match the stored rows")];
  return wrong.map(({ name, wrong: rows }) =>
    countersCheck.wrong(
      `${name}: ${rows} do not match the stored rows`,
      name.endsWith(".orphans")
        ? "belfry doctor --fix removes them"
        : "restore a backup, or report the problem with this output",
    ),
  );
}
