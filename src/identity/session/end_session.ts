import { z } from "zod";
import { notFound } from "../../model/errors.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { deletedView } from "../../store/shapes/fields.ts";

export default defineSessionOperation({
  name: "end_session",
  title: "End own session",
  description: "End one of the person's sessions; its next page asks to sign in. Another person's is none.",
  auth: "person",
  role: null,
  writes: "rows",
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({ session_id: z.string() }),
  output: deletedView,
  async handler({ session_id: id }, { em, caller, services: { signIn } }) {
    const own = await signIn.sessionsOf(em, caller.person);
    if (!own.some((session) => session.id === id)) throw notFound("session");
    await signIn.endSessions(em, caller.person, [id]);
    return { deleted: true as const, id };
  },
});
