// Statements written once as SQL and executed by name, so that PostgreSQL plans each of them once per connection.
// The one way to run raw SQL. Raw SQL does not see the visibility filter: it takes what is visible as an argument.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { CompiledQuery, type Kysely } from "kysely";

export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  /** Only carries the type of the rows. */
  readonly row?: Row;
}

const names = new Map<string, string>();

/** Declares a statement; `$1`, `$2` … are its parameters. Its name must be unique. */
export function defineStatement<Row>(name: string, text: string): Statement<Row> {
  const known = [...names.values()].includes(name);
  if (known) throw new Error(`statement ${name} is defined twice`);
  names.set(text, name);
  return { name, text };
}

/** The name under which a defined statement is sent; undefined for every other text. */
export const nameOf = (text: string): string | undefined => names.get(text);

/** Where statements run on their own, outside of any transaction. */
export function ownStatements(orm: { em: { fork(): SqlEntityManager } }): Kysely<unknown> {
  return orm.em.fork().getKysely();
}

/** Runs a statement inside the manager's transaction, or on its own when there is none. */
export async function run<Row>(
  on: SqlEntityManager | Kysely<unknown>,
  statement: Statement<Row>,
  parameters: readonly unknown[],
): Promise<Row[]> {
  const kysely = "getKysely" in on ? on.getKysely() : on;
  for (let tries = 1; ; tries++)
    try {
      const result = await kysely.executeQuery(CompiledQuery.raw(statement.text, parameters as unknown[]));
      return result.rows as Row[];
    } catch (error) {
      // The pool may hand out a connection that has just been ended. A reading on its own is done again on another one.
      const again = tries < TRIES && !kysely.isTransaction && isReading(statement) && isConnectionLost(error);
      if (!again) throw error;
    }
}

const isReading = ({ text }: Statement<unknown>): boolean =>
  /^\s*(select|with)\b/i.test(text) &&
  !/\b(insert into|update|delete from|nextval|for (no key )?update)\b/i.test(text);

/** Deadlock and serialisation failure: PostgreSQL undid everything and asks to try again. */
const UNDONE = new Set(["40P01", "40001"]);

export function isRetryable(error: unknown, also: readonly string[] = []): boolean {
  const { code = "" } = error as { code?: string };
  return UNDONE.has(code) || also.includes(code);
}

/** What PostgreSQL says to a connection that it ends, and what is said of one that has ended. */
const LOST_CODES = /^(57P0[123]|08...|ECONNRESET|EPIPE|ECONNREFUSED)$/;
const LOST_WORDS = /^(Connection terminated|Client was closed|Client has encountered a connection error)/;

/** Whether the connection is gone. What ran on it last may have been done or not. */
export function isConnectionLost(error: unknown): boolean {
  const { code = "", message = "" } = (error ?? {}) as { code?: string; message?: string };
  return LOST_CODES.test(code) || LOST_WORDS.test(message);
}

/** How often something that the database undid is tried. */
export const TRIES = 4;
