// The lock of a data directory; and what keeps the embedded database from starting and a person can mend, as one sentence that
// names the way out.

import { existsSync } from "node:fs";
import { dataPaths } from "../config/data_paths.ts";
import { ConfigError } from "../config/setting.ts";
import { DataDirInUse } from "../db/in_use.ts";
import { waitForDataDir } from "../db/lock.ts";

/** The way past a user or a folder that no embedded PostgreSQL can do with. */
export const BY_URL = "set DATABASE_URL to a PostgreSQL that runs already.";

/** The ways past a machine that the package's programs do not run on. */
export const OTHERWISE =
  "set POSTGRES_BIN to a folder that holds postgres and initdb, or DATABASE_URL to a PostgreSQL that runs already.";

/** DATA_DIR is to blame: the message names it, what is wrong, and the way out. */
export function dataDirProblem(dataDir: string, problem: string): ConfigError {
  return new ConfigError("DATA_DIR", `(${dataDir}) ${problem}`);
}

/** This machine or this user is to blame. */
export function embeddedProblem(problem: string): ConfigError {
  return new ConfigError("DATABASE_URL", `is not set, and the embedded PostgreSQL cannot run: ${problem}`);
}

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
    throw dataDirProblem(dataDir, `cannot be used: ${(error as Error).message}.`);
  });
  if (restoring || !existsSync(dataPaths(dataDir).restoring)) return unlock;
  unlock();
  throw dataDirProblem(
    dataDir,
    "holds a restore that did not come to its end: run belfry restore again, or name another folder.",
  );
}
