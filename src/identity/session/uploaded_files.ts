// The files that members uploaded.

import { z } from "zod";
import { removeUploadOfCaller } from "../../effects/assets/asset_service.ts";
import { IncomingFile } from "../../effects/assets/incoming_file.ts";
import { receiveUpload } from "../../effects/assets/receive_upload.ts";
import { notFound } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { parseIdOrNull } from "../../model/domain/type_ids.ts";
import { ASSET_KINDS, type AssetKind } from "../../model/tables/asset.ts";
import { defineMemberOperation } from "../../operation/define_operation.ts";
import { readKeysetPage } from "../../operation/read_keyset_page.ts";
import { buildAssetScopeParameters, listAssets } from "../../store/queries/assets.ts";
import { assetSchema, toAssetView } from "../../store/response_schemas/asset_response_schemas.ts";
import {
  deletedResourceSchema,
  pageParameters,
  pageSchema,
} from "../../store/response_schemas/shared_parameters_and_pages.ts";

export const list_files = defineMemberOperation({
  name: "list_files",
  title: "List files",
  description:
    "The workspace's uploaded files, newest first, or a single file. Members who are restricted to certain channels " +
    "see only their own files.",
  role: "editor",
  writes: "nothing",
  errors: ["not_found"],
  input: z.strictObject({
    kind: z.enum(ASSET_KINDS).optional(),
    file_id: z.string().optional().describe("Return only this file."),
    ...pageParameters(),
  }),
  output: pageSchema(assetSchema),
  async handler(input, { sql, caller, services }) {
    const one = input.file_id !== undefined;
    const id = parseIdOrNull("ast", input.file_id ?? "");
    if (one && !id) throw notFound("file");
    const { rows, meta } = await readKeysetPage(input, "created_at", (page) =>
      sql(listAssets, { ...buildAssetScopeParameters(caller), kind: input.kind ?? null, id, ...page }),
    );
    if (one && rows.length === 0) throw notFound("file");
    return { data: rows.map((row) => toAssetView(row, services.assets)), meta };
  },
});

const isKind = (text: string | undefined): text is AssetKind => ASSET_KINDS.includes(text as AssetKind);

export const upload_file = defineMemberOperation({
  name: "upload_file",
  title: "Upload a file",
  description: "Upload a picture, sound or page. The file is deleted after a day unless an alert or channel uses it.",
  role: "editor",
  writes: "files",
  errors: ["conflict"],
  input: z.strictObject({
    kind: z
      .string()
      .optional()
      .describe(`One of ${ASSET_KINDS.join(", ")}.`),
    file: z.instanceof(IncomingFile).nullable(),
  }),
  output: assetSchema,
  fieldProblems: ({ kind, file }) => ({
    kind: !isKind(kind) && {
      code: "invalid_choice",
      message: `Choose the file type. kind must be one of ${ASSET_KINDS.join(", ")}.`,
    },
    file: file === null && { code: "field_required", message: "Choose a file." },
  }),
  async handler({ kind, file }, { em, caller, log, services: { assets } }) {
    const row = await receiveUpload({
      em,
      store: assets.store,
      log,
      caller,
      kind: kind as AssetKind,
      file: assertDefined(file, "a form without a file was rejected before"),
    });
    return toAssetView(row, assets);
  },
});

export const delete_file = defineMemberOperation({
  name: "delete_file",
  title: "Delete a file",
  description: "Delete an unused file permanently.",
  role: "editor",
  writes: "files",
  errors: ["not_found", "conflict"],
  input: z.strictObject({ file_id: z.string() }),
  output: deletedResourceSchema,
  async handler({ file_id }, { em, caller, services: { assets } }) {
    await removeUploadOfCaller(em, assets.store, caller, file_id);
    return { deleted: true as const, id: file_id };
  },
});
