// A signed-in person's own sign-in: the password once more, the sessions, a new password. The rows are the library's; they
// change in the transaction of the operation that asks.

import type { SignInSupport } from "../../store/context.ts";
import { newPasswordProblem } from "./new_password.ts";
import { createOwnPasskeys } from "./own_passkeys.ts";
import { createSecondFactor } from "./second_factor.ts";
import type { SignInLibrary } from "./sign_in_library.ts";
import type { Throttle } from "./sign_in_throttle.ts";

export function createOwnSignIn(options: {
  library: SignInLibrary;
  throttle: Throttle;
  publicUrl: string;
  now: () => Date;
}): SignInSupport {
  const { library, throttle, publicUrl, now } = options;
  return {
    secondFactor: createSecondFactor(library),
    passkeys: createOwnPasskeys(library, publicUrl, now),

    proves: (person, given) =>
      throttle.proof(person.id, () =>
        throttle.inTurn("known", () => library.provesPassword(person.id, given)),
      ),

    sessionsOf: (em, person) =>
      library.inTransaction(em, async (accounts) =>
        (await accounts.listSessions(person.id)).map(
          ({ id, userAgent, ipAddress, createdAt, updatedAt, expiresAt }) => ({
            id,
            userAgent: userAgent ?? null,
            address: ipAddress ?? null,
            createdAt,
            updatedAt,
            expiresAt,
          }),
        ),
      ),

    endSessions: (em, person, ids) =>
      library.inTransaction(em, async (accounts) => {
        for (const { id, token } of await accounts.listSessions(person.id))
          if (ids.includes(id)) await accounts.deleteSession(token);
      }),

    async passwordProblem(em, person, next) {
      const user = await library.inTransaction(em, (accounts) => accounts.findUserById(person.id));
      return newPasswordProblem(next, { email: user?.email ?? "", name: user?.name ?? "" });
    },

    async setPassword(em, person, next) {
      const hash = await throttle.inTurn("known", () => library.hashPassword(next));
      await library.inTransaction(em, (accounts) => accounts.updatePassword(person.id, hash));
    },
  };
}
