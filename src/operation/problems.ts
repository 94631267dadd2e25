// Turns what a schema refused into our one 422: the dotted path of the field and our own words. Never echoes a value.

import { z } from "zod";
import { ApiError, invalidRequest } from "../model/errors.ts";
import { forBoth } from "../model/for_people.ts";

/** A caller's own field name may appear in `param`, but only one that looks like a name. */
const NAME = /^[\p{L}\p{N}_$-]{1,64}$/u;

function paramOf(path: PropertyKey[]): string | null {
  const parts = path.map(String);
  return parts.length > 0 && parts.every((part) => NAME.test(part)) ? parts.join(".") : null;
}

const TYPE_WORDS: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
};

/** What no form of ours sends. */
const NOT_OURS = "is not what the page sends; reload it and try again";

function words(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return forBoth("is required", "is missing");
      return /^(number|int)$/.test(issue.expected)
        ? `must be ${TYPE_WORDS[issue.expected]}`
        : forBoth(`must be ${TYPE_WORDS[issue.expected] ?? "of another type"}`, NOT_OURS);
    case "invalid_value":
      return forBoth(
        `must be one of ${issue.values.map(String).join(", ")}`,
        "must be one of the choices that the page offers",
      );
    default:
      return issue.message;
  }
}

/** The schema of the object at a path, whatever is wrapped around it; null where no object stands. */
function objectAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodObject | null {
  let at: z.ZodType | undefined = schema;
  const steps = [...path];
  while (at) {
    if (at instanceof z.ZodOptional || at instanceof z.ZodNullable) at = at.unwrap() as z.ZodType;
    else if (at instanceof z.ZodPipe) at = at.in as z.ZodType;
    else if (at instanceof z.ZodArray && steps.length > 0) {
      steps.shift();
      at = at.element as z.ZodType;
    } else if (!(at instanceof z.ZodObject)) return null;
    else if (steps.length === 0) return at;
    else at = at.shape[String(steps.shift())] as z.ZodType | undefined;
  }
  return null;
}

/** The message names all that is taken in its place (rules#wrong-field-names-the-right-ones). */
function unknownField(schema: z.ZodType, path: PropertyKey[], key: string, beside: readonly string[]): ApiError {
  const known = Object.keys(objectAt(schema, path)?.shape ?? {});
  const names = path.length > 0 ? known : [...known, ...beside];
  const taken = names.length > 0 ? `Accepted: ${names.join(", ")}.` : "Nothing is accepted here.";
  return invalidRequest(
    forBoth(`This field is not known here. ${taken}`, `A field of the form ${NOT_OURS}.`),
    paramOf([...path, key]),
  );
}

/** A refusal names at most so many fields. */
const MAX_WRONG = 40;

/**
 * What is wrong with an input, as the refusal that the caller gets: the first thing is its message, and all of them are its
 * fields. `beside`: arguments that are taken and that the schema does not hold.
 */
export function invalidInput(
  error: Pick<z.ZodError, "issues">,
  schema: z.ZodType,
  beside: readonly string[] = [],
): ApiError {
  const all = error.issues.slice(0, MAX_WRONG).map((issue) => invalidAt(issue, schema, beside));
  const [first] = all as [ApiError];
  const fields = [...new Map(all.flatMap((one) => one.fields.map((field) => [field.param, field]))).values()];
  return new ApiError(first.type, first.message, { param: first.param, fields });
}

function invalidAt(found: z.core.$ZodIssue, schema: z.ZodType, beside: readonly string[]): ApiError {
  // A nullable field is a union; what it refuses stands in the branch that is not null.
  let issue = found;
  let path = issue.path;
  while (issue.code === "invalid_union") {
    const branch = issue.errors.find((issues) => issues[0] && !isNullBranch(issues[0])) ?? issue.errors[0];
    if (!branch?.[0]) break;
    issue = branch[0];
    path = [...path, ...issue.path];
  }
  if (issue.code === "unrecognized_keys") return unknownField(schema, path, issue.keys[0] ?? "", beside);
  const param = paramOf(path);
  return invalidRequest(`${param ?? "The request"} ${words(issue)}.`, param);
}

function isNullBranch(issue: z.core.$ZodIssue): boolean {
  return issue.code === "invalid_type" && issue.expected === "null";
}

/**
 * 422 for the first text that no database or phone can hold, naming where it stands: a NUL, or half of a surrogate pair.
 * For arguments that a schema took, which are few and flat; those under the names in `except` are not looked at.
 */
export function refuseUnstorableText(value: object, except: readonly string[] = []): void {
  const at = unstorable(value, except);
  if (at)
    throw invalidRequest(
      forBoth(
        "Text must not hold NUL characters or broken Unicode.",
        "The text holds characters that nobody can show. Take them out.",
      ),
      paramOf(at),
    );
}

/** True for files and for any other object that is neither a list nor plain fields. */
const isNoData = (value: object): boolean =>
  !Array.isArray(value) && ![Object.prototype, null].includes(Object.getPrototypeOf(value));

/** The path of the first such text; null when all is well. The path is built on the way back. */
function unstorable(value: unknown, except: readonly string[]): string[] | null {
  if (typeof value === "string") return value.includes("\u0000") || !value.isWellFormed() ? [] : null;
  if (typeof value !== "object" || value === null || isNoData(value)) return null;
  for (const key in value) {
    if (except.includes(key)) continue;
    const path = unstorable((value as Record<string, unknown>)[key], []);
    if (path) return [key, ...path];
  }
  return null;
}
