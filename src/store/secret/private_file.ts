// A file that is there whole or not at all, and that its owner alone reads.

import { randomBytes } from "node:crypto";
import { closeSync, fchmodSync, fchownSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/**
 * A reader, a crash or a loss of power never sees or leaves half of it. An old file's permissions are not kept. A link
 * in its place is replaced, not followed. Several processes may write it at once. `group`: a group that may read it.
 */
export function writePrivateFile(path: string, text: string, group: number | null = null): void {
  const temporary = `${path}.${process.pid}-${randomBytes(6).toString("hex")}.new`;
  const file = openSync(temporary, "wx", 0o600);
  try {
    try {
      writeSync(file, text);
      if (group !== null) {
        fchownSync(file, process.getuid?.() ?? 0, group);
        fchmodSync(file, 0o640);
      }
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/** Makes a rename in the folder outlive a loss of power. */
export function syncFolder(path: string): void {
  // Windows opens no folders.
  if (process.platform === "win32") return;
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
