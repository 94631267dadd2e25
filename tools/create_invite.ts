import { randomBytes } from "node:crypto";
import { z } from "zod";
import { nowMicros } from "../src/alerts/change.ts";
import { newUuid } from "../src/domain/ids.ts";
import { Invite } from "../src/entities/invite.ts";
import { invalidRequest } from "../src/errors.ts";
import { instant, text } from "../src/fields/accepts.ts";
import { defineTool } from "../src/operation/tool.ts";
import { findPusher } from "../src/pushers/judge.ts";
import { pathId } from "../src/shapes/fields.ts";
import { inviteView, showInvite } from "../src/shapes/invite.ts";

/** 192 random bits: never derived from the handle, and beyond guessing. */
const newCode = () => randomBytes(24).toString("base64url");

export default defineTool({
  name: "create_invite",
  title: "Create invite",
  description:
    "Make an invite into a private channel (pusher): a link that phones join with. max_uses 1 is a one-shot link; without max_uses and expires_at it works until revoked. Invites of a public channel have no effect.",
  scope: "invites:write",
  role: "editor",
  http: { method: "POST", path: "/api/v1/pushers/{id}/invites", status: 201 },
  hints: { readOnly: false, destructive: false, idempotent: false },
  creates: true,
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({
    pusher_id: pathId("Channel id, psh_…"),
    label: text(0, 80).nullable().optional().describe("Your own note; never shown to a subscriber."),
    max_uses: z
      .int()
      .min(1, "must be a whole number from 1 to 1000000")
      .max(1_000_000, "must be a whole number from 1 to 1000000")
      .nullable()
      .optional()
      .describe("Phones that may join with it; null is unlimited."),
    expires_at: instant().nullable().optional().describe("When it stops working; null is never."),
  }),
  output: inviteView,
  async handler(input, ctx) {
    const pusher = await findPusher(input, ctx);
    const expiresAt = input.expires_at ?? null;
    if (expiresAt !== null && expiresAt <= nowMicros(ctx))
      throw invalidRequest(
        "expires_at must be in the future; leave it out for an invite that never expires.",
        "expires_at",
      );
    const invite = ctx.em.create(Invite, {
      id: newUuid(),
      pusher: pusher.id,
      code: newCode(),
      label: input.label ?? null,
      max_uses: input.max_uses ?? null,
      expires_at: expiresAt,
    });
    await ctx.em.flush();
    return showInvite(invite, pusher, ctx.surroundings.publicBase);
  },
});
