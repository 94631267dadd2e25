// Kinds of fields: their form in a row, in parameters of statements and in responses. `orNull` is the kind for optional
// fields; `or` has a default value, also in the column.

import { p } from "@mikro-orm/core";
import { z } from "zod";
import * as sql from "./sql_statement_types.ts";
import { timestampColumn, toIsoMicros } from "./sql_statement_types.ts";

/** The default display of a value on pages. */
type FieldDisplayKind = "words" | "link" | "number" | "moment" | "choice" | "yes" | "lines" | "rows" | "file";

export interface FieldKind<T = unknown, P = unknown, Z extends z.ZodType = z.ZodType> {
  readonly look: FieldDisplayKind;
  /** The entity's property; undefined for a reference, which the entity itself defines. */
  readonly property: () => P;
  /** The column, and the parameter of a statement. */
  readonly sql: sql.SqlType<T>;
  /** The schema in responses. */
  readonly shows: Z;
  /** Converts a column's value to the response, if they differ. */
  readonly show?: (value: string) => string;
  /** SQL for the bytes of a value, where they may be many. */
  readonly bytes?: (column: string) => string;
}

/** `nullable` is the property where the field may be empty. */
function kind<T, P, N, Z extends z.ZodType>({ nullable, ...plain }: FieldKind<T, P, Z> & { nullable: () => N }) {
  const orNull = {
    ...plain,
    property: nullable,
    sql: sql.nullable(plain.sql),
    shows: plain.shows.nullable(),
    blank: null,
  };
  return { ...plain, orNull };
}

export const textKind = kind({
  look: "words",
  property: () => p.text(),
  nullable: () => p.text().nullable(),
  sql: sql.text,
  shows: z.string(),
  bytes: (column: string) => `octet_length(${column})`,
});

/** An address that people may follow. */
export const linkFieldKind = kind({
  look: "link",
  property: () => p.text(),
  nullable: () => p.text().nullable(),
  sql: sql.text,
  shows: z.string(),
  bytes: textKind.bytes,
});

export const numberKind = kind({
  look: "number",
  property: () => p.double().$type<number>(),
  nullable: () => p.double().$type<number>().nullable(),
  sql: sql.float8,
  shows: z.number(),
});

export const integerKind = kind({
  look: "number",
  property: () => p.integer(),
  nullable: () => p.integer().nullable(),
  sql: sql.int,
  shows: z.int(),
});

export const timestampKind = kind({
  look: "moment",
  property: () => timestampColumn(),
  nullable: () => timestampColumn().nullable(),
  sql: sql.timestamptz,
  shows: z.string(),
  show: toIsoMicros,
});

/** The id of a row of another table. */
export const rowReferenceFieldKind = kind({
  look: "file",
  property: () => undefined,
  nullable: () => undefined,
  sql: sql.uuid,
  shows: z.string(),
});

export function enumKind<const V extends readonly string[]>(values: V) {
  const plain = {
    look: "choice" as const,
    property: () => p.enum(values),
    nullable: () => p.enum(values).nullable(),
    sql: sql.textEnum(values),
    shows: z.enum(values),
  };
  const or = <const B extends V[number]>(blank: B) => ({
    ...plain,
    property: () => p.enum(values).default(blank),
    shows: z.enum(values).meta({ default: blank }),
    blank: blank as V[number],
  });
  return { ...kind(plain), or };
}

export const booleanKind = (blank: boolean) => ({
  look: "yes" as const,
  property: () => p.boolean().default(blank),
  sql: sql.boolean,
  // A default that is not false is stated: such a field is never left out of a row (rules#lean-rows).
  shows: blank ? z.boolean().meta({ default: true }) : z.boolean(),
  blank,
});

/** A list of texts, of some texts only where they are named. */
export const textListKind = <T extends string = string>() => ({
  look: "lines" as const,
  property: () => p.array().$type<T[]>(),
  sql: sql.array(sql.text) as sql.SqlType<T[]>,
  shows: z.array(z.string()),
  blank: [] as T[],
});

/** Lists of objects by the name of what they are about, in one column. */
export const jsonMapKind = <S extends z.ZodObject>(of: S) => ({
  look: "rows" as const,
  property: () => p.json<Record<string, z.output<S>[]>>().defaultRaw("'{}'::jsonb"),
  sql: sql.jsonb<Record<string, z.output<S>[]>>(),
  shows: z.record(z.string(), z.array(of)),
  blank: {} as Record<string, z.output<S>[]>,
});

/** A list of objects in one column. */
export const jsonListKind = <S extends z.ZodObject>(of: S) => ({
  look: "rows" as const,
  property: () => p.json<z.output<S>[]>().defaultRaw("'[]'::jsonb"),
  sql: sql.jsonb<z.output<S>[]>(),
  shows: z.array(of),
  blank: [] as z.output<S>[],
  bytes: (column: string) => `octet_length(${column}::text)`,
});
