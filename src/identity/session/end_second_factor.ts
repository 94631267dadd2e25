import { z } from "zod";
import { conflict } from "../../model/errors.ts";
import { defineSessionOperation } from "../../operation/tool.ts";

export default defineSessionOperation({
  name: "end_second_factor",
  title: "Turn two-factor authentication off",
  description: "Sign in by the password alone again, which takes the password. The recovery codes end, too.",
  auth: "person",
  role: null,
  stepUp: "present",
  writes: "rows",
  errors: ["invalid_request", "forbidden", "conflict", "rate_limited"],
  input: z.strictObject({ present: z.string() }),
  output: z.object({ ended: z.literal(true) }),
  async handler(_input, { em, caller, services: { signIn } }) {
    if (!(await signIn.secondFactor.end(em, caller.person)))
      throw conflict("Two-factor authentication is off already.");
    return { ended: true as const };
  },
});
