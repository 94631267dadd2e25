// A file that is there whole or not at all, and that its owner alone reads.

import { chmodSync, closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Nobody reads half of it, nor does a crash or a loss of power leave half of it; an old file's permissions are not kept. */
export function writePrivate(path: string, text: string): void {
  const file = openSync(`${path}.new`, "w", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  chmodSync(`${path}.new`, 0o600);
  renameSync(`${path}.new`, path);
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
