// Checks if the disk of the embedded database has room for more writes. The check runs before them: a database with a
// full disk cannot even record it, and needs room to recover. Every entry point for writes uses it: dispatch, the
// console's forms, uploads, the authorization server. Records of the last use are delayed.

import { statfsSync } from "node:fs";
import { createDiskFullError } from "../../model/api_error.ts";
import { ConfigError } from "../config/setting_types.ts";

export interface DiskSpaceMonitor {
  isLow(): boolean;
  /** Ahead of everything that a request writes. @throws ApiError 503 while less than the reserve is free. */
  assertNotLow(): void;
  close(): void;
}

/** The disk of a database by URL is its own operator's. */
export const UNMONITORED_DISK: DiskSpaceMonitor = { isLow: () => false, assertNotLow: () => {}, close: () => {} };

/** Within this time the service writes far less than the reserve. */
const VALID_MS = 1_000;
/** Between two checks while the service does not write, for the log. */
const CHECK_MS = 10_000;

function readFreeMb(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return Math.floor((bavail * bsize) / 2 ** 20);
  } catch {
    return null;
  }
}

/**
 * Checks the disk of the embedded database before an upgrade (rules#upgrade-space).
 * @throws ConfigError if it has less free space than MIN_FREE_DISK_MB
 */
export async function checkUpgradeSpace(folder: string, reserveMb: number): Promise<void> {
  const freeMb = readFreeMb(folder);
  if (freeMb !== null && freeMb < reserveMb)
    throw new ConfigError(
      "DATA_DIR",
      `has ${freeMb} MB of free disk space, but upgrading its database requires ${reserveMb} MB (MIN_FREE_DISK_MB), ` +
        "so nothing was changed. Free disk space, then start again.",
    );
}

interface Log {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Checks at once, ahead of a write if the last check was a second ago, and every ten seconds until closed. If the check
 * fails, the disk is assumed to have room.
 */
export function watchDiskSpace(folder: string, reserveMb: number, log: Log): DiskSpaceMonitor {
  let low = false;
  let checkedAt = 0;
  const check = () => {
    checkedAt = performance.now();
    const freeMb = readFreeMb(folder);
    if (freeMb === null) return;
    if (low === freeMb < reserveMb) return;
    low = !low;
    if (low) log.error({ freeMb, reserveMb }, "the disk is almost full; refusing writes until space is freed");
    else log.info({ freeMb }, "the disk has enough space again; accepting writes");
  };
  const isLow = () => {
    if (performance.now() - checkedAt >= VALID_MS) check();
    return low;
  };
  check();
  const timer = setInterval(check, CHECK_MS).unref();
  return {
    isLow,
    assertNotLow() {
      if (isLow()) throw createDiskFullError();
    },
    close: () => clearInterval(timer),
  };
}
