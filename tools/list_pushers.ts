import { z } from "zod";
import { Pusher } from "../src/entities/pusher.ts";
import { channelBacklogs } from "../src/queries/channels.ts";
import { pusherView, showPusher } from "../src/shapes/pusher.ts";
import { defineTool } from "../src/tool.ts";

export default defineTool({
  name: "list_pushers",
  title: "List channels",
  description: "List the alert channels this credential sees, newest first, with their unsent backlog.",
  scope: "pushers:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/pushers", status: 200 },
  hints: { readOnly: true, destructive: false, idempotent: true },
  errors: ["invalid_request"],
  input: z.strictObject({}),
  output: z.object({ data: z.array(pusherView.extend({ drafts: z.int(), scheduled: z.int() })) }),
  async handler(_input, ctx) {
    const pushers = await ctx.em.find(Pusher, {}, { orderBy: { created_at: "desc", id: "desc" } });
    const backlogs = await ctx.sql(channelBacklogs, [pushers.map(({ id }) => id)]);
    const backlogOf = new Map(backlogs.map(({ id, ...backlog }) => [id, backlog]));
    return {
      data: pushers.map((pusher) => ({
        ...showPusher(pusher, ctx.surroundings.publicBase),
        ...backlogOf.get(pusher.id)!,
      })),
    };
  },
});
