import { z } from "zod";
import { parseId, showId } from "../../model/domain/ids.ts";
import { emailProblem } from "../../model/domain/one_line.ts";
import { need } from "../../model/need.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { memberWish } from "../../store/shapes/member.ts";
import { STAND_IN, writeLink } from "../auth/links.ts";
import { addMember } from "../operator/accounts.ts";
import { granted, takeTurn, wishProblems } from "../operator/turn.ts";

/** Addresses are compared in small letters. */
const clean = (email: string) => email.trim().toLowerCase();

export default defineSessionOperation({
  name: "add_member",
  title: "Add a member",
  description: "Add a member and answer with the one-time link to hand out, which is shown only now.",
  auth: "member",
  role: "admin",
  writes: "rows",
  errors: ["invalid_request", "forbidden", "not_found", "conflict"],
  input: memberWish.extend({ email: z.string() }),
  output: z.object({ id: z.string(), email: z.string(), link: z.string() }),
  fieldProblems: ({ email, ...wish }) => ({
    email: emailProblem(clean(email) === STAND_IN ? "" : clean(email)),
    ...wishProblems(wish),
  }),
  async handler({ email, ...wish }, ctx) {
    const mine = await takeTurn(ctx);
    const { role } = await granted(ctx, mine, wish);
    const { id } = await addMember(ctx.em, {
      workspace: showId("wsp", ctx.caller.workspace.id),
      email: clean(email),
      role,
      ...(wish.every_channel ? {} : { pushers: wish.pusher_ids }),
    });
    const link = await writeLink(
      ctx.em,
      ctx.services.publicUrl,
      need(parseId("mem", id), "it was shown as an id"),
      "manager",
    );
    return { id, email: clean(email), link };
  },
});
