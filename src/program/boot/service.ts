// The opening of the service in order, and its closing in reverse: lock, secret, database, and the parts on top.
// `run_service.ts` adds a socket; tests, demo and bench use it directly.

import { assertDefined } from "../../model/assert.ts";
import type { Config } from "../../store/config/all_settings.ts";
import { type Cluster, hasEmbeddedDatabase, openCluster } from "../../store/embedded/cluster.ts";
import { acquireDataDirLock } from "../../store/embedded/data_dir_lock_and_errors.ts";
import { UNMONITORED_DISK, watchDiskSpace } from "../../store/embedded/disk_space.ts";
import { loadSecret } from "../../store/secret/server_secret.ts";
import { createLogs, type Logs } from "./log.ts";
import type { CloseHandlers, PrimaryPartsForWorker, ServiceOverrides } from "./service_options_and_resources.ts";

/** The resources that a service opens before it loads code for the database, once for all processes. */
interface SecretAndStartingDatabase {
  secret: string;
  /** There was a database before this start. */
  used: boolean;
  /** The embedded database, on its way; null with DATABASE_URL. */
  opening: Promise<Cluster> | null;
}

/** @throws ConfigError, DataDirInUseError. */
export async function loadSecretAndStartDatabase(
  config: Config,
  log: Logs["log"],
  closers: CloseHandlers,
): Promise<SecretAndStartingDatabase> {
  if (config.databaseUrl) return { secret: loadSecret(config, false), used: false, opening: null };
  // Before anything is written into a folder that is not ours.
  hasEmbeddedDatabase(config.dataDir);
  closers.push(await acquireDataDirLock(config.dataDir));
  const used = hasEmbeddedDatabase(config.dataDir);
  const secret = loadSecret(config, used);
  // The database starts in separate processes while this one loads its code.
  const opening = openCluster(config, { log });
  closers.push(async () => (await opening.catch(() => null))?.close());
  return { secret, used, opening };
}

/** The resources of a worker are already open. */
const workerEnvironment = (config: Config, { database }: PrimaryPartsForWorker): SecretAndStartingDatabase => ({
  secret: loadSecret(config, database !== null),
  used: true,
  opening: null,
});

/** Runs what was opened to its end, the last first. */
export const createCloser = (closers: CloseHandlers) => async () => {
  for (const closer of closers.splice(0).reverse()) await closer();
};

/** @throws ConfigError, DataDirInUseError, or the error of the database */
export async function openServiceWithoutListening(config: Config, options: ServiceOverrides = {}) {
  const { log, requests } = createLogs(config, options.logTo);
  const closers: CloseHandlers = [];
  const close = createCloser(closers);
  try {
    const { primary } = options;
    const { secret, used, opening } = primary
      ? workerEnvironment(config, primary)
      : await loadSecretAndStartDatabase(config, log, closers);
    const { composeService, preloadMigrations } = await import("./composition_root.ts");
    // Making a database takes longer than reading what fills it.
    if (opening && !used) await preloadMigrations();
    const cluster = await opening;
    const database = cluster ?? primary?.database;
    const space = database ? watchDiskSpace(database.folder, config.minFreeDiskMb, log) : UNMONITORED_DISK;
    closers.push(() => space.close());
    const url = assertDefined(config.databaseUrl ?? database?.url, "a database is started if no address is set");
    const parts = await composeService(config, options, { cluster, url, space, secret, log, requests, closers });
    /** `cluster`: the embedded database; null with DATABASE_URL. */
    return { ...parts, cluster, log, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export type Service = Awaited<ReturnType<typeof openServiceWithoutListening>>;
