import { z } from "zod";
import { showId } from "../../model/domain/ids.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { ownWorkspaces } from "../../store/queries/own_workspaces.ts";
import { lockWorkspace } from "../../store/queries/workspaces.ts";
import { leave } from "../operator/leaving.ts";

export default defineSessionOperation({
  name: "leave_workspace",
  title: "Leave a workspace",
  description:
    "Be no member any more: the person's keys, webhook endpoints and assistants there end. Its last owner leaves it when nothing is in it, and it goes along; or leaves it behind, with its channels paused.",
  auth: "member",
  role: "viewer",
  writes: "rows",
  errors: ["invalid_request", "forbidden", "conflict"],
  input: z.strictObject({ leave_behind: z.boolean().optional().describe("It may stay without an owner.") }),
  output: z.object({ left: z.literal(true) }),
  async handler({ leave_behind }, ctx) {
    const { person, workspace } = ctx.caller;
    await ctx.sql(lockWorkspace, { id: workspace.id });
    const own = await ctx.sql(ownWorkspaces, { user_id: person.id, workspace_id: workspace.id });
    await leave(ctx, own, leave_behind ? [showId("wsp", workspace.id)] : []);
    return { left: true as const };
  },
});
