// What a start makes of the database's servers: whether the rows are a copy of others', and the standbys that have them. Why
// one by URL cannot be opened is said in words that name what to mend, and never in its own: an address holds a password.

import { statSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../../store/config/setting.ts";
import type { Config } from "../../store/config/settings.ts";
import type { Orm } from "../../store/db/orm.ts";
import { databaseOf, run } from "../../store/db/statement.ts";
import { unavailability } from "../../store/db/unavailable.ts";
import { keepEpoch } from "../../store/queries/epoch.ts";
import type { Replicas } from "../../store/replicas/replicas.ts";
import type { Opened } from "./service_options.ts";

/**
 * Has validators from before match no longer where the rows are a copy: on another server, or in other files (`folder`, of the
 * embedded database), which the file says that PostgreSQL never makes anew.
 */
export async function confirmEpoch(orm: Orm, folder: string | undefined): Promise<void> {
  const file = folder === undefined ? null : statSync(join(folder, "global/pg_control"));
  await run(databaseOf(orm), keepEpoch, { place: file && `${file.ino}.${file.birthtimeMs}` });
}

/** Their code is loaded where there are any. */
export async function openStandbys(
  orm: Orm,
  { databaseReadUrls: urls }: Pick<Config, "databaseReadUrls">,
  { log, closers }: Pick<Opened, "log" | "closers">,
): Promise<Replicas | null> {
  if (urls.length === 0) return null;
  const { openReplicas } = await import("../../store/replicas/replicas.ts");
  const replicas = await openReplicas({ orm, urls, log });
  closers.push(() => replicas.close());
  return replicas;
}

/** What a server that is there says to whoever it lets in no further, in words that name what to mend. */
const REFUSED: [RegExp, string][] = [
  [/^08P01$/, "it is a pooler: set DATABASE_POOLER_MODE to its mode, session or transaction"],
  [/^28/, "it rejects the user name or password"],
  [/^3D000$/, "the database does not exist"],
  [/CERT|_VERIFY|UNABLE_TO_/, "its certificate is not trusted by sslmode and sslrootcert"],
  [/^42501$/, "the user is not allowed to create tables, or the database does not exist"],
];

/** What pg says without a code. */
const WORDS: [RegExp, string][] = [
  [/client password must be/, "it requires a password, and none is set"],
  [/does not support SSL/, "it does not support TLS, which sslmode requires"],
];

/** The address is to blame, not the service. Says it without the address, which holds a password. */
export function unreachable(error: unknown): ConfigError | null {
  let why: string | null = null;
  for (let at = error as ErrorLike; at && why === null; at = at.cause as ErrorLike) {
    why = WORDS.find(([words]) => words.test(at.message ?? ""))?.[1] ?? null;
    why ??= REFUSED.find(([code]) => code.test(at.code ?? ""))?.[1] ?? null;
  }
  why ??= unavailability(error);
  if (why === "closed") why = "no response";
  return why === null ? null : new ConfigError("DATABASE_URL", `names a database that cannot be opened (${why}).`);
}

type ErrorLike = { code?: string; message?: string; cause?: unknown };
