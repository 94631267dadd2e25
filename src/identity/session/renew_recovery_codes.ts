import { z } from "zod";
import { conflict } from "../../model/errors.ts";
import { defineSessionOperation } from "../../operation/tool.ts";

export default defineSessionOperation({
  name: "renew_recovery_codes",
  title: "Make new recovery codes",
  description:
    "Make other recovery codes, which takes the password. The earlier ones end; the new ones are shown only now.",
  auth: "person",
  role: null,
  stepUp: "present",
  writes: "rows",
  errors: ["invalid_request", "forbidden", "conflict", "rate_limited"],
  input: z.strictObject({ present: z.string() }),
  output: z.object({ recovery_codes: z.array(z.string()) }),
  async handler(_input, { em, caller, services: { signIn } }) {
    const codes = await signIn.secondFactor.renewCodes(em, caller.person);
    if (!codes) throw conflict("Two-factor authentication is off, so there are no recovery codes.");
    return { recovery_codes: codes };
  },
});
