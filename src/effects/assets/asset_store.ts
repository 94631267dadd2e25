// The storage of uploaded files: a folder below DATA_DIR, or an S3-compatible provider. It has raw content under the id
// of a row; only the rows define which files exist and who may read them.

import { constants, mkdirSync } from "node:fs";
import { access, type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { FileStoreError } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import type { Config } from "../../store/config/all_settings.ts";
import { dataPaths } from "../../store/config/data_paths.ts";
import { withTimeout } from "../../store/db/timeout.ts";
import type { StorageBackend } from "./storage_backend_interface.ts";
import { assertSafeFileName, createNotRegularFileError, createStoredFileSizeError } from "./stored_file_errors.ts";

const isMissing = (error: NodeJS.ErrnoException) => error.code === "ENOENT";

/** Files of a folder follow no symbolic link, and opening a named pipe does not wait. Windows has neither flag. */
const { O_RDONLY, O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const READ = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
const WRITE = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK;

/** @throws StoredFileError for a link, a folder and anything else that is not a regular file. */
async function openFile(path: string, flags: number): Promise<FileHandle> {
  const file = await open(path, flags, 0o600).catch((error: NodeJS.ErrnoException) => {
    if (["ELOOP", "EISDIR", "ENXIO"].includes(error.code ?? "")) throw createNotRegularFileError();
    throw error;
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw createNotRegularFileError();
}

/** The folder itself may be a link of the operator's; what is in it may not. */
export function createFolderBackend(base: string): StorageBackend {
  mkdirSync(base, { recursive: true, mode: 0o700 });
  const pathOf = (name: string) => join(base, assertSafeFileName(name));
  return {
    async put(id, bytes) {
      const file = await openFile(pathOf(id), WRITE);
      try {
        await file.writeFile(bytes);
        // The row is on the disk before the call's response, and the content before the row.
        await file.sync();
      } finally {
        await file.close();
      }
    },
    async get(id, maxBytes = Number.POSITIVE_INFINITY) {
      const file = await openFile(pathOf(id), READ).catch((error) => {
        if (isMissing(error)) return null;
        throw error;
      });
      if (!file) return null;
      try {
        if ((await file.stat()).size > maxBytes) throw createStoredFileSizeError();
        return await file.readFile();
      } finally {
        await file.close();
      }
    },
    remove: async (id) => rm(pathOf(id), { force: true }),
    ask: () => access(base, constants.R_OK | constants.W_OK | constants.X_OK),
  };
}

const ASK_EVERY_MS = 10_000;

/** The timeout of a provider, for requests and connections. */
const PATIENCE_MS = 30_000;

type StoreConfig = Pick<
  Config,
  | "dataDir"
  | "assetsS3Endpoint"
  | "assetsS3Bucket"
  | "assetsS3Region"
  | "assetsS3AccessKeyId"
  | "assetsS3SecretAccessKey"
>;

/** If the store's address is set, all of its settings are. */
const TOGETHER = "all settings of the store are set";

async function backendFor(config: StoreConfig): Promise<StorageBackend> {
  if (config.assetsS3Endpoint === null) return createFolderBackend(dataPaths(config.dataDir).assets);
  // The library is read only where such a store is configured.
  const { createS3Backend } = await import("./s3_backend.ts");
  const bucket = {
    endpoint: config.assetsS3Endpoint,
    bucket: assertDefined(config.assetsS3Bucket, TOGETHER),
    region: assertDefined(config.assetsS3Region, TOGETHER),
    accessKeyId: assertDefined(config.assetsS3AccessKeyId, TOGETHER),
    secretAccessKey: assertDefined(config.assetsS3SecretAccessKey, TOGETHER),
  };
  return createS3Backend(bucket, PATIENCE_MS);
}

/** The name of the store for the log: a URL and a bucket, or a folder, never a key. */
const nameOf = ({ assetsS3Endpoint: endpoint, assetsS3Bucket: bucket, dataDir }: StoreConfig) =>
  endpoint === null ? dataPaths(dataDir).assets : `${endpoint}/${bucket}`;

/** Returns the innermost cause: "fetch failed" alone is not useful. */
function causeOf(error: unknown): string {
  const { message, code, cause } = error as { message?: string; code?: string; cause?: unknown };
  const own = [message, code && !message?.includes(code) && `(${code})`].filter(Boolean).join(" ") || "unknown";
  return cause ? `${own}: ${causeOf(cause)}` : own;
}

/** Receives all calls to the store; `verb` is one of Backend's. */
export type OnAssetStoreCall = (verb: string, done: boolean) => void;

export async function createAssetStore(config: StoreConfig, note?: OnAssetStoreCall) {
  const backend = await backendFor(config);
  const name = nameOf(config);
  let answered = true;
  let askedAt = Number.NEGATIVE_INFINITY;

  /** @throws naming the store and the cause. */
  async function soon<T>(verb: keyof StorageBackend, work: Promise<T>): Promise<T> {
    try {
      const result = await withTimeout(PATIENCE_MS, work, "the asset store did not respond in time");
      answered = true;
      note?.(verb, true);
      return result;
    } catch (error) {
      answered = false;
      note?.(verb, false);
      throw new FileStoreError(`the file store ${name} failed: ${causeOf(error)}`, { cause: error });
    }
  }

  /** A file that arrives after its timeout belongs to no row. */
  async function put(id: string, bytes: Uint8Array): Promise<void> {
    const writing = backend.put(id, bytes);
    await soon("put", writing).catch((error) => {
      const remove = () => backend.remove(id);
      writing.then(remove, remove).catch(() => {});
      throw error;
    });
  }

  return {
    put,
    /** Returns the file, or null. */
    get: (id: string) => soon("get", backend.get(id)),
    remove: (id: string) => soon("remove", backend.remove(id)),
    /**
     * Returns the result of the last call, and checks the store in the background, at most every ten seconds. Neither
     * waits nor throws.
     */
    answers(): boolean {
      if (performance.now() - askedAt > ASK_EVERY_MS) {
        askedAt = performance.now();
        void soon("ask", backend.ask()).catch(() => {});
      }
      return answered;
    },
  };
}

export type AssetStore = Awaited<ReturnType<typeof createAssetStore>>;
