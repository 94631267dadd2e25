import { z } from "zod";
import { notFound } from "../src/model/api_error.ts";
import { findChannel } from "../src/operation/channels/find_channel.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { readChannelCounts } from "../src/store/queries/channels.ts";
import { ownerChannelSchema, toOwnerChannelView } from "../src/store/response_schemas/channel_schemas.ts";
import { channelIdParameter } from "../src/store/response_schemas/shared_parameters_and_pages.ts";

export default defineOperation({
  name: "get_pusher",
  title: "Read channel",
  description: "Show one channel with counts of subscribers and sent alerts.",
  scope: "pushers:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/pushers/{id}", status: 200 },
  errors: ["invalid_request", "not_found"],
  version: "updated_at",
  input: z.strictObject({ pusher_id: channelIdParameter() }),
  returnsText: true,
  output: ownerChannelSchema.extend({ subscribers: z.int(), alerts_sent: z.int() }),
  async handler(input, ctx) {
    const pusher = await findChannel(input, ctx);
    const [counts] = await ctx.sql(readChannelCounts, { pusher_id: pusher.id });
    // Deleted in between.
    if (!counts) throw notFound("channel");
    return { ...toOwnerChannelView(pusher, ctx.services.channelBaseUrl), ...counts };
  },
});
