// A handset joins and leaves channels, and finds those that it could join.

import { z } from "zod";
import { notFound, unauthorized } from "../model/api_error.ts";
import { CHANNEL_CATEGORIES } from "../model/fields/channel.ts";
import { textSchema } from "../model/fields/value_schemas.ts";
import { LIMITS } from "../model/limits.ts";
import { Subscription } from "../model/tables/devices_and_reports.ts";
import { emitSubscriberCounts } from "../operation/audit_lines.ts";
import { defineHandsetOperation, MAX_BODY_BYTES } from "../operation/define_operation.ts";
import { readKeysetPage } from "../operation/read_keyset_page.ts";
import {
  changeSubscription,
  consumeInviteUse,
  findChannelCard,
  joinChannel,
  listSubscribedChannels,
  lockChannelByHandle,
  readDirectoryPage,
} from "../store/queries/subscriptions_and_directory.ts";
import { pageParameters, pageSchema, pathId } from "../store/response_schemas/shared_parameters_and_pages.ts";
import {
  channelCardSchema,
  grantedPermissionsSchema,
  subscriptionSchema,
  toChannelCardView,
  toSubscriptionFields,
} from "./handset_schemas.ts";
import { assertJoinedChannelsWithinLimit, countAgainstJoinLimit, JOIN_LIMITS } from "./join_limits.ts";

export const list_channels = defineHandsetOperation({
  name: "list_channels",
  title: "Search channels",
  description: "Search active public channels. q is matched literally against names and tags.",
  writes: "nothing",
  http: { method: "GET", path: "/handset/v1/channels", status: 200 },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject({
    q: textSchema(1, LIMITS.search).optional(),
    category: z.enum(CHANNEL_CATEGORIES).optional(),
    ...pageParameters(),
  }),
  output: pageSchema(channelCardSchema),
  async handler({ q, category, ...asked }, ctx) {
    const filter = { device_id: ctx.caller.id, find: q ?? null, category: category ?? null };
    const { rows, meta } = await readKeysetPage(asked, "created_at", (page) =>
      readDirectoryPage(ctx.sql, { ...filter, ...page }),
    );
    return { data: rows.map((row) => toChannelCardView(row, ctx.services.channelBaseUrl)), meta };
  },
});

export const get_channel = defineHandsetOperation({
  name: "get_channel",
  title: "Get a channel",
  description: "Show a channel's card. A private channel returns 404 without a valid invite or a subscription.",
  writes: "nothing",
  http: { method: "GET", path: "/handset/v1/channels/{handle}", status: 200 },
  errors: ["invalid_request", "unauthorized", "not_found"],
  input: z.strictObject({ handle: pathId("Channel handle."), invite: textSchema(1, LIMITS.code).optional() }),
  output: channelCardSchema,
  async handler({ handle, invite }, ctx) {
    const [card] = await ctx.sql(findChannelCard, { device_id: ctx.caller.id, handle, code: invite ?? null });
    if (!card) throw notFound("channel");
    return toChannelCardView(card, ctx.services.channelBaseUrl);
  },
});

export const put_subscription = defineHandsetOperation({
  name: "put_subscription",
  title: "Join a channel or change the subscription",
  description:
    "Join a channel (private channels require an invite), or change the subscription: mute it or grant permissions. " +
    "Omitted fields are unchanged. Idempotent.",
  writes: "rows",
  http: { method: "PUT", path: "/handset/v1/subscriptions/{handle}", status: 200, maxBody: MAX_BODY_BYTES.handset },
  limit: JOIN_LIMITS,
  errors: ["invalid_request", "unauthorized", "not_found", "conflict", "rate_limited"],
  input: z.strictObject({
    handle: pathId("Channel handle."),
    invite: textSchema(1, LIMITS.code).optional(),
    muted: z.boolean().optional(),
    permissions: grantedPermissionsSchema.optional(),
  }),
  output: subscriptionSchema,
  async handler({ handle, invite, muted, permissions: granted }, ctx) {
    const device_id = ctx.caller.id;
    const wanted = { device_id, muted: muted ?? null, permissions: granted ?? null };
    const adjust = async () => (await ctx.sql(changeSubscription, { ...wanted, handle }))[0];
    const present = await adjust();
    if (present) return { handle, ...toSubscriptionFields(present) };

    const [channel] = await ctx.sql(lockChannelByHandle, { handle });
    if (!channel || channel.suspended) throw notFound("channel");
    const pusher_id = channel.id;
    const [joined] = await ctx.sql(joinChannel, { ...wanted, pusher_id });
    if (!joined) {
      // The same device joined at the same time through another request: this one adjusts. Or it removed itself.
      const other = await adjust();
      if (!other) throw unauthorized();
      return { handle, ...toSubscriptionFields(other) };
    }
    await assertJoinedChannelsWithinLimit(device_id, ctx);
    if (!channel.is_public) {
      // The join above is rolled back with this refusal (rules#unusable-invite).
      const [taken] = invite === undefined ? [] : await ctx.sql(consumeInviteUse, { pusher_id, code: invite });
      if (!taken) throw notFound("channel");
      await ctx.em.nativeUpdate(Subscription, { device: device_id, pusher: pusher_id }, { invite: taken.id });
    }
    await emitSubscriberCounts([{ pusher_id }], ctx);
    await countAgainstJoinLimit(ctx, pusher_id);
    return { handle, ...toSubscriptionFields(joined) };
  },
});

export const delete_subscription = defineHandsetOperation({
  name: "delete_subscription",
  title: "Leave a channel",
  description: "Leave a channel. The response is the same if the handset had not joined it.",
  writes: "rows",
  http: { method: "DELETE", path: "/handset/v1/subscriptions/{handle}", status: 204 },
  limit: JOIN_LIMITS,
  errors: ["invalid_request", "unauthorized", "rate_limited"],
  input: z.strictObject({ handle: pathId("Channel handle.") }),
  output: z.object({}),
  async handler({ handle }, ctx) {
    const [channel] = await ctx.sql(lockChannelByHandle, { handle });
    if (!channel) return {};
    const left = await ctx.em.nativeDelete(Subscription, { device: ctx.caller.id, pusher: channel.id });
    if (left === 0) return {};
    await emitSubscriberCounts([{ pusher_id: channel.id }], ctx);
    await countAgainstJoinLimit(ctx, channel.id);
    return {};
  },
});

export const list_subscriptions = defineHandsetOperation({
  name: "list_subscriptions",
  title: "List subscriptions",
  description:
    "The cards of all channels that this handset has joined, including private and paused ones, newest first.",
  writes: "nothing",
  http: { method: "GET", path: "/handset/v1/subscriptions", status: 200 },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject(pageParameters()),
  output: pageSchema(channelCardSchema),
  async handler(input, ctx) {
    const { rows, meta } = await readKeysetPage(input, "subscribed_at", (page) =>
      ctx.sql(listSubscribedChannels, { device_id: ctx.caller.id, ...page }),
    );
    return { data: rows.map((row) => toChannelCardView(row, ctx.services.channelBaseUrl)), meta };
  },
});
