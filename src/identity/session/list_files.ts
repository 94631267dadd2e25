import { z } from "zod";
import { ASSET_KINDS } from "../../model/entities/asset.ts";
import { toIsoMicros } from "../../model/fields/columns.ts";
import { keysetPage } from "../../operation/page.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { assetScope, listAssets } from "../../store/queries/assets.ts";
import { assetView, showAsset } from "../../store/shapes/asset.ts";
import { before, DEFAULT_LIMIT, limit, pageMeta } from "../../store/shapes/fields.ts";

export default defineSessionOperation({
  name: "list_files",
  title: "List files",
  description:
    "The workspace's uploaded files, newest first; a member of certain channels knows the files of its own only.",
  auth: "member",
  role: "editor",
  writes: "nothing",
  errors: ["invalid_request", "forbidden"],
  input: z.strictObject({
    kind: z.enum(ASSET_KINDS).optional(),
    limit: limit(),
    before: before(),
  }),
  output: z.object({ data: z.array(assetView), meta: pageMeta }),
  async handler(input, { sql, caller, services }) {
    const { rows, next_before } = await keysetPage(
      input.limit ?? DEFAULT_LIMIT,
      (n) =>
        sql(listAssets, {
          ...assetScope(caller),
          kind: input.kind ?? null,
          before: input.before ?? null,
          limit: n,
        }),
      (row) => row.created_at,
    );
    return {
      data: rows.map((row) => showAsset(row, services.assets)),
      meta: { next_before: next_before && toIsoMicros(next_before) },
    };
  },
});
