// Shared parts of operations on one channel. They find and lock a visible channel, keep its uploaded picture from
// deletion (rules#channel-picture-held), and preview the effect of `retention_days` (#retention-told).

import type { SqlEntityManager } from "@mikro-orm/sql";
import { createApiAndUiText } from "../../model/api_and_ui_error_texts.ts";
import { type ApiError, invalidRequest, notFound } from "../../model/api_error.ts";
import { ASSET_KIND_LABELS } from "../../model/domain/asset_rules.ts";
import { defaultGradient, deriveInitials } from "../../model/domain/channel_capabilities_and_defaults.ts";
import { newUuid, parseChannelId, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { CHANNEL_FIELDS } from "../../model/fields/channel.ts";
import { getBlankValues } from "../../model/fields/field_table.ts";
import { toIsoMicrosOrNull } from "../../model/fields/sql_statement_types.ts";
import { formatLimit } from "../../model/limits.ts";
import { Channel, type ChannelRow } from "../../model/tables/channel.ts";
import type { Caller, HandlerContext } from "../../store/handler_context.ts";
import { countUpcomingRemovals } from "../../store/queries/alert_retention.ts";
import { buildAssetScopeParameters, lockAttachableAssets } from "../../store/queries/assets.ts";
import { findChannelVisibleToCaller, lockChannel } from "../../store/queries/channels.ts";
import { buildChannelSearchText } from "../../store/response_schemas/channel_schemas.ts";
import { getChannelScopeSqlParameters, visibilityParameters } from "../access_checks.ts";

/** The uuid of a channel that the caller sees, without reading the channel. @throws 404. */
export async function findVisibleChannelId(input: { pusher_id: string }, ctx: HandlerContext): Promise<string> {
  const pusherId = parseChannelId(input.pusher_id);
  if (!(await ctx.sql(findChannelVisibleToCaller, getChannelScopeSqlParameters(pusherId, ctx.caller)))[0])
    throw notFound("channel");
  return pusherId;
}

/** The channel, if the caller sees it. @throws 404. */
export async function findChannel(input: { pusher_id: string }, ctx: HandlerContext): Promise<ChannelRow> {
  const pusher = await ctx.em.findOne(Channel, { id: parseChannelId(input.pusher_id) });
  if (!pusher) throw notFound("channel");
  return pusher;
}

/** A new channel's row, with the face that follows from its handle and name. */
export function createChannelRow(em: SqlEntityManager, workspace: string, fields: NewChannel) {
  const { from: gradient_from, to: gradient_to } = defaultGradient(fields.handle);
  const face = { gradient_from, gradient_to, initials: deriveInitials(fields.name) };
  const row = { ...getBlankValues(CHANNEL_FIELDS), ...fields, ...face };
  return em.create(Channel, { id: newUuid(), workspace, ...row, search_text: buildChannelSearchText(row) });
}

type NewChannel = Pick<ChannelRow, "handle" | "name" | "category" | "description" | "requested_perms" | "is_public">;

/** The channel, locked until the transaction ends, with its state. @throws 404. */
export async function loadLockedChannel(input: { pusher_id: string }, ctx: HandlerContext) {
  const [state] = await ctx.sql(lockChannel, getChannelScopeSqlParameters(parseChannelId(input.pusher_id), ctx.caller));
  if (!state) throw notFound("channel");
  return { pusher: await findChannel(input, ctx), state };
}

/**
 * Locks the file of a picture's URL against deletion until the commit.
 * @param before the channel's current URL, which needs no permission; null for a new channel
 * @returns `id`: the file's UUID; null for a URL of another server, or none; undefined if nothing changes. `problem`:
 * the 422 on image_url
 */
export async function lockPictureAgainstDeletion(
  imageUrl: string | null | undefined,
  before: string | null,
  ctx: HandlerContext,
): Promise<{ id: string | null | undefined; problem: ApiError | null }> {
  if (imageUrl === undefined || imageUrl === before) return { id: undefined, problem: null };
  const [, before_id = "", named = ""] = /^(https:.*\/assets\/)(ast_\w+)\/[^/]*$/.exec(imageUrl ?? "") ?? [];
  const id = parseIdOrNull("ast", named);
  if (!id) return { id: null, problem: null };
  const address = ctx.services.assets.urlOf(id);
  // URLs of another server's files may look alike.
  if (!address.startsWith(before_id)) return { id: null, problem: null };
  const [asset] = await ctx.sql(lockAttachableAssets, { ...buildAssetScopeParameters(ctx.caller), ids: [id] });
  const refuse = (...[code, message]: Parameters<typeof invalidRequest>) => {
    const problem = invalidRequest(code, message, "image_url");
    return { id: null, problem };
  };
  if (!asset || address !== imageUrl)
    return refuse("asset_not_found", "Uploaded file not found. Upload the picture again.");
  if (asset.kind === "image") return { id, problem: null };
  return refuse(
    "unsupported_file_type",
    createApiAndUiText(
      `Wrong file type: image_url must be ${ASSET_KIND_LABELS.image}.`,
      `Wrong file type. Choose ${ASSET_KIND_LABELS.image}.`,
    ),
  );
}

/**
 * Returns the retention of one channel, or of all visible ones with the account's setting. It has the days (null:
 * unlimited), and the first deletion (null: none).
 */
export async function getRetentionPreview(
  pusherId: string | null,
  { sql, caller }: Pick<HandlerContext<Caller>, "sql" | "caller">,
) {
  const [row] = await sql(countUpcomingRemovals, { ...visibilityParameters(caller), pusher_id: pusherId });
  if (!row || row.days === null) return { days: null, begins_at: null, alerts: 0, more: false };
  return { ...row, begins_at: row.alerts === 0 ? null : toIsoMicrosOrNull(row.begins_at) };
}

/** In a sentence, for answers. */
export function formatRetentionPreview({
  days,
  begins_at,
  alerts,
  more,
}: Awaited<ReturnType<typeof getRetentionPreview>>): string {
  if (days === null) return "Alerts are kept without a time limit.";
  const first = `Alerts are deleted ${days} days after they end.`;
  if (begins_at === null) return `${first} No alert is old enough yet.`;
  return (
    `${first} The first deletion, at ${begins_at}, covers ` +
    `${more ? `more than ${formatLimit("retention_counted")}` : alerts} of them. To keep them, change ` +
    "retention_days before then."
  );
}
