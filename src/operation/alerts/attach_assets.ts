// Uploaded files in a change of an alert: found among those that the caller may attach, and locked until the commit. A
// missing file is 422 on its field (rules#alert-asset-missing).

import { createApiAndUiText } from "../../model/api_and_ui_error_texts.ts";
import { type ApiError, invalidRequest } from "../../model/api_error.ts";
import { mergeCheckErrors } from "../../model/domain/alert_validation.ts";
import { ASSET_FIELD_KINDS, ASSET_KIND_LABELS, type AssetField } from "../../model/domain/asset_rules.ts";
import { parseIdOrNull } from "../../model/domain/type_ids.ts";
import { Asset } from "../../model/tables/asset.ts";
import type { HandlerContext } from "../../store/handler_context.ts";
import type { AlertRecord } from "../../store/queries/alerts.ts";
import { buildAssetScopeParameters, lockAttachableAssets } from "../../store/queries/assets.ts";

type Named = { [F in AssetField]?: string | null };

interface AssetAttachmentResult<S> {
  /** The sent fields, with UUIDs of the files. */
  sent: S;
  /** The text of the html file, when this change brings it or shows it in another layout. */
  text: string | null;
  /** The error about the files, which the operation throws at its position in the order of checks. */
  problem: ApiError | null;
}

const FIELDS = Object.keys(ASSET_FIELD_KINDS) as AssetField[];

/** `stored` is the alert as it is, null for a new one; the files that it has already need no permission. */
export async function attachAlertAssets<S extends Named & { layout?: string }>(
  sent: S,
  stored: AlertRecord | null,
  ctx: HandlerContext,
): Promise<AssetAttachmentResult<S>> {
  const ids = Object.fromEntries(
    FIELDS.filter((field) => typeof sent[field] === "string").map((field) => [
      field,
      parseIdOrNull("ast", sent[field] ?? ""),
    ]),
  ) as { [F in AssetField]?: string | null };
  const named = Object.values(ids).filter((id) => id !== null);
  const found =
    named.length > 0
      ? await ctx.sql(lockAttachableAssets, { ...buildAssetScopeParameters(ctx.caller), ids: named })
      : [];
  let problem: ApiError | null = null;
  for (const field of FIELDS) {
    const id = ids[field];
    if (id === undefined || (id !== null && id === stored?.[field])) continue;
    const asset = found.find((candidate) => candidate.id === id);
    if (asset?.kind === ASSET_FIELD_KINDS[field]) continue;
    const kind = ASSET_KIND_LABELS[ASSET_FIELD_KINDS[field]];
    const wrong = asset
      ? invalidRequest(
          "unsupported_file_type",
          createApiAndUiText(`Wrong file type: ${field} must be ${kind}.`, `Wrong file type. Choose ${kind}.`),
          field,
        )
      : invalidRequest("asset_not_found", "Uploaded file not found. Upload it in the console first.", field);
    problem = mergeCheckErrors(problem, wrong);
  }
  if (problem) return { sent, text: null, problem };
  const page = sent.html_asset_id === undefined ? stored?.html_asset_id : ids.html_asset_id;
  const concerned = sent.html_asset_id !== undefined || sent.layout !== undefined;
  const file = page && concerned ? await ctx.em.findOne(Asset, { id: page }, { fields: ["text"] }) : null;
  return { sent: { ...sent, ...ids }, text: file?.text ?? null, problem: null };
}
