// How long a password is. Whether it is the right one, only sign-in knows.

export const MIN_PASSWORD = 10;
export const MAX_PASSWORD = 128;

/** What is wrong with a new password, or null. */
export const passwordProblem = (password: string): string | null =>
  password.length < MIN_PASSWORD || password.length > MAX_PASSWORD
    ? `A password has ${MIN_PASSWORD} to ${MAX_PASSWORD} characters.`
    : null;
