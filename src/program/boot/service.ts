// Opens what the service stands on, in order, and closes it in reverse: lock, secret, database, and on them its parts.
// `serve.ts` puts a socket in front of it; tests, demo and bench use it as it is.

import type { DestinationStream } from "pino";
import type { Assets } from "../../effects/assets/files.ts";
import type { Housekeeping } from "../../effects/housekeeping/scheduler.ts";
import type { Push } from "../../handset/push/push.ts";
import type { People } from "../../identity/auth/people.ts";
import type { DomainEvent } from "../../model/domain/events.ts";
import type { Dispatcher } from "../../operation/dispatch.ts";
import type { Config } from "../../store/config/settings.ts";
import type { Orm } from "../../store/db/orm.ts";
import { type Cluster, hasDatabase, openCluster } from "../../store/embedded/cluster.ts";
import { holdDataDir } from "../../store/embedded/hold.ts";
import { type Space, UNWATCHED, watchSpace } from "../../store/embedded/space.ts";
import type { Credentials } from "../../store/secret/credentials.ts";
import { loadSecret } from "../../store/secret/secret.ts";
import type { App } from "./app.ts";
import { createLogs, type Logs } from "./log.ts";

export interface Service {
  app: App;
  orm: Orm;
  /** The embedded database; null with DATABASE_URL. */
  cluster: Cluster | null;
  dispatcher: Dispatcher;
  assets: Assets;
  people: People;
  housekeeping: Housekeeping;
  push: Push;
  /** What the first start made, null on every other one. */
  made: Credentials | null;
  log: Logs["log"];
  close(): Promise<void>;
}

export interface ServiceOptions {
  /** The only clock of the operations. */
  now?: () => Date;
  /** Ceilings other than the operations' own, by the limit's name: for the bench. */
  limitMax?: Record<string, number>;
  /** The clock of the limits' windows in this process, in milliseconds: for tests, which must not outlive a window. */
  limitNow?: () => number;
  /** Where log lines go; standard error when left out. */
  logTo?: DestinationStream;
  /** Told of every event after its commit, beside the webhooks. */
  publish?: (event: DomainEvent) => void;
}

/** What the parts stand on. */
export interface Opened {
  cluster: Cluster | null;
  /** The room left on the embedded database's disk. */
  space: Space;
  secret: string;
  log: Logs["log"];
  requests: Logs["requests"];
  closers: (() => unknown)[];
}

/** @throws ConfigError, DataDirInUse, or what the database said. */
export async function openService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  const { log, requests } = createLogs(config, options.logTo);
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    // Before anything is written into a folder that is not ours.
    if (!config.databaseUrl) hasDatabase(config.dataDir);
    if (!config.databaseUrl) closers.push(await holdDataDir(config.dataDir));
    const made = !config.databaseUrl && hasDatabase(config.dataDir);
    const secret = loadSecret(config, made);
    // The database is made and started by processes of its own; this one reads its code meanwhile.
    const opening = config.databaseUrl ? null : openCluster(config, { log });
    closers.push(async () => (await opening?.catch(() => null))?.close());
    const { openParts, readMigrator } = await import("./parts.ts");
    // Making a database takes longer than reading what fills it.
    if (opening && !made) await readMigrator();
    const cluster = await opening;
    const space = cluster ? await watchSpace(cluster.folder, config.diskReserveMb, log) : UNWATCHED;
    closers.push(() => space.close());
    const parts = await openParts(config, options, { cluster, space, secret, log, requests, closers });
    return { ...parts, cluster, log, close };
  } catch (error) {
    await close();
    throw error;
  }
}
