// The lock of a data directory, with a word about a folder that cannot be used.

import { existsSync } from "node:fs";
import { dataPaths } from "../config/data_paths.ts";
import { ConfigError } from "../config/setting.ts";
import { DataDirInUse } from "../db/in_use.ts";
import { waitForDataDir } from "../db/lock.ts";

/** An operator's command may hold the folder for a moment. */
const LOCK_MS = 3_000;

/**
 * `restoring`: who holds it goes on with a restore that was interrupted. @throws ConfigError for a folder that cannot be made or
 * opened, or holds such a restore; DataDirInUse once it waited so long for another holder.
 */
export async function holdDataDir(
  dataDir: string,
  { waitMs = LOCK_MS, restoring = false }: { waitMs?: number; restoring?: boolean } = {},
): Promise<() => void> {
  const unlock = await waitForDataDir(dataPaths(dataDir).lock, waitMs).catch((error) => {
    if (error instanceof DataDirInUse) throw error;
    throw new ConfigError("DATA_DIR", `(${dataDir}) cannot be used: ${(error as Error).message}.`);
  });
  if (restoring || !existsSync(dataPaths(dataDir).restoring)) return unlock;
  unlock();
  throw new ConfigError(
    "DATA_DIR",
    `(${dataDir}) holds a restore that did not come to its end: run belfry restore again, or name another folder.`,
  );
}
