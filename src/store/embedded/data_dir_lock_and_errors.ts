// The lock of a data directory, and the problems of it that an operator can fix, each as a message with a solution.

import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dataPaths } from "../config/data_paths.ts";
import { describeFileOwnerMismatch, describeFileSystemError } from "../config/file_system_error_messages.ts";
import { ConfigError } from "../config/setting_types.ts";
import { DataDirInUseError } from "../db/data_dir_in_use_error.ts";
import { waitAndLockDataDir } from "../db/data_dir_lock.ts";

/** The way past a user or a folder that no embedded PostgreSQL can do with. */
export const USE_DATABASE_URL = "set DATABASE_URL to a running PostgreSQL server.";

/** The ways past a machine that the package's programs do not run on. */
export const USE_OTHER_POSTGRES =
  "set POSTGRES_BIN to a folder with postgres and initdb, or DATABASE_URL to a running PostgreSQL server.";

/** DATA_DIR is the cause: the message names it, the problem, and the solution. */
export function createDataDirError(dataDir: string, problem: string): ConfigError {
  return new ConfigError("DATA_DIR", `(${dataDir}) ${problem}`);
}

/** This machine or this user is to blame. */
export function createEmbeddedPostgresError(problem: string): ConfigError {
  return new ConfigError("DATABASE_URL", `is not set, and the embedded PostgreSQL cannot run: ${problem}`);
}

/** The refusal for a user who may not write the folder's lock; null where the folder is this user's own. */
function describeWrongUser(dataDir: string): string | null {
  const { lock } = dataPaths(dataDir);
  const path = existsSync(lock) ? lock : dataDir;
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return null;
  } catch {
    const owner = statSync(path, { throwIfNoEntry: false })?.uid;
    const own = process.getuid?.();
    return owner === undefined || own === undefined || owner === own
      ? null
      : describeFileOwnerMismatch(dataDir, owner, own);
  }
}

/** An operator's command may lock the folder for a moment. */
const LOCK_MS = 3_000;

/**
 * `restoring`: the lock's owner continues an interrupted restore. @throws ConfigError for a folder that cannot be
 * created or opened, or has such a restore; DataDirInUseError after waiting this long for another owner of the lock.
 */
export async function acquireDataDirLock(
  dataDir: string,
  { waitMs = LOCK_MS, restoring = false }: { waitMs?: number; restoring?: boolean } = {},
): Promise<() => void> {
  const unlock = await waitAndLockDataDir(dataPaths(dataDir).lock, waitMs).catch((error) => {
    if (error instanceof DataDirInUseError) throw error;
    const file = describeFileSystemError(error, dataDir);
    throw createDataDirError(
      dataDir,
      describeWrongUser(dataDir) ?? `cannot be used: ${file ?? `${(error as Error).message}.`}`,
    );
  });
  if (restoring || !existsSync(dataPaths(dataDir).restoring)) return unlock;
  unlock();
  throw createDataDirError(
    dataDir,
    "contains an incomplete restore. Run belfry restore again, or use a different folder.",
  );
}
