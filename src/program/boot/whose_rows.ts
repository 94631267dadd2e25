// What a start makes of the database's servers: whether the rows are a copy of others', and the standbys that have them, too.

import { statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../store/config/settings.ts";
import type { Orm } from "../../store/db/orm.ts";
import { databaseOf, run } from "../../store/db/statement.ts";
import { keepEpoch } from "../../store/queries/epoch.ts";
import type { Replicas } from "../../store/replicas/replicas.ts";
import type { Opened } from "./service.ts";

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
