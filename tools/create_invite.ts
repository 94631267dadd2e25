import { randomBytes } from "node:crypto";
import { z } from "zod";
import { newUuid } from "../src/model/domain/ids.ts";
import { Invite } from "../src/model/entities/pusher.ts";
import { forBoth } from "../src/model/error_messages.ts";
import { invalidRequest } from "../src/model/errors.ts";
import { nowMicros } from "../src/model/fields/columns.ts";
import { INVITE } from "../src/model/fields/pusher.ts";
import { argumentsOf, blanksOf } from "../src/model/fields/record.ts";
import { findPusher } from "../src/operation/channels/find_pusher.ts";
import { defineTool } from "../src/operation/tool.ts";
import { pathId } from "../src/store/shapes/fields.ts";
import { inviteView, showInvite } from "../src/store/shapes/invite.ts";

/** 192 random bits: never derived from the handle, and beyond guessing. */
const newCode = () => randomBytes(24).toString("base64url");

export default defineTool({
  name: "create_invite",
  title: "Create invite",
  description:
    "Make a link that phones join a private channel with. max_uses 1 is a one-shot link; without max_uses and expires_at it works until revoked. Invites of a public channel have no effect.",
  scope: "invites:write",
  role: "editor",
  http: { method: "POST", path: "/api/v1/pushers/{id}/invites", status: 201 },
  creates: true,
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({
    pusher_id: pathId("Channel id, psh_…, or its handle"),
    ...argumentsOf(INVITE),
  }),
  output: inviteView,
  async handler(input, ctx) {
    const pusher = await findPusher(input, ctx);
    const { pusher_id: _, ...given } = input;
    const fields = { ...blanksOf(INVITE), ...given };
    if (fields.expires_at !== null && fields.expires_at <= nowMicros(ctx))
      throw invalidRequest(
        "time_in_past",
        forBoth(
          "expires_at must be in the future; leave it out for an invite that never expires.",
          "The end must be later than now. For an invite that never expires, choose “No expiry”.",
        ),
        "expires_at",
      );
    const invite = ctx.em.create(Invite, {
      id: newUuid(),
      pusher: pusher.id,
      code: newCode(),
      ...fields,
    });
    await ctx.em.flush();
    return showInvite(invite, pusher, ctx.services.channelBaseUrl);
  },
});
