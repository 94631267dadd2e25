// The time limits of connections to PostgreSQL: how long a call waits for one, how long a statement may take, and
// when a connection that does not answer is given up. Knows nothing of the ORM, nor of what the statements mean.

import { setTimeout as pause } from "node:timers/promises";
import type { PoolerMode } from "../config/setting_types.ts";
import { currentSpan } from "../trace_spans.ts";
import { recordStatementOutcome } from "./database_errors.ts";
import { findStatementName, isLastStatement } from "./statement.ts";

/** Milliseconds; 0 is without bound. */
export interface ConnectionTimeouts {
  /** For a connection: until one is free, or made. */
  connectMs: number;
  /** For one statement on the server. */
  statementMs: number;
  /** For the lock that a statement waits for. */
  lockMs: number;
  /** For a transaction in which nothing happens. */
  idleMs: number;
  /** Until an idle connection is asked whether it is still there. */
  keepAliveMs: number;
}

/** How much longer than its own bound a server is waited for that is reached but says nothing. */
const READ_MARGIN_MS = 2_000;

/** What an operator's command gets: it waits for its work, but not for a database that is not there. */
export const OPERATOR_TIMEOUTS: ConnectionTimeouts = {
  connectMs: 10_000,
  statementMs: 0,
  lockMs: 0,
  idleMs: 0,
  keepAliveMs: 10_000,
};

/**
 * The options of pg's pool that hold to the bounds. The server's own are asked for as each connection begins. A
 * pooler takes none then: one that lends its connections for as long as ours are open is told afterwards, and one
 * that lends them for a transaction has them from its own settings (docs/how-to/postgresql.md#use-a-connection-pooler).
 */
export function poolOptions(bounds: ConnectionTimeouts, name: string, pooler: PoolerMode | null) {
  const { connectMs, statementMs, lockMs, idleMs, keepAliveMs } = bounds;
  const own = {
    // A statement does not wait for the answer to the one before it (`commit` goes out with the last statement).
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
  const told = settings.map(([setting, value]) => `set ${setting} = ${value}`).join("; ");
  const onConnect = async (client: unknown) => void (await (client as Client).query(told));
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

/** What store/db/citus_cell.ts has of this. */
interface Cell {
  inCell(text: string): string;
  namedInCell(error: Error & { code?: string }): void;
}

/** What begins or gives up a transaction; not what goes back to a savepoint. */
const BRACKET = /^(begin|start transaction( .*)?|rollback)$/;

const POSTGRES = { "db.system.name": "postgresql" };
/** Of a statement that has no name, its first word: the text is nobody else's business. */
const wordOf = (text: string) => /^\s*(\w{1,20})/.exec(text)?.[1]?.toLowerCase() ?? "statement";

/** The server ends the connection, or takes no writes any more: another one does by now. */
const ENDED = /^(57P0[1-5]|25006)$/;

/**
 * The result of a `begin` or `rollback` that failed with its connection, and of a last statement before it is known.
 */
const NOTHING = { command: "", rowCount: 0, rows: [] };

/**
 * A pg client that sends every defined statement under its name (but where a pooler lends connections for a
 * transaction), `commit` together with the statement before it where that is declared as the last, and gives up on a
 * server that says nothing: pg cuts that connection, since its answer may still come. It also mends a leak: the query
 * builder returns a connection to the pool only after a `begin` or `rollback` that succeeded, so one that the server
 * ended would count as taken for ever, and a dozen of them would stop the service. Here both close a broken
 * connection and then succeed; every other statement fails on it, and the pool drops it. `cell`: how one is spoken
 * with.
 */
export function createClientClass<C extends ClientClass>(
  Client: C,
  bounds: Pick<ConnectionTimeouts, "statementMs">,
  pooler: PoolerMode | null = null,
  cell: Cell | null = null,
): C {
  class ResilientClient extends Client {
    /** The last statement of the transaction, for whose result its commit waits. */
    #last: Promise<unknown> | null = null;

    /** Of what we ask for as a connection begins, poolers take this one, and see to it. */
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
      // Of a name another transaction's connection knows nothing, or something else.
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
        // The server has ended it; the pool must not hand it out before the socket says so as well.
        if (ENDED.test(error.code ?? "") || BRACKET.test(text)) this.end().catch(() => {});
        if (!BRACKET.test(text)) throw error;
        return NOTHING;
      }
    }
  }
  return ResilientClient;
}

interface Pool {
  connect(): Promise<unknown>;
  options: { max: number };
  totalCount: number;
}

const TOO_MANY = "53300";
/** How long no further connections are opened after the server had none left. */
const SPARED_MS = 5_000;
const LOOK_MS = 50;

/**
 * At PostgreSQL's connection limit calls wait for a connection that the pool holds already, and for any where it holds
 * none, instead of failing at once. The pool grows again after a while.
 */
export function waitForConnections(pool: Pool, { connectMs }: Pick<ConnectionTimeouts, "connectMs">): void {
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
        // The pool counts as full with the connections that it holds, so that the next try waits for one of them.
        pool.options.max = Math.max(1, pool.totalCount);
        clearTimeout(grow);
        grow = setTimeout(() => {
          pool.options.max = max;
        }, SPARED_MS).unref();
        if (pool.totalCount === 0) await pause(LOOK_MS * (1 + Math.random()));
      }
  };
}
