// Names of schemas that several responses share, so that the OpenAPI document contains each of them once.

import { z } from "zod";

export const ZOD_SCHEMA_NAMES = z.registry<{ name: string }, z.core.$ZodType>();

/** The same schema, known by a name. */
export function registerSchemaName<S extends z.ZodType>(name: string, schema: S): S {
  ZOD_SCHEMA_NAMES.add(schema, { name });
  return schema;
}
