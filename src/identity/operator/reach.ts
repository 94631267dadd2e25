// How an operator's command reaches the database: by URL, or the embedded one by its socket while a service holds it, and
// else by starting it for the time of the command, under the data directory's lock. Knows no operation.

import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { ApiError, conflict, forbidden } from "../../model/errors.ts";
import { environmentWith, loadSettings } from "../../store/config/load.ts";
import { ConfigError } from "../../store/config/setting.ts";
import type { Config } from "../../store/config/settings.ts";
import { DataDirInUse } from "../../store/db/in_use.ts";
import { isMigrated, migrate } from "../../store/db/migrate.ts";
import { type Orm, openOrm } from "../../store/db/orm.ts";
import { run } from "../../store/db/statement.ts";
import { unavailability } from "../../store/db/unavailable.ts";
import { describeDatabase, hasDatabase, openCluster, runningDatabase } from "../../store/embedded/cluster.ts";
import { holdDataDir } from "../../store/embedded/hold.ts";
import { serviceState } from "../../store/queries/service.ts";
import { loadSecret } from "../../store/secret/secret.ts";
import { type State, stateOf } from "./state.ts";

const WHERE = ["dataDir", "databaseUrl", "databasePoolerMode", "databaseListenUrl"] as const;
/** The secret is made before the embedded database, whoever makes that. */
const EMBEDDED = [
  ...WHERE,
  "databasePoolSize",
  "postgresBin",
  "postgresSharedBuffers",
  "postgresSynchronousCommit",
  "secret",
] as const;

export type OperatorSettings =
  | (Pick<Config, "databasePoolerMode" | "dataDir"> & { databaseUrl: string })
  | (Pick<Config, (typeof EMBEDDED)[number]> & { databaseUrl: null });

/** What a command needs to know of the settings. @throws ConfigError for one of these, and for no other. */
export function operatorSettings(): OperatorSettings {
  const { databaseUrl, dataDir, databasePoolerMode, databaseListenUrl } = loadSettings(WHERE);
  if (databaseUrl === null) return { ...loadSettings(EMBEDDED), databaseUrl };
  // What takes long, and holds locks, goes past a pooler.
  if (databaseListenUrl !== null) return { databaseUrl: databaseListenUrl, dataDir, databasePoolerMode: null };
  return { databaseUrl, dataDir, databasePoolerMode };
}

/** A server that is starting, or another command, may hold the lock for a moment. */
const PATIENCE_MS = 15_000;
const PAUSE_MS = 100;

const SILENT = { debug: () => {}, info: () => {}, error: () => {} };

export interface Reached {
  url: string;
  /** A running service holds the database: it has been brought up, and nobody else may. */
  byService: boolean;
}

/**
 * Runs `use` on the database, wherever it is, and keeps it running for that time.
 * @throws ApiError when another process holds the folder, ConfigError when the folder cannot be used.
 */
export async function withDatabase<T>(settings: OperatorSettings, use: (reached: Reached) => Promise<T>): Promise<T> {
  if (settings.databaseUrl !== null) return use({ url: settings.databaseUrl, byService: false });
  const { dataDir } = settings;
  for (const until = performance.now() + PATIENCE_MS; ; await pause(PAUSE_MS)) {
    try {
      // This comes first. A database whose folder nobody holds may still run, but it is about to end after its killed
      // service.
      return await onItsOwn(settings, use);
    } catch (error) {
      if (!(error instanceof DataDirInUse)) throw error;
    }
    const running = await ifItRuns(dataDir, until, use);
    if (running) return running.result;
    if (performance.now() > until)
      throw conflict(
        "database_in_use",
        "Another Belfry process is using the data directory, and its database accepts no connections. Stop it and try again.",
      );
  }
}

export type EmbeddedSettings = Extract<OperatorSettings, { databaseUrl: null }>;

/** Starts the embedded database for the time of `use`. @throws DataDirInUse. */
async function onItsOwn<T>(settings: EmbeddedSettings, use: (reached: Reached) => Promise<T>): Promise<T> {
  const { dataDir } = settings;
  const unlock = await holdDataDir(dataDir, { waitMs: 0 });
  try {
    loadSecret(settings, hasDatabase(dataDir));
    return await onCluster(settings, use);
  } finally {
    unlock();
  }
}

/** The same for who holds the folder. */
export async function onCluster<T>(settings: EmbeddedSettings, use: (reached: Reached) => Promise<T>): Promise<T> {
  const cluster = await openCluster(settings, { log: SILENT });
  try {
    await cluster.synced;
    return await use({ url: cluster.url, byService: false });
  } finally {
    // Another command may have found the database running meanwhile, and still use it.
    await cluster.close({ waitForClients: true });
  }
}

/** Null when the database does not run, is starting or is ending. */
async function ifItRuns<T>(
  dataDir: string,
  until: number,
  use: (reached: Reached) => Promise<T>,
): Promise<{ result: T } | null> {
  const running = runningDatabase(dataDir);
  if (!running) return null;
  try {
    return { result: await use({ url: running.url, byService: true }) };
  } catch (error) {
    if (unavailability(error) !== null && performance.now() < until) return null;
    throw error;
  } finally {
    running.release();
  }
}

/** Says that another process is still making the database. */
class NotYet extends Error {
  readonly code = "57P03";
}

/** Works where the database is, brought up first. @throws ApiError, or what the database said. */
export async function workForOperator<T>(
  settings: OperatorSettings,
  work: (em: SqlEntityManager, orm: Orm) => Promise<T>,
): Promise<T> {
  return (await onSchema(settings, (orm) => work(orm.em.fork(), orm))).result;
}

/** Where the database is, for people: printed with its password, if it has one, to whoever holds the settings anyway. */
export function databaseStatus(settings: OperatorSettings) {
  if (settings.databaseUrl !== null) return { database: "by URL", DATABASE_URL: settings.databaseUrl };
  const { folder, url, running } = describeDatabase(settings.dataDir);
  return { database: "embedded", running, folder, DATABASE_URL: url };
}

/** A database that does not answer is told as such, soon. */
const SOON = { databaseConnectTimeoutMs: 3_000, databaseStatementTimeoutMs: 3_000, databaseLockTimeoutMs: 1_000 };

/**
 * How the service as a whole is (see state.ts); null where the database does not run, does not answer, or is not of this version.
 * Starts nothing and changes nothing.
 */
export async function stateForOperator(settings: OperatorSettings, figures: string | null): Promise<State | null> {
  const running = settings.databaseUrl === null ? runningDatabase(settings.dataDir) : null;
  const databaseUrl = settings.databaseUrl ?? running?.url;
  if (databaseUrl === undefined) return null;
  const stateOn = async (orm: Orm) => {
    const [row] = await run(orm.em.fork(), serviceState, {});
    return row ? stateOf(row, figures) : null;
  };
  return onOrm({ databaseUrl, databasePoolSize: 1, ...SOON }, stateOn)
    .catch(() => null)
    .finally(() => running?.release());
}

/** Opens psql on the database, for as long as it is open. @throws ApiError when there is no psql. */
export async function shellOnDatabase(settings: OperatorSettings): Promise<number> {
  return withDatabase(settings, async ({ url }) => {
    // As every host has it.
    const [, password = ""] = /^[^/?#]*\/\/[^:@/?#]*:([^@/?#]*)@/.exec(url) ?? [];
    const shown = url.replace(`:${password}@`, "@");
    // A password would stand in the list of processes.
    const env = environmentWith(password ? { PGPASSWORD: decodeURIComponent(password) } : {});
    const child = spawn("psql", [shown], { stdio: "inherit", env });
    // Ctrl-C in it cancels a statement. The terminal sends it to us as well, and the database would go with us.
    const stay = () => {};
    process.on("SIGINT", stay);
    return new Promise<number>((resolve, reject) => {
      child.once("exit", (code) => resolve(code ?? 1));
      child.once("error", () =>
        reject(
          conflict(
            "wrong_state",
            "psql is not on the PATH. Install the PostgreSQL client, or use another client with the DATABASE_URL from belfry status while the service runs.",
          ),
        ),
      );
    }).finally(() => process.off("SIGINT", stay));
  });
}

/** Brings the database up. `byService`: a running service has done so already. */
export const migrateForOperator = (settings: OperatorSettings) => onSchema(settings, async () => null);

/** Opens what works on a database for as long as `use` takes. */
export async function onOrm<T>(options: Parameters<typeof openOrm>[0], use: (orm: Orm) => Promise<T>): Promise<T> {
  const orm = openOrm(options);
  try {
    return await use(orm);
  } finally {
    await orm.close(true);
  }
}

async function onSchema<T>(settings: OperatorSettings, use: (orm: Orm) => Promise<T>) {
  const { databasePoolerMode } = settings;
  return withDatabase(settings, ({ url, byService }) =>
    onOrm({ databaseUrl: url, databasePoolSize: 2, databasePoolerMode }, async (orm) => {
      let migrations: string[] = [];
      try {
        if (!byService) migrations = await migrate(orm);
        else if (!(await isMigrated(orm))) throw new NotYet();
      } catch (error) {
        throw byService && unavailability(error) !== null ? error : unusable(error);
      }
      return { result: await use(orm).catch(neverTwice), migrations, byService };
    }),
  );
}

/** A request that was begun is not tried again: it may have been done before the database went away. */
function neverTwice(error: unknown): never {
  if (unavailability(error) === null) throw error;
  throw new ApiError(
    "no_answer",
    "The connection to the database was lost. Check whether the change was made before you retry.",
  );
}

/** The database's or the system's own code, of the error or what it came from. */
export function codeOf(error: unknown): string | null {
  for (let at = error as { code?: unknown; cause?: unknown } | undefined; at; at = at.cause as typeof at)
    if (typeof at.code === "string" && /^\w{1,32}$/.test(at.code)) return at.code;
  return null;
}

/** Only the code of what the system or the database said: its text may quote what nobody should read here. */
export function unusable(error: unknown): Error {
  if (error instanceof ConfigError || error instanceof ApiError) return error;
  const code = codeOf(error);
  if (code === "28000")
    return forbidden(
      "not_permitted",
      "The database belongs to another user. Run this as the user of the service or as root.",
    );
  const reason = code ? ` (${code})` : "";
  return new ApiError(
    "database_unavailable",
    `The database could not be opened or migrated${reason}. Check DATABASE_URL, or DATA_DIR for the embedded database.`,
  );
}
