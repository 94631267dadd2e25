// The exclusive lock on a data directory: one process at a time starts and ends the embedded database. The lock is the
// operating system's own: it ends with the process, also after kill -9.

import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { DataDirInUseError } from "./data_dir_in_use_error.ts";

/**
 * Creates a folder with the folders above it. Node's own recursive way never returns where the system refuses folders
 * with ENOENT, as in /proc.
 */
function createFolder(path: string): void {
  if (existsSync(path)) return;
  createFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/**
 * Acquires the lock and returns a function to release it.
 * @throws DataDirInUseError if another process has it
 */
export function lockDataDir(lockFile: string): () => void {
  const dir = dirname(lockFile);
  createFolder(dir);
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

/** Acquires the lock and waits up to `ms` for it. Operator commands use this. */
export async function waitAndLockDataDir(lockFile: string, ms: number): Promise<() => void> {
  for (const until = performance.now() + ms; ; await pause(LOOK_MS))
    try {
      return lockDataDir(lockFile);
    } catch (error) {
      if (!(error instanceof DataDirInUseError) || performance.now() > until) throw error;
    }
}
