// The lock of a data directory; and what keeps the embedded database from starting and a person can mend, as one
// sentence that names the way out.

import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dataPaths } from "../config/data_paths.ts";
import { ConfigError } from "../config/setting_types.ts";
import { DataDirInUseError } from "../db/data_dir_error.ts";
import { waitForDataDir } from "../db/data_dir_lock.ts";

/** The way past a user or a folder that no embedded PostgreSQL can do with. */
export const USE_DATABASE_URL = "set DATABASE_URL to a running PostgreSQL server.";

/** The ways past a machine that the package's programs do not run on. */
export const USE_OTHER_POSTGRES =
  "set POSTGRES_BIN to a folder with postgres and initdb, or DATABASE_URL to a running PostgreSQL server.";

/** DATA_DIR is to blame: the message names it, what is wrong, and the way out. */
export function createDataDirError(dataDir: string, problem: string): ConfigError {
  return new ConfigError("DATA_DIR", `(${dataDir}) ${problem}`);
}

/** This machine or this user is to blame. */
export function createEmbeddedError(problem: string): ConfigError {
  return new ConfigError("DATABASE_URL", `is not set, and the embedded PostgreSQL cannot run: ${problem}`);
}

/** The refusal for a user who may not write the folder's lock; null where the folder is this user's own. */
function wrongUser(dataDir: string): string | null {
  const { lock } = dataPaths(dataDir);
  const path = existsSync(lock) ? lock : dataDir;
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return null;
  } catch {
    const owner = statSync(path, { throwIfNoEntry: false })?.uid;
    const own = process.getuid?.();
    if (owner === undefined || own === undefined || owner === own) return null;
    const user = userName(owner);
    const way = owner === 0 ? "as root" : `as ${user} or as root`;
    return `belongs to the user ${user}, and this command runs as ${userName(own)}. Run it ${way}.`;
  }
}

/** The name of a user. Where the system knows no name, the number as `sudo -u` takes it: `#10001`. */
function userName(uid: number): string {
  const { stdout } = spawnSync("id", ["-nu", String(uid)], { encoding: "utf8" });
  return stdout?.trim() || `#${uid}`;
}

/** An operator's command may hold the folder for a moment. */
const LOCK_MS = 3_000;

/**
 * `restoring`: who holds it goes on with a restore that was interrupted. @throws ConfigError for a folder that cannot
 * be made or opened, or holds such a restore; DataDirInUseError once it waited so long for another holder.
 */
export async function acquireDataDir(
  dataDir: string,
  { waitMs = LOCK_MS, restoring = false }: { waitMs?: number; restoring?: boolean } = {},
): Promise<() => void> {
  const unlock = await waitForDataDir(dataPaths(dataDir).lock, waitMs).catch((error) => {
    if (error instanceof DataDirInUseError) throw error;
    throw createDataDirError(dataDir, wrongUser(dataDir) ?? `cannot be used: ${(error as Error).message}.`);
  });
  if (restoring || !existsSync(dataPaths(dataDir).restoring)) return unlock;
  unlock();
  throw createDataDirError(dataDir, "contains an incomplete restore. Run belfry restore again, or use another folder.");
}
