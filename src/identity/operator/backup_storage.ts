// The storage of backups, a folder or a bucket. A backup is written in parts and valid only with its manifest, which is
// written last.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createFolderBackend } from "../../effects/assets/asset_store.ts";
import type { S3BucketConfig } from "../../effects/assets/s3_backend.ts";
import { StoredFileError } from "../../effects/assets/stored_file_errors.ts";
import { conflict, invalidRequest } from "../../model/api_error.ts";
import { type Config, SETTINGS } from "../../store/config/all_settings.ts";
import { ConfigError } from "../../store/config/setting_types.ts";
import { syncFolder } from "../../store/secret/private_file.ts";
import { withFileErrors } from "./operator_file_errors.ts";

export const BACKUP_MANIFEST_FILE = "manifest.json";

/** belfry-20261124T190501Z: the order of names is that of times. */
const NAME = /^belfry-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
export const formatBackupName = (now: Date) => `belfry-${now.toISOString().replace(/[-:]|\.\d+/g, "")}`;
/** Parses the time in a backup's name; null for other names. */
export const parseBackupTime = (name: string): Date | null =>
  NAME.test(name) ? new Date(name.replace(NAME, "$1-$2-$3T$4:$5:$6Z")) : null;

/** A piece of a backup, as its manifest knows it. */
export interface BackupManifestPiece {
  name: string;
  bytes: number;
  sha256: string;
}

/** One backup. */
export interface BackupPieceStore {
  where: string;
  put(name: string, bytes: Uint8Array): Promise<BackupManifestPiece>;
  /**
   * Returns a part; null if it is missing.
   * @throws StoredFileError for one of more than `maxBytes`
   */
  get(name: string, maxBytes?: number): Promise<Uint8Array | null>;
  /** Writes the manifest: from here on it is a backup. */
  finish(manifest: Uint8Array): Promise<void>;
  remove(): Promise<void>;
}

interface BackupStorage {
  where: string;
  names(): Promise<string[]>;
  getBackup(name: string): BackupPieceStore;
  /** True if no incomplete part of this name exists. */
  isFinished(name: string): Promise<boolean>;
}

export type BackupS3Settings = Pick<
  Config,
  "backupS3Endpoint" | "backupS3Region" | "backupS3AccessKeyId" | "backupS3SecretAccessKey"
>;

const sumOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

const damaged = (box: BackupPieceStore, name: string, problem: string) =>
  invalidRequest(
    "backup_invalid",
    `${box.where} is damaged: ${name} ${problem}. Copy it again, or restore another backup.`,
    "from",
  );

/**
 * Reads a part; null if it is missing.
 * @throws 422 for one of more than `maxBytes`, and if it is not a regular file
 */
export const readBackupPieceBytes = (
  box: BackupPieceStore,
  name: string,
  maxBytes: number,
): Promise<Uint8Array | null> =>
  box.get(name, maxBytes).catch((error) => {
    throw error instanceof StoredFileError ? damaged(box, name, error.message) : error;
  });

/** A piece whose bytes are those that the manifest knows. @throws 422. */
export async function readVerifiedPiece(
  box: BackupPieceStore,
  { name, bytes, sha256 }: BackupManifestPiece,
): Promise<Uint8Array> {
  const found = await readBackupPieceBytes(box, name, bytes);
  if (found?.length !== bytes || sumOf(found) !== sha256)
    throw damaged(box, name, found ? "has been modified" : "is missing");
  return found;
}

const pieceOf = (name: string, bytes: Uint8Array): BackupManifestPiece => ({
  name,
  bytes: bytes.length,
  sha256: sumOf(bytes),
});

/** The part of an unfinished one's name, which a finished one has not. */
const PART = ".part";

function folderBox(final: string): BackupPieceStore {
  const part = `${final}${PART}`;
  let at = existsSync(final) ? final : part;
  const backend = () => createFolderBackend(at);
  return {
    where: final,
    put: (name, bytes) =>
      withFileErrors(dirname(final), async () => {
        await backend().put(name, bytes);
        return pieceOf(name, bytes);
      }),
    get: (name, maxBytes) => withFileErrors(final, async () => (existsSync(at) ? backend().get(name, maxBytes) : null)),
    finish: (manifest) =>
      withFileErrors(dirname(final), async () => {
        await backend().put(BACKUP_MANIFEST_FILE, manifest);
        syncFolder(part);
        renameSync(part, final);
        at = final;
        syncFolder(dirname(final));
      }),
    async remove() {
      for (const path of [final, part]) rmSync(path, { recursive: true, force: true });
    },
  };
}

function folderShelf(path: string): BackupStorage {
  const folder = resolve(path);
  const names = () =>
    existsSync(folder)
      ? [...new Set(readdirSync(folder).map((name) => name.replace(/\.part$/, "")))].filter(parseBackupTime).sort()
      : [];
  return {
    where: folder,
    names: () => withFileErrors(folder, names),
    getBackup: (name) => folderBox(join(folder, name)),
    isFinished: async (name) => existsSync(join(folder, name, BACKUP_MANIFEST_FILE)),
  };
}

/** The timeout of a part on a slow connection. */
const PATIENCE_MS = 300_000;
const TRIES = 3;

async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await work();
    } catch (error) {
      if (error instanceof StoredFileError) throw error;
      if (tries === TRIES) throw conflict("wrong_state", `Backup storage failed: ${(error as Error).message}.`);
    }
}

async function bucketShelf(where: string, bucket: S3BucketConfig, path: string): Promise<BackupStorage> {
  const { listBucketFolder, createS3Backend } = await import("../../effects/assets/s3_backend.ts");
  const backendOf = (name: string) =>
    createS3Backend({ ...bucket, bucket: `${bucket.bucket}/${path}${name}` }, PATIENCE_MS);
  const getBackup = (name: string): BackupPieceStore => {
    const backend = backendOf(name);
    const put = (piece: string, bytes: Uint8Array) => again(() => backend.put(piece, bytes));
    return {
      where: `${where}${name}`,
      async put(piece, bytes) {
        await put(piece, bytes);
        return pieceOf(piece, bytes);
      },
      get: (piece, maxBytes) => again(() => backend.get(piece, maxBytes)),
      finish: (manifest) => put(BACKUP_MANIFEST_FILE, manifest),
      async remove() {
        // Without its manifest, a partly deleted backup is not valid.
        await again(() => backend.remove(BACKUP_MANIFEST_FILE));
        for (const piece of await again(() => listBucketFolder(bucket, `${path}${name}/`)))
          await again(() => backend.remove(piece));
      },
    };
  };
  return {
    where,
    names: async () =>
      (await again(() => listBucketFolder(bucket, path)))
        .map((name) => name.replace(/\/$/, ""))
        .filter(parseBackupTime)
        .sort(),
    getBackup,
    isFinished: async (name) => (await getBackup(name).get(BACKUP_MANIFEST_FILE)) !== null,
  };
}

/**
 * Opens the storage of backups.
 * @throws ConfigError for a bucket without its settings
 */
export async function openBackupStorage(to: string, settings: BackupS3Settings): Promise<BackupStorage> {
  const [, bucket, below = ""] = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(to) ?? [];
  if (bucket === undefined) return folderShelf(to);
  const set = (key: keyof BackupS3Settings): string => {
    const value = settings[key];
    if (value === null)
      throw new ConfigError(
        SETTINGS[key].name,
        `is missing. The bucket ${to} requires this setting or ${SETTINGS[key].shownDefault}.`,
      );
    return value;
  };
  const path = below.replace(/\/+$/, "");
  return bucketShelf(
    `s3://${bucket}/${path && `${path}/`}`,
    {
      endpoint: set("backupS3Endpoint"),
      bucket,
      region: set("backupS3Region"),
      accessKeyId: set("backupS3AccessKeyId"),
      secretAccessKey: set("backupS3SecretAccessKey"),
    },
    path && `${path}/`,
  );
}

/**
 * Opens one finished backup by its path or URL.
 * @throws 422 with the actual content
 */
export async function openFinishedBackup(from: string, settings: BackupS3Settings): Promise<BackupPieceStore> {
  const address = from.replace(/\/+$/, "");
  const [, above = ".", name = ""] = /^(?:(.*)\/)?([^/]+)$/.exec(address) ?? [];
  const s3 = address.startsWith("s3://");
  const shelf = await openBackupStorage(s3 ? above : dirname(resolve(address)), settings);
  if (!(s3 && !parseBackupTime(name)) && (await shelf.isFinished(name))) return shelf.getBackup(name);
  const inside = await (await openBackupStorage(address, settings)).names();
  throw invalidRequest(
    "backup_invalid",
    inside.length > 0
      ? `${address} contains backups. Specify one of them: ${inside.slice(-5).join(", ")}.`
      : `${address} is not a complete backup: it has no ${BACKUP_MANIFEST_FILE}. An interrupted backup ` +
          "cannot be restored. Choose another one.",
    "from",
  );
}
