// Names for the shapes that several answers share, so that the OpenAPI document says each of them once.

import { z } from "zod";

export const NAMED = z.registry<{ name: string }, z.core.$ZodType>();

/** The same schema, known by a name. */
export function named<S extends z.ZodType>(name: string, schema: S): S {
  NAMED.add(schema, { name });
  return schema;
}
