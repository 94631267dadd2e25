// Checks of a new password apart from its length: it must not be on a list of common ones, or contain the user's name.
// The list is part of the service, without external requests, and loaded on first use.

import type { FieldValidationFailure } from "../../model/api_and_ui_error_texts.ts";
import { getPasswordLengthFailure } from "../../model/domain/account_input_validation.ts";
import { lazy } from "../../store/db/lazy.ts";

const commonWords = lazy(async () => {
  const { dictionary } = await import("@zxcvbn-ts/language-common");
  return new Set(dictionary["passwords-common"]);
});

/** The number of digits and symbols around a common password that do not make it better. */
const AROUND = 6;
const EDGES = /^[^\p{L}]*|[^\p{L}]*$/gu;
const LEAST_DIFFERENT = 4;

const weak = (message: string): FieldValidationFailure => ({ code: "invalid_value", message });

const COMMON = weak("This password is too common. Try several unrelated words.");
const OWN = weak("This password is the same as your name or e-mail address. Choose one that others cannot guess.");

const core = (text: string) => text.replace(EDGES, "");

/** The fault that a form shows; null for a password that may be set. `email` and `name` are the account's. */
export async function validatePasswordStrength(
  password: string,
  { email, name }: { email: string; name: string },
): Promise<FieldValidationFailure | null> {
  const wrong = getPasswordLengthFailure(password);
  if (wrong) return wrong;
  const small = password.toLowerCase();
  const word = core(small);
  const near = small.length - word.length <= AROUND;
  const own = [email, email.replace(/@.*/s, ""), name].map((text) => text.trim().toLowerCase());
  if (own.some((text) => text !== "" && (small === text || (near && word === core(text))))) return OWN;
  const common = await commonWords();
  if (common.has(small) || (near && common.has(word)) || new Set(small).size < LEAST_DIFFERENT) return COMMON;
  return null;
}
