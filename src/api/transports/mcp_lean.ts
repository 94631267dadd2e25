// What of an answer an assistant need not read: a field that says nothing is left out, and nothing is lost, since each field
// has one value only that is left out. Holds no business word.

import { z } from "zod";

type Row = Record<string, unknown>;

/**
 * What a field holds that says nothing: its default where it states one, null where it can be null, else an empty list or text,
 * false or 0. Undefined where there is none: a field that may be absent says something by it.
 */
function nothingOf(field: z.ZodType): unknown {
  const { default: usual } = field.meta() ?? {};
  if (usual !== undefined) return usual;
  const takes = (value: unknown) => field.safeParse(value).success;
  return takes(undefined) ? undefined : [null, [], "", false, 0].find(takes);
}

const known = new WeakMap<z.ZodObject, Map<string, unknown>>();

function nothings(schema: z.ZodObject): Map<string, unknown> {
  const made =
    known.get(schema) ??
    new Map(Object.entries(schema.shape).map(([name, field]) => [name, nothingOf(field as z.ZodType)]));
  known.set(schema, made);
  return made;
}

const saysNothing = (value: unknown, nothing: unknown): boolean =>
  Array.isArray(nothing) ? Array.isArray(value) && value.length === 0 : value === nothing;

/** The value without the fields that say nothing, of all rows in it as well. */
function leanBy(schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return leanBy(schema.unwrap() as z.ZodType, value);
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((row) => leanBy(schema.element as z.ZodType, row));
  if (!(schema instanceof z.ZodObject) || typeof value !== "object" || value === null) return value;
  const without = nothings(schema);
  const said = Object.entries(value).filter(([name, field]) => !saysNothing(field, without.get(name)));
  return Object.fromEntries(said.map(([name, field]) => [name, leanBy(schema.shape[name], field)]));
}

/** An answer of this shape as an assistant reads it: the rows of a list are lean, and so is an alert in the short form. */
export function lean(schema: z.ZodType, body: unknown, view: unknown): unknown {
  if (view === "full" || !(schema instanceof z.ZodObject)) return body;
  const { data } = schema.shape as Record<string, z.ZodType | undefined>;
  if (data) return { ...(body as Row), data: leanBy(data, (body as Row).data) };
  return view === "brief" ? leanBy(schema, body) : body;
}
