// Where the bytes of uploaded files lie: below DATA_DIR, or with an S3-compatible provider. Raw bytes under the id of
// their row; which of them exist and who may have them, only the rows know.

import { mkdirSync } from "node:fs";
import { createStorage } from "unstorage";
import fsLite from "unstorage/drivers/fs-lite";
import { dataPaths } from "../config/data_paths.ts";
import type { Config } from "../config/settings.ts";
import type { FileStore } from "../domain/assets.ts";

export interface AssetStore extends FileStore {
  /** Null when there is no such file. */
  get(id: string): Promise<Uint8Array | null>;
  /**
   * Whether the store answered when it was last asked; asks it again beside that, at most every ten seconds. Neither
   * waits nor throws.
   */
  answers(): boolean;
}

/** A name that no file has. Reading it asks whether the store answers. */
const NO_FILE = "00000000-0000-0000-0000-000000000000";
const ASK_EVERY_MS = 10_000;

/** A provider that does not answer must not hold a request for ever. */
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

async function driverFor(config: StoreConfig) {
  if (config.assetsS3Endpoint === null) {
    const base = dataPaths(config.dataDir).assets;
    mkdirSync(base, { recursive: true, mode: 0o700 });
    return fsLite({ base });
  }
  // The library is read only where such a store is configured.
  const { default: s3 } = await import("unstorage/drivers/s3");
  return s3({
    endpoint: config.assetsS3Endpoint,
    bucket: config.assetsS3Bucket!,
    region: config.assetsS3Region!,
    accessKeyId: config.assetsS3AccessKeyId!,
    secretAccessKey: config.assetsS3SecretAccessKey!,
  });
}

/** Which store it is, for the log: an address and a bucket, or a folder. Never a key. */
const nameOf = ({ assetsS3Endpoint: endpoint, assetsS3Bucket: bucket, dataDir }: StoreConfig) =>
  endpoint === null ? dataPaths(dataDir).assets : `${endpoint}/${bucket}`;

/** The innermost cause says what happened: "fetch failed" alone does not. */
function causeOf(error: unknown): string {
  const { message, code, cause } = error as { message?: string; code?: string; cause?: unknown };
  const own =
    [message, code && !message?.includes(code) && `(${code})`].filter(Boolean).join(" ") || "unknown";
  return cause ? `${own}: ${causeOf(cause)}` : own;
}

export async function createAssetStore(config: StoreConfig): Promise<AssetStore> {
  const storage = createStorage({ driver: await driverFor(config) });
  const name = nameOf(config);
  let answered = true;
  let askedAt = Number.NEGATIVE_INFINITY;

  /** @throws naming the store and the cause. */
  async function soon<T>(work: Promise<T>): Promise<T> {
    try {
      const result = await inTime(work);
      answered = true;
      return result;
    } catch (error) {
      answered = false;
      throw new Error(`the file store ${name} failed: ${causeOf(error)}`, { cause: error });
    }
  }

  async function inTime<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("the asset store did not answer in time")), PATIENCE_MS);
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    put: (id, bytes) => soon(storage.setItemRaw(id, bytes)),
    async get(id) {
      const bytes = await soon(storage.getItemRaw<Uint8Array | ArrayBuffer>(id));
      return bytes === null ? null : new Uint8Array(bytes);
    },
    async remove(id) {
      try {
        await soon(storage.removeItem(id));
      } catch (error) {
        // Some providers answer 404 for what is gone already, which the driver takes for a failure.
        if (await soon(storage.hasItem(id))) throw error;
      }
    },
    answers() {
      if (performance.now() - askedAt > ASK_EVERY_MS) {
        askedAt = performance.now();
        void soon(storage.hasItem(NO_FILE)).catch(() => {});
      }
      return answered;
    },
  };
}
