import { z } from "zod";
import { showId, showIdOrNull } from "../../model/domain/ids.ts";
import { toIsoMicros, toIsoMicrosOrNull } from "../../model/fields/columns.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { listConnections } from "../../store/queries/connections.ts";
import { clientName } from "../auth/client_name.ts";

export default defineSessionOperation({
  name: "list_connections",
  title: "List own assistants",
  description: "The assistants that the person connected to this workspace.",
  auth: "member",
  role: "viewer",
  writes: "nothing",
  errors: ["invalid_request", "forbidden"],
  input: z.strictObject({}),
  output: z.object({
    data: z.array(
      z.object({
        id: z.string(),
        name: z.string().nullable().describe("What it calls itself; nobody has checked it."),
        uri: z.string().nullable(),
        scopes: z.array(z.string()),
        asks_first: z.boolean(),
        pusher_id: z.string().nullable(),
        handle: z.string().nullable(),
        last_used_at: z.string().nullable(),
        created_at: z.string(),
      }),
    ),
  }),
  async handler(_input, { sql, caller }) {
    const rows = await sql(listConnections, { user_id: caller.person.id, workspace_id: caller.workspace.id });
    return {
      data: rows.map((row) => ({
        ...row,
        id: showId("con", row.id),
        name: clientName(row.name),
        pusher_id: showIdOrNull("psh", row.pusher_id),
        last_used_at: toIsoMicrosOrNull(row.last_used_at),
        created_at: toIsoMicros(row.created_at),
      })),
    };
  },
});
