// Checks of the database servers at a start: rows that are a copy, and the standbys. The error about a URL that cannot
// be opened has our own text with the fix, never the driver's, because a URL contains a password.

import { statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../store/config/all_settings.ts";
import { ConfigError } from "../../store/config/setting_types.ts";
import { StartupDatabaseUnavailableError } from "../../store/db/database_startup_errors.ts";
import { findDatabaseUnavailableCode } from "../../store/db/database_unavailable_errors.ts";
import type { Orm } from "../../store/db/orm.ts";
import { getKysely, runStatement } from "../../store/db/statement.ts";
import { ensureDatabaseEpoch } from "../../store/queries/database_epoch.ts";
import type { ReplicaMonitor } from "../../store/replicas/replicas.ts";
import type { OpenedResources } from "./service_options_and_resources.ts";

/**
 * Invalidates earlier validators if the rows are a copy: on another server, or in other files (`folder`, of the
 * embedded database). A file that PostgreSQL never recreates identifies the files.
 */
export async function updateDatabaseEpoch(orm: Orm, folder: string | undefined): Promise<void> {
  const file = folder === undefined ? null : statSync(join(folder, "global/pg_control"));
  await runStatement(getKysely(orm), ensureDatabaseEpoch, { place: file && `${file.ino}.${file.birthtimeMs}` });
}

/** Their code is loaded where there are any. */
export async function openConfiguredReplicas(
  orm: Orm,
  { databaseReadUrls: urls }: Pick<Config, "databaseReadUrls">,
  { log, closers }: Pick<OpenedResources, "log" | "closers">,
): Promise<ReplicaMonitor | null> {
  if (urls.length === 0) return null;
  const { openReplicas } = await import("../../store/replicas/replicas.ts");
  const replicas = await openReplicas({ orm, urls, log });
  closers.push(() => replicas.close());
  return replicas;
}

/** Errors of a reachable server that refuses the connection, with the fix for each. */
const REFUSED: [RegExp, string][] = [
  [/^08P01$/, "it is a connection pooler: set DATABASE_POOLER_MODE to its mode, session or transaction"],
  [/^28/, "it rejects the user name or password"],
  [/^3D000$/, "the database does not exist"],
  [/CERT|_VERIFY|UNABLE_TO_/, "its certificate is not trusted with the current sslmode and sslrootcert"],
  [/^42501$/, "the user is not allowed to create tables, or the database does not exist"],
];

/** Errors of pg without a code. */
const WORDS: [RegExp, string][] = [
  [/client password must be/, "it requires a password, and none is set"],
  [/does not support SSL/, "it does not support TLS, which sslmode requires"],
];

/**
 * Passes the errors of an opened database on. With DATABASE_URL, those of a connection become a ConfigError, and a
 * StartupDatabaseUnavailableError if the database may come back.
 */
export const rethrowAsConnectionError =
  ({ databaseUrl }: Pick<Config, "databaseUrl">) =>
  (error: unknown): never => {
    throw databaseUrl ? (toConnectionError(error) ?? error) : error;
  };

/** Returns an error about the URL, without the URL, because it contains a password. */
function toConnectionError(error: unknown): ConfigError | null {
  if (error instanceof ConfigError) return null;
  let why: string | null = null;
  for (let at = error as ErrorLike; at && why === null; at = at.cause as ErrorLike) {
    why = WORDS.find(([words]) => words.test(at.message ?? ""))?.[1] ?? null;
    why ??= REFUSED.find(([code]) => code.test(at.code ?? ""))?.[1] ?? null;
  }
  if (why !== null) return new ConfigError("DATABASE_URL", `points to a database that cannot be opened (${why}).`);
  const code = findDatabaseUnavailableCode(error);
  return code === null ? null : new StartupDatabaseUnavailableError(code === "closed" ? "no response" : code);
}

type ErrorLike = { code?: string; message?: string; cause?: unknown };
