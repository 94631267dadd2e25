// An uploaded file as the console sees it.

import { type AssetAddresses, frameUrl } from "../domain/assets.ts";
import { showId } from "../domain/ids.ts";
import { toIsoMicros, toIsoMicrosOrNull } from "../entities/columns.ts";
import type { AssetRecord } from "../queries/assets.ts";

export function showAsset(
  { id, kind, attached_at, expires_at, created_at, ...rest }: AssetRecord,
  assets: AssetAddresses,
) {
  const url = assets.urlOf(id);
  return {
    id: showId("ast", id),
    kind,
    ...rest,
    url,
    /** Where a page may be shown, with everything in it inert. */
    frame_url: kind === "html" ? frameUrl(url) : null,
    attached: attached_at !== null,
    expires_at: toIsoMicrosOrNull(expires_at),
    created_at: toIsoMicros(created_at),
  };
}
