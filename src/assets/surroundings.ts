// Uploaded files as the rest of the service sees them: their addresses, one to serve, a new one, an old one to remove.
// Joins the parts of this folder to the rows and the store.

import type { Config } from "../config.ts";
import type { Caller, Log } from "../context.ts";
import type { Orm } from "../db/orm.ts";
import { run } from "../db/statement.ts";
import type { AssetKind } from "../entities/asset.ts";
import { toIsoMicros } from "../entities/columns.ts";
import { keysetPage } from "../page.ts";
import { type AssetRecord, assetScope, listAssets, servedAsset } from "../queries/assets.ts";
import { removeExpiredAssets, removeUpload } from "./expiry.ts";
import { type AssetStore, createAssetStore } from "./store.ts";
import { receiveUpload, type Upload } from "./upload.ts";
import { type AssetUrls, createAssetUrls } from "./urls.ts";

type Served = typeof servedAsset extends { row?: infer Row } ? NonNullable<Row> : never;

export interface Assets extends AssetUrls {
  readonly store: AssetStore;
  /** What the file with this id is; null when it is not there. Who may know, `opens` has said. */
  find(uuid: string): Promise<Served | null>;
  /** Its bytes. @throws when the store does not hold them whole. */
  read(uuid: string, size: number): Promise<Uint8Array<ArrayBuffer>>;
  receive(upload: Upload): Promise<AssetRecord>;
  list(
    caller: Caller,
    page: { kind?: AssetKind; limit: number; before?: string },
  ): Promise<{ rows: AssetRecord[]; next_before: string | null }>;
  remove(caller: Caller, wireId: string): Promise<void>;
  /** Clears away up to `max` files that have expired, and answers how many: a step of the housekeeping. */
  removeExpired(max: number): Promise<number>;
}

export async function createAssets(options: {
  orm: Orm;
  config: Config;
  secret: string;
  log: Log;
  now: () => Date;
}): Promise<Assets> {
  const { orm, config, secret, log, now } = options;
  const store = await createAssetStore(config);
  const fork = () => orm.em.fork();
  return {
    ...createAssetUrls(secret, config.publicUrl),
    store,
    find: async (uuid) => (await run(fork(), servedAsset, [uuid]))[0] ?? null,
    async read(uuid, size) {
      const bytes = await store.get(uuid);
      if (bytes?.length !== size)
        throw new Error("the asset store does not hold a file that its row promises");
      return bytes as Uint8Array<ArrayBuffer>;
    },
    receive: (upload) => receiveUpload({ orm, store, log }, upload),
    async list(caller, { kind, limit, before }) {
      const page = await keysetPage(
        limit,
        (n) => run(fork(), listAssets, [...assetScope(caller), kind ?? null, before ?? null, n]),
        (row) => row.created_at,
      );
      return { ...page, next_before: page.next_before && toIsoMicros(page.next_before) };
    },
    remove: (caller, wireId) => removeUpload(fork(), store, caller, wireId),
    removeExpired: (max) => removeExpiredAssets(fork(), store, now(), max),
  };
}
