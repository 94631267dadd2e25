// An uploaded file as the console sees it.

import { z } from "zod";
import { type AssetUrlResolver, getHtmlAssetFrameUrl } from "../../model/domain/asset_rules.ts";
import { formatId } from "../../model/domain/type_ids.ts";
import { toIsoMicros, toIsoMicrosOrNull } from "../../model/fields/sql_statement_types.ts";
import { ASSET_KINDS } from "../../model/tables/asset.ts";
import type { AssetRecord } from "../queries/assets.ts";

export const assetSchema = z.object({
  id: z.string(),
  kind: z.enum(ASSET_KINDS),
  content_type: z.string(),
  bytes: z.int(),
  name: z.string(),
  own: z.boolean(),
  url: z.string(),
  frame_url: z.string().nullable().describe("URL that shows a page without running its scripts."),
  attached: z.boolean(),
  expires_at: z.string().nullable(),
  created_at: z.string(),
});

export function toAssetView(
  { id, kind, attached_at, expires_at, created_at, ...rest }: AssetRecord,
  assets: AssetUrlResolver,
): z.infer<typeof assetSchema> {
  const url = assets.urlOf(id);
  return {
    id: formatId("ast", id),
    kind,
    ...rest,
    url,
    frame_url: kind === "html" ? getHtmlAssetFrameUrl(url) : null,
    attached: attached_at !== null,
    expires_at: toIsoMicrosOrNull(expires_at),
    created_at: toIsoMicros(created_at),
  };
}
