// A channel's picture that was uploaded here: its address in `image_url` holds the file, which would go after a day otherwise. The
// address of a file that is not there, or is no picture, is 422 (docs/rules.md#channel-picture-held).

import { KIND_WORDS } from "../../model/domain/assets.ts";
import { parseId } from "../../model/domain/ids.ts";
import { invalidRequest } from "../../model/errors.ts";
import { forBoth } from "../../model/for_people.ts";
import type { Context } from "../../store/context.ts";
import { assetScope, attachableAssets } from "../../store/queries/assets.ts";

/**
 * The file that a picture's address holds, until the change is committed against removal as well.
 * @param before the address that the channel has already, which needs no permission; null for a new channel
 * @returns the file's uuid; null: the address lies elsewhere, or there is none. Undefined: nothing changes.
 * @throws 422 on image_url.
 */
export async function pictureHeld(
  imageUrl: string | null | undefined,
  before: string | null,
  ctx: Context,
): Promise<string | null | undefined> {
  if (imageUrl === undefined || imageUrl === before) return undefined;
  const [, before_id = "", named = ""] = /^(https:.*\/assets\/)(ast_\w+)\/[^/]*$/.exec(imageUrl ?? "") ?? [];
  const id = parseId("ast", named);
  if (!id) return null;
  const address = ctx.services.assets.urlOf(id);
  // Another server's files have such addresses, too.
  if (!address.startsWith(before_id)) return null;
  const [asset] = await ctx.sql(attachableAssets, { ...assetScope(ctx.caller), ids: [id] });
  if (!asset || address !== imageUrl)
    throw invalidRequest("No such uploaded file; upload the picture again.", "image_url");
  if (asset.kind !== "image")
    throw invalidRequest(
      forBoth(
        `The uploaded file is of another kind; image_url takes ${KIND_WORDS.image}.`,
        `The uploaded file is of another kind; a picture is ${KIND_WORDS.image}.`,
      ),
      "image_url",
    );
  return id;
}
