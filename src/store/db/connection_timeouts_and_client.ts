// The timeouts and the pool of connections to PostgreSQL: waiting for a connection, the duration of a statement, and
// dead connections. This module does not depend on the ORM or on the meaning of statements.

import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as pause } from "node:timers/promises";
import type { PoolerMode } from "../config/setting_types.ts";
import { currentSpan } from "../trace_spans.ts";
import { findDatabaseUnavailableCode } from "./database_unavailable_errors.ts";
import { findStatementName, isLastStatement } from "./statement.ts";

/** In milliseconds; 0 means no limit. */
export interface ConnectionTimeouts {
  /** For a connection: until one is free, or made. */
  connectMs: number;
  /** For one statement on the server. */
  statementMs: number;
  /** For the lock that a statement waits for. */
  lockMs: number;
  /** For a transaction in which nothing happens. */
  idleMs: number;
  /** Idle time before a connection is checked. */
  keepAliveMs: number;
}

/** Extra time for a server that accepts connections but does not respond. */
const READ_MARGIN_MS = 2_000;

/** The timeouts of operator commands. They wait for their work, but not for an unavailable database. */
export const OPERATOR_TIMEOUTS: ConnectionTimeouts = {
  connectMs: 10_000,
  statementMs: 0,
  lockMs: 0,
  idleMs: 0,
  keepAliveMs: 10_000,
};

/**
 * Returns the options of pg's pool for these timeouts. The server's own timeouts are requested when a connection
 * begins. A session pooler gets them after connecting. A transaction pooler needs them in its configuration
 * (docs/how-to/postgresql.md#use-a-connection-pooler).
 */
export function createPoolTimeoutOptions(bounds: ConnectionTimeouts, name: string, pooler: PoolerMode | null) {
  const { connectMs, statementMs, lockMs, idleMs, keepAliveMs } = bounds;
  const own = {
    // A statement does not wait for the result of the one before it, so `commit` is sent with the last statement.
    pipeline: true,
    connectionTimeoutMillis: connectMs,
    keepAlive: keepAliveMs > 0,
    keepAliveInitialDelayMillis: keepAliveMs,
  };
  const settings = Object.entries({
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleMs,
  });
  if (pooler === null) {
    const said = [["TimeZone", "UTC"], ["application_name", name], ...settings];
    return { ...own, options: said.map(([setting, value]) => `-c ${setting}=${value}`).join(" ") };
  }
  const setup = settings.map(([setting, value]) => `set ${setting} = ${value}`).join("; ");
  const onConnect = async (client: unknown) => void (await (client as Client).query(setup));
  return { ...own, application_name: name, ...(pooler === "session" ? { onConnect } : {}) };
}

interface Client {
  query(...args: unknown[]): unknown;
  end(): Promise<void>;
  getStartupConf(): object;
  /** `T`: inside a transaction that can still be committed. */
  getTransactionStatus(): string | null;
}

// biome-ignore lint/suspicious/noExplicitAny: the compiler asks for just this of a class that another one extends
type ClientClass = new (...args: any[]) => Client;

/** The functions of store/db/citus_cell.ts. */
interface Cell {
  inCell(text: string): string;
  namedInCell(error: Error & { code?: string }): void;
}

/** Statements that begin or roll back a transaction, without savepoints. */
const BRACKET = /^(begin|start transaction( .*)?|rollback)$/;

const POSTGRES = { "db.system.name": "postgresql" };
/** Returns the first keyword of an unnamed statement for the log, because its text may be private. */
const wordOf = (text: string) => /^\s*(\w{1,20})/.exec(text)?.[1]?.toLowerCase() ?? "statement";

/** The server ends the connection, or takes no writes any more: another one does by now. */
const ENDED = /^(57P0[1-5]|25006)$/;

/**
 * The result of a `begin` or `rollback` that failed with its connection, and of a last statement before it is known.
 */
const NOTHING = { command: "", rowCount: 0, rows: [] };

/**
 * Creates a pg client class with three features. It sends every defined statement by name, except with a transaction
 * pooler. It sends `commit` together with a statement that is declared as the last. It closes a connection to a server
 * that does not respond, because the response may still arrive.
 *
 * It also works around a leak. The query builder returns a connection to the pool only after a successful `begin` or
 * `rollback`. A connection that the server ended would stay in use forever, and a dozen of them would block the
 * service. Here both close a broken connection and then succeed. Every other statement fails on it, and the pool drops
 * it.
 * @param cell the functions for cells on Citus
 */
export function createResilientClientClass<C extends ClientClass>(
  Client: C,
  bounds: Pick<ConnectionTimeouts, "statementMs">,
  pooler: PoolerMode | null = null,
  cell: Cell | null = null,
): C {
  class ResilientClient extends Client {
    /** The last statement of the transaction, for whose result its commit waits. */
    #last: Promise<unknown> | null = null;

    /** Poolers track this startup parameter. */
    override getStartupConf(): object {
      return pooler === null ? super.getStartupConf() : { ...super.getStartupConf(), TimeZone: "UTC" };
    }

    override query(text: unknown, ...rest: unknown[]): unknown {
      if (typeof text !== "string") return super.query(text, ...rest);
      const result = this.#send(text, ...rest);
      if (isLastStatement(text) && this.getTransactionStatus() === "T") {
        result.catch(() => {});
        this.#last = result;
        return Promise.resolve(NOTHING);
      }
      if (text !== "commit" && text !== "rollback") return result;
      const last = this.#last;
      this.#last = null;
      // When the last statement failed, the server rolls back for a `commit` and reports no error.
      return text === "commit" && last ? Promise.all([last, result]).then(() => result) : result;
    }

    async #send(text: string, values?: unknown): Promise<unknown> {
      // Another transaction's connection does not know this name, or uses it for another statement.
      const known = findStatementName(text);
      const span = currentSpan()?.child(`sql ${known ?? wordOf(text)}`, "client", POSTGRES);
      try {
        const result = await super.query({
          name: pooler === "transaction" ? undefined : known,
          text: cell ? cell.inCell(text) : text,
          values,
          query_timeout: bounds.statementMs && bounds.statementMs + READ_MARGIN_MS,
        });
        recordStatementOutcome(null);
        span?.end();
        return result;
      } catch (thrown) {
        const error = thrown as Error & { code?: string };
        cell?.namedInCell(error);
        recordStatementOutcome(error);
        span?.end(error.code ?? "error");
        // The server ended the connection. The pool must not reuse it before the socket reports that.
        if (ENDED.test(error.code ?? "") || BRACKET.test(text)) this.end().catch(() => {});
        if (!BRACKET.test(text)) throw error;
        return NOTHING;
      }
    }
  }
  return ResilientClient;
}

const observers = new AsyncLocalStorage<{ away: unknown }>();

let statements = 0;

/** The number of statements that have ended in this process, each `commit` included. */
export const countEndedStatements = (): number => statements;

/** Notes how the last statement on any connection ended; null when it ended well. */
function recordStatementOutcome(error: unknown): void {
  statements++;
  const met = observers.getStore();
  if (met) met.away = error !== null && findDatabaseUnavailableCode(error) !== null ? error : null;
}

/**
 * Runs a library that converts all errors to its own responses, such as "not signed in". If the last result of the
 * database was that it is unavailable, that error is thrown instead.
 */
export async function rethrowSwallowedDatabaseError<T>(work: () => Promise<T>): Promise<T> {
  const met: { away: unknown } = { away: null };
  return observers.run(met, async () => {
    const result = await work().catch((error) => {
      throw met.away ?? error;
    });
    if (met.away !== null) throw met.away;
    return result;
  });
}

interface Pool {
  connect(): Promise<unknown>;
  options: { max: number };
  totalCount: number;
}

const TOO_MANY = "53300";
/** The pause for new connections after the server reached its limit. */
const SPARED_MS = 5_000;
const LOOK_MS = 50;

/**
 * At PostgreSQL's connection limit, calls wait for a connection of the pool instead of failing at once. The pool grows
 * again after a while.
 */
export function retryConnectAtConnectionLimit(pool: Pool, { connectMs }: Pick<ConnectionTimeouts, "connectMs">): void {
  const { max } = pool.options;
  const connect = pool.connect.bind(pool);
  let grow: NodeJS.Timeout | undefined;
  pool.connect = async () => {
    const until = performance.now() + connectMs;
    for (;;)
      try {
        return await connect();
      } catch (error) {
        recordStatementOutcome(error);
        if ((error as { code?: string }).code !== TOO_MANY || performance.now() > until) throw error;
        // The pool is marked as full, so the next attempt waits for one of its connections.
        pool.options.max = Math.max(1, pool.totalCount);
        clearTimeout(grow);
        grow = setTimeout(() => {
          pool.options.max = max;
        }, SPARED_MS).unref();
        if (pool.totalCount === 0) await pause(LOOK_MS * (1 + Math.random()));
      }
  };
}
