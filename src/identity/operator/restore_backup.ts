// `belfry restore`: restores a server from a backup. Files are first, because they are invisible without rows; then
// rows, in one transaction. After an interruption, the server is either unchanged or does not start.

import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createAssetStore } from "../../effects/assets/asset_store.ts";
import { conflict } from "../../model/api_error.ts";
import { dataPaths } from "../../store/config/data_paths.ts";
import { ConfigError } from "../../store/config/setting_types.ts";
import { compareMigrations, listMigrationNames, runMigrationsInTransaction } from "../../store/db/migrate.ts";
import { runStatement } from "../../store/db/statement.ts";
import { hasEmbeddedDatabase } from "../../store/embedded/cluster.ts";
import { acquireDataDirLock } from "../../store/embedded/data_dir_lock_and_errors.ts";
import { renewDatabaseEpoch } from "../../store/queries/database_epoch.ts";
import { writePrivateFile } from "../../store/secret/private_file.ts";
import { replaceSecretFile } from "../../store/secret/server_secret.ts";
import { requireMatchingServerSecret } from "../auth/server_secret_check.ts";
import { type BackupCommandSettings, forEachLimited } from "./backup.ts";
import { type BackupManifest, countBackupContents, listBackupPieces, readManifest } from "./backup_manifest.ts";
import {
  analyzeTables,
  checkNotCitusCell,
  dropDatabaseContents,
  hasBelfryTables,
  restoreBackupRows,
} from "./backup_rows.ts";
import { type BackupPieceStore, openFinishedBackup, readVerifiedPiece } from "./backup_storage.ts";
import { runInCopyTransaction } from "./copy_stream.ts";
import { type OperatorDatabaseSettings, withEmbeddedCluster, withOrm } from "./operator_database.ts";
import { refuseOtherConnections } from "./rotate_secret.ts";

interface RestoreOptions {
  from: string;
  version: string;
  /** Deletes the server's existing data. */
  replace?: boolean;
  /** Only reads all of it. */
  check?: boolean;
}

/**
 * Restores a backup.
 * @param where the target server, which must not run
 * @param migrations those of this version that the backup lacks
 * @throws 422 for an incomplete backup or another version, 409 for a running or non-empty server, ConfigError
 */
export async function restoreBackup(
  where: OperatorDatabaseSettings,
  settings: BackupCommandSettings,
  { from, version, replace = false, check = false }: RestoreOptions,
) {
  const box = await openFinishedBackup(from, settings);
  const manifest = await readManifest(box, version);
  const summary = {
    restored: box.where,
    made_at: manifest.made_at,
    made_by: manifest.version,
    ...countBackupContents(manifest),
    missing_files: manifest.missing_files,
  };
  // Everything is read once before anything is written, so that a damaged part leaves nothing half restored.
  await forEachLimited(listBackupPieces(manifest), async (piece) => void (await readVerifiedPiece(box, piece)));
  if (check) return { ...summary, migrations: [] };
  const secret = await secretFor(box, manifest, where, settings);
  const { restoring } = dataPaths(where.dataDir);
  const mayReplace = replace || (where.databaseUrl === null && existsSync(restoring));
  const put = (url: string) => putInto(url, box, manifest, { where, settings, secret, replace: mayReplace });
  if (where.databaseUrl !== null) return { ...summary, migrations: await put(where.databaseUrl) };

  const { dataDir } = where;
  // Before anything is written into a folder that is not ours.
  hasEmbeddedDatabase(dataDir);
  const unlock = await acquireDataDirLock(dataDir, { restoring: true });
  try {
    if (!hasEmbeddedDatabase(dataDir)) writePrivateFile(restoring, `${box.where}\n`);
    const migrations = await withEmbeddedCluster(where, async ({ url }) => {
      let done: string[] = [];
      const work = async () => {
        done = await put(url);
      };
      await (settings.secret === null ? replaceSecretFile(dataDir, secret, work) : work());
      return done;
    });
    rmSync(restoring, { force: true });
    return { ...summary, migrations };
  } finally {
    unlock();
  }
}

/** The secret of the backup, or the one of the settings where it has none. @throws ConfigError naming SECRET. */
async function secretFor(
  box: BackupPieceStore,
  { secret }: BackupManifest,
  { databaseUrl, dataDir }: OperatorDatabaseSettings,
  settings: BackupCommandSettings,
): Promise<string> {
  const own =
    secret &&
    Buffer.from(await readVerifiedPiece(box, secret))
      .toString("utf8")
      .trim();
  if (own !== null && settings.secret !== null && own !== settings.secret)
    throw new ConfigError(
      "SECRET",
      "does not match the backup. " +
        `Set it to the contents of ${box.where}/secret${databaseUrl === null ? ", or unset it" : ""}.`,
    );
  const path = dataPaths(dataDir).secret;
  const inFile = databaseUrl === null && existsSync(path) ? readFileSync(path, "utf8").trim() : null;
  const found = own ?? settings.secret ?? inFile;
  if (found === null)
    throw new ConfigError(
      "SECRET",
      "is missing, and the backup does not contain it. Set it to the secret of the server that was backed up.",
    );
  return found;
}

/** The migrations that were missing. */
async function putInto(
  url: string,
  box: BackupPieceStore,
  manifest: BackupManifest,
  {
    where,
    settings,
    secret,
    replace,
  }: { where: OperatorDatabaseSettings; settings: BackupCommandSettings; secret: string; replace: boolean },
): Promise<string[]> {
  const { databasePoolerMode } = where;
  return withOrm({ databaseUrl: url, databasePoolSize: 2, databasePoolerMode }, async (orm) => {
    const em = orm.em.fork();
    await refuseOtherConnections(em);
    if (!replace && (await hasBelfryTables(orm, em)))
      throw conflict(
        "database_not_empty",
        "This server is not empty. Use another DATA_DIR or DATABASE_URL, or delete its data with --replace.",
      );
    await putFiles(box, manifest, settings);
    const { missing } = compareMigrations(manifest.migrations);
    const had = listMigrationNames().filter((name) => !missing.includes(name));
    await runInCopyTransaction(orm, {}, async (inside, copier) => {
      await checkNotCitusCell(inside);
      await dropDatabaseContents(orm, inside);
      await runMigrationsInTransaction(orm, inside, had);
      await restoreBackupRows(orm, inside, copier, box, manifest);
      if (missing.length > 0) await runMigrationsInTransaction(orm, inside, missing);
      // Handsets have revisions that this database may use again.
      await runStatement(inside, renewDatabaseEpoch, { epoch: randomUUID() });
      await requireMatchingServerSecret(inside, secret, "SECRET", "the backup's database was");
    });
    await analyzeTables(em);
    return missing;
  });
}

async function putFiles(
  box: BackupPieceStore,
  { files }: BackupManifest,
  settings: BackupCommandSettings,
): Promise<void> {
  const store = await createAssetStore(settings);
  await forEachLimited(files, async ({ id, ...piece }) => store.put(id, await readVerifiedPiece(box, piece)));
}
