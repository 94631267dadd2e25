import { raw } from "@mikro-orm/core";
import { z } from "zod";
import { notFound } from "../src/model/api_error.ts";
import { formatId, parseIdOrNull } from "../src/model/domain/type_ids.ts";
import { ChannelInvite } from "../src/model/tables/channel.ts";
import { throwIfApprovalRequired } from "../src/operation/access_checks.ts";
import { emitSubscriberCounts } from "../src/operation/audit_lines.ts";
import { loadLockedChannel } from "../src/operation/channels/find_channel.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { evictInvited } from "../src/store/queries/channels.ts";
import { inviteSchema, toInviteView } from "../src/store/response_schemas/invite_schemas.ts";
import { channelIdParameter, pathId } from "../src/store/response_schemas/shared_parameters_and_pages.ts";

export default defineOperation({
  name: "revoke_invite",
  title: "Revoke invite",
  description: "Revoke an invite. Its subscribers stay unless remove_subscribers is true. Cannot be undone.",
  scope: "invites:write",
  mayNeedApproval: true,
  role: "editor",
  http: { method: "DELETE", path: "/api/v1/pushers/{id}/invites/{inviteId}", status: 200 },
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({
    pusher_id: channelIdParameter(),
    invite_id: pathId("inv_…"),
    remove_subscribers: z.boolean().optional().describe("If true, unsubscribes phones that used the invite."),
  }),
  returnsText: true,
  output: inviteSchema.extend({ removed_subscribers: z.int() }),
  async handler(input, ctx) {
    const { pusher } = await loadLockedChannel(input, ctx);
    const id = parseIdOrNull("inv", input.invite_id);
    const invite = id && (await ctx.em.findOne(ChannelInvite, { id, pusher: pusher.id }));
    if (!invite) throw notFound("invite");
    // The first time stays (rules#revoke-invite).
    invite.revoked_at ??= raw("clock_timestamp()");
    await ctx.em.flush();
    const [evicted] = input.remove_subscribers
      ? await ctx.sql(evictInvited, { pusher_id: pusher.id, invite_id: invite.id })
      : [];
    const removed = evicted?.removed ?? 0;
    // The refusal rolls the transaction back, so no subscriber is evicted.
    if (removed > 0)
      throwIfApprovalRequired(
        ctx,
        `/channels/${formatId("psh", pusher.id)}/invites/${formatId("inv", invite.id)}/revoke`,
      );
    ctx.markChanged(evicted?.devices ?? []);
    if (removed > 0) await emitSubscriberCounts([{ pusher_id: pusher.id }], ctx);
    const view = toInviteView(invite, pusher, ctx.services.channelBaseUrl);
    return { ...view, removed_subscribers: removed };
  },
});
