// Validation of names and e-mail addresses that appear in one line of a page, mail or log, and of the length of a
// password.

import type { FieldValidationFailure } from "../api_and_ui_error_texts.ts";
import { invalidRequest } from "../api_error.ts";
import { findNeedlessInvisibleKind, hasControlCharacters } from "../fields/invisible_characters.ts";
import { LIMITS } from "../limits.ts";

/** Line breaks and control characters, and what is not seen or turns the direction of the text around it. */
const breaks = (text: string): boolean =>
  hasControlCharacters(text, { lines: false }) || findNeedlessInvisibleKind(text) !== null;

/** Returns the problem of a name, or null. `what` starts the message, for example "The workspace's name". */
export function getNameFailure(name: string, what: string): FieldValidationFailure | null {
  const text = name.trim();
  if (text === "") return { code: "empty_text", message: `${what} is missing.` };
  if (text.length > LIMITS.name)
    return { code: "too_long", message: `${what} can have at most ${LIMITS.name} characters.` };
  if (!breaks(text)) return null;
  return { code: "invalid_characters", message: `${what} must be one line, without control or invisible characters.` };
}

/** Names that pages use for missing names. A person cannot have one of them. */
const OURS = new Set(
  [
    "the operator",
    "operator",
    "somebody",
    "someone",
    "unknown",
    "you",
    "a member",
    "a key",
    "an assistant",
    "belfry",
    "the service",
  ].map(plain),
);

/** Without what makes two names look alike that are not: case, accents, wide letters, marks between the letters. */
function plain(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/** Returns the problem of a person's name, or null. */
export const getPersonNameFailure = (name: string): FieldValidationFailure | null =>
  getNameFailure(name, "Your name") ??
  (OURS.has(plain(name)) ? { code: "invalid_value", message: "This name is reserved. Choose another name." } : null);

/** The name without spaces around it. @throws 422. */
export function parseOneLineName(name: string, what: string): string {
  const problem = getNameFailure(name, what);
  if (problem) throw invalidRequest(problem.code, problem.message, "name");
  return name.trim();
}

const EMAIL = new RegExp(`^[^\\s@]{1,64}@[^\\s@]{1,${LIMITS.email - 65}}$`);

/** Returns the problem of an e-mail address, or null. Only a mail can verify that it exists. */
export const getEmailFailure = (email: string): FieldValidationFailure | null =>
  EMAIL.test(email) && !breaks(email)
    ? null
    : { code: "invalid_format", message: "Enter a complete e-mail address, such as name@example.org." };

/** Returns the problem of a new password, or null. */
export const getPasswordLengthFailure = (password: string): FieldValidationFailure | null =>
  password.length < LIMITS.password_least || password.length > LIMITS.password
    ? {
        code: "invalid_value",
        message: `The password must be ${LIMITS.password_least} to ${LIMITS.password} characters long.`,
      }
    : null;
