import { z } from "zod";
import { conflict } from "../../model/errors.ts";
import { defineSessionOperation } from "../../operation/tool.ts";

export default defineSessionOperation({
  name: "begin_second_factor",
  title: "Begin two-factor authentication",
  description:
    "Make a secret for an app that shows codes, which takes the password. It counts for nothing until a code of it is shown; a later one takes its place.",
  auth: "person",
  role: null,
  stepUp: "present",
  writes: "rows",
  errors: ["invalid_request", "forbidden", "conflict", "rate_limited"],
  input: z.strictObject({ present: z.string() }),
  output: z.object({ uri: z.string(), secret: z.string() }),
  async handler(_input, { em, caller, services: { signIn } }) {
    const begun = await signIn.secondFactor.begin(em, caller.person);
    if (!begun)
      throw conflict("Two-factor authentication is on already. Turn it off first to use another app.");
    return begun;
  },
});
