// How an operator's command reaches the database: PostgreSQL directly, the embedded one through the server that runs on it,
// and with no server directly, under the data directory's lock. Knows no operation.

import { setTimeout as pause } from "node:timers/promises";
import { type Config, dataPaths } from "../config.ts";
import { DataDirInUse, lockDataDir } from "../db/lock.ts";
import type { Orm } from "../db/orm.ts";
import { ApiError, conflict } from "../errors.ts";
import { type OperatorRequest, runOperation } from "./operations.ts";
import { askServer, NoServer } from "./socket.ts";

export type DatabaseSettings = Pick<Config, "databaseUrl" | "dataDir">;

/** A server that is starting, or another command, may hold the lock for a moment. */
const TRIES = 25;
const PAUSE_MS = 200;

/** Runs the request where the database is; `byServer` tells who did it. @throws ApiError, or what the database said. */
export async function runForOperator(
  settings: DatabaseSettings,
  request: OperatorRequest,
  now: () => Date,
): Promise<{ result: unknown; byServer: boolean }> {
  const directly = async () => ({ result: await runDirectly(settings, request, now), byServer: false });
  if (settings.databaseUrl) return directly();
  const { lock, socket } = dataPaths(settings.dataDir);
  for (let tries = 1; ; tries++) {
    try {
      return { result: await askServer(socket, request), byServer: true };
    } catch (error) {
      if (!(error instanceof NoServer)) throw error;
    }
    let unlock: () => void;
    try {
      unlock = lockDataDir(lock);
    } catch (error) {
      if (!(error instanceof DataDirInUse)) throw error;
      if (tries === TRIES)
        throw conflict(
          "Another Belfry process holds the data directory and takes no operator commands; stop it and try again.",
        );
      await pause(PAUSE_MS);
      continue;
    }
    try {
      return await directly();
    } finally {
      unlock();
    }
  }
}

/** Opens, migrates as a start of the server would, runs, closes. */
async function runDirectly(
  settings: DatabaseSettings,
  request: OperatorRequest,
  now: () => Date,
): Promise<unknown> {
  // Only here: what a server carries out needs no driver.
  const { migrate, openOrm } = await import("../db/orm.ts");
  let orm: Orm | null = null;
  try {
    let migrations: string[];
    try {
      orm = await openOrm(settings);
      migrations = await migrate(orm, settings);
    } catch (error) {
      throw unusable(error);
    }
    if (request.operation === "migrate") return { migrations };
    return await runOperation(orm.em.fork(), request, now());
  } finally {
    await orm?.close(true);
  }
}

/** Only the code of what the system or the database said: its text may quote what nobody should read here. */
function unusable(error: unknown): ApiError {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  const known = [code, cause?.code].find((c) => typeof c === "string" && /^\w{1,32}$/.test(c));
  const reason = known ? ` (${known})` : "";
  return new ApiError(
    "server_error",
    `The database could not be opened and brought up${reason}; check DATABASE_URL, or DATA_DIR for the embedded one.`,
  );
}
