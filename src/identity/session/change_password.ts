import { z } from "zod";
import { passwordProblem } from "../../model/domain/passwords.ts";
import { refuseFields } from "../../model/errors.ts";
import { defineSessionOperation } from "../../operation/tool.ts";

export default defineSessionOperation({
  name: "change_password",
  title: "Change own password",
  description: "Set a new password, which takes the current one. Every other session of the person ends.",
  auth: "person",
  role: null,
  stepUp: "present",
  writes: "rows",
  errors: ["invalid_request", "forbidden", "rate_limited"],
  input: z.strictObject({ present: z.string(), next: z.string() }),
  output: z.object({ ended_sessions: z.int() }),
  fieldProblems: ({ next }) => ({ next: passwordProblem(next) }),
  async handler({ next }, { em, caller, services: { signIn } }) {
    const { person } = caller;
    refuseFields({ next: await signIn.passwordProblem(em, person, next) });
    await signIn.setPassword(em, person, next);
    const all = (await signIn.sessionsOf(em, person)).map(({ id }) => id);
    const others = all.filter((id) => id !== person.sessionId);
    await signIn.endSessions(em, person, others);
    return { ended_sessions: others.length };
  },
});
