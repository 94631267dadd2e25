import { z } from "zod";
import { defineSessionOperation } from "../../operation/tool.ts";
import { memberWish } from "../../store/shapes/member.ts";
import { granted, keepAnOwner, managed, takeTurn, wishProblems } from "../operator/turn.ts";

export default defineSessionOperation({
  name: "update_member",
  title: "Change a member",
  description: "Give a member another role and other channels, from its next request on.",
  auth: "member",
  role: "admin",
  writes: "rows",
  errors: ["invalid_request", "forbidden", "not_found", "conflict"],
  input: memberWish.extend({ member_id: z.string() }),
  output: z.object({ id: z.string() }),
  fieldProblems: wishProblems,
  async handler({ member_id, ...wish }, ctx) {
    const mine = await takeTurn(ctx);
    const row = await managed(ctx, mine, member_id);
    const next = await granted(ctx, mine, wish);
    if (next.role !== "owner") await keepAnOwner(ctx, row);
    ctx.em.assign(row, next);
    return { id: member_id };
  },
});
