// Names and addresses that stand in one line of a page, a mail or a log: no line breaks, no control characters.

import { invalidRequest } from "../errors.ts";

/** Control characters, and what breaks a line or turns the direction of the text around it. */
const BREAKING = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** Longest name of a workspace, a member or a key, in characters. */
export const MAX_NAME = 80;

/** What is wrong with a name, or null. `what` begins the sentence: "The workspace's name". */
export function nameProblem(name: string, what: string): string | null {
  const text = name.trim();
  if (text === "") return `${what} is missing.`;
  if (text.length > MAX_NAME) return `${what} may have at most ${MAX_NAME} characters.`;
  return BREAKING.test(text) ? `${what} must be one line, without control characters.` : null;
}

/** The name without spaces around it. @throws 422. */
export function oneLineName(name: string, what: string, param = "name"): string {
  const problem = nameProblem(name, what);
  if (problem) throw invalidRequest(problem, param);
  return name.trim();
}

/** What is wrong with an e-mail address, or null. Whether somebody reads mail there, only a mail can tell. */
export const emailProblem = (email: string): string | null =>
  /^[^\s@]{1,64}@[^\s@]{1,189}$/.test(email) && !BREAKING.test(email)
    ? null
    : "Give a whole e-mail address, such as name@example.org.";
