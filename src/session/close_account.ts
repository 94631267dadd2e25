import { z } from "zod";
import { leave } from "../auth/leaving.ts";
import { defineSessionOperation } from "../operation/tool.ts";
import { lockOwnWorkspaces, ownWorkspaces, removeAccount } from "../queries/own_workspaces.ts";

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
  input: z.strictObject({ present: z.string() }),
  output: z.object({ closed: z.literal(true) }),
  async handler(_input, { em, sql, caller: { person } }) {
    await sql(lockOwnWorkspaces, { user_id: person.id });
    await leave({ em, sql }, await sql(ownWorkspaces, { user_id: person.id, workspace_id: null }));
    await sql(removeAccount, { user_id: person.id });
    return { closed: true as const };
  },
});
