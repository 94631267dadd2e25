import { z } from "zod";
import { Subscription } from "../model/entities/handset.ts";
import { announceSubscribers } from "../operation/subscribers.ts";
import { defineHandsetOperation } from "../operation/tool.ts";
import { lockChannelByHandle } from "../store/queries/handset.ts";
import { pathId } from "../store/shapes/fields.ts";
import { countJoin, JOINS } from "./room.ts";

export default defineHandsetOperation({
  name: "delete_subscription",
  title: "Leave",
  description: "Leave a channel. Answers the same when the handset had not joined.",
  auth: "device",
  writes: "rows",
  http: { method: "DELETE", path: "/handset/v1/subscriptions/{handle}", status: 204 },
  limit: JOINS,
  errors: ["invalid_request", "unauthorized", "rate_limited"],
  input: z.strictObject({ handle: pathId("The channel's handle.") }),
  output: z.object({}),
  async handler({ handle }, ctx) {
    const [channel] = await ctx.sql(lockChannelByHandle, { handle });
    if (!channel) return {};
    const left = await ctx.em.nativeDelete(Subscription, { device: ctx.caller.id, pusher: channel.id });
    if (left === 0) return {};
    await announceSubscribers([{ pusher_id: channel.id }], ctx);
    await countJoin(ctx, channel.id);
    return {};
  },
});
