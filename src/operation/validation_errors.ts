// Conversion of schema errors to our 422, with the dotted path of the field and our own text, never with a value.
// It also makes the JSON Schema of an operation's input, once from its zod schema. MCP, CLI and query strings read it.

import { z } from "zod";
import {
  createApiAndUiText,
  type ErrorMessage,
  FIELD_LABEL_PLACEHOLDER,
  getErrorTextForApi,
  getErrorTextForUi,
  REQUIRED_FIELD_MESSAGE,
  type ZodRefineParams,
} from "../model/api_and_ui_error_texts.ts";
import { ApiError, type FieldErrorInput, invalidRequest } from "../model/api_error.ts";
import { mergeCheckErrors } from "../model/domain/alert_validation.ts";
import type { ErrorCodeOfType } from "../model/error_codes.ts";

type FieldCode = ErrorCodeOfType<"invalid_request">;

/** A caller's own field name may appear in `param`, but only one that looks like a name. */
const NAME = /^[\p{L}\p{N}_$-]{1,64}$/u;

function paramOf(path: PropertyKey[]): string | null {
  const parts = path.map(String);
  return parts.length > 0 && parts.every((part) => NAME.test(part)) ? parts.join(".") : null;
}

const TYPE_NAMES: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
};

/** A fault that no form of ours can have. */
const NOT_OURS = "is not valid; reload the page and try again";

const SIZE_CODES: Record<string, FieldCode> = { string: "too_long", array: "wrong_item_count" };

/** The code of an issue, and the text after the field's name. */
function faultOf(issue: z.core.$ZodIssue): { code: FieldCode; message: ErrorMessage } {
  switch (issue.code) {
    case "invalid_type": {
      if (issue.input === undefined) return { code: "field_required", message: REQUIRED_FIELD_MESSAGE };
      const api = `must be ${TYPE_NAMES[issue.expected] ?? "a value of a different type"}`;
      const isNumber = issue.expected === "number" || issue.expected === "int";
      return { code: "wrong_type", message: isNumber ? api : createApiAndUiText(api, NOT_OURS) };
    }
    case "invalid_value": {
      const api = `must be one of ${issue.values.map(String).join(", ")}`;
      if (issue.input === undefined)
        return {
          code: "field_required",
          message: createApiAndUiText(`is required and ${api}`, REQUIRED_FIELD_MESSAGE.ui),
        };
      return { code: "invalid_choice", message: createApiAndUiText(api, "must be one of the available choices") };
    }
    case "too_small":
    case "too_big": {
      const code = SIZE_CODES[issue.origin] ?? "out_of_range";
      if (issue.code === "too_small" && issue.origin === "array" && issue.minimum === 1)
        return { code, message: createApiAndUiText("must contain at least one item", "requires at least one choice") };
      if (issue.origin === "string") return { code, message: createApiAndUiText(issue.message, "is too long") };
      return { code, message: issue.message };
    }
    case "custom": {
      const { code = "invalid_value", ui = issue.message } = (issue.params ?? {}) as Partial<ZodRefineParams["params"]>;
      return { code, message: createApiAndUiText(issue.message, ui) };
    }
    default:
      return { code: "invalid_format", message: issue.message };
  }
}

/** Returns the schema of the object at a path, without wrappers; null without one. */
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

/** The fields that an object accepts, as a sentence (rules#wrong-field-names-the-right-ones). */
function acceptedAt(schema: z.ZodType, path: PropertyKey[], beside: readonly string[]): string {
  const known = Object.keys(objectAt(schema, path)?.shape ?? {});
  const names = path.length > 0 ? known : [...known, ...beside];
  return names.length > 0 ? `Accepted: ${names.join(", ")}.` : "No fields are accepted here.";
}

/** The maximum number of fields in an error. */
const MAX_WRONG = 40;

/** A fault with the path of its field; null for a path that is not named. */
type Fault = { param: string | null; code: FieldCode; message: ErrorMessage };

/**
 * The refusal of an input that a schema did not accept: the first fault is its message, and all faults are its fields.
 * `beside`: accepted arguments that the schema does not have.
 */
export function createValidationError(
  error: Pick<z.ZodError, "issues">,
  schema: z.ZodType,
  beside: readonly string[] = [],
): ApiError {
  const faults = error.issues.slice(0, MAX_WRONG).flatMap((issue) => faultsAt(issue, schema, beside));
  const [first] = faults as [Fault];
  const fields = new Map<string, FieldErrorInput>();
  for (const { param, ...fault } of faults.slice(0, MAX_WRONG))
    if (param !== null && !fields.has(param)) fields.set(param, { param, ...fault });
  return new ApiError(first.code, first.message, { param: first.param, fields: [...fields.values()] });
}

function faultsAt(found: z.core.$ZodIssue, schema: z.ZodType, beside: readonly string[]): Fault[] {
  // A nullable field is a union; its faults are in the branch that is not null.
  let issue = found;
  let path = issue.path;
  while (issue.code === "invalid_union") {
    const branch = issue.errors.find((issues) => issues[0] && !isNullBranch(issues[0])) ?? issue.errors[0];
    if (!branch?.[0]) break;
    issue = branch[0];
    path = [...path, ...issue.path];
  }
  if (issue.code === "unrecognized_keys") {
    // The list of accepted fields is in the first message only.
    return issue.keys
      .slice(0, MAX_WRONG)
      .map((key, i) => ({
        param: paramOf([...path, key]),
        code: "unknown_field",
        message: createApiAndUiText(
          i === 0 ? `Unknown field. ${acceptedAt(schema, path, beside)}` : "Unknown field.",
          `A field in the form ${NOT_OURS}.`,
        ),
      }));
  }
  const param = paramOf(path);
  const { code, message } = faultOf(issue);
  const ui = `${param === null ? "The request" : FIELD_LABEL_PLACEHOLDER} ${getErrorTextForUi(message)}.`;
  return [
    { param, code, message: createApiAndUiText(`${param ?? "The request"} ${getErrorTextForApi(message)}.`, ui) },
  ];
}

function isNullBranch(issue: z.core.$ZodIssue): boolean {
  return issue.code === "invalid_type" && issue.expected === "null";
}

type ContentProblem = (valid: Record<string, unknown>, wrong: ReadonlySet<string>) => ApiError | null;

interface ParseOptions {
  /** Arguments that are looked up and never stored, so they may have any characters (rules#ids). */
  ids?: readonly string[];
  /** Accepted arguments that the schema does not have. */
  beside?: readonly string[];
  /** Returns the problem of the content of the valid fields; `wrong` are the names of the others. */
  contentProblem?: ContentProblem;
}

/**
 * Validates the schema and then the texts, which are small enough by then.
 * @throws 422 with all problems, also those of the content of valid fields (rules#error-problems)
 */
export function parseInput(
  schema: z.ZodObject,
  args: unknown,
  { ids = [], beside = [], contentProblem }: ParseOptions = {},
): Record<string, unknown> {
  const result = schema.safeParse(args, { reportInput: true });
  const text = result.success ? unstorable(args, ids) : null;
  if (result.success && !text) return result.data;
  const refused = result.success ? createTextError(text ?? []) : createValidationError(result.error, schema, beside);
  throw contentProblem ? mergeCheckErrors(refused, findContentProblem(schema, args, refused, contentProblem)) : refused;
}

function findContentProblem(schema: z.ZodObject, args: unknown, refused: ApiError, find: ContentProblem) {
  if (typeof args !== "object" || args === null) return null;
  const wrong = new Set(refused.fields.map(({ param }) => param.replace(/\..*/, "")));
  const valid: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.shape)) {
    if (wrong.has(name)) continue;
    const { success, data } = field.safeParse((args as Record<string, unknown>)[name]);
    if (!success) wrong.add(name);
    else if (data !== undefined) valid[name] = data;
  }
  return find(valid, wrong);
}

/**
 * Throws 422 with the path of the first text that cannot be stored: with a NUL, or half of a surrogate pair. It is for
 * validated arguments, which are few and flat.
 */
export function refuseUnstorableText(value: object): void {
  const at = unstorable(value, []);
  if (at) throw createTextError(at);
}

const createTextError = (path: string[]) =>
  invalidRequest(
    "invalid_characters",
    createApiAndUiText(
      "The text contains NUL characters or invalid Unicode. Remove them.",
      "The text contains characters that cannot be displayed. Remove them.",
    ),
    paramOf(path),
  );

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

export interface JsonSchema {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  enum?: unknown[];
  format?: string;
  description?: string;
  [keyword: string]: unknown;
}

const made = new WeakMap<z.ZodType, JsonSchema>();

/** Returns the JSON Schema of the input, before defaults and transforms, without references. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  let json = made.get(schema);
  if (!json) {
    const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input", reused: "inline" }) as JsonSchema;
    json = rest;
    made.set(schema, json);
  }
  return json;
}

/** The part of a nullable field's schema that is not null. */
export function removeNullFromSchema(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  const branch = anyOf?.find(({ type }) => type !== "null");
  if (branch) return { ...branch, ...rest };
  const [type] = [schema.type].flat().filter((one) => one !== "null");
  return Array.isArray(schema.type) && type !== undefined ? { ...schema, type } : schema;
}

/** True for the schema of a field that may be null. */
export const acceptsNull = ({ type, anyOf = [] }: JsonSchema): boolean =>
  [type].flat().includes("null") || anyOf.some((one) => one.type === "null");
