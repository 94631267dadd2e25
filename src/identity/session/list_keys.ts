import { z } from "zod";
import { showId, showIdOrNull } from "../../model/domain/ids.ts";
import { manages, standingOf } from "../../model/domain/standing.ts";
import { toIsoMicros, toIsoMicrosOrNull } from "../../model/fields/columns.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { listWorkspaceKeys } from "../../store/queries/keys.ts";

export default defineSessionOperation({
  name: "list_keys",
  title: "List keys",
  description: "The live keys that the caller may revoke: its own, and those of the members that it manages.",
  auth: "member",
  role: "admin",
  writes: "nothing",
  errors: ["invalid_request", "forbidden"],
  input: z.strictObject({}),
  output: z.object({
    data: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        scopes: z.array(z.string()),
        asks_first: z.boolean(),
        made_for: z.string().nullable(),
        pusher_id: z.string().nullable(),
        handle: z.string().nullable(),
        member_id: z.string(),
        member_name: z.string().nullable(),
        email: z.string(),
        own: z.boolean(),
        created_at: z.string(),
        expires_at: z.string().nullable(),
        last_used_at: z.string().nullable(),
      }),
    ),
  }),
  async handler(_input, ctx) {
    const { workspace, member } = ctx.caller;
    const rows = await ctx.sql(listWorkspaceKeys, { workspace_id: workspace.id });
    const mine = standingOf(ctx.caller);
    const known = rows.filter((row) => row.member_id === member.id || manages(mine, row));
    return {
      data: known.map((row) => ({
        ...row,
        id: showId("key", row.id),
        pusher_id: showIdOrNull("psh", row.pusher_id),
        member_id: showId("mem", row.member_id),
        own: row.member_id === member.id,
        created_at: toIsoMicros(row.created_at),
        expires_at: toIsoMicrosOrNull(row.expires_at),
        last_used_at: toIsoMicrosOrNull(row.last_used_at),
      })),
    };
  },
});
