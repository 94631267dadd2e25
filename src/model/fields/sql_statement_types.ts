// PostgreSQL's types for statements: their OIDs, and the TypeScript types of their values in the driver.
// test/database/statements.test.ts compares both with a database.
// It also has the column kinds for times, as ISO strings with microseconds, never JavaScript dates.

import { p, Type } from "@mikro-orm/core";

/** The reason for a nullability that differs from the table's column. */
type Nulls = "outer join" | "never";

export interface SqlType<T = unknown> {
  /** The name that SQL casts to: `timestamptz`, `uuid[]`. */
  readonly sql: string;
  readonly oid: number;
  readonly nullable: boolean;
  readonly nulls?: Nulls;
  /** The only texts that a column takes, where it takes only some. */
  readonly values?: readonly string[];
  /** Converts a value for the driver, if it needs another form. */
  encode?(value: T): unknown;
  /** Only carries the type of the values. */
  readonly value?: T;
}

/** Columns or parameters by name. */
export type SqlTypesByName = Readonly<Record<string, SqlType>>;

/** The values of declared fields. */
export type SqlValuesOf<F extends SqlTypesByName> = {
  -readonly [Name in keyof F]: F[Name] extends SqlType<infer T> ? T : never;
};

/** The same as parameters: a list is only read. */
export type SqlParametersOf<F extends SqlTypesByName> = {
  [Name in keyof F]: F[Name] extends SqlType<infer T> ? ReadOnly<T> : never;
};

type ReadOnly<T> = T extends (infer E)[] ? readonly E[] : T;

interface WithArray<T> extends SqlType<T> {
  readonly arrayOid: number;
}

const type = <T>(sql: string, oid: number, arrayOid: number): WithArray<T> => ({ sql, oid, arrayOid, nullable: false });

export const boolean = type<boolean>("boolean", 16, 1000);
export const bytea = type<Uint8Array>("bytea", 17, 1001);
/** As a text: it has more digits than a number keeps. */
export const bigint = type<string>("bigint", 20, 1016);
export const smallint = type<number>("smallint", 21, 1005);
export const int = type<number>("int", 23, 1007);
export const text = type<string>("text", 25, 1009);
export const float8 = type<number>("float8", 701, 1022);
/** `2026-11-20`. */
export const date = type<string>("date", 1082, 1182);
/** As PostgreSQL prints it in UTC; timestamp_columns.ts makes ISO of it. */
export const timestamptz = type<string>("timestamptz", 1184, 1185);
export const uuid = type<string>("uuid", 2950, 2951);

/** The type of a JSON column is declared and not checked: the database only knows that it is JSON. */
export const jsonb = <T>(): SqlType<T> => ({
  ...type<T>("jsonb", 3802, 3807),
  encode: (value) => JSON.stringify(value),
});

/** A text that is one of a few: those that the column's check constraint names. */
export const textEnum = <const V extends readonly string[]>(values: V): SqlType<V[number]> => ({
  ...type<V[number]>("text", text.oid, text.arrayOid),
  values,
});

/** An array without nulls. */
export const array = <T>({ sql, arrayOid }: WithArray<T>): SqlType<T[]> => ({
  sql: `${sql}[]`,
  oid: arrayOid,
  nullable: false,
});

/** A parameter that takes null, or a column that the table, or the expression, lets be null. */
export const nullable = <T>(of: SqlType<T>): SqlType<T | null> => ({ ...(of as SqlType<T | null>), nullable: true });

/** A column that is never null in its table, but here where an outer join finds no row. */
export const nullableByOuterJoin = <T>(of: SqlType<T>): SqlType<T | null> => ({ ...nullable(of), nulls: "outer join" });

/** A column that is nullable in its table, but never null in this statement because of its condition. */
export const neverNull = <T>(of: SqlType<T>): SqlType<T> => ({ ...of, nulls: "never" });

/** SQL: the columns of a table or an equivalent, with the names of a response. */
export const selectColumns = (table: string, columns: object): string =>
  Object.keys(columns)
    .map((name) => `${table}.${name}`)
    .join(", ");

/**
 * Converts PostgreSQL's '2026-11-20 14:25:31.5+00', or a date of our own clock, to '2026-11-20T14:25:31.500000Z'.
 * @throws if the session's time zone is not UTC
 */
export function toIsoMicros(value: string | Date): string {
  if (value instanceof Date) return value.toISOString().replace("Z", "000Z");
  if (value.endsWith("Z")) return value;
  const parts = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00(?::?00)?$/.exec(value);
  if (!parts) throw new Error("the database session's time zone is not UTC");
  return `${parts[1]}T${parts[2]}.${(parts[3] ?? "").padEnd(6, "0")}Z`;
}

/** The same for a column that may be null. */
export function toIsoMicrosOrNull(value: string | null): string | null {
  return value === null ? null : toIsoMicros(value);
}

/** timestamptz(6) kept as a microsecond ISO string, so that keyset pages lose and repeat nothing. */
class Instant extends Type<string, string> {
  override getColumnType(): string {
    return "timestamptz(6)";
  }
  override convertToJSValue(value: string): string {
    return value == null ? value : toIsoMicros(value);
  }
  override compareAsType(): string {
    return "string";
  }
}

export const timestampColumn = () => p.type(Instant);

/** Set by the server at the time of the write, not at the start of its transaction. */
export const writtenAtColumn = () => timestampColumn().defaultRaw("clock_timestamp()");

/** Returns the current time in the format of rows. */
export function getNowIsoMicros(clock: { now(): Date }): string {
  return toIsoMicros(clock.now());
}
