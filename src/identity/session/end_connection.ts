import { z } from "zod";
import { parseId } from "../../model/domain/ids.ts";
import { notFound } from "../../model/errors.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { lockConnection } from "../../store/queries/connections.ts";
import { deletedView } from "../../store/shapes/fields.ts";
import { endConnections } from "../auth/grants.ts";

export default defineSessionOperation({
  name: "end_connection",
  title: "Disconnect an assistant",
  description:
    "End a connection of the person: the assistant's next request is refused, on every process, and nothing can be refreshed.",
  auth: "member",
  role: "viewer",
  writes: "rows",
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({ connection_id: z.string() }),
  output: deletedView,
  async handler({ connection_id }, { em, sql, caller }) {
    const id = parseId("con", connection_id);
    const [own] = id ? await sql(lockConnection, { user_id: caller.person.id, id }) : [];
    if (!own) throw notFound("connection");
    await endConnections(em, [own.id]);
    return { deleted: true as const, id: connection_id };
  },
});
