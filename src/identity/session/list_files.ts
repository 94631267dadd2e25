import { z } from "zod";
import { parseId } from "../../model/domain/ids.ts";
import { ASSET_KINDS } from "../../model/entities/asset.ts";
import { notFound } from "../../model/errors.ts";
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
    "The workspace's uploaded files, newest first, or one; a member of certain channels knows the files of its own only.",
  auth: "member",
  role: "editor",
  writes: "nothing",
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({
    kind: z.enum(ASSET_KINDS).optional(),
    file_id: z.string().optional().describe("Only this one."),
    limit: limit(),
    before: before(),
  }),
  output: z.object({ data: z.array(assetView), meta: pageMeta }),
  async handler(input, { sql, caller, services }) {
    const one = input.file_id !== undefined;
    const id = parseId("ast", input.file_id ?? "");
    if (one && !id) throw notFound("file");
    const { rows, next_before } = await keysetPage(
      input.limit ?? DEFAULT_LIMIT,
      (n) =>
        sql(listAssets, {
          ...assetScope(caller),
          kind: input.kind ?? null,
          id,
          before: input.before ?? null,
          limit: n,
        }),
      (row) => row.created_at,
    );
    if (one && rows.length === 0) throw notFound("file");
    return {
      data: rows.map((row) => showAsset(row, services.assets)),
      meta: { next_before: next_before && toIsoMicros(next_before) },
    };
  },
});
