// What keeps the embedded database from starting and a person can mend, as one sentence that names the way out.

import { ConfigError } from "../config/setting.ts";

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
