// What a refusal says to programs, and the same for who fills in a form. A sentence that speaks of arguments, formats or other words of
// the API is written with both, where it is made; every other one is for everybody as it stands.

import type { ApiError, WrongField } from "./errors.ts";

const FOR_PEOPLE = new Map<string, string>();

/**
 * A sentence for programs, which is answered, and the one that pages say in its place. Both are whole, or both are what follows the
 * name of a field, without the full stop. They are kept for ever, so nothing that a caller wrote may stand in them.
 */
export function forBoth(program: string, person: string): string {
  FOR_PEOPLE.set(program, person);
  return program;
}

/** What a page says of a wrong field, which it calls `label` where the sentence begins with the field's name. */
export function wordsForPeople({ param, message }: WrongField, label: string): string {
  const whole = FOR_PEOPLE.get(message);
  if (whole !== undefined || !message.startsWith(`${param} `)) return whole ?? message;
  const rest = message.slice(param.length + 1).replace(/\.$/, "");
  return `${label} ${FOR_PEOPLE.get(rest) ?? rest}.`;
}

/** What a page says that shows a refusal whole. */
export function sentenceForPeople({ type, message, headers, fields }: ApiError): string {
  const wait = headers["retry-after"];
  if (type === "rate_limited" && wait !== undefined)
    return `That was too much in a short time. Try again in ${wait} seconds.`;
  const [first] = fields;
  return first?.message === message ? wordsForPeople(first, "What you wrote") : (FOR_PEOPLE.get(message) ?? message);
}
