// PostgreSQL's description of a statement without running it, compared with the statement's declaration: names and
// types of its parameters and columns. For a column that comes straight from a table, also its nullability and its
// permitted texts. It uses the protocol's own message, so that it is the same on every version.

import type { SqlType } from "../../src/model/fields/sql_statement_types.ts";
import type { AnyStatement } from "../../src/store/db/statement.ts";

interface Connection {
  parse(message: { name: string; text: string; types: number[] }): void;
  describe(message: { type: "S"; name: string }): void;
  sync(): void;
  once(event: string, listener: (message: never) => void): void;
  removeListener(event: string, listener: (message: never) => void): void;
}

/** As much of the driver's client as is needed here. */
export interface CatalogueClient {
  connection: Connection;
  query(text: string, values?: unknown[]): Promise<{ rows: any[] }>;
  query(submitted: object): unknown;
}

interface Column {
  name: string;
  dataTypeID: number;
  /** Where it comes from, when that is a table's column; else 0. */
  tableID: number;
  columnID: number;
}

interface Described {
  parameters: number[];
  columns: Column[];
}

/** @throws the database's error for an invalid text. */
function describe(client: CatalogueClient, text: string): Promise<Described> {
  return new Promise((resolve, reject) => {
    const told: Described = { parameters: [], columns: [] };
    const parameters = ({ dataTypeIDs }: { dataTypeIDs: number[] }) => {
      told.parameters = dataTypeIDs;
    };
    client.query({
      submit(connection: Connection) {
        connection.once("parameterDescription", parameters);
        connection.parse({ name: "", text, types: [] });
        connection.describe({ type: "S", name: "" });
        connection.sync();
      },
      handleRowDescription({ fields }: { fields: Column[] }) {
        told.columns = fields;
      },
      handleError(error: Error, connection: Connection) {
        connection.removeListener("parameterDescription", parameters);
        reject(error);
      },
      handleReadyForQuery: () => resolve(told),
    });
  });
}

interface TableColumn {
  name: string;
  notNull: boolean;
  /** Those that a check constraint of this column alone names; null: any. */
  values: string[] | null;
}

interface Catalogue {
  typeNames: Map<number, string>;
  /** Keyed by `table.column`, as numbers. */
  columns: Map<string, TableColumn>;
}

const TABLE_COLUMNS = `
  select a.attrelid::int as table, a.attnum::int as column, a.attrelid::regclass || '.' || a.attname as name,
    a.attnotnull as not_null,
    (select pg_get_constraintdef(c.oid) from pg_constraint c
     where c.conrelid = a.attrelid and c.contype = 'c' and c.conkey = array[a.attnum]
       and pg_get_constraintdef(c.oid) like '%= ANY (ARRAY[%' limit 1) as one_of
  from pg_attribute a join pg_class t on t.oid = a.attrelid
  where t.relkind = 'r' and a.attnum > 0 and not a.attisdropped`;

/** The database's types and tables; reads them once for all statements. */
export async function readCatalogue(client: CatalogueClient): Promise<Catalogue> {
  const types = await client.query("select oid::int as oid, format_type(oid, null) as name from pg_type");
  const columns = await client.query(TABLE_COLUMNS);
  return {
    typeNames: new Map(types.rows.map(({ oid, name }) => [oid, name])),
    columns: new Map(
      columns.rows.map(({ table, column, name, not_null, one_of }) => [
        `${table}.${column}`,
        { name, notNull: not_null, values: one_of && textsIn(one_of) },
      ]),
    ),
  };
}

/** `CHECK ((status = ANY (ARRAY['draft'::text, 'sent'::text])))` → its texts. */
const textsIn = (definition: string): string[] =>
  [...definition.matchAll(/'((?:[^']|'')*)'::text/g)].map(([, text]) => text!.replaceAll("''", "'"));

/** Where a statement and the database differ, a sentence each; empty when they agree. */
export async function findStatementDifferences(
  client: CatalogueClient,
  catalogue: Catalogue,
  statement: AnyStatement,
): Promise<string[]> {
  const { name, text, parameters } = statement;
  let told: Described;
  try {
    told = await describe(client, text);
  } catch (error) {
    return [`${name}: the database refuses it: ${(error as Error).message}`];
  }
  const typeName = (oid: number) => catalogue.typeNames.get(oid) ?? `type ${oid}`;
  const found: string[] = [];
  told.parameters.forEach((oid, i) => {
    const [parameter, declared] = parameters[i]!;
    if (declared.oid !== oid)
      found.push(`${name}: parameter ${parameter} is declared ${declared.sql}, the database reports ${typeName(oid)}`);
  });
  const columns: Record<string, SqlType> = { ...statement.columns, ...statement.joined };
  for (const column of Object.keys(statement.joined))
    if (column in statement.columns) found.push(`${name}: column ${column} is declared twice`);
  const seen = new Set<string>();
  for (const column of told.columns) {
    const says = `the database reports ${typeName(column.dataTypeID)}`;
    if (seen.has(column.name)) found.push(`${name}: column ${column.name} is selected twice`);
    seen.add(column.name);
    const declared = Object.hasOwn(columns, column.name) ? columns[column.name]! : null;
    if (!declared) found.push(`${name}: column ${column.name} is not declared, ${says}`);
    else if (declared.oid !== column.dataTypeID)
      found.push(`${name}: column ${column.name} is declared ${declared.sql}, ${says}`);
    else {
      const source = catalogue.columns.get(`${column.tableID}.${column.columnID}`) ?? null;
      for (const difference of [nullDifference(declared, source), valueDifference(declared, source)])
        if (difference) found.push(`${name}: column ${column.name} ${difference}`);
    }
  }
  for (const [column, declared] of Object.entries(columns))
    if (!seen.has(column))
      found.push(`${name}: column ${column} is declared ${declared.sql}, the database has no such column`);
  return found;
}

/**
 * Compares `reads` with the database's permission to run a statement in a read-only transaction; null when they match.
 */
export async function findReadOnlyDifference(client: CatalogueClient, statement: AnyStatement): Promise<string | null> {
  const { name, text, parameters, reads } = statement;
  await client.query("begin read only");
  const code = await client
    .query(
      text,
      parameters.map(() => null),
    )
    .then(
      () => "",
      (error: { code: string }) => error.code,
    )
    .finally(() => client.query("rollback"));
  if (reads && code !== "") return `${name}: is declared to read, the database refuses it with ${code}`;
  if (!reads && code !== READ_ONLY) return `${name}: nothing in it writes, so it can be declared to read`;
  return null;
}

const READ_ONLY = "25006";

function nullDifference({ nullable, nulls }: SqlType, source: TableColumn | null): string | null {
  if (!source)
    return nulls ? `is an expression: nullable(…) or nothing is complete, without the mark for "${nulls}"` : null;
  if (nulls === "outer join") {
    if (!source.notNull) return `is declared nullableByOuterJoin, but ${source.name} may be null anyway: use nullable`;
  } else if (nulls === "never") {
    if (source.notNull) return `is declared neverNull, but ${source.name} never is: leave it away`;
  } else if (nullable && source.notNull)
    return (
      `is declared nullable, the database reports that ${source.name} is not null; if a join makes it null, use ` +
      `nullableByOuterJoin`
    );
  else if (!nullable && !source.notNull)
    return (
      `is declared not null, the database reports that ${source.name} may be null: use nullable, or neverNull if ` +
      `the statement excludes it`
    );
  return null;
}

function valueDifference({ values }: SqlType, source: TableColumn | null): string | null {
  if (!values || !source) return null;
  if (!source.values) return `is declared as one of ${values.join(", ")}, but ${source.name} takes any text`;
  if (String([...values].sort()) === String([...source.values].sort())) return null;
  const stored = source.values.join(", ");
  return `is declared as one of ${values.join(", ")}, the database reports that ${source.name} is one of ${stored}`;
}
