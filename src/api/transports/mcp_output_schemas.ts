// The output schemas of the tools that read, for connections that request them. They contain the names and types of all
// fields. No field is required, because results omit empty fields and have several views (rules#mcp-output-schemas).

import { z } from "zod";
import { invalidRequest } from "../../model/api_error.ts";
import type { OwnerOperation } from "../../operation/define_operation.ts";
import type { JsonSchema } from "../../operation/validation_errors.ts";

/** The query parameter of the MCP address that requests output schemas. */
const PARAMETER = "output_schemas";

/** Checks that a connection requests output schemas. @throws 422 for another value than true or false */
export function requestsOutputSchemas(url: string): boolean {
  const value = new URL(url).searchParams.get(PARAMETER);
  if (value === null || value === "false") return false;
  if (value === "true") return true;
  throw invalidRequest("invalid_value", `${PARAMETER} must be true or false.`, PARAMETER);
}

/** A schema that accepts what any of `schemas` accepts, with names and types only. */
function combine(schemas: readonly JsonSchema[]): JsonSchema {
  const branches = schemas.flatMap((schema) => schema.anyOf ?? [schema]);
  const types = branches.some(({ type }) => type === undefined)
    ? []
    : [...new Set(branches.flatMap(({ type }) => type ?? []))];
  const names = [...new Set(branches.flatMap(({ properties = {} }) => Object.keys(properties)))];
  const items = branches.map((branch) => branch.items).filter((item) => item !== undefined);
  const fields = (name: string) =>
    branches.map(({ properties }) => properties?.[name]).filter((field) => field !== undefined);
  return {
    ...(types.length > 0 ? { type: types.length === 1 ? (types[0] as string) : types } : {}),
    ...(names.length > 0 ? { properties: Object.fromEntries(names.map((name) => [name, combine(fields(name))])) } : {}),
    ...(items.length > 0 ? { items: combine(items) } : {}),
  };
}

/** Returns the output schema of a tool, of all of its views; undefined for a tool that programs do not read. */
export function createOutputSchema({ name, output, brief, titles }: OwnerOperation): JsonSchema | undefined {
  if (!/^(get|list)_/.test(name)) return;
  const views = [output, brief?.output, titles?.output].filter((view) => view !== undefined);
  return combine(views.map((view) => z.toJSONSchema(view, { io: "output", reused: "inline" }) as JsonSchema));
}
