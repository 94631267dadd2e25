import { z } from "zod";
import { Member } from "../../model/entities/member.ts";
import { defineSessionOperation } from "../../operation/tool.ts";

export default defineSessionOperation({
  name: "mail_drafts",
  title: "Mail drafts that wait",
  description:
    "Say whether a mail tells this member of each draft that waits, beside the channel that tells of them.",
  auth: "member",
  role: "editor",
  writes: "rows",
  errors: ["invalid_request", "forbidden"],
  input: z.strictObject({ mails_drafts: z.boolean() }),
  output: z.object({ mails_drafts: z.boolean() }),
  async handler({ mails_drafts }, { em, caller, tellChanged }) {
    const member = await em.findOneOrFail(Member, { id: caller.member.id });
    if (member.mails_drafts !== mails_drafts) tellChanged(["mails_drafts"]);
    member.mails_drafts = mails_drafts;
    return { mails_drafts };
  },
});
