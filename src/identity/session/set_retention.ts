import { z } from "zod";
import { Workspace } from "../../model/entities/workspace.ts";
import { keptDays } from "../../model/fields/pusher.ts";
import { aheadOf, saidAhead } from "../../operation/channels/retention.ts";
import { defineSessionOperation } from "../../operation/tool.ts";

export default defineSessionOperation({
  name: "set_retention",
  title: "Say how long alerts are kept",
  description: "Say after how many days the alerts of all channels go that say nothing of their own.",
  auth: "member",
  role: "owner",
  writes: "rows",
  errors: ["invalid_request", "forbidden"],
  input: z.strictObject({ retention_days: keptDays().nullable() }),
  output: z.object({ retention_days: z.int().nullable(), note: z.string() }),
  async handler({ retention_days }, ctx) {
    const workspace = await ctx.em.findOneOrFail(Workspace, { id: ctx.caller.workspace.id });
    const days = retention_days || null;
    if ((workspace.retention_days ?? null) !== days) ctx.tellChanged(["retention_days"]);
    workspace.retention_days = days;
    await ctx.em.flush();
    return { retention_days: days, note: saidAhead(await aheadOf(null, ctx)) };
  },
});
