// Database access of operator commands: by URL, through the socket of a running embedded database, or by starting it
// under the data directory's lock. It does not depend on operations.

import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { ApiError, conflict, forbidden } from "../../model/api_error.ts";
import { getErrorCode } from "../../model/connection_error_messages.ts";
import type { Config } from "../../store/config/all_settings.ts";
import { redactDatabaseUrl } from "../../store/config/database_url.ts";
import { extendProcessEnvironment, loadNamedSettings } from "../../store/config/load_settings.ts";
import { ConfigError } from "../../store/config/setting_types.ts";
import { DataDirInUseError } from "../../store/db/data_dir_in_use_error.ts";
import { findDatabaseUnavailableCode } from "../../store/db/database_unavailable_errors.ts";
import { applyPendingMigrations, isMigrated } from "../../store/db/migrate.ts";
import { createOrm, type Orm } from "../../store/db/orm.ts";
import { runStatement } from "../../store/db/statement.ts";
import {
  findRunningDatabase,
  getEmbeddedDatabaseStatus,
  hasEmbeddedDatabase,
  openCluster,
} from "../../store/embedded/cluster.ts";
import { acquireDataDirLock } from "../../store/embedded/data_dir_lock_and_errors.ts";
import { checkUpgradeSpace } from "../../store/embedded/disk_space.ts";
import { readServiceOverview } from "../../store/queries/service_overview.ts";
import { loadSecret } from "../../store/secret/server_secret.ts";
import { buildServiceOverview, type ServiceOverview } from "./service_overview.ts";

const WHERE = ["dataDir", "databaseUrl", "databasePoolerMode", "databaseListenUrl"] as const;
/** The secret is created before the embedded database, by any command. */
const EMBEDDED = [
  ...WHERE,
  "databasePoolSize",
  "minFreeDiskMb",
  "postgresBin",
  "postgresSharedBuffersMb",
  "postgresSynchronousCommit",
  "secret",
] as const;

export type OperatorDatabaseSettings =
  | (Pick<Config, "databasePoolerMode" | "dataDir"> & { databaseUrl: string })
  | (Pick<Config, (typeof EMBEDDED)[number]> & { databaseUrl: null });

/**
 * Loads the settings of a command.
 * @throws ConfigError only for these
 */
export function loadDatabaseSettings(): OperatorDatabaseSettings {
  const { databaseUrl, dataDir, databasePoolerMode, databaseListenUrl } = loadNamedSettings(WHERE);
  if (databaseUrl === null) return { ...loadNamedSettings(EMBEDDED), databaseUrl };
  // Long work with locks bypasses a pooler.
  if (databaseListenUrl !== null) return { databaseUrl: databaseListenUrl, dataDir, databasePoolerMode: null };
  return { databaseUrl, dataDir, databasePoolerMode };
}

/** A starting server, or another command, may have the lock for a moment. */
const LOCK_TIMEOUT_MS = 15_000;
const PAUSE_MS = 100;

const SILENT = { debug: () => {}, info: () => {}, error: () => {} };

interface DatabaseTarget {
  url: string;
  /** A running service uses the database: it is migrated, and others must not migrate it. */
  serviceRunning: boolean;
}

/**
 * Runs `use` with the database, and keeps it running for that time.
 * @throws ApiError if another process uses the folder, ConfigError if the folder cannot be used
 */
export async function withOperatorDatabaseTarget<T>(
  settings: OperatorDatabaseSettings,
  use: (reached: DatabaseTarget) => Promise<T>,
): Promise<T> {
  if (settings.databaseUrl !== null) return use({ url: settings.databaseUrl, serviceRunning: false });
  const { dataDir } = settings;
  for (const until = performance.now() + LOCK_TIMEOUT_MS; ; await pause(PAUSE_MS)) {
    try {
      // This is first. A database without a lock on its folder may still run, but is about to end after its service was
      // killed.
      return await onItsOwn(settings, use);
    } catch (error) {
      if (!(error instanceof DataDirInUseError)) throw error;
    }
    const running = await ifItRuns(dataDir, until, use);
    if (running) return running.result;
    if (performance.now() > until)
      throw conflict(
        "database_in_use",
        "Another Belfry process is using the data directory, but its database does not accept connections. Stop that " +
          "process and try again.",
      );
  }
}

type EmbeddedSettings = Extract<OperatorDatabaseSettings, { databaseUrl: null }>;

/** Starts the embedded database for the time of `use`. @throws DataDirInUseError. */
async function onItsOwn<T>(settings: EmbeddedSettings, use: (reached: DatabaseTarget) => Promise<T>): Promise<T> {
  const { dataDir } = settings;
  const unlock = await acquireDataDirLock(dataDir, { waitMs: 0 });
  try {
    loadSecret(settings, hasEmbeddedDatabase(dataDir));
    return await withEmbeddedCluster(settings, use);
  } finally {
    unlock();
  }
}

/** The same for a caller that has the lock. */
export async function withEmbeddedCluster<T>(
  settings: EmbeddedSettings,
  use: (reached: DatabaseTarget) => Promise<T>,
): Promise<T> {
  const cluster = await openCluster(settings, { log: SILENT });
  try {
    await cluster.synced;
    return await use({ url: cluster.url, serviceRunning: false });
  } finally {
    // Another command may still use the running database.
    await cluster.close({ waitForClients: true });
  }
}

/** Null when the database does not run, is starting or is ending. */
async function ifItRuns<T>(
  dataDir: string,
  until: number,
  use: (reached: DatabaseTarget) => Promise<T>,
): Promise<{ result: T } | null> {
  const running = findRunningDatabase(dataDir);
  if (!running) return null;
  try {
    return { result: await use({ url: running.url, serviceRunning: true }) };
  } catch (error) {
    if (findDatabaseUnavailableCode(error) !== null && performance.now() < until) return null;
    throw error;
  } finally {
    running.release();
  }
}

/** Reports that another process is still creating the database. */
class NotYet extends Error {
  readonly code = "57P03";
}

/**
 * Runs work on the migrated database.
 * @throws ApiError, or the error of the database
 */
export async function runOnMigratedDatabase<T>(
  settings: OperatorDatabaseSettings,
  work: (em: SqlEntityManager, orm: Orm) => Promise<T>,
): Promise<T> {
  return (await onSchema(settings, (orm) => work(orm.em.fork(), orm))).result;
}

/** Returns the database's location for display, without its password (rules#displayed-secrets). */
export function describeDatabaseLocation(settings: OperatorDatabaseSettings) {
  if (settings.databaseUrl !== null)
    return { database: "by URL", DATABASE_URL: redactDatabaseUrl(settings.databaseUrl) };
  const { folder, url, running } = getEmbeddedDatabaseStatus(settings.dataDir);
  return { database: "embedded", running, folder, DATABASE_URL: url };
}

/** Short timeouts for reporting a database that does not respond. */
export const SHORT_TIMEOUTS = {
  databaseConnectTimeoutMs: 3_000,
  databaseStatementTimeoutMs: 3_000,
  databaseLockTimeoutMs: 1_000,
};

/**
 * Returns the state of the service (see service_overview.ts); null if the database does not run, does not respond, or
 * has another version. It starts and changes nothing.
 */
export async function readServiceOverviewIfRunning(
  settings: OperatorDatabaseSettings,
  figures: string | null,
): Promise<ServiceOverview | null> {
  const running = settings.databaseUrl === null ? findRunningDatabase(settings.dataDir) : null;
  const databaseUrl = settings.databaseUrl ?? running?.url;
  if (databaseUrl === undefined) return null;
  const stateOn = async (orm: Orm) => {
    const [row] = await runStatement(orm.em.fork(), readServiceOverview, {});
    return row ? buildServiceOverview(row, figures) : null;
  };
  return withOrm({ databaseUrl, databasePoolSize: 1, ...SHORT_TIMEOUTS }, stateOn)
    .catch(() => null)
    .finally(() => running?.release());
}

/**
 * Opens psql on the database and waits for it.
 * @throws ApiError without psql
 */
export async function openDatabaseShell(settings: OperatorDatabaseSettings): Promise<number> {
  return withOperatorDatabaseTarget(settings, async ({ url }) => {
    // As every host has it.
    const [, password = ""] = /^[^/?#]*\/\/[^:@/?#]*:([^@/?#]*)@/.exec(url) ?? [];
    const shown = url.replace(`:${password}@`, "@");
    // A password would be visible in the list of processes.
    const env = extendProcessEnvironment(password ? { PGPASSWORD: decodeURIComponent(password) } : {});
    const child = spawn("psql", [shown], { stdio: "inherit", env });
    // Ctrl-C cancels a statement there. We also receive it, and would end the database with us.
    const stay = () => {};
    process.on("SIGINT", stay);
    return new Promise<number>((resolve, reject) => {
      child.once("exit", (code) => resolve(code ?? 1));
      child.once("error", () =>
        reject(
          conflict(
            "wrong_state",
            "psql is not on the PATH. Install the PostgreSQL client, or use a different client. Use the " +
              "DATABASE_URL from the settings. For a running embedded database, belfry status shows it.",
          ),
        ),
      );
    }).finally(() => process.off("SIGINT", stay));
  });
}

/** Brings the database up. `serviceRunning`: a running service has done so already. */
export const migrateAsOperator = (settings: OperatorDatabaseSettings) => onSchema(settings, async () => null);

/** Opens what works on a database for as long as `use` takes. */
export async function withOrm<T>(options: Parameters<typeof createOrm>[0], use: (orm: Orm) => Promise<T>): Promise<T> {
  const orm = createOrm(options);
  try {
    return await use(orm);
  } finally {
    await orm.close(true);
  }
}

async function onSchema<T>(settings: OperatorDatabaseSettings, use: (orm: Orm) => Promise<T>) {
  const { databasePoolerMode } = settings;
  const beforeUpgrade = async () => {
    if (settings.databaseUrl !== null) return;
    await checkUpgradeSpace(getEmbeddedDatabaseStatus(settings.dataDir).folder, settings.minFreeDiskMb);
  };
  return withOperatorDatabaseTarget(settings, ({ url, serviceRunning }) =>
    withOrm({ databaseUrl: url, databasePoolSize: 2, databasePoolerMode }, async (orm) => {
      let migrations: string[] = [];
      try {
        if (!serviceRunning) migrations = await applyPendingMigrations(orm, { beforeUpgrade });
        else if (!(await isMigrated(orm))) throw new NotYet();
      } catch (error) {
        throw serviceRunning && findDatabaseUnavailableCode(error) !== null ? error : createDatabaseError(error);
      }
      return { result: await use(orm).catch(neverTwice), migrations, byService: serviceRunning };
    }),
  );
}

/** A started request is not repeated, because it may have been done before the connection was lost. */
function neverTwice(error: unknown): never {
  if (findDatabaseUnavailableCode(error) === null) throw error;
  throw new ApiError(
    "no_answer",
    "The connection to the database was lost. Before you retry, check whether the change was made.",
  );
}

/** Returns only the code of an error, because its text may quote private values. */
export function createDatabaseError(error: unknown): Error {
  if (error instanceof ConfigError || error instanceof ApiError) return error;
  const code = getErrorCode(error);
  if (code === "28000")
    return forbidden(
      "not_permitted",
      "The database belongs to a different user. Run this command as the service user or as root.",
    );
  const reason = code ? ` (${code})` : "";
  return new ApiError(
    "database_unavailable",
    `The database could not be opened or migrated${reason}. Check DATABASE_URL, or DATA_DIR for the embedded database.`,
  );
}
