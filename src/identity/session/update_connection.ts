import { z } from "zod";
import { parseId } from "../../model/domain/ids.ts";
import { Connection } from "../../model/entities/connection.ts";
import { notFound } from "../../model/errors.ts";
import { defineSessionOperation } from "../../operation/tool.ts";

export default defineSessionOperation({
  name: "update_connection",
  title: "Change an assistant",
  description: "Say whether the person decides before an own assistant publishes, from its next call on.",
  auth: "member",
  role: "viewer",
  writes: "rows",
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({ connection_id: z.string(), asks_first: z.boolean() }),
  output: z.object({ id: z.string() }),
  async handler({ connection_id, asks_first }, { em, caller, tellChanged }) {
    const id = parseId("con", connection_id);
    const connection = id && (await em.findOne(Connection, { id, user_id: caller.person.id }));
    if (!connection) throw notFound("connection");
    if (connection.asks_first !== asks_first) tellChanged(["asks_first"]);
    connection.asks_first = asks_first;
    return { id: connection_id };
  },
});
