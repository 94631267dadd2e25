// Opens what the service stands on, in order, and closes it in reverse: lock, secret, database, and on them its parts.
// `serve.ts` puts a socket in front of it; tests, demo and bench use it as it is.

import { need } from "../../model/need.ts";
import type { Config } from "../../store/config/settings.ts";
import { type Cluster, hasDatabase, openCluster } from "../../store/embedded/cluster.ts";
import { holdDataDir } from "../../store/embedded/hold.ts";
import { UNWATCHED, watchSpace } from "../../store/embedded/space.ts";
import { loadSecret } from "../../store/secret/secret.ts";
import { createLogs, type Logs } from "./log.ts";
import type { Closers, ServiceOptions, Within } from "./service_options.ts";

/** What a service opens before it reads any code that works on the database, and one process of several for all of them. */
export interface Ground {
  secret: string;
  /** There was a database before this start. */
  used: boolean;
  /** The embedded database, on its way; null with DATABASE_URL. */
  opening: Promise<Cluster> | null;
}

/** @throws ConfigError, DataDirInUse. */
export async function layGround(config: Config, log: Logs["log"], closers: Closers): Promise<Ground> {
  if (config.databaseUrl) return { secret: loadSecret(config, false), used: false, opening: null };
  // Before anything is written into a folder that is not ours.
  hasDatabase(config.dataDir);
  closers.push(await holdDataDir(config.dataDir));
  const used = hasDatabase(config.dataDir);
  const secret = loadSecret(config, used);
  // The database is made and started by processes of its own; this one reads its code meanwhile.
  const opening = openCluster(config, { log });
  closers.push(async () => (await opening.catch(() => null))?.close());
  return { secret, used, opening };
}

/** What a worker stands on was opened before. */
const laid = (config: Config, { database }: Within): Ground => ({
  secret: loadSecret(config, database !== null),
  used: true,
  opening: null,
});

/** Runs what was opened to its end, the last first. */
export const closing = (closers: Closers) => async () => {
  for (const closer of closers.splice(0).reverse()) await closer();
};

/** @throws ConfigError, DataDirInUse, or what the database said. */
export async function openService(config: Config, options: ServiceOptions = {}) {
  const { log, requests } = createLogs(config, options.logTo);
  const closers: Closers = [];
  const close = closing(closers);
  try {
    const { within } = options;
    const { secret, used, opening } = within ? laid(config, within) : await layGround(config, log, closers);
    const { openParts, readMigrator } = await import("./parts.ts");
    // Making a database takes longer than reading what fills it.
    if (opening && !used) await readMigrator();
    const cluster = await opening;
    const database = cluster ?? within?.database;
    const space = database ? await watchSpace(database.folder, config.minFreeDiskMb, log) : UNWATCHED;
    closers.push(() => space.close());
    const url = need(config.databaseUrl ?? database?.url, "without an address one is started");
    const parts = await openParts(config, options, { cluster, url, space, secret, log, requests, closers });
    /** `cluster`: the embedded database; null with DATABASE_URL. */
    return { ...parts, cluster, log, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export type Service = Awaited<ReturnType<typeof openService>>;
