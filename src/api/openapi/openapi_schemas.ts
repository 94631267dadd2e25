// Converts zod schemas to the document's schemas. Shared shapes become components by their name. A shape that only adds
// fields to another one references it. Responses stay open, because fields may be added within a version.

import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { ZOD_SCHEMA_NAMES } from "../../model/fields/schema_names.ts";
import { type JsonSchema, toJsonSchema } from "../../operation/validation_errors.ts";
import { addMissingDescriptions } from "./field_descriptions.ts";

/** Marks a schema that is shared; never reaches the document. */
const NAME = "x-name";
const INSTANT = /(_at|^next_before|^now)$/;

/** The caller's input, as the document shows it. */
export function toRequestSchema(schema: z.ZodType): JsonSchema {
  return tidy(structuredClone(toJsonSchema(schema)));
}

/** A response, its shared parts marked by name. */
export function toResponseSchema(schema: z.ZodType): JsonSchema {
  const made = z.toJSONSchema(schema, {
    io: "output",
    reused: "inline",
    override: ({ zodSchema, jsonSchema }) => {
      const name = ZOD_SCHEMA_NAMES.get(zodSchema)?.name;
      if (name) (jsonSchema as JsonSchema)[NAME] = name;
    },
  }) as JsonSchema;
  const { $schema: _, ...rest } = made;
  return tidy(open(addMissingDescriptions(rest)));
}

/** Nothing in a response is closed (rules#additive). Times are detected by their names. */
function open(schema: JsonSchema): JsonSchema {
  return walk(schema, (node) => {
    if (node.additionalProperties === false) delete node.additionalProperties;
    for (const [name, field] of Object.entries(node.properties ?? {})) {
      const isText = field.type === "string" || isDeepStrictEqual(field.type, ["string", "null"]);
      if (isText && INSTANT.test(name) && !field.format) field.format = "date-time";
    }
    return node;
  });
}

/**
 * The same schema in a shorter form: `T | null` as one type, and no limits that only mean "an integer of JavaScript".
 */
function tidy(schema: JsonSchema): JsonSchema {
  return walk(schema, (node) => {
    if (node.type === "integer") {
      if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
      if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
    }
    const [branch, nothing, ...others] = node.anyOf ?? [];
    if (!branch || nothing?.type !== "null" || others.length > 0 || typeof branch.type !== "string") return node;
    if (branch[NAME]) return node;
    const { anyOf: _, ...beside } = node;
    const values = branch.enum ? { enum: [...branch.enum, null] } : {};
    return { ...branch, ...beside, type: [branch.type, "null"], ...values };
  });
}

function walk(schema: JsonSchema, change: (node: JsonSchema) => JsonSchema): JsonSchema {
  const node = { ...schema };
  if (node.properties)
    node.properties = Object.fromEntries(
      Object.entries(node.properties).map(([name, field]) => [name, walk(field, change)]),
    );
  if (node.items) node.items = walk(node.items, change);
  if (typeof node.additionalProperties === "object")
    node.additionalProperties = walk(node.additionalProperties as JsonSchema, change);
  for (const key of ["anyOf", "oneOf", "allOf"] as const)
    if (node[key]) node[key] = (node[key] as JsonSchema[]).map((branch) => walk(branch, change));
  return change(node);
}

/** The document's component schemas, filled while responses are converted. */
export class ComponentSchemas {
  readonly schemas = new Map<string, JsonSchema>();
  /** Every named shape, whole, so that wider ones can refer to them. */
  readonly #whole = new Map<string, JsonSchema>();

  constructor(answers: readonly JsonSchema[]) {
    for (const answer of answers)
      walk(answer, (node) => {
        const { [NAME]: name, description: _, ...whole } = node;
        if (typeof name === "string" && !this.#whole.has(name)) this.#whole.set(name, whole);
        return node;
      });
  }

  lift(schema: JsonSchema): JsonSchema {
    return walk(schema, (node) => {
      const { [NAME]: name, ...whole } = node;
      if (typeof name !== "string") return this.#extension(whole, null);
      if (!this.schemas.has(name)) this.schemas.set(name, this.#extension(whole, name));
      return { $ref: `#/components/schemas/${name}` };
    });
  }

  add(name: string, schema: JsonSchema): JsonSchema {
    this.schemas.set(name, schema);
    return { $ref: `#/components/schemas/${name}` };
  }

  /** An object that has every field of a named one and more: the name and what it adds. */
  #extension(node: JsonSchema, name: string | null): JsonSchema {
    const { properties = {}, required = [] } = node;
    const size = Object.keys(properties).length;
    let base: [string, JsonSchema] | null = null;
    for (const candidate of this.#whole) {
      const fields = Object.keys(candidate[1].properties ?? {});
      const larger = fields.length > Math.max(3, Object.keys(base?.[1].properties ?? {}).length);
      if (candidate[0] !== name && larger && fields.length < size && this.#holds(node, candidate[1])) base = candidate;
    }
    if (!base) return node;
    const [baseName, whole] = base;
    this.lift({ ...whole, [NAME]: baseName });
    const added = Object.entries(properties).filter(([field]) => !Object.hasOwn(whole.properties ?? {}, field));
    const needed = required.filter((field) => !Object.hasOwn(whole.properties ?? {}, field));
    const extra = {
      type: "object",
      properties: Object.fromEntries(added),
      ...(needed.length > 0 ? { required: needed } : {}),
    };
    return { allOf: [{ $ref: `#/components/schemas/${baseName}` }, extra] };
  }

  #holds(wide: JsonSchema, narrow: JsonSchema): boolean {
    return (
      (narrow.required ?? []).every((field) => wide.required?.includes(field)) &&
      Object.entries(narrow.properties ?? {}).every(([field, schema]) => {
        const mine = wide.properties?.[field];
        return mine !== undefined && this.#same(mine, schema);
      })
    );
  }

  /** Equal, whether or not a part of one was lifted already. */
  #same(one: JsonSchema, other: JsonSchema): boolean {
    return isDeepStrictEqual(this.lift(one), this.lift(other));
  }
}
