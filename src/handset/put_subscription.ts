import { z } from "zod";
import { Subscription } from "../model/entities/handset.ts";
import { notFound, unauthorized } from "../model/errors.ts";
import { text } from "../model/fields/accepts.ts";
import { LIMITS } from "../model/limits.ts";
import { announceSubscribers } from "../operation/subscribers.ts";
import { defineHandsetOperation, MAX_BODY } from "../operation/tool.ts";
import {
  changeSubscription,
  joinChannel,
  lockChannelByHandle,
  takeInvite,
} from "../store/queries/handset.ts";
import { pathId } from "../store/shapes/fields.ts";
import { countJoin, JOINS, refuseTooMany } from "./room.ts";
import { permissions, showSubscription, subscriptionView } from "./shapes.ts";

export default defineHandsetOperation({
  name: "put_subscription",
  title: "Join or adjust",
  description:
    "Join a channel (a private one with an invite), or adjust the subscription: mute it, grant permissions. Absent fields stay. Idempotent.",
  auth: "device",
  writes: "rows",
  http: { method: "PUT", path: "/handset/v1/subscriptions/{handle}", status: 200, maxBody: MAX_BODY.handset },
  limit: JOINS,
  errors: ["invalid_request", "unauthorized", "not_found", "conflict", "rate_limited"],
  input: z.strictObject({
    handle: pathId("The channel's handle."),
    invite: text(1, LIMITS.code).optional(),
    muted: z.boolean().optional(),
    permissions: permissions.optional(),
  }),
  output: subscriptionView,
  async handler({ handle, invite, muted, permissions: granted }, ctx) {
    const device_id = ctx.caller.id;
    const wanted = { device_id, muted: muted ?? null, permissions: granted ?? null };
    const adjust = async () => (await ctx.sql(changeSubscription, { ...wanted, handle }))[0];
    const present = await adjust();
    if (present) return { handle, ...showSubscription(present) };

    const [channel] = await ctx.sql(lockChannelByHandle, { handle });
    if (!channel || channel.suspended) throw notFound("channel");
    const pusher_id = channel.id;
    const [joined] = await ctx.sql(joinChannel, { ...wanted, pusher_id });
    if (!joined) {
      // The same device joined at the same time through another request: this one adjusts. Or it removed itself.
      const other = await adjust();
      if (!other) throw unauthorized();
      return { handle, ...showSubscription(other) };
    }
    await refuseTooMany(device_id, ctx);
    if (!channel.is_public) {
      // The join above is rolled back with this refusal (docs/rules.md#unusable-invite).
      const [taken] = invite === undefined ? [] : await ctx.sql(takeInvite, { pusher_id, code: invite });
      if (!taken) throw notFound("channel");
      await ctx.em.nativeUpdate(Subscription, { device: device_id, pusher: pusher_id }, { invite: taken.id });
    }
    await announceSubscribers([{ pusher_id }], ctx);
    await countJoin(ctx, pusher_id);
    return { handle, ...showSubscription(joined) };
  },
});
