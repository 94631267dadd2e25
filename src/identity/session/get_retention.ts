import { z } from "zod";
import { parseId } from "../../model/domain/ids.ts";
import { Workspace } from "../../model/entities/workspace.ts";
import { notFound } from "../../model/errors.ts";
import { aheadOf } from "../../operation/channels/retention.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { scope, visibleChannel } from "../../store/queries/channels.ts";

export default defineSessionOperation({
  name: "get_retention",
  title: "See how long alerts are kept",
  description:
    "After how many days alerts of a channel go, or those of all channels that say nothing of their own, how many that are now and from when on.",
  auth: "member",
  role: "viewer",
  writes: "nothing",
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({ pusher_id: z.string().optional() }),
  output: z.object({
    retention_days: z.int().nullable().describe("The workspace's own; null is for ever."),
    days: z.int().nullable(),
    begins_at: z.string().nullable(),
    alerts: z.int(),
    more: z.boolean(),
  }),
  async handler({ pusher_id }, ctx) {
    const id = pusher_id === undefined ? null : parseId("psh", pusher_id);
    if (pusher_id !== undefined && !(id && (await ctx.sql(visibleChannel, scope(id, ctx.caller))).length > 0))
      throw notFound("channel");
    const { retention_days } = await ctx.em.findOneOrFail(Workspace, { id: ctx.caller.workspace.id });
    return { retention_days: retention_days ?? null, ...(await aheadOf(id, ctx)) };
  },
});
