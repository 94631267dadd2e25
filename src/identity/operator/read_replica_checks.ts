// Checks of `belfry doctor` at each read replica: whether it responds, follows this database and is up to date.

import { setTimeout as pause } from "node:timers/promises";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { getErrorCode } from "../../model/connection_error_messages.ts";
import { runStatement } from "../../store/db/statement.ts";
import {
  readDatabaseIdentity,
  readStandbyReplayPosition,
  readWalPosition,
} from "../../store/queries/database_epoch.ts";
import { createFindingBuilder, getErrorReason, type HealthFinding } from "./health_finding.ts";
import { SHORT_TIMEOUTS, withOrm } from "./operator_database.ts";

/** The attempts until a replica has replayed the primary's position, and the pause between two. */
const ATTEMPTS = 20;
const PAUSE_MS = 100;

/** A replica of this database has its tables. */
const UNDEFINED_TABLE = "42P01";

const { ok, warning } = createFindingBuilder("replicas");

/** @param primary reads the database that the replicas copy, which has all tables */
export async function checkReplicas(primary: SqlEntityManager, urls: readonly string[]): Promise<HealthFinding[]> {
  if (urls.length === 0) return [];
  const [own] = await runStatement(primary, readDatabaseIdentity, {});
  const [written] = await runStatement(primary, readWalPosition, {});
  return Promise.all(urls.map((url) => checkReplica(url, own?.identity ?? "", written?.place ?? 0)));
}

async function checkReplica(databaseUrl: string, identity: string, written: number): Promise<HealthFinding> {
  const name = new URL(databaseUrl).host;
  const unrelated = warning(`${name} is a copy of a different database`, "copy the primary to it again");
  try {
    return await withOrm({ databaseUrl, databasePoolSize: 1, ...SHORT_TIMEOUTS }, async (orm) => {
      const em = orm.em.fork();
      for (let left = ATTEMPTS; ; left--) {
        const [row] = await runStatement(em, readStandbyReplayPosition, {});
        if (!row || row.place === null)
          return warning(`${name} is not a standby`, "make it a standby, or remove it from DATABASE_READ_URLS");
        if (row.place >= written && row.identity === identity) return ok(`${name} is up to date with the primary`);
        if (left === 0 && row.place >= written) return unrelated;
        if (left === 0)
          return warning(
            `${name} is ${written - row.place} bytes behind the primary`,
            "check its replication; the primary serves the reads until the replica is up to date",
          );
        await pause(PAUSE_MS);
      }
    });
  } catch (error) {
    if (getErrorCode(error) === UNDEFINED_TABLE) return unrelated;
    return warning(
      `${name} is not responding, or is refusing connections (${getErrorReason(error)})`,
      "start it, or remove it from DATABASE_READ_URLS; until then, the primary serves its reads",
    );
  }
}
