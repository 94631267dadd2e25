// The embedded PostgreSQL as the service sees it: opened on a data directory, restarted when it ends, ended last. The
// one file of this room that others import; what is in the database, it does not know.

import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Config } from "../config/all_settings.ts";
import { describeFileSystemError } from "../config/file_system_error_messages.ts";
import { lockDataDir } from "../db/data_dir_lock.ts";
import { createDataDirError } from "./data_dir_lock_and_errors.ts";
import {
  assertPostgresVersion,
  type ClusterFolderState,
  chooseAccessibleClusterFolder,
  inspectDataDirectory,
  readClusterOwner,
  recordClusterFolder,
} from "./data_directory.ts";
import {
  DATABASE_NAME,
  openShortSocketPath,
  refusePreReleaseCluster,
  SERVICE_ROLE,
  writePostgresAccessFiles,
} from "./database_access.ts";
import { initCluster } from "./init_cluster.ts";
import { findPostgresBinaries, type PostgresBinaries } from "./postgres_binaries.ts";
import {
  cleanUpStalePostmaster,
  type PostgresProcess,
  readPostmasterStatus,
  startPostmaster,
} from "./postgres_process.ts";
import { chooseProcessUser, FALLBACK_USER, type ProcessUser } from "./process_user.ts";
import { repairPermissions } from "./repair_permissions.ts";

type Settings = Pick<
  Config,
  "dataDir" | "postgresBin" | "postgresSharedBuffersMb" | "postgresSynchronousCommit" | "databasePoolSize"
>;

interface ClusterLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface Cluster {
  url: string;
  /** The path of its files, its version and its user: for people. */
  folder: string;
  version: string;
  user: string;
  /** A message for unusual locations; null when all is in DATA_DIR and owned by the service's user. */
  elsewhere: string | null;
  /** The server's process now; null while it is down. */
  pid(): number | null;
  /** Resolves when everything that a first start wrote is on the disk. */
  synced: Promise<void>;
  /** `waitForClients`: waits until other clients of the database have done what they began. */
  close(options?: { waitForClients?: boolean }): Promise<void>;
}

interface ClusterOptions {
  log: ClusterLog;
  /** Settings of the server that win over the service's own: for tests. */
  server?: Record<string, string>;
  /** False does not wait until a new cluster is on the disk: for tests. */
  sync?: boolean;
}

/** The pauses before a server that ended is started again; the last value is repeated. */
const BACK_OFF_MS = [0, 100, 200, 500, 1_000, 2_000, 5_000, 10_000];
/**
 * A server that has started is waited for no longer than this when it ends: what grows is the pause after failed
 * starts.
 */
const STARTED = BACK_OFF_MS.indexOf(1_000);
/** After this time without an end the server counts as healthy, and the pauses start over. */
const WELL_MS = 60_000;

const OF_OTHERS =
  " Other programs that run as that user can read and change them, and a separate user could not " +
  "be created. Create one (useradd --system belfry), then start Belfry again.";

/** Connections in addition to the service's pool: operator's commands, backups, a manual psql. */
const OTHERS = 20;

function serverSettings(config: Settings, major: number): Record<string, string> {
  return {
    // Three fewer processes than with workers for reading.
    ...(major >= 18 && { io_method: "sync" }),
    shared_buffers: `${config.postgresSharedBuffersMb}MB`,
    // With "off" the disk gets the data a moment after the answer. Nothing is half written in either case.
    synchronous_commit: config.postgresSynchronousCommit ? "on" : "off",
    max_connections: String(config.databasePoolSize + OTHERS),
    // No client that needs them can connect.
    superuser_reserved_connections: "0",
    jit: "off",
    max_wal_size: "256MB",
    min_wal_size: "32MB",
    wal_level: "replica",
    max_wal_senders: "2",
    max_logical_replication_workers: "0",
    max_worker_processes: "2",
    max_parallel_workers: "0",
    // A server that restarts by itself after a crash can stay in recovery forever on a full disk. It ends instead, and
    // we start it.
    restart_after_crash: "off",
    TimeZone: "UTC",
  };
}

/**
 * Opens the embedded database of a data directory, and creates a missing one. The caller owns the directory's lock.
 * @throws ConfigError that names what a person can fix.
 */
export async function openCluster(config: Settings, options: ClusterOptions): Promise<Cluster> {
  const found = inspectDataDirectory(config.dataDir);
  const owner = readClusterOwner(found);
  const runner = chooseProcessUser(owner, found.lent, statSync(config.dataDir).uid === owner);
  const place = chooseAccessibleClusterFolder(found, runner);
  // A copied DATA_DIR points to the same folder elsewhere, so that folder has a lock of its own.
  const unlock =
    place.clusterParent === config.dataDir ? () => {} : lockDataDir(join(place.clusterParent, "instance.lock"));
  return openPlace(place, runner, config, options, unlock).catch((error) => {
    unlock();
    const file = describeFileSystemError(error, config.dataDir);
    throw file === null ? error : createDataDirError(config.dataDir, `cannot be used: ${file}`);
  });
}

async function openPlace(
  found: ClusterFolderState,
  runner: ProcessUser,
  config: Settings,
  options: ClusterOptions,
  unlock: () => void,
): Promise<Cluster> {
  const binaries = await findPostgresBinaries(config.postgresBin, runner, found.clusterParent);
  assertPostgresVersion(found, binaries.major);
  const stays = (error: Error) =>
    createDataDirError(
      config.dataDir,
      `contains a database that does not start: ${error.message.replace(/\.?$/, ".")}`,
    );
  if (found.isInitialised) {
    refusePreReleaseCluster(found);
    // Runs as the owner of the remains, who may differ from the user that will run the server.
    const uid = runner.uid && readClusterOwner(found);
    await cleanUpStalePostmaster(found.cluster, uid ? { ...runner, uid } : runner).catch((error) => {
      throw stays(error);
    });
    repairPermissions(found, runner);
  }
  const { place, synced } = found.isInitialised
    ? { place: found, synced: Promise.resolve() }
    : await initCluster(found, binaries, runner, { sync: options.sync !== false });
  // Those who promise something to a person await this. A failure before that needs no other listener.
  synced.catch(() => {});
  recordClusterFolder(place, runner);
  const settings = {
    ...serverSettings(config, binaries.major),
    ...writePostgresAccessFiles(place, runner),
    ...options.server,
  };
  const socket = openShortSocketPath(place.cluster);
  const supervised = await supervise(place, binaries, runner, settings, options.log).catch((error: Error) => {
    socket.release();
    throw stays(error);
  });
  return {
    url: urlOf(socket.path),
    folder: place.cluster,
    version: binaries.version,
    user: runner.user,
    elsewhere:
      runner.uid === null
        ? null
        : `PostgreSQL ${binaries.version} runs as the user ${runner.user}, with its files in ` +
          `${place.cluster}.${runner.user === FALLBACK_USER ? OF_OTHERS : ""}`,
    pid: supervised.pid,
    synced,
    async close(how) {
      await synced.catch(() => {});
      await supervised.close(how);
      socket.release();
      unlock();
    },
  };
}

/**
 * Reports if the data directory contains a database already. @throws ConfigError when its contents must not be used.
 */
export const hasEmbeddedDatabase = (dataDir: string): boolean => inspectDataDirectory(dataDir).isInitialised;

/** Where the database of a data directory is, or will be, for people and their tools. */
export function getEmbeddedDatabaseStatus(dataDir: string): { folder: string; url: string; running: boolean } {
  const { cluster, isInitialised } = inspectDataDirectory(dataDir);
  return {
    folder: cluster,
    url: urlOf(cluster),
    running: isInitialised && readPostmasterStatus(cluster)?.ready === true,
  };
}

/** The URL of the database behind a running server of the data directory; null when none takes connections. */
export function findRunningDatabase(dataDir: string): { url: string; pid: number; release(): void } | null {
  const place = inspectDataDirectory(dataDir);
  const status = place.isInitialised ? readPostmasterStatus(place.cluster) : null;
  if (!status?.ready) return null;
  const socket = openShortSocketPath(place.cluster);
  return { url: urlOf(socket.path), pid: status.pid, release: socket.release };
}

/**
 * Percent-encoded as the host, a folder is understood by libpq, pg and the ORM; as a parameter, by the first two
 * alone.
 */
const urlOf = (folder: string) => `postgresql://${SERVICE_ROLE}@${encodeURIComponent(folder)}:5432/${DATABASE_NAME}`;

async function supervise(
  place: ClusterFolderState,
  binaries: PostgresBinaries,
  runner: ProcessUser,
  settings: Record<string, string>,
  log: ClusterLog,
): Promise<{ pid(): number | null; close(how?: { waitForClients?: boolean }): Promise<void> }> {
  // A reason that prevents the first start is reported once, by the code that is refused.
  let started = false;
  const hear = (line: string) => {
    const grave =
      started && /^(FATAL|PANIC)/.test(line) && !/^FATAL: +(the database system is|terminating connection)/.test(line);
    log[grave ? "error" : "debug"]({ line }, "postgresql");
  };
  const closing = new AbortController();
  const { signal } = closing;
  const begin = async () => {
    await cleanUpStalePostmaster(place.cluster, runner);
    return startPostmaster(place, binaries, runner, settings, hear, signal);
  };

  let current: PostgresProcess | null = await begin();
  started = true;
  const watching = (async () => {
    for (let tries = 0; current; ) {
      const since = performance.now();
      const said = await current.ended;
      current = null;
      if (signal.aborted) return;
      tries = performance.now() - since > WELL_MS ? 0 : Math.min(tries, STARTED);
      log.error({ said, waitMs: BACK_OFF_MS[tries] }, "the database exited; restarting it");
      while (!current) {
        await pause(BACK_OFF_MS[tries], null, { signal }).catch(() => {});
        tries = Math.min(tries + 1, BACK_OFF_MS.length - 1);
        if (signal.aborted) return;
        try {
          current = await begin();
          log.info({ pid: current.pid }, "the database is running again");
        } catch (error) {
          if (!signal.aborted)
            log.error({ said: (error as Error).message }, "the database could not be started; retrying");
        }
      }
    }
  })();

  return {
    pid: () => current?.pid ?? null,
    async close(how) {
      closing.abort();
      await current?.stop(how);
      await watching;
    },
  };
}
