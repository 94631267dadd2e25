// The JSON Schema of an operation's input, made once from its zod schema: MCP, CLI and the query string read it.

import { z } from "zod";

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
export function stripNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  const branch = anyOf?.find(({ type }) => type !== "null");
  if (branch) return { ...branch, ...rest };
  const [type] = [schema.type].flat().filter((one) => one !== "null");
  return Array.isArray(schema.type) && type !== undefined ? { ...schema, type } : schema;
}

/** True for the schema of a field that may be null. */
export const acceptsNull = ({ type, anyOf = [] }: JsonSchema): boolean =>
  [type].flat().includes("null") || anyOf.some((one) => one.type === "null");
