// The exclusive lock on a data directory: one process at a time starts and ends the embedded database. The lock is the
// operating system's own: it ends with the process, also after kill -9.

import { chmodSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { DataDirInUseError } from "./data_dir_error.ts";

/** Takes the lock and returns its release. @throws DataDirInUseError when somebody else holds it. */
export function lockDataDir(lockFile: string): () => void {
  const dir = dirname(lockFile);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const db = new DatabaseSync(lockFile);
  try {
    chmodSync(lockFile, 0o600);
    db.exec("pragma busy_timeout = 0; pragma journal_mode = delete; begin exclusive");
  } catch (error) {
    db.close();
    const SQLITE_BUSY = 5;
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) throw new DataDirInUseError(dir);
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

const LOOK_MS = 100;

/** The same, waiting up to `ms` for whoever holds it: an operator's command does so for a moment. */
export async function waitForDataDir(lockFile: string, ms: number): Promise<() => void> {
  for (const until = performance.now() + ms; ; await pause(LOOK_MS))
    try {
      return lockDataDir(lockFile);
    } catch (error) {
      if (!(error instanceof DataDirInUseError) || performance.now() > until) throw error;
    }
}
