// `belfry backup`: a consistent copy of the rows, their uploaded files and the server secret, while the service runs.

import { IsolationLevel } from "@mikro-orm/core";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { type AssetStore, createAssetStore } from "../../effects/assets/asset_store.ts";
import { conflict } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { text } from "../../model/fields/sql_statement_types.ts";
import type { Config } from "../../store/config/all_settings.ts";
import { compareMigrations, readAppliedMigrations } from "../../store/db/migrate.ts";
import type { Orm } from "../../store/db/orm.ts";
import { createStatementDefiner, runStatement } from "../../store/db/statement.ts";
import { hasEmbeddedDatabase } from "../../store/embedded/cluster.ts";
import { loadSecret } from "../../store/secret/server_secret.ts";
import { requireMatchingServerSecret } from "../auth/server_secret_check.ts";
import {
  BACKUP_FORMAT,
  type BackupManifest,
  countBackupContents,
  getFilePieceName,
  listBackupPieces,
  SECRET_PIECE,
  serializeManifest,
} from "./backup_manifest.ts";
import { checkNotCitusCell, writeBackupRows } from "./backup_rows.ts";
import {
  type BackupManifestPiece,
  type BackupPieceStore,
  type BackupS3Settings,
  formatBackupName,
  openBackupStorage,
  parseBackupTime,
} from "./backup_storage.ts";
import { runInCopyTransaction } from "./copy_stream.ts";
import { type OperatorDatabaseSettings, withOperatorDatabaseTarget, withOrm } from "./operator_database.ts";

/** The store of uploaded files, and the secret. */
export type BackupCommandSettings = Parameters<typeof createAssetStore>[0] &
  Pick<Config, "secret" | "databaseUrl"> &
  BackupS3Settings;

const defineStatement = createStatementDefiner("upkeep");

const serverVersion = defineStatement.reading("server_version", {
  columns: { version: text },
  text: "select current_setting('server_version') as version",
});

const storedFiles = defineStatement.reading("stored_files", {
  columns: { id: text },
  text: "select id::text as id from asset where stored order by id",
});

const FILES_AT_ONCE = 8;

/** Works on all of them, a few at once. */
export async function forEachLimited<F>(files: readonly F[], work: (file: F) => Promise<void>): Promise<void> {
  for (let at = 0; at < files.length; at += FILES_AT_ONCE)
    await Promise.all(files.slice(at, at + FILES_AT_ONCE).map(work));
}

/** The age at which an interrupted backup is deleted, because it can no longer be in progress. */
const LEFT_MS = 86_400_000;

interface BackupOptions {
  to: string;
  version: string;
  now: Date;
  withoutSecret?: boolean;
  /** The number of finished backups to keep, including this one; older ones are deleted. */
  keep?: number;
}

/** @throws ConfigError, 409 for a database of another version, or the error of the folder or bucket */
export async function makeBackup(
  where: OperatorDatabaseSettings,
  settings: BackupCommandSettings,
  { to, version, now, withoutSecret = false, keep }: BackupOptions,
) {
  const embedded = where.databaseUrl === null;
  if (embedded && !hasEmbeddedDatabase(where.dataDir))
    throw conflict(
      "database_incompatible",
      "DATA_DIR does not contain a database yet, so there is nothing to back up. To create one, run belfry serve.",
    );
  const secret = loadSecret(settings, embedded);
  const store = await createAssetStore(settings);
  const shelf = await openBackupStorage(to, settings);
  const name = formatBackupName(now);
  const box = shelf.getBackup(name);
  const readAll = async (orm: Orm) => {
    const version_ = await refuseOtherVersion(orm.em.fork());
    const files = new Map<string, BackupManifestPiece | null>();
    await requireMatchingServerSecret(orm.em.fork(), secret);
    // Most files are copied before the rows are read, so that files deleted in between are included.
    await keepFiles(store, box, files, await filesOf(orm.em.fork()));
    const oneInstant = { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true };
    return runInCopyTransaction(orm, oneInstant, async (em, copier): Promise<BackupManifest> => {
      await checkNotCitusCell(em);
      const ids = await filesOf(em);
      await keepFiles(store, box, files, ids);
      const kept = ids.flatMap((id) => {
        const found = files.get(id);
        return found ? [{ ...found, id }] : [];
      });
      return {
        belfry: "backup",
        format: BACKUP_FORMAT,
        version,
        made_at: now.toISOString(),
        ...version_,
        ...(await writeBackupRows(orm, em, copier, box)),
        files: kept,
        missing_files: ids.filter((id) => files.get(id) === null),
        secret: withoutSecret ? null : await box.put(SECRET_PIECE, Buffer.from(`${secret}\n`)),
      };
    });
  };
  const { databasePoolerMode } = where;
  const manifest = await withOperatorDatabaseTarget(where, ({ url }) =>
    withOrm({ databaseUrl: url, databasePoolSize: 1, databasePoolerMode }, async (orm) => {
      const read = await readAll(orm);
      await box.finish(serializeManifest(read));
      return read;
    }),
  ).catch(async (error) => {
    await box.remove().catch(() => {});
    throw error;
  });
  return {
    backup: box.where,
    made_at: manifest.made_at,
    ...countBackupContents(manifest),
    bytes: listBackupPieces(manifest).reduce((sum, { bytes }) => sum + bytes, 0),
    missing_files: manifest.missing_files,
    secret: manifest.secret !== null,
    removed: keep === undefined ? [] : await removeOld(shelf, keep, now),
  };
}

/** Rows are only written down as this version knows them. @throws 409. */
async function refuseOtherVersion(em: SqlEntityManager): Promise<Pick<BackupManifest, "migrations" | "postgresql">> {
  const migrations = await readAppliedMigrations(em);
  if (migrations === null)
    throw conflict("database_incompatible", "The database has no Belfry tables. Check DATABASE_URL.");
  const { missing, newer } = compareMigrations(migrations);
  if (missing.length + newer.length > 0)
    throw conflict(
      "database_incompatible",
      "The database is from a different version of Belfry. Use that version's belfry command, or run belfry migrate " +
        "first.",
    );
  const [row] = await runStatement(em, serverVersion, {});
  return { migrations, postgresql: assertDefined(row, "this function always returns a row").version };
}

const filesOf = async (em: SqlEntityManager) => (await runStatement(em, storedFiles, {})).map(({ id }) => id);

/** Copies those that are not copied yet; null: the store does not have it. */
async function keepFiles(
  store: AssetStore,
  box: BackupPieceStore,
  files: Map<string, BackupManifestPiece | null>,
  ids: string[],
): Promise<void> {
  const missing = ids.filter((id) => !files.has(id));
  await forEachLimited(missing, async (id) => {
    const bytes = await store.get(id);
    files.set(id, bytes && (await box.put(getFilePieceName(id), bytes)));
  });
}

async function removeOld(
  shelf: Awaited<ReturnType<typeof openBackupStorage>>,
  keep: number,
  now: Date,
): Promise<string[]> {
  const finished: string[] = [];
  const removed: string[] = [];
  const remove = async (name: string) => {
    await shelf.getBackup(name).remove();
    removed.push(name);
  };
  for (const name of await shelf.names()) {
    const age = now.getTime() - (parseBackupTime(name)?.getTime() ?? 0);
    if (await shelf.isFinished(name)) finished.push(name);
    else if (age > LEFT_MS) await remove(name);
  }
  for (const name of finished.slice(0, -keep)) await remove(name);
  return removed;
}
