// The PostgreSQL of a test run: one of its own, thrown away afterwards, or the one that TEST_DATABASE_URL names.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../src/store/config/load.ts";
import { openCluster } from "../../src/store/embedded/cluster.ts";

export interface TestServer {
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
};

export async function openTestServer(): Promise<TestServer> {
  const url = process.env.TEST_DATABASE_URL;
  if (url) return { url, thrownAway: false, close: async () => {} };
  const folder = mkdtempSync(join(tmpdir(), "belfry-test-"));
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
export const withDatabase = (url: string, name: string) =>
  Object.assign(new URL(url), { pathname: `/${name}` }).href;
