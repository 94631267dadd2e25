import { z } from "zod";
import { conflict } from "../src/model/api_error.ts";
import { formatId } from "../src/model/domain/type_ids.ts";
import { ChannelState, ReservedHandle } from "../src/model/tables/channel.ts";
import { throwIfApprovalRequired } from "../src/operation/access_checks.ts";
import { loadLockedChannel } from "../src/operation/channels/find_channel.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import {
  channelIdParameter,
  deletedResourceSchema,
} from "../src/store/response_schemas/shared_parameters_and_pages.ts";

export default defineOperation({
  name: "delete_pusher",
  title: "Delete channel",
  description: "Delete a channel and its history. Cannot be undone. Channels with subscribers can only be paused.",
  scope: "pushers:write",
  mayNeedApproval: true,
  role: "admin",
  http: { method: "DELETE", path: "/api/v1/pushers/{id}", status: 204 },
  errors: ["invalid_request", "forbidden", "not_found", "conflict"],
  input: z.strictObject({ pusher_id: channelIdParameter() }),
  output: deletedResourceSchema,
  async handler(input, ctx) {
    const { pusher, state } = await loadLockedChannel(input, ctx);
    if (state.subscribers > 0)
      throw conflict("channel_has_subscribers", "A channel that has subscribers cannot be deleted. Pause it instead.");
    throwIfApprovalRequired(ctx, `/channels/${formatId("psh", pusher.id)}/delete`);
    // A handle that is given up while suspended stays taken.
    if (pusher.status === "suspended") await ctx.em.insert(ReservedHandle, { handle: pusher.handle });
    // The narrow row is deleted first: the triggers of the channel's alerts then have nothing to count.
    await ctx.em.nativeDelete(ChannelState, { pusher: pusher.id });
    await ctx.em.remove(pusher).flush();
    return { deleted: true as const, id: input.pusher_id };
  },
});
