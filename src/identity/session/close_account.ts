import { z } from "zod";
import { defineSessionOperation } from "../../operation/tool.ts";
import { lockOwnWorkspaces, ownWorkspaces, removeAccount } from "../../store/queries/own_workspaces.ts";
import { leave } from "../operator/leaving.ts";

export default defineSessionOperation({
  name: "close_account",
  title: "Close own account",
  description:
    "Leave every workspace and remove the account with its sessions, passkeys and assistants, which takes the password. Cannot be undone.",
  auth: "person",
  role: null,
  stepUp: "present",
  writes: "rows",
  errors: ["invalid_request", "forbidden", "conflict", "rate_limited"],
  input: z.strictObject({
    present: z.string(),
    leave_behind: z
      .array(z.string())
      .optional()
      .describe("Workspaces that lose their only member, and whose channels are paused."),
  }),
  output: z.object({ closed: z.literal(true) }),
  async handler({ leave_behind }, ctx) {
    const { sql } = ctx;
    const { person } = ctx.caller;
    await sql(lockOwnWorkspaces, { user_id: person.id });
    const own = await sql(ownWorkspaces, { user_id: person.id, workspace_id: null });
    await leave(ctx, own, leave_behind ?? []);
    await sql(removeAccount, { user_id: person.id });
    return { closed: true as const };
  },
});
