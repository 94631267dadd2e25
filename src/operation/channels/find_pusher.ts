// What the operations on one channel share: find it among those that the caller sees, and lock it.

import { channelUuid } from "../../model/domain/ids.ts";
import { Pusher, type PusherRow } from "../../model/entities/pusher.ts";
import { notFound } from "../../model/errors.ts";
import type { Context } from "../../store/context.ts";
import { lockChannel, scope, visibleChannel } from "../../store/queries/channels.ts";

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

/** The channel, locked until the transaction ends, with its state. @throws 404. */
export async function lockPusher(input: { pusher_id: string }, ctx: Context) {
  const [state] = await ctx.sql(lockChannel, scope(channelUuid(input.pusher_id), ctx.caller));
  if (!state) throw notFound("channel");
  return { pusher: await findPusher(input, ctx), state };
}
