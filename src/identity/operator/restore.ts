// `belfry restore`: a backup becomes a server again. Files first, which nobody finds without rows; then rows, in one transaction; so
// whatever ends it leaves the server that was there, or none that starts.

import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createAssetStore } from "../../effects/assets/store.ts";
import { conflict } from "../../model/errors.ts";
import { dataPaths } from "../../store/config/data_paths.ts";
import { ConfigError } from "../../store/config/setting.ts";
import { carried, runMigrations, standing } from "../../store/db/migrate.ts";
import { run } from "../../store/db/statement.ts";
import { hasDatabase } from "../../store/embedded/cluster.ts";
import { holdDataDir } from "../../store/embedded/hold.ts";
import { renewEpoch } from "../../store/queries/epoch.ts";
import { writePrivate } from "../../store/secret/private_file.ts";
import { replaceSecretFile } from "../../store/secret/secret.ts";
import { refuseOtherSecret } from "../auth/secret_check.ts";
import { eachOf, type ServerSettings } from "./backup.ts";
import { counted, type Manifest, piecesOf, readManifest } from "./backup_manifest.ts";
import { countAnew, hasRows, readRows, refuseCells, removeRows } from "./backup_rows.ts";
import { type Box, openBackup, wholePiece } from "./backup_shelf.ts";
import { copying } from "./copy.ts";
import { type OperatorSettings, onCluster, onOrm } from "./reach.ts";
import { refuseOthers } from "./rotate_secret.ts";

export interface RestoreRequest {
  from: string;
  version: string;
  /** What the server holds may go. */
  replace?: boolean;
  /** Only reads all of it. */
  check?: boolean;
}

/**
 * `where`: the server that it becomes, which must not run. `migrations`: those of this version that the backup did not know.
 * @throws 422 for what is no whole backup that this version reads, 409 for a server that runs or is not empty, ConfigError.
 */
export async function restoreBackup(
  where: OperatorSettings,
  settings: ServerSettings,
  { from, version, replace = false, check = false }: RestoreRequest,
) {
  const box = await openBackup(from, settings);
  const manifest = await readManifest(box, version);
  const told = {
    restored: box.where,
    made_at: manifest.made_at,
    made_by: manifest.version,
    ...counted(manifest),
    missing_files: manifest.missing_files,
  };
  // Everything is read once before anything is written, so that a damaged part leaves nothing half restored.
  await eachOf(piecesOf(manifest), async (piece) => void (await wholePiece(box, piece)));
  if (check) return { ...told, migrations: [] };
  const secret = await secretFor(box, manifest, where, settings);
  const { restoring } = dataPaths(where.dataDir);
  const mayReplace = replace || (where.databaseUrl === null && existsSync(restoring));
  const put = (url: string) => putInto(url, box, manifest, { where, settings, secret, replace: mayReplace });
  if (where.databaseUrl !== null) return { ...told, migrations: await put(where.databaseUrl) };

  const { dataDir } = where;
  // Before anything is written into a folder that is not ours.
  hasDatabase(dataDir);
  const unlock = await holdDataDir(dataDir, { restoring: true });
  try {
    if (!hasDatabase(dataDir)) writePrivate(restoring, `${box.where}\n`);
    const migrations = await onCluster(where, async ({ url }) => {
      let done: string[] = [];
      const work = async () => {
        done = await put(url);
      };
      await (settings.secret === null ? replaceSecretFile(dataDir, secret, work) : work());
      return done;
    });
    rmSync(restoring, { force: true });
    return { ...told, migrations };
  } finally {
    unlock();
  }
}

/** The secret of the backup, or the one of the settings where it has none. @throws ConfigError naming SECRET. */
async function secretFor(
  box: Box,
  { secret }: Manifest,
  { databaseUrl, dataDir }: OperatorSettings,
  settings: ServerSettings,
): Promise<string> {
  const own =
    secret &&
    Buffer.from(await wholePiece(box, secret))
      .toString("utf8")
      .trim();
  if (own !== null && settings.secret !== null && own !== settings.secret)
    throw new ConfigError(
      "SECRET",
      `does not match the backup. Set it to the contents of ${box.where}/secret${databaseUrl === null ? ", or unset it" : ""}.`,
    );
  const path = dataPaths(dataDir).secret;
  const inFile = databaseUrl === null && existsSync(path) ? readFileSync(path, "utf8").trim() : null;
  const found = own ?? settings.secret ?? inFile;
  if (found === null)
    throw new ConfigError(
      "SECRET",
      "is missing: the backup does not contain the secret. Set it to the secret of that server.",
    );
  return found;
}

/** The migrations that were missing. */
async function putInto(
  url: string,
  box: Box,
  manifest: Manifest,
  {
    where,
    settings,
    secret,
    replace,
  }: { where: OperatorSettings; settings: ServerSettings; secret: string; replace: boolean },
): Promise<string[]> {
  const { databasePoolerMode } = where;
  return onOrm({ databaseUrl: url, databasePoolSize: 2, databasePoolerMode }, async (orm) => {
    const em = orm.em.fork();
    await refuseOthers(em);
    if (!replace && (await hasRows(orm, em)))
      throw conflict(
        "database_not_empty",
        "This server is not empty. Use another DATA_DIR or DATABASE_URL, or delete its data with --replace.",
      );
    await putFiles(box, manifest, settings);
    const { missing } = standing(manifest.migrations);
    const had = carried().filter((name) => !missing.includes(name));
    await copying(orm, {}, async (inside, copier) => {
      await refuseCells(inside);
      await removeRows(orm, inside);
      await runMigrations(orm, inside, had);
      await readRows(orm, inside, copier, box, manifest);
      if (missing.length > 0) await runMigrations(orm, inside, missing);
      // What handsets know is of revisions that this database may count again.
      await run(inside, renewEpoch, { epoch: randomUUID() });
      await refuseOtherSecret(inside, secret, "SECRET", "the backup's database was");
    });
    await countAnew(em);
    return missing;
  });
}

async function putFiles(box: Box, { files }: Manifest, settings: ServerSettings): Promise<void> {
  const store = await createAssetStore(settings);
  await eachOf(files, async ({ id, ...piece }) => store.put(id, await wholePiece(box, piece)));
}
