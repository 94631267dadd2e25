import { z } from "zod";
import { IncomingFile } from "../../effects/assets/incoming.ts";
import { receiveUpload } from "../../effects/assets/upload.ts";
import { ASSET_KINDS, type AssetKind } from "../../model/entities/asset.ts";
import { need } from "../../model/need.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { assetView, showAsset } from "../../store/shapes/asset.ts";

const isKind = (text: string | undefined): text is AssetKind => ASSET_KINDS.includes(text as AssetKind);

export default defineSessionOperation({
  name: "upload_file",
  title: "Upload a file",
  description:
    "Take a picture, a sound or a page in, whole or not at all. It is deleted after a day unless an alert or a channel uses it.",
  auth: "member",
  role: "editor",
  writes: "files",
  errors: ["invalid_request", "forbidden", "conflict"],
  input: z.strictObject({
    kind: z
      .string()
      .optional()
      .describe(`One of ${ASSET_KINDS.join(", ")}.`),
    file: z.instanceof(IncomingFile).nullable(),
  }),
  output: assetView,
  fieldProblems: ({ kind, file }) => ({
    kind: !isKind(kind) && `Choose what the file is. kind must be one of ${ASSET_KINDS.join(", ")}.`,
    file: file === null && "Choose a file.",
  }),
  async handler({ kind, file }, { em, caller, log, services: { assets } }) {
    const row = await receiveUpload({
      em,
      store: assets.store,
      log,
      caller,
      kind: kind as AssetKind,
      file: need(file, "the form's problems were refused before"),
    });
    return showAsset(row, assets);
  },
});
