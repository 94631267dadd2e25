// A file system of its own that a test may fill up. It is a real one (ext4 in a file) where the system provides a loop
// device, else one in memory. Mounting requires root.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

const MB = 2 ** 20;

export interface SmallDisk {
  path: string;
  kind: string;
  freeMb(): number;
  /** Fills the free space up to this number of MB, also what became free after an earlier call. */
  fill(leaveMb?: number): void;
  empty(): void;
  remove(): void;
}

function tried(command: string, args: string[]): string | null {
  const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
  return status === 0 ? null : (error?.message ?? stderr.trim());
}

/** Mounts one below `folder`; returns the reason if this user may not. */
export function mountSmallDisk(folder: string, sizeMb: number): SmallDisk | string {
  const path = join(folder, "disk");
  const image = join(folder, "disk.img");
  mkdirSync(path);
  closeSync(openSync(image, "w"));
  truncateSync(image, sizeMb * MB);
  let kind = "ext4";
  // No blocks are reserved for root: full is full for all users.
  const noLoop = tried("mkfs.ext4", ["-q", "-F", "-m", "0", image]) ?? tried("mount", ["-o", "loop", image, path]);
  if (noLoop !== null) {
    kind = "tmpfs";
    const noMemory = tried("mount", ["-t", "tmpfs", "-o", `size=${sizeMb}m`, "tmpfs", path]);
    if (noMemory !== null) return `${noLoop}; ${noMemory}`;
  }
  chmodSync(path, 0o755);
  const filler = join(path, "filler");
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  };
  return {
    path,
    kind,
    freeMb: () => Math.floor(freeBytes() / MB),
    fill(leaveMb = 0) {
      const file = openSync(filler, "a");
      try {
        const most = freeBytes() - leaveMb * MB;
        if (most > 2 * MB) tried("fallocate", ["-o", String(fstatSync(file).size), "-l", String(most - MB), filler]);
        // The rest at the end of a full disk is filled in small pieces.
        const piece = Buffer.alloc(4096);
        while (freeBytes() > leaveMb * MB && writeSync(file, piece) === piece.length);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      } finally {
        closeSync(file);
      }
    },
    empty: () => rmSync(filler, { force: true }),
    remove() {
      tried("umount", ["-l", path]);
      rmSync(image, { force: true });
    },
  };
}
