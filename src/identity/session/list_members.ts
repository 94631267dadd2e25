import { z } from "zod";
import { showId } from "../../model/domain/ids.ts";
import { knows, manages, standingOf } from "../../model/domain/standing.ts";
import { ROLES } from "../../model/entities/member.ts";
import { toIsoMicros, toIsoMicrosOrNull } from "../../model/fields/columns.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { listWorkspaceMembers } from "../../store/queries/people.ts";

export default defineSessionOperation({
  name: "list_members",
  title: "List members",
  description:
    "The members that the caller may know of: all, or for a manager of certain channels those within the same channels.",
  auth: "member",
  role: "admin",
  writes: "nothing",
  errors: ["invalid_request", "forbidden"],
  input: z.strictObject({}),
  output: z.object({
    data: z.array(
      z.object({
        id: z.string(),
        email: z.string(),
        name: z.string().nullable(),
        role: z.enum(ROLES),
        pusher_ids: z.array(z.string()).nullable(),
        handles: z.array(z.string()).nullable(),
        joined: z.boolean(),
        invited: z.boolean(),
        self: z.boolean(),
        manageable: z.boolean(),
        created_at: z.string(),
        last_used_at: z.string().nullable().describe("By a key or an assistant of the member, or signed in."),
      }),
    ),
  }),
  async handler(_input, ctx) {
    const { workspace, member } = ctx.caller;
    const rows = await ctx.sql(listWorkspaceMembers, { workspace_id: workspace.id });
    const mine = standingOf(ctx.caller);
    const known = rows.filter((row) => row.id === member.id || knows(mine, row));
    return {
      data: known.map((row) => ({
        ...row,
        id: showId("mem", row.id),
        pusher_ids: row.pusher_ids?.map((id) => showId("psh", id)) ?? null,
        self: row.id === member.id,
        manageable: manages(mine, row),
        created_at: toIsoMicros(row.created_at),
        last_used_at: toIsoMicrosOrNull(row.last_used_at),
      })),
    };
  },
});
