import { z } from "zod";
import { conflict, invalidRequest } from "../../model/errors.ts";
import { defineSessionOperation } from "../../operation/tool.ts";

export default defineSessionOperation({
  name: "confirm_second_factor",
  title: "Turn two-factor authentication on",
  description:
    "Turn it on by a code of the app, and answer the recovery codes, which are shown only now. Every other session of the person ends.",
  auth: "person",
  role: null,
  writes: "rows",
  errors: ["invalid_request", "forbidden", "conflict"],
  input: z.strictObject({ code: z.string().max(40) }),
  output: z.object({ recovery_codes: z.array(z.string()) }),
  async handler({ code }, { em, caller: { person }, services: { signIn } }) {
    const codes = await signIn.secondFactor.confirm(em, person, code.replace(/\s/g, ""));
    if (codes === null)
      throw conflict("Nothing was begun, or it is on already. Begin again on your account's page.");
    if (codes === false)
      throw invalidRequest(
        "This code is not right. Codes change every 30 seconds; check the clock of your phone.",
        "code",
      );
    const others = (await signIn.sessionsOf(em, person)).filter(({ id }) => id !== person.sessionId);
    await signIn.endSessions(
      em,
      person,
      others.map(({ id }) => id),
    );
    return { recovery_codes: codes };
  },
});
