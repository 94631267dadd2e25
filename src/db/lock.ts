// The exclusive lock on a data directory. Two processes on one embedded database would corrupt it silently, so the
// lock is the operating system's own: it ends with the process, also after kill -9.

import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Another process holds the data directory. */
export class DataDirInUse extends Error {
  constructor(dir: string) {
    super(`The data directory ${dir} is in use by another Belfry process; stop it, or set another DATA_DIR.`);
    this.name = "DataDirInUse";
  }
}

/** Takes the lock and returns its release. @throws DataDirInUse when somebody else holds it. */
export function lockDataDir(lockFile: string): () => void {
  const dir = dirname(lockFile);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const db = new DatabaseSync(lockFile);
  try {
    db.exec("pragma busy_timeout = 0; pragma journal_mode = delete; begin exclusive");
  } catch (error) {
    db.close();
    const SQLITE_BUSY = 5;
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) throw new DataDirInUse(dir);
    throw error;
  }
  return () => {
    try {
      db.exec("rollback");
    } finally {
      db.close();
    }
  };
}
