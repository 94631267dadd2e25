import { z } from "zod";
import { parseId } from "../../model/domain/ids.ts";
import { notFound } from "../../model/errors.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
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
  async handler({ connection_id }, { em, caller }) {
    const id = parseId("con", connection_id);
    const ended = id ? await endConnections(em, { id, user_id: caller.person.id }) : 0;
    if (ended === 0) throw notFound("connection");
    return { deleted: true as const, id: connection_id };
  },
});
