import { z } from "zod";
import { conflict } from "../../model/errors.ts";
import { spelled } from "../../model/limits.ts";
import { defineSessionOperation } from "../../operation/tool.ts";

export default defineSessionOperation({
  name: "begin_passkey",
  title: "Begin a passkey",
  description: `Answer what a browser is to be asked for a new passkey, which takes the password. The session that asked may add it within ${spelled("passkey_minutes")} minutes.`,
  auth: "person",
  role: null,
  stepUp: "present",
  writes: "rows",
  errors: ["invalid_request", "forbidden", "conflict", "rate_limited"],
  input: z.strictObject({ present: z.string() }),
  output: z.object({ options: z.record(z.string(), z.unknown()) }),
  async handler(_input, { em, caller, services: { signIn } }) {
    const options = await signIn.passkeys.begin(em, caller.person);
    if (options) return { options };
    throw conflict(
      signIn.passkeys.possible
        ? "You have as many passkeys as one account may have. Remove one first."
        : "Browsers make no passkeys for the address of this server. It needs a name and https.",
    );
  },
});
