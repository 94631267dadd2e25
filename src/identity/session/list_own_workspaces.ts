import { z } from "zod";
import { showId } from "../../model/domain/ids.ts";
import { ROLES } from "../../model/entities/member.ts";
import { toIsoMicros } from "../../model/fields/columns.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { ownWorkspaces } from "../../store/queries/own_workspaces.ts";
import { fateOf } from "../operator/leaving.ts";

export default defineSessionOperation({
  name: "list_own_workspaces",
  title: "List own workspaces",
  description:
    "The workspaces that the person is a member of, and what would become of each without the person.",
  auth: "person",
  role: null,
  writes: "nothing",
  errors: ["invalid_request", "forbidden"],
  input: z.strictObject({}),
  output: z.object({
    data: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        role: z.enum(ROLES),
        joined_at: z.string(),
        other_members: z.int(),
        channels: z.int(),
        scheduled: z.int(),
        mails_drafts: z.boolean(),
        without_you: z
          .enum(["stays", "goes", "behind", "holds"])
          .describe(
            "behind: it stays without an owner, if the person says so; holds: it must be given away or emptied first.",
          ),
      }),
    ),
  }),
  async handler(_input, { sql, caller: { person } }) {
    const rows = await sql(ownWorkspaces, { user_id: person.id, workspace_id: null });
    return {
      data: rows.map((row) => ({
        id: showId("wsp", row.id),
        name: row.name,
        role: row.role,
        joined_at: toIsoMicros(row.created_at),
        other_members: row.others,
        channels: row.channels,
        scheduled: row.planned,
        mails_drafts: row.mails_drafts,
        without_you: fateOf(row),
      })),
    };
  },
});
