// Statements written once as SQL and executed by name, so that PostgreSQL plans each of them once per connection.
// The one way to run raw SQL. Raw SQL does not see the visibility filter: it takes what is visible as an argument.

import { setTimeout as pause } from "node:timers/promises";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { CompiledQuery, type Kysely } from "kysely";
import { assertDefined } from "../../model/assert.ts";
import type { SqlParametersOf, SqlType, SqlTypesByName, SqlValuesOf } from "../../model/fields/sql_statement_types.ts";
import { REPLICA_AREAS, type StatementArea } from "./statement_areas.ts";

/** The type of missing parameters or columns. */
type None = Record<never, SqlType>;

/** `In`: the parameters by name. `Row`: what a row has. Both follow from the declaration. */
export interface Statement<In, Row> {
  readonly name: string;
  readonly path: StatementArea;
  /** With `$1`, `$2` … for the parameters: the same text for ever, so that it is prepared once. */
  readonly text: string;
  readonly parameters: readonly (readonly [name: string, type: SqlType])[];
  readonly columns: SqlTypesByName;
  readonly joined: SqlTypesByName;
  /** It is the last of its transaction (see Declaration). */
  readonly closes: boolean;
  /** It changes nothing (see `createStatementDefiner`). */
  readonly reads: boolean;
  /** A standby may run it: it only reads, on a path that permits standbys, and does not need the primary. */
  readonly moves: boolean;
  positional(values: In): unknown[];
  /** Only carries the type of the rows. */
  readonly row?: Row;
}

/** The type of a row of a statement. */
export type StatementRow<S extends AnyStatement> = S extends Statement<never, infer Row> ? Row : never;

/** A statement with any parameters and rows. */
export type AnyStatement = Statement<never, unknown>;

interface StatementDeclaration<P extends SqlTypesByName, C extends SqlTypesByName, J extends SqlTypesByName> {
  parameters?: P;
  columns?: C;
  /**
   * Columns of an outer join: all there, or all null. A row without a match is recognised by one of them that is
   * never null otherwise.
   */
  joined?: J;
  /** The last statement of a transaction. The commit is sent with it, and its error is that of the commit. */
  closes?: true;
  /**
   * For a read that needs the primary: it looks up a credential, notifies others, or reads data that a replica lacks.
   */
  primary?: true;
  /** `$name` is a parameter. Cast one whose type PostgreSQL cannot infer: `$before::timestamptz`. */
  text: string;
}

type Declared<C extends SqlTypesByName, J extends SqlTypesByName> = [keyof J] extends [never]
  ? SqlValuesOf<C>
  : SqlValuesOf<C> & (SqlValuesOf<J> | { [Name in keyof J]: null });

const defined = new Map<string, AnyStatement>();

/**
 * Returns the function that defines the statements of a path. A `reading` changes and locks nothing, so it is repeated
 * after a lost connection. test/database/statements.test.ts has a migrated database describe each and compares.
 *
 * @example
 * ```ts
 * const define = createStatementDefiner("lists");
 * export const findTeam = define({
 *   name: "find_team",
 *   parameters: { id: uuid },
 *   columns: { name: text },
 *   text: "select t.name from team t where t.id = $id",
 * });
 * const [team] = await runStatement(em, findTeam, { id });
 * ```
 * @throws if the name is in use, or if the parameters of the text and the declaration differ
 */
export const createStatementDefiner = (path: StatementArea) =>
  Object.assign(definer(path, false), { reading: definer(path, true) });

const definer =
  (path: StatementArea, reads: boolean) =>
  <P extends SqlTypesByName = None, C extends SqlTypesByName = None, J extends SqlTypesByName = None>(
    name: string,
    declaration: StatementDeclaration<P, C, J>,
  ): Statement<SqlParametersOf<P>, Declared<C, J>> =>
    define(path, reads, name, declaration);

function define<P extends SqlTypesByName, C extends SqlTypesByName, J extends SqlTypesByName>(
  path: StatementArea,
  reads: boolean,
  name: string,
  declaration: StatementDeclaration<P, C, J>,
): Statement<SqlParametersOf<P>, Declared<C, J>> {
  const { parameters = {} as SqlTypesByName, columns = {}, joined = {} } = declaration;
  const { text, names } = numbered(name, declaration.text, parameters);
  for (const other of defined.values())
    if (other.name === name || other.text === text)
      throw new Error(`statement ${name} is defined twice, once as ${other.name}`);
  const statement = {
    name,
    path,
    text,
    parameters: names.map((parameter) => [parameter, declared(parameters, parameter)] as const),
    columns,
    joined,
    closes: declaration.closes ?? false,
    reads,
    moves: reads && !declaration.primary && REPLICA_AREAS.has(path),
    positional: inOrder(names, parameters),
  };
  defined.set(text, statement);
  return statement;
}

const declared = (parameters: SqlTypesByName, name: string) =>
  assertDefined(parameters[name], "every numbered parameter is declared");

/** A text with `$1`, `$2` … in place of the names, and the names in this order. */
function numbered(name: string, named: string, parameters: SqlTypesByName): { text: string; names: string[] } {
  const names: string[] = [];
  const text = named.replace(/\$(\w+)/g, (_, parameter: string) => {
    if (!Object.hasOwn(parameters, parameter))
      throw new Error(`statement ${name} names $${parameter}, which it does not declare`);
    if (!names.includes(parameter)) names.push(parameter);
    return `$${names.indexOf(parameter) + 1}`;
  });
  const unused = Object.keys(parameters).filter((parameter) => !names.includes(parameter));
  if (unused.length > 0) throw new Error(`statement ${name} declares ${unused.join(", ")}, but does not use it`);
  return { text, names };
}

/** Made once a statement: a call only reads the values by name. */
function inOrder(names: readonly string[], parameters: SqlTypesByName) {
  const encoders = names.map((name) => declared(parameters, name).encode);
  return (values: Readonly<Record<string, unknown>>): unknown[] =>
    names.map((name, i) => {
      const value = values[name];
      const encode = encoders[i];
      return encode && value !== null ? encode(value) : value;
    });
}

/** Every statement that was defined so far, in no order. */
export const listStatements = (): readonly AnyStatement[] => [...defined.values()];

/** The name under which a defined statement is sent; undefined for every other text. */
export const findStatementName = (text: string): string | undefined => defined.get(text)?.name;

/** Checks that a text is the last of its transaction. */
export const isLastStatement = (text: string): boolean => defined.get(text)?.closes ?? false;

/** The connections that statements of their own run on. */
export interface StatementConnections {
  connect(): Promise<{ query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>; release(): void }>;
  /** Runs the text on a replica; null if the primary must be used. */
  runOnReplica?(text: string, values: unknown[]): Promise<unknown[] | null>;
}

const connectionsOf = new WeakMap<object, StatementConnections>();

/** Sets the connections of `kysely`. A transaction is another object with its own connection. */
export function setStatementConnections(kysely: Kysely<unknown>, connections: StatementConnections): void {
  connectionsOf.set(kysely, connections);
}

/** Where statements run on their own, outside of any transaction. */
export function getKysely(orm: { em: { fork(): SqlEntityManager } }): Kysely<unknown> {
  return orm.em.fork().getKysely();
}

/** Runs a statement in the manager's transaction, or by itself without one. */
export async function runStatement<In, Row>(
  on: SqlEntityManager | Kysely<unknown>,
  statement: Statement<In, Row>,
  parameters: NoInfer<In>,
): Promise<Row[]> {
  const kysely: Kysely<unknown> = "getKysely" in on ? on.getKysely() : on;
  const values = statement.positional(parameters);
  const began = performance.now();
  for (let tries = 1; ; tries++)
    try {
      // The only cast of a row to its declared type; a test checks it with the database.
      return (await rowsOf(kysely, statement, values)) as Row[];
    } catch (error) {
      // The pool may hand out a connection that has just been ended. A reading on its own is done again on another one.
      const again =
        tries < MAX_DATABASE_ATTEMPTS && !kysely.isTransaction && statement.reads && isConnectionLost(error);
      // A connection that was lost late waited for a silent server, and so would the next, so the caller gets the
      // error.
      if (!again || performance.now() - began > LATE_MS) throw error;
      await waitBeforeReconnect(tries, error);
    }
}

/** A static text without a transaction bypasses the query builder, which costs half as much as the statement. */
async function rowsOf(
  kysely: Kysely<unknown>,
  { text, moves }: Pick<AnyStatement, "text" | "moves">,
  values: unknown[],
): Promise<unknown[]> {
  const connections = connectionsOf.get(kysely);
  if (connections?.runOnReplica && moves) {
    const rows = await connections.runOnReplica(text, values);
    if (rows) return rows;
  }
  if (!connections) return (await kysely.executeQuery(CompiledQuery.raw(text, values))).rows;
  const connection = await connections.connect();
  try {
    return (await connection.query(text, values)).rows;
  } finally {
    connection.release();
  }
}

/**
 * Runs an idempotent statement outside a transaction. It is repeated if the database undid it, and after a lost
 * connection.
 * @param also further codes after which it is repeated
 */
export async function runStatementWithRetries<In, Row>(
  on: Kysely<unknown>,
  statement: Statement<In, Row>,
  parameters: NoInfer<In>,
  also: readonly string[] = [],
): Promise<Row[]> {
  for (let tries = 1; ; tries++)
    try {
      return await runStatement(on, statement, parameters);
    } catch (error) {
      if (tries === MAX_DATABASE_ATTEMPTS || !(isRetryableRollback(error, also) || isConnectionLost(error)))
        throw error;
      await waitBeforeReconnect(tries, error);
    }
}

/** Deadlock and serialisation failure: PostgreSQL undid everything, and a retry is safe. */
const UNDONE = new Set(["40P01", "40001"]);

export function isRetryableRollback(error: unknown, also: readonly string[] = []): boolean {
  const { code = "" } = error as { code?: string };
  return UNDONE.has(code) || also.includes(code);
}

/** The codes of connections that PostgreSQL ends, or that have ended. */
const LOST_CODES = /^(57P0[123]|08...|ECONNRESET|EPIPE|ECONNREFUSED)$/;
const LOST_WORDS = /^(Connection terminated|Client was closed|Client has encountered a connection error)/;

/** Checks for a lost connection. Its last statement may or may not have run. */
export function isConnectionLost(error: unknown): boolean {
  const { code = "", message = "" } = (error ?? {}) as { code?: string; message?: string };
  return LOST_CODES.test(code) || LOST_WORDS.test(message);
}

/** The number of attempts for work that the database undid. */
export const MAX_DATABASE_ATTEMPTS = 4;

/**
 * Waits 10, 40, 160 ms after attempts with a lost connection. If one connection ends, many do in sequence, and the pool
 * would return the next that is about to end. Work that the database undid is repeated at once.
 */
export async function waitBeforeReconnect(tries: number, error: unknown): Promise<void> {
  if (isConnectionLost(error)) await pause(10 * 4 ** (tries - 1));
}

/** A connection that ended while it was idle is noticed well before. */
const LATE_MS = 5_000;
