// Reads the arguments of a call as assistants and command lines write them, where the schema leaves no doubt. Bodies of
// REST stay as they are.

import { type ApiError, invalidRequest } from "../model/api_error.ts";
import type { OwnerOperation } from "./define_operation.ts";
import { acceptsNull, type JsonSchema, removeNullFromSchema, toJsonSchema } from "./validation_errors.ts";

type Values = Record<string, unknown>;

/** The argument of an edit that names the fields to empty, for clients that cannot send null. */
export const CLEAR_ARGUMENT_NAME = "clear";

export const CLEAR_ARGUMENT_SCHEMA: JsonSchema = {
  description: "Fields to clear, as if set to null.",
  type: "array",
  items: { type: "string" },
};

/** True for a tool whose calls may empty fields: an edit, in which absent fields stay and null clears them. */
export const operationTakesClearArgument = ({
  http: { method, when },
  takesChanges,
  creates,
}: Pick<OwnerOperation, "http" | "takesChanges" | "creates">): boolean =>
  !creates && (takesChanges === true || (method === "PATCH" && !when));

/**
 * The arguments in the types of the schema. Null for an optional argument is absent, except where it empties a field.
 * Text is read as the JSON of a number, truth value, list or object where the schema has that type. Times may omit
 * seconds. `from` and `to` of a range may be dates, which count whole in UTC or in the named zone. Other values stay as
 * they are, so the operation refuses them by name (rules#lenient-arguments).
 */
export function parseLenientArguments(tool: OwnerOperation, given: Values): Values {
  const schema = toJsonSchema(tool.input);
  const clears = operationTakesClearArgument(tool);
  const { [CLEAR_ARGUMENT_NAME]: named, ...rest } = given;
  const args = readFields(schema, clears ? rest : given, clears);
  if (!clears || named === undefined || named === null) return args;
  const list = readValue(CLEAR_ARGUMENT_SCHEMA, named);
  const names = typeof list === "string" ? [list] : list;
  const isPlain =
    Array.isArray(names) && names.every((name) => typeof name === "string" && (args[name] ?? null) === null);
  // The refusal names it (`refuseInvalidClearArgument`).
  if (!isPlain) return { ...args, [CLEAR_ARGUMENT_NAME]: named };
  return { ...args, ...Object.fromEntries(names.map((name) => [name, null])) };
}

/** @throws 422 for names of fields to empty that could not be read, or that the call also sets. */
export function refuseInvalidClearArgument(tool: OwnerOperation, args: Values): void {
  if (operationTakesClearArgument(tool) && Object.hasOwn(args, CLEAR_ARGUMENT_NAME))
    throw invalidRequest(
      "mutually_exclusive_fields",
      "The field “clear” must be a list of field names that are not also set in this call.",
      CLEAR_ARGUMENT_NAME,
    );
}

function readFields({ properties = {}, required = [] }: JsonSchema, values: Values, keepsNull: boolean): Values {
  const isAbsent = (name: string, value: unknown) =>
    value === null &&
    Object.hasOwn(properties, name) &&
    !required.includes(name) &&
    !(keepsNull && acceptsNull(properties[name] as JsonSchema));
  const kept = Object.entries(values).filter(([name, value]) => !isAbsent(name, value));
  return Object.fromEntries(
    kept.map(([name, value]) => [
      name,
      Object.hasOwn(properties, name) ? readValue(properties[name] as JsonSchema, value, name) : value,
    ]),
  );
}

function readValue(schema: JsonSchema, value: unknown, name = ""): unknown {
  const one = removeNullFromSchema(schema);
  const read = typeof value === "string" ? readText(one, value, name) : value;
  if (Array.isArray(read) && one.items) return read.map((item) => readValue(one.items as JsonSchema, item));
  if (one.properties && typeof read === "object" && read !== null && !Array.isArray(read))
    return readFields(one, read as Values, false);
  return read;
}

/** Characters of a text that is read as a list or an object. */
const MAX_JSON = 65_536;

const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

function readText({ type, format }: JsonSchema, value: string, name: string): unknown {
  const text = value.trim();
  if (type === "number" || type === "integer") return NUMBER.test(text) ? Number(text) : value;
  if (type === "boolean") return /^(true|false)$/i.test(text) ? text.toLowerCase() === "true" : value;
  if (type === "array" || type === "object") return readJson(text, type) ?? value;
  return type === "string" && format === "date-time" ? readTime(text, name) : value;
}

function readJson(text: string, type: "array" | "object"): unknown {
  if (!text.startsWith(type === "array" ? "[" : "{") || text.length > MAX_JSON) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const WITHOUT_SECONDS = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d) ?([Zz]|[+-]\d\d:\d\d)$/;
const DAY = /^(\d{4}-\d\d-\d\d)(?: ([A-Za-z][A-Za-z0-9_+/-]{1,63}))?$/;
const DAY_MS = 86_400_000;

function readTime(text: string, name: string): string {
  const [, day, minute, offset] = WITHOUT_SECONDS.exec(text) ?? [];
  if (day !== undefined) return `${day}T${minute}:00${offset}`;
  const [, date = "", zone] = DAY.exec(text) ?? [];
  const start = Date.parse(`${date}T00:00:00Z`);
  if (!["from", "to"].includes(name) || Number.isNaN(start)) return text;
  // A range ends before `to`, and the last day is part of it.
  const edge = new Date(name === "to" ? start + DAY_MS : start).toISOString().slice(0, 10);
  return zone === undefined ? `${edge}T00:00:00Z` : `${edge}T00:00 ${zone}`;
}

const PUBLISHES = "Nothing was sent.";
const CHANGES = "Nothing was changed.";

/** Refusals that are certain to have no effect. A fault may come after the commit. */
const WITHOUT_EFFECT = new Set(["invalid_request", "not_found", "conflict", "forbidden", "rate_limited"]);

/**
 * The refusal of a call, beginning with its effect: that nothing was done. Unchanged where the call changes nothing
 * anyway, where a draft was saved, and where the effect is unknown (rules#refusal-begins-with-effect).
 */
export function prefixErrorWithEffect(refused: ApiError, tool: OwnerOperation, args: Values): ApiError {
  const { type, review, message } = refused;
  const isCertain = WITHOUT_EFFECT.has(type) || (type === "insufficient_scope" && review === null);
  if (tool.readOnly || !isCertain) return refused;
  refused.message = `${tool.leadsToReview || args.send === true ? PUBLISHES : CHANGES} ${message}`;
  return refused;
}
