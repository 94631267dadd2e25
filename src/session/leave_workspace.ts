import { z } from "zod";
import { leave } from "../auth/leaving.ts";
import { defineSessionOperation } from "../operation/tool.ts";
import { ownWorkspaces } from "../queries/own_workspaces.ts";
import { lockWorkspace } from "../queries/workspaces.ts";

export default defineSessionOperation({
  name: "leave_workspace",
  title: "Leave a workspace",
  description:
    "Be no member any more: the person's keys, webhook endpoints and assistants there end. Its last owner leaves it only when nothing is in it; it goes along then.",
  auth: "member",
  role: "viewer",
  writes: "rows",
  errors: ["invalid_request", "forbidden", "conflict"],
  input: z.strictObject({}),
  output: z.object({ left: z.literal(true) }),
  async handler(_input, { em, sql, caller: { person, workspace } }) {
    await sql(lockWorkspace, { id: workspace.id });
    await leave({ em, sql }, await sql(ownWorkspaces, { user_id: person.id, workspace_id: workspace.id }));
    return { left: true as const };
  },
});
