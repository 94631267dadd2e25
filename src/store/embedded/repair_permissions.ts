// Restores the mode and the owner that a copied cluster has lost. Its former owner is not trusted.

import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  openSync,
  readdirSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { createDataDirError } from "./data_dir_lock_and_errors.ts";
import type { ClusterFolderState } from "./data_directory.ts";
import type { ProcessUser } from "./process_user.ts";

/**
 * Restores what a copy of the folder may have lost: its modes (PostgreSQL takes 0700 and 0750 alone), and when root
 * copied it, its owner. A folder of another lent user is given to the current one. The database must be down.
 */
export function repairPermissions(
  { dataDir, cluster, isInitialised }: ClusterFolderState,
  { uid, gid }: ProcessUser,
): void {
  if (!isInitialised) return;
  const { mode, uid: owner } = statSync(cluster);
  try {
    if (uid !== null && gid !== null && owner !== uid) giveFolder(cluster, uid, gid);
    else if ((mode & 0o027) !== 0) chmodSync(cluster, 0o700);
  } catch (error) {
    throw createDataDirError(
      dataDir,
      `has wrong permissions that could not be fixed automatically: ${cluster} and its contents must be owned by, ` +
        `and accessible only to, the user that runs PostgreSQL (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
}

/** A folder's entries through its descriptor, which stays that folder even if its path is replaced. */
const DESCRIPTORS = "/proc/self/fd";

/**
 * Gives a folder with its contents to a user. Its former owner may have planted links in it and still be active. The
 * folder is therefore closed first. Each entry is opened without following a link and changed by its descriptor. A file
 * with another hard link keeps its owner.
 */
function giveFolder(folder: string, uid: number, gid: number): void {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const descriptor = openSync(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    fchownSync(descriptor, 0, 0);
    fchmodSync(descriptor, 0o700);
    const inside = existsSync(DESCRIPTORS) ? `${DESCRIPTORS}/${descriptor}` : folder;
    for (const entry of readdirSync(inside, { withFileTypes: true })) {
      const path = join(inside, entry.name);
      if (entry.isDirectory()) giveFolder(path, uid, gid);
      if (!entry.isFile()) continue;
      const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      try {
        const { nlink } = fstatSync(file);
        if (nlink === 1) fchownSync(file, uid, gid);
      } finally {
        closeSync(file);
      }
    }
    // The folder itself comes last, so that an interrupted run is begun again.
    fchownSync(descriptor, uid, gid);
  } finally {
    closeSync(descriptor);
  }
}
