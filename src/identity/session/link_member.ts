import { z } from "zod";
import { Member } from "../../model/entities/member.ts";
import { forbidden } from "../../model/errors.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { writeLink } from "../auth/links.ts";
import { managed, takeTurn } from "../operator/turn.ts";

export default defineSessionOperation({
  name: "link_member",
  title: "Make a one-time link for a member",
  description:
    "Make a link for a member who has not joined yet, or who lost the password. Whoever holds it signs in as this person, so it takes the password of who makes it, and none is made for oneself or for an account that other workspaces trust, too.",
  auth: "member",
  role: "admin",
  stepUp: "present",
  writes: "rows",
  errors: ["invalid_request", "forbidden", "not_found", "rate_limited"],
  input: z.strictObject({ member_id: z.string(), present: z.string() }),
  output: z.object({ email: z.string(), joined: z.boolean(), link: z.string() }),
  async handler({ member_id }, ctx) {
    const row = await managed(ctx, await takeTurn(ctx), member_id);
    if (row.id === ctx.caller.member.id)
      throw forbidden(
        "This is your own account. Its page changes the password, which takes the current one.",
      );
    const { user_id = null } = row;
    const elsewhere = { user_id, workspace: { $ne: ctx.caller.workspace.id } };
    if (user_id !== null && (await ctx.em.count(Member, elsewhere)) > 0)
      throw forbidden(
        "This person is a member of another workspace, too, so no link of this one can change the password. The operator of this server can make one: belfry members link --email …",
      );
    const link = await writeLink(ctx.em, ctx.services.publicUrl, row.id, "manager");
    return { email: row.email, joined: user_id !== null, link };
  },
});
