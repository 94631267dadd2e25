// The PostgreSQL of a test run: one of its own, thrown away afterwards, or the one that TEST_DATABASE_URL names. And a
// cluster to copy, which spares a test that starts an embedded one the second that initdb takes.

import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../src/store/config/load_settings.ts";
import { openCluster } from "../../src/store/embedded/cluster.ts";
import {
  type ClusterFolderState,
  chooseAccessibleClusterFolder,
  inspectDataDirectory,
  readClusterOwner,
  recordClusterFolder,
} from "../../src/store/embedded/data_directory.ts";
import { initCluster } from "../../src/store/embedded/init_cluster.ts";
import { findPostgresBinaries } from "../../src/store/embedded/postgres_binaries.ts";
import { chooseProcessUser, runPostgresProgram } from "../../src/store/embedded/process_user.ts";
import { repairPermissions } from "../../src/store/embedded/repair_permissions.ts";

interface TestServer {
  /** URL of a database on it that may make others. */
  url: string;
  /** Nothing on it needs to be removed. */
  thrownAway: boolean;
  close(): Promise<void>;
}

/** Nothing on this server outlives the run, so nothing waits for the disk. */
const CARELESS = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "200",
  shared_buffers: "64MB",
  // It would visit all the databases of a run, which live for seconds. Tests of plans analyse by themselves.
  autovacuum: "off",
};

async function makeClusterIn(folder: string): Promise<ClusterFolderState> {
  const runner = chooseProcessUser(null);
  const place = chooseAccessibleClusterFolder(inspectDataDirectory(folder), runner);
  await initCluster(place, await findPostgresBinaries(null, runner, place.clusterParent), runner, { sync: false });
  recordClusterFolder(place, runner);
  return place;
}

/**
 * Puts a cluster into a data directory, a copy of `made` or a new one. Its role has rights that tests and the bench
 * need and services do not: creating databases, and filling them past the triggers. Only single-user mode can grant
 * them.
 */
export async function prepareServer(folder: string, made?: string): Promise<void> {
  if (made) copyCluster(made, folder);
  else await makeClusterIn(folder);
  const found = inspectDataDirectory(folder);
  const runner = chooseProcessUser(readClusterOwner(found), found.lent);
  const place = chooseAccessibleClusterFolder(found, runner);
  repairPermissions(place, runner);
  const { postgres } = await findPostgresBinaries(null, runner, place.clusterParent);
  const sql = "alter role belfry createdb;\ngrant set on parameter session_replication_role to belfry;\n";
  await runPostgresProgram(
    (said) => new Error(said),
    runner,
    postgres,
    ["--single", "-F", "-D", place.cluster, "belfry"],
    sql,
  );
}

/** Makes a cluster that was never started; `remove` deletes it. */
export async function makeCluster(): Promise<{ cluster: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), "belfry-cluster-"));
  const place = await makeClusterIn(folder);
  const remove = () => {
    for (const path of [place.clusterParent, folder]) rmSync(path, { recursive: true, force: true });
  };
  return { cluster: place.cluster, remove };
}

/** Gives a data directory a copy of such a cluster. */
export const copyCluster = (made: string, dataDir: string) =>
  cpSync(made, join(dataDir, "postgres"), { recursive: true });

/** `made`: a cluster to copy instead of making one. */
export async function openTestServer(made?: string): Promise<TestServer> {
  const url = process.env.TEST_DATABASE_URL;
  if (url) return { url, thrownAway: false, close: async () => {} };
  const folder = mkdtempSync(join(tmpdir(), "belfry-test-"));
  await prepareServer(folder, made);
  const silent = { debug: () => {}, info: () => {}, error: console.error };
  const config = loadConfig({ DATA_DIR: folder, DATABASE_URL: "" });
  const cluster = await openCluster(config, { log: silent, server: CARELESS, sync: false });
  return {
    url: cluster.url,
    thrownAway: true,
    close: async () => {
      await cluster.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The same server, another database. */
export const withDatabase = (url: string, name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href;
