// Checks if the disk of the embedded database has room for more writes. The check runs before them: a database with a
// full disk cannot even record it, and needs room to recover. Every entry point for writes uses it: dispatch, the
// console's forms, uploads, the authorization server. Records of the last use are delayed.

import { statfs } from "node:fs/promises";
import { insufficientStorage } from "../../model/api_error.ts";
import { ConfigError } from "../config/setting_types.ts";

export interface DiskSpace {
  isLow(): boolean;
  /** Ahead of everything that a request writes. @throws ApiError 503 while less than the reserve is free. */
  assertNotLow(): void;
  close(): void;
}

/** The disk of a database by URL is its own operator's. */
export const UNWATCHED_DISK: DiskSpace = { isLow: () => false, assertNotLow: () => {}, close: () => {} };

/** Within this time the service writes far less than the reserve. */
const LOOK_MS = 1_000;

async function readFreeMb(folder: string): Promise<number | null> {
  const found = await statfs(folder).catch(() => null);
  return found && Math.floor((found.bavail * found.bsize) / 2 ** 20);
}

/**
 * Checks the disk of the embedded database before an upgrade (rules#upgrade-space).
 * @throws ConfigError if it has less free space than MIN_FREE_DISK_MB
 */
export async function checkUpgradeSpace(folder: string, reserveMb: number): Promise<void> {
  const freeMb = await readFreeMb(folder);
  if (freeMb !== null && freeMb < reserveMb)
    throw new ConfigError(
      "DATA_DIR",
      `has ${freeMb} MB of free disk space; the upgrade of its database needs ${reserveMb} (MIN_FREE_DISK_MB). ` +
        "Nothing was changed. Free disk space, and start again.",
    );
}

interface Log {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Checks at once and then periodically, until closed. If the check fails, the disk is assumed to have room. */
export async function watchDiskSpace(folder: string, reserveMb: number, log: Log): Promise<DiskSpace> {
  let low = false;
  const check = async () => {
    const freeMb = await readFreeMb(folder);
    if (freeMb === null) return;
    if (low === freeMb < reserveMb) return;
    low = !low;
    if (low) log.error({ freeMb, reserveMb }, "the disk is almost full; refusing writes until space is freed");
    else log.info({ freeMb }, "the disk has enough space again; accepting writes");
  };
  await check();
  const timer = setInterval(check, LOOK_MS).unref();
  return {
    isLow: () => low,
    assertNotLow() {
      if (low) throw insufficientStorage();
    },
    close: () => clearInterval(timer),
  };
}
