// The environment of a run: PostgreSQL by URL or of its own, pgbench, and databases with their servers. All of it is
// removed at the end.

import { readdirSync } from "node:fs";
import { loadConfig } from "../src/store/config/load_settings.ts";
import { lazy } from "../src/store/db/lazy.ts";
import { type Cluster, openCluster } from "../src/store/embedded/cluster.ts";
import { prepareServer } from "../test/support/postgres_server.ts";
import { type OpenWorld, openWorld } from "./bench_databases.ts";
import { CONNECTIONS } from "./load_generators.ts";
import { mintTokens, type Tokens, type WorldSize } from "./seed_database.ts";
import { startEverything } from "./start_servers.ts";
import { inFolder } from "./start_times.ts";

/** The address of a PostgreSQL by URL; null without one. */
export const givenUrl = process.env.TEST_DATABASE_URL || process.env.DATABASE_URL || null;

/** Its path; null when it is nowhere. */
export function findPgbench(): string | null {
  const debian = "/usr/lib/postgresql";
  const folders = (process.env.PATH ?? "").split(":");
  try {
    for (const version of readdirSync(debian).sort().reverse()) folders.push(`${debian}/${version}/bin`);
  } catch {}
  for (const folder of folders) {
    try {
      if (readdirSync(folder).includes("pgbench")) return `${folder}/pgbench`;
    } catch {}
  }
  return null;
}

/** The embedded database as the service starts it, with room for the connections of pgbench. */
async function openEmbedded(folder: string): Promise<Cluster> {
  const config = loadConfig({ DATA_DIR: folder, DATABASE_URL: "" });
  const log = { debug: () => {}, info: () => {}, error: console.error };
  const server = { max_connections: String(4 * CONNECTIONS + 16 * config.databasePoolSize) };
  await prepareServer(folder);
  return openCluster(config, { log, server });
}

export interface Bench {
  worlds: OpenWorld[];
  /** Makes a database of this size, on the embedded PostgreSQL or on the one by URL. */
  open(size: WorldSize, on: "embedded" | "url"): Promise<void>;
}

const started = performance.now();
/** Prints the progress, with the time since the beginning. */
export const progress = (text: string) =>
  console.error(`${((performance.now() - started) / 1000).toFixed(0)} s: ${text}`);

/** Lends a bench to `work` and removes what it made. */
export const withBench = (seconds: number, work: (bench: Bench) => Promise<void>): Promise<void> =>
  inFolder(async (folder) => {
    const worlds: OpenWorld[] = [];
    const closers: (() => unknown)[] = [];
    const cluster = lazy(async () => {
      const opened = await openEmbedded(folder);
      closers.push(() => opened.close());
      return opened;
    });
    const everything = lazy(async () => {
      const server = await startEverything();
      if (server) closers.push(server.stop);
      return server;
    });
    // More handsets than can report in one measurement.
    const tokens: Tokens = mintTokens(12_000 * Math.max(2, seconds));
    const open: Bench["open"] = async (size, on) => {
      const url = on === "url" ? givenUrl! : (await cluster()).url;
      const world = await openWorld(url, { size, tokens, seconds, everything });
      worlds.push(world);
      closers.push(world.close);
      progress(`${size.name} is seeded with ${size.alerts} alerts${on === "embedded" ? ", embedded" : ""}`);
    };
    try {
      await work({ worlds, open });
    } finally {
      for (const closer of closers.reverse()) await closer();
    }
  });
