import { z } from "zod";
import { findPusher } from "../src/pushers.ts";
import { listInvites } from "../src/queries/invites.ts";
import { pathId } from "../src/shapes/fields.ts";
import { inviteView, showInvite } from "../src/shapes/invite.ts";
import { defineTool } from "../src/tool.ts";

export default defineTool({
  name: "list_invites",
  title: "List invites",
  description: "List every invite of a channel, newest first, codes and revoked ones included.",
  scope: "invites:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/pushers/{id}/invites", status: 200 },
  hints: { readOnly: true, destructive: false, idempotent: true },
  errors: ["invalid_request", "not_found"],
  input: z.strictObject({ pusher_id: pathId("psh_…") }),
  output: z.object({ data: z.array(inviteView) }),
  async handler(input, ctx) {
    const pusher = await findPusher(input, ctx);
    const rows = await ctx.sql(listInvites, [pusher.id]);
    return { data: rows.map((row) => showInvite(row, pusher.handle, ctx.surroundings.publicBase)) };
  },
});
