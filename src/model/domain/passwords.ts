// How long a password is. Whether it is the right one, only sign-in knows.

import { LIMITS } from "../limits.ts";

/** What is wrong with a new password, or null. */
export const passwordProblem = (password: string): string | null =>
  password.length < LIMITS.password_least || password.length > LIMITS.password
    ? `A password has ${LIMITS.password_least} to ${LIMITS.password} characters.`
    : null;
