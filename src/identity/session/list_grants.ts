import { z } from "zod";
import { showId, showIdOrNull } from "../../model/domain/ids.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { connectionsOfClient } from "../../store/queries/connections.ts";

export default defineSessionOperation({
  name: "list_grants",
  title: "List what an assistant was granted",
  description:
    "What the person has granted one assistant so far, one entry for each member, the last consented to first.",
  auth: "person",
  role: null,
  writes: "nothing",
  errors: ["invalid_request", "forbidden"],
  input: z.strictObject({ client_id: z.string() }),
  output: z.object({
    data: z.array(
      z.object({
        member_id: z.string(),
        pusher_id: z.string().nullable(),
        scopes: z.array(z.string()),
        asks_first: z.boolean(),
      }),
    ),
  }),
  async handler({ client_id }, { sql, caller }) {
    const rows = await sql(connectionsOfClient, { user_id: caller.person.id, client_id });
    return {
      data: rows.map(({ member_id, pusher_id, scopes, asks_first }) => ({
        member_id: showId("mem", member_id),
        pusher_id: showIdOrNull("psh", pusher_id),
        scopes,
        asks_first,
      })),
    };
  },
});
