import { z } from "zod";
import { notFound } from "../../model/errors.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { deletedView } from "../../store/shapes/fields.ts";

export default defineSessionOperation({
  name: "remove_passkey",
  title: "Remove a passkey",
  description:
    "Forget one of the person's passkeys: nobody signs in with it any more. Another person's is none.",
  auth: "person",
  role: null,
  writes: "rows",
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({ passkey_id: z.string() }),
  output: deletedView,
  async handler({ passkey_id: id }, { em, caller, services: { signIn } }) {
    if (!(await signIn.passkeys.remove(em, caller.person, id))) throw notFound("passkey");
    return { deleted: true as const, id };
  },
});
