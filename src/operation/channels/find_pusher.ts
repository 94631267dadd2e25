// What the operations on one channel share: find it among those that the caller sees, and lock it; hold its uploaded picture,
// whose file would go after a day otherwise (rules#channel-picture-held); and tell what `retention_days` leads to
// (#retention-told).

import type { SqlEntityManager } from "@mikro-orm/sql";
import { KIND_WORDS } from "../../model/domain/assets.ts";
import { defaultGradient, deriveInitials } from "../../model/domain/channel.ts";
import { channelUuid, newUuid, parseId } from "../../model/domain/ids.ts";
import { Pusher, type PusherRow } from "../../model/entities/pusher.ts";
import { forBoth } from "../../model/error_messages.ts";
import { invalidRequest, notFound } from "../../model/errors.ts";
import { toIsoMicrosOrNull } from "../../model/fields/columns.ts";
import { PUSHER } from "../../model/fields/pusher.ts";
import { blanksOf } from "../../model/fields/record.ts";
import { said } from "../../model/limits.ts";
import type { Caller, Context } from "../../store/context.ts";
import { assetScope, attachableAssets } from "../../store/queries/assets.ts";
import { lockChannel, scope, sight, visibleChannel } from "../../store/queries/channels.ts";
import { retentionAhead } from "../../store/queries/retention.ts";
import { searchText } from "../../store/shapes/pusher.ts";

/** The uuid of a channel that the caller sees, without reading the channel. @throws 404. */
export async function visiblePusherId(input: { pusher_id: string }, ctx: Context): Promise<string> {
  const pusherId = channelUuid(input.pusher_id);
  if (!(await ctx.sql(visibleChannel, scope(pusherId, ctx.caller)))[0]) throw notFound("channel");
  return pusherId;
}

/** The channel, if the caller sees it. @throws 404. */
export async function findPusher(input: { pusher_id: string }, ctx: Context): Promise<PusherRow> {
  const pusher = await ctx.em.findOne(Pusher, { id: channelUuid(input.pusher_id) });
  if (!pusher) throw notFound("channel");
  return pusher;
}

/** A new channel's row, with the face that follows from its handle and name. */
export function newChannel(em: SqlEntityManager, workspace: string, fields: NewChannel) {
  const { from: gradient_from, to: gradient_to } = defaultGradient(fields.handle);
  const face = { gradient_from, gradient_to, initials: deriveInitials(fields.name) };
  const row = { ...blanksOf(PUSHER), ...fields, ...face };
  return em.create(Pusher, { id: newUuid(), workspace, ...row, search: searchText(row) });
}

type NewChannel = Pick<PusherRow, "handle" | "name" | "category" | "description" | "requested_perms" | "is_public">;

/** The channel, locked until the transaction ends, with its state. @throws 404. */
export async function lockPusher(input: { pusher_id: string }, ctx: Context) {
  const [state] = await ctx.sql(lockChannel, scope(channelUuid(input.pusher_id), ctx.caller));
  if (!state) throw notFound("channel");
  return { pusher: await findPusher(input, ctx), state };
}

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
    throw invalidRequest("asset_not_found", "No such uploaded file; upload the picture again.", "image_url");
  if (asset.kind !== "image")
    throw invalidRequest(
      "unsupported_file_type",
      forBoth(
        `The uploaded file is of another kind; image_url takes ${KIND_WORDS.image}.`,
        `The uploaded file is of another kind; a picture is ${KIND_WORDS.image}.`,
      ),
      "image_url",
    );
  return id;
}

/**
 * Of one channel, or of all that the caller sees and that go by the account's setting: after how many days (null: for ever), and when the
 * first go; null where nothing would.
 */
export async function aheadOf(pusherId: string | null, { sql, caller }: Pick<Context<Caller>, "sql" | "caller">) {
  const [row] = await sql(retentionAhead, { ...sight(caller), pusher_id: pusherId });
  if (!row || row.days === null) return { days: null, begins_at: null, alerts: 0, more: false };
  return { ...row, begins_at: row.alerts === 0 ? null : toIsoMicrosOrNull(row.begins_at) };
}

/** In a sentence, for answers. */
export function saidAhead({ days, begins_at, alerts, more }: Awaited<ReturnType<typeof aheadOf>>): string {
  if (days === null) return "Alerts are kept for ever.";
  const first = `Alerts go ${days} days after their end.`;
  if (begins_at === null) return `${first} None is that old yet.`;
  return `${first} From ${begins_at} on these are ${more ? `more than ${said("retention_counted")}` : alerts}, for good; until then another retention_days keeps them.`;
}
