// Where a run keeps what it throws away: in memory, where there is room. Tests make and remove thousands of files of
// PostgreSQL, which on a disk is a fifth of their CPU. Programs are started from there too, so it must let them run.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
/** The maximum of a run is a third of that. */
const ROOM = 6 * 1024 ** 3;
const NAME = /^belfry-tests-(\d+)$/;

const lives = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Reports if there is room, and programs may be started. Remains of killed runs are removed first. */
function usable(folder: string): boolean {
  try {
    for (const name of readdirSync(MEMORY)) {
      const [, pid] = NAME.exec(name) ?? [];
      if (pid !== undefined && !lives(Number(pid))) rmSync(join(MEMORY, name), { recursive: true, force: true });
    }
    const { bavail, bsize } = statfsSync(MEMORY);
    if (Math.min(bavail * bsize, freemem()) < ROOM) return false;
    mkdirSync(folder);
    // The user that a service of root lends to its database must get through.
    chmodSync(folder, 0o711);
    const program = join(folder, "runs");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 });
    execFileSync(program);
    return true;
  } catch {
    rmSync(folder, { recursive: true, force: true });
    return false;
  }
}

/**
 * Puts temporary folders of this process, and of those that it starts, in memory where possible. A given TMPDIR stays.
 */
export function keepTemporaryInMemory(): void {
  if (process.platform !== "linux" || process.env.TMPDIR) return;
  const folder = join(MEMORY, `belfry-tests-${process.pid}`);
  if (!usable(folder)) {
    console.log(`temporary files are on a disk, in ${tmpdir()}: less than 6 GB of memory are free`);
    return;
  }
  process.env.TMPDIR = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
}
