import { z } from "zod";
import { nameProblem } from "../../model/domain/one_line.ts";
import { invalidRequest } from "../../model/errors.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { newPasskey } from "../auth/passkey_shapes.ts";

export default defineSessionOperation({
  name: "add_passkey",
  title: "Add a passkey",
  description:
    "Keep the passkey that a browser made after begin_passkey. The person can sign in with it alone from now on.",
  auth: "person",
  role: null,
  writes: "rows",
  errors: ["invalid_request", "forbidden"],
  input: z.strictObject({ name: z.string(), answer: newPasskey.nullable() }),
  output: z.object({ id: z.string() }),
  fieldProblems: ({ name }) => ({ name: nameProblem(name, "The passkey's name") }),
  async handler({ name, answer }, { em, caller, services: { signIn } }) {
    const given = answer && { name: name.trim(), answer };
    const id = given && (await signIn.passkeys.add(em, caller.person, given));
    if (!id)
      throw invalidRequest(
        "The browser's answer was not accepted, or it came too late. Add the passkey once more.",
      );
    return { id };
  },
});
