// A service after its first start, from files that one test of a run has made.

import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, inject, vi } from "vitest";
import { getStartTimeoutMs, prepareCluster, type RunningServer, startServer, temporaryFolder } from "./processes.ts";

/** Starts such a service for one test file, and ends it after its tests. `args` are the program and its arguments. */
export async function openStartedService(args?: string[]) {
  const folder = temporaryFolder();
  let server: RunningServer | undefined;
  afterAll(async () => {
    await server?.stop();
    folder.remove();
  });
  server = await startServer(await prepareStartedService(`${folder.path}/data`), { args });
  return { folder, server };
}

/**
 * Gives a data directory the contents after a first start, secret and key included: for tests of a service's later
 * behaviour. The first test of a run that needs it makes it, all others copy it. Returns the directory.
 */
export async function prepareStartedService(dataDir: string): Promise<string> {
  const made = join(dirname(inject("cluster")), "started");
  const isFirst = mkdirSync(`${made}.begun`, { recursive: true }) !== undefined;
  if (isFirst) {
    const folder = mkdtempSync(join(tmpdir(), "belfry-first-"));
    // The user that a service of root lends to its database must get through.
    chmodSync(folder, 0o711);
    const server = await startServer(prepareCluster(join(folder, "data")));
    await server.stop();
    renameSync(server.dataDir, made);
    rmSync(folder, { recursive: true });
  }
  await vi.waitFor(() => expect(existsSync(made)).toBe(true), { timeout: getStartTimeoutMs(), interval: 50 });
  cpSync(made, dataDir, { recursive: true });
  return dataDir;
}
