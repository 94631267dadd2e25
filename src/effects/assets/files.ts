// Uploaded files as the rest of the service sees them: their addresses, one to serve, the expired ones to remove. Joins the
// parts of this folder to the rows and the store.

import type { Config } from "../../store/config/settings.ts";
import type { Orm } from "../../store/db/orm.ts";
import { type RowOf, run } from "../../store/db/statement.ts";
import { servedAsset } from "../../store/queries/assets.ts";
import { removeExpiredAssets } from "./expiry.ts";
import { type AssetStore, createAssetStore, type NoteStored } from "./store.ts";
import { type AssetUrls, createAssetUrls } from "./urls.ts";

type Served = RowOf<typeof servedAsset>;

export interface Assets extends AssetUrls {
  readonly store: AssetStore;
  /** What the file with this id is; null when it is not there. Ask `opens` first whether the address may see it. */
  find(uuid: string): Promise<Served | null>;
  /** Its bytes. @throws when the store does not hold them whole. */
  read(uuid: string, size: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Clears away up to `max` files that have expired, and answers how many: a step of the housekeeping. */
  removeExpired(max: number): Promise<number>;
}

export async function createAssets(options: {
  orm: Orm;
  config: Config;
  secret: string;
  now: () => Date;
  /** Told of what the store is asked for, for the figures. */
  note?: NoteStored;
}): Promise<Assets> {
  const { orm, config, secret, now, note } = options;
  const store = await createAssetStore(config, note);
  const fork = () => orm.em.fork();
  return {
    ...createAssetUrls(secret, config.publicUrl),
    store,
    find: async (uuid) => (await run(fork(), servedAsset, { id: uuid }))[0] ?? null,
    async read(uuid, size) {
      const bytes = await store.get(uuid);
      if (bytes?.length !== size)
        throw new Error("the asset store does not hold a file that its row promises");
      return bytes as Uint8Array<ArrayBuffer>;
    },
    removeExpired: (max) => removeExpiredAssets(fork(), store, now(), max),
  };
}
