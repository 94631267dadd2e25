// Removes files that no alert and no channel has used for a day. Nobody finds a file from the instant of its expiry on; the housekeeping
// removes its bytes later.

import type { SqlEntityManager } from "@mikro-orm/sql";
import type { FileStore } from "../../model/domain/assets.ts";
import { parseId } from "../../model/domain/ids.ts";
import { Asset } from "../../model/entities/asset.ts";
import { conflict, notFound } from "../../model/errors.ts";
import type { Caller } from "../../store/context.ts";
import { run } from "../../store/db/statement.ts";
import { assetScope, claimAsset, claimExpired, visibleAsset } from "../../store/queries/assets.ts";

/**
 * Removes a file that nobody finds any more. The bytes go first and the row last, so that a removal which failed in between
 * is found again by its row. The row goes in one statement, and only while nothing uses the file.
 */
export async function removeFile(em: SqlEntityManager, store: FileStore, id: string): Promise<void> {
  await store.remove(id);
  await em.nativeDelete(Asset, { id, stored: false, refs: 0 });
}

/**
 * Removes files that had expired at `now`, the oldest first, and answers how many. Outside of any transaction: the
 * store may be far away.
 * @throws what the store said, after trying all of them.
 */
export async function removeExpiredAssets(
  em: SqlEntityManager,
  store: FileStore,
  now: Date,
  max: number,
): Promise<number> {
  const claimed = await run(em, claimExpired, { at: now.toISOString(), limit: max });
  const done = await Promise.allSettled(claimed.map(({ id }) => removeFile(em, store, id)));
  const failed = done.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
  return done.length;
}

/** Removes one file that nothing uses. @throws 404 when the caller does not see it; 409 while attached. */
export async function removeUpload(
  em: SqlEntityManager,
  store: FileStore,
  caller: Caller,
  wireId: string,
): Promise<void> {
  const id = parseId("ast", wireId);
  if (!id) throw notFound("file");
  const [claimed] = await run(em, claimAsset, { ...assetScope(caller), id });
  if (claimed) return removeFile(em, store, id);
  if (!(await run(em, visibleAsset, { ...assetScope(caller), id }))[0]) throw notFound("file");
  throw conflict("An alert or a channel has this file; take it out there first.");
}
