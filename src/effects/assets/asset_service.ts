// Uploaded files for the rest of the service: their URLs, serving, and deletion of expired ones. It connects the
// modules of this folder with the rows and the store. A file that is unused for a day expires: it is invisible from
// then on, and the housekeeping deletes it later.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { conflict, notFound } from "../../model/api_error.ts";
import type { FileStore } from "../../model/domain/asset_rules.ts";
import { parseIdOrNull } from "../../model/domain/type_ids.ts";
import { Asset } from "../../model/tables/asset.ts";
import type { Config } from "../../store/config/all_settings.ts";
import type { Orm } from "../../store/db/orm.ts";
import { runStatement, type StatementRow } from "../../store/db/statement.ts";
import type { Caller } from "../../store/handler_context.ts";
import {
  buildAssetScopeParameters,
  claimAssetForRemoval,
  claimExpiredAssetsForRemoval,
  findServedAsset,
  findVisibleAsset,
} from "../../store/queries/assets.ts";
import { createAssetStore, type OnAssetStoreCall } from "./asset_store.ts";
import { createAssetUrls } from "./asset_urls.ts";

export async function createAssetService(options: {
  orm: Orm;
  config: Config;
  secret: string;
  now: () => Date;
  /** Receives each call to the store, for metrics. */
  note?: OnAssetStoreCall;
}) {
  const { orm, config, secret, now, note } = options;
  const store = await createAssetStore(config, note);
  const fork = () => orm.em.fork();
  return {
    ...createAssetUrls(secret, config.publicUrl),
    store,
    /** Finds the file with this id, or null. Check the URL with `opens` first. */
    find: async (uuid: string): Promise<StatementRow<typeof findServedAsset> | null> =>
      (await runStatement(fork(), findServedAsset, { id: uuid }))[0] ?? null,
    /**
     * Reads its content.
     * @throws if the store does not have it completely
     */
    async read(uuid: string, size: number) {
      const bytes = await store.get(uuid);
      if (bytes?.length !== size) throw new Error("an uploaded file is missing from the asset store");
      return bytes as Uint8Array<ArrayBuffer>;
    },
    /** Deletes up to `max` expired files, and returns their number: a step of the housekeeping. */
    removeExpired: (max: number): Promise<number> => removeExpiredAssets(fork(), store, now(), max),
  };
}

/**
 * Deletes an invisible file. The content is deleted first and the row last, so that a failed deletion is found again by
 * its row. One statement deletes the row, and only if the file is unused.
 */
export async function removeAssetClaimedForRemoval(em: SqlEntityManager, store: FileStore, id: string): Promise<void> {
  await store.remove(id);
  await em.nativeDelete(Asset, { id, stored: false, reference_count: 0 });
}

/**
 * Deletes files that had expired at `now`, the oldest first, and returns their number. It runs outside of transactions,
 * because the store may be slow.
 * @throws the error of the store, after trying all of them
 */
export async function removeExpiredAssets(
  em: SqlEntityManager,
  store: FileStore,
  now: Date,
  max: number,
): Promise<number> {
  const claimed = await runStatement(em, claimExpiredAssetsForRemoval, { at: now.toISOString(), limit: max });
  const done = await Promise.allSettled(claimed.map(({ id }) => removeAssetClaimedForRemoval(em, store, id)));
  const failed = done.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
  return done.length;
}

/** Removes one file that nothing uses. @throws 404 when the caller does not see it; 409 while attached. */
export async function removeUploadOfCaller(
  em: SqlEntityManager,
  store: FileStore,
  caller: Caller,
  wireId: string,
): Promise<void> {
  const id = parseIdOrNull("ast", wireId);
  if (!id) throw notFound("file");
  const [claimed] = await runStatement(em, claimAssetForRemoval, { ...buildAssetScopeParameters(caller), id });
  if (claimed) return removeAssetClaimedForRemoval(em, store, id);
  if (!(await runStatement(em, findVisibleAsset, { ...buildAssetScopeParameters(caller), id }))[0])
    throw notFound("file");
  throw conflict("file_in_use", "An alert or channel uses this file. Remove the file from it first.");
}

export type AssetService = Awaited<ReturnType<typeof createAssetService>>;
