import { z } from "zod";
import { parseId } from "../../model/domain/ids.ts";
import { notFound } from "../../model/errors.ts";
import { LIMITS } from "../../model/limits.ts";
import { need } from "../../model/need.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { scope, visibleChannel } from "../../store/queries/channels.ts";
import { countWoken } from "../../store/queries/push.ts";

export default defineSessionOperation({
  name: "get_wake_ups",
  title: "Read wake-ups of a channel",
  description:
    "How many of a channel's subscribers are woken while their app is closed. It is counted among so many of those that let the channel be noticed; a count, and never which they are.",
  auth: "member",
  role: "viewer",
  writes: "nothing",
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({ pusher_id: z.string() }),
  output: z.object({
    enabled: z.boolean().describe("Whether this server wakes anybody."),
    looked_at: z.int(),
    woken: z.int(),
  }),
  async handler(input, ctx) {
    const pusher_id = parseId("psh", input.pusher_id);
    if (!pusher_id || !(await ctx.sql(visibleChannel, scope(pusher_id, ctx.caller)))[0])
      throw notFound("channel");
    const enabled = ctx.services.push.publicKey !== null;
    const [counted] = await ctx.sql(countWoken, { pusher_id, look: LIMITS.wakes_looked_at });
    const { looked_at, woken } = need(counted, "a count has a row");
    return { enabled, looked_at, woken: enabled ? woken : 0 };
  },
});
