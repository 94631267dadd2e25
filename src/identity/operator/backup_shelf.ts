// Where backups lie, a folder or a bucket, and how one comes to be there: piece by piece, and counted only once its manifest is in
// place, which is the last thing that is written.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { UnsafeFileError } from "../../effects/assets/file_name.ts";
import type { Bucket } from "../../effects/assets/s3.ts";
import { folderBackend } from "../../effects/assets/store.ts";
import { conflict, invalidRequest } from "../../model/errors.ts";
import { ConfigError } from "../../store/config/setting.ts";
import { type Config, SETTINGS } from "../../store/config/settings.ts";
import { syncFolder } from "../../store/secret/private_file.ts";

export const MANIFEST = "manifest.json";

/** belfry-20261124T190501Z: sorted by their names, they are sorted by their instants. */
const NAME = /^belfry-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
export const nameAt = (now: Date) => `belfry-${now.toISOString().replace(/[-:]|\.\d+/g, "")}`;
/** Null for what is no backup's name. */
export const instantOf = (name: string): Date | null =>
  NAME.test(name) ? new Date(name.replace(NAME, "$1-$2-$3T$4:$5:$6Z")) : null;

/** A piece of a backup, as its manifest knows it. */
export interface Piece {
  name: string;
  bytes: number;
  sha256: string;
}

/** One backup. */
export interface Box {
  where: string;
  put(name: string, bytes: Uint8Array): Promise<Piece>;
  /** Null when there is no such piece. @throws UnsafeFileError for one of more than `maxBytes`. */
  get(name: string, maxBytes?: number): Promise<Uint8Array | null>;
  /** Writes the manifest: from here on it is a backup. */
  finish(manifest: Uint8Array): Promise<void>;
  remove(): Promise<void>;
}

export interface Shelf {
  where: string;
  names(): Promise<string[]>;
  box(name: string): Box;
  /** Whether nothing of this name is left half. */
  isFinished(name: string): Promise<boolean>;
}

export type ShelfSettings = Pick<
  Config,
  "backupS3Endpoint" | "backupS3Region" | "backupS3AccessKeyId" | "backupS3SecretAccessKey"
>;

const sumOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

const damaged = (box: Box, name: string, problem: string) =>
  invalidRequest(
    "backup_invalid",
    `${box.where} is damaged: ${name} ${problem}. Copy it again, or restore another backup.`,
    "from",
  );

/** Null when there is no such piece. @throws 422 for one of more than `maxBytes`, and for what is not a regular file. */
export const readPiece = (box: Box, name: string, maxBytes: number): Promise<Uint8Array | null> =>
  box.get(name, maxBytes).catch((error) => {
    throw error instanceof UnsafeFileError ? damaged(box, name, error.message) : error;
  });

/** A piece whose bytes are those that the manifest knows. @throws 422. */
export async function wholePiece(box: Box, { name, bytes, sha256 }: Piece): Promise<Uint8Array> {
  const found = await readPiece(box, name, bytes);
  if (found?.length !== bytes || sumOf(found) !== sha256)
    throw damaged(box, name, found ? "has been changed" : "is missing");
  return found;
}

const pieceOf = (name: string, bytes: Uint8Array): Piece => ({
  name,
  bytes: bytes.length,
  sha256: sumOf(bytes),
});

/** The part of an unfinished one's name, which a finished one has not. */
const PART = ".part";

function folderBox(final: string): Box {
  const part = `${final}${PART}`;
  let at = existsSync(final) ? final : part;
  const backend = () => folderBackend(at);
  return {
    where: final,
    async put(name, bytes) {
      await backend().put(name, bytes);
      return pieceOf(name, bytes);
    },
    get: async (name, maxBytes) => (existsSync(at) ? backend().get(name, maxBytes) : null),
    async finish(manifest) {
      await backend().put(MANIFEST, manifest);
      syncFolder(part);
      renameSync(part, final);
      at = final;
      syncFolder(dirname(final));
    },
    async remove() {
      for (const path of [final, part]) rmSync(path, { recursive: true, force: true });
    },
  };
}

function folderShelf(path: string): Shelf {
  const folder = resolve(path);
  const names = () =>
    existsSync(folder)
      ? [...new Set(readdirSync(folder).map((name) => name.replace(/\.part$/, "")))].filter(instantOf).sort()
      : [];
  return {
    where: folder,
    names: async () => names(),
    box: (name) => folderBox(join(folder, name)),
    isFinished: async (name) => existsSync(join(folder, name, MANIFEST)),
  };
}

/** A slow line may need so long for a piece. */
const PATIENCE_MS = 300_000;
const TRIES = 3;

async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await work();
    } catch (error) {
      if (error instanceof UnsafeFileError) throw error;
      if (tries === TRIES) throw conflict("wrong_state", `Backup storage failed: ${(error as Error).message}.`);
    }
}

async function bucketShelf(where: string, bucket: Bucket, path: string): Promise<Shelf> {
  const { listBucket, s3Backend } = await import("../../effects/assets/s3.ts");
  const backendOf = (name: string) => s3Backend({ ...bucket, bucket: `${bucket.bucket}/${path}${name}` }, PATIENCE_MS);
  const box = (name: string): Box => {
    const backend = backendOf(name);
    const put = (piece: string, bytes: Uint8Array) => again(() => backend.put(piece, bytes));
    return {
      where: `${where}${name}`,
      async put(piece, bytes) {
        await put(piece, bytes);
        return pieceOf(piece, bytes);
      },
      get: (piece, maxBytes) => again(() => backend.get(piece, maxBytes)),
      finish: (manifest) => put(MANIFEST, manifest),
      async remove() {
        // What is half removed is no backup any more.
        await again(() => backend.remove(MANIFEST));
        for (const piece of await again(() => listBucket(bucket, `${path}${name}/`)))
          await again(() => backend.remove(piece));
      },
    };
  };
  return {
    where,
    names: async () =>
      (await again(() => listBucket(bucket, path)))
        .map((name) => name.replace(/\/$/, ""))
        .filter(instantOf)
        .sort(),
    box,
    isFinished: async (name) => (await box(name).get(MANIFEST)) !== null,
  };
}

/** Where backups lie. @throws ConfigError for a bucket whose store is not set. */
export async function openShelf(to: string, settings: ShelfSettings): Promise<Shelf> {
  const [, bucket, below = ""] = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(to) ?? [];
  if (bucket === undefined) return folderShelf(to);
  const set = (key: keyof ShelfSettings): string => {
    const value = settings[key];
    if (value === null)
      throw new ConfigError(
        SETTINGS[key].name,
        `is missing: ${to} is a bucket, and ${SETTINGS[key].shownDefault} is not set either.`,
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
 * One finished backup, by its own address.
 * @throws 422 that says what is there instead.
 */
export async function openBackup(from: string, settings: ShelfSettings): Promise<Box> {
  const address = from.replace(/\/+$/, "");
  const [, above = ".", name = ""] = /^(?:(.*)\/)?([^/]+)$/.exec(address) ?? [];
  const s3 = address.startsWith("s3://");
  const shelf = await openShelf(s3 ? above : dirname(resolve(address)), settings);
  if (!(s3 && !instantOf(name)) && (await shelf.isFinished(name))) return shelf.box(name);
  const inside = await (await openShelf(address, settings)).names();
  throw invalidRequest(
    "backup_invalid",
    inside.length > 0
      ? `${address} contains backups. Name one of them: ${inside.slice(-5).join(", ")}.`
      : `${address} is not a complete backup: it has no ${MANIFEST}. An interrupted backup cannot be restored.`,
    "from",
  );
}
