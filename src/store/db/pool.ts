// The connections to PostgreSQL, bounded in time: how long a call waits for one, how long a statement may take, and what
// becomes of a connection that does not answer. Knows nothing of the ORM, nor of what the statements mean.

import { setTimeout as pause } from "node:timers/promises";
import type { Pooler } from "../config/setting.ts";
import { spanUnder } from "../trace.ts";
import { closingQuery, openingQuery, type Query, type QueryClass, type QueryConfig } from "./opening.ts";
import { isClosing, nameOf } from "./statement.ts";
import { recordStatementOutcome } from "./unavailable.ts";

/** Milliseconds; 0 is without bound. */
export interface Bounds {
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
export const PATIENT: Bounds = {
  connectMs: 10_000,
  statementMs: 0,
  lockMs: 0,
  idleMs: 0,
  keepAliveMs: 10_000,
};

/**
 * The options of pg's pool that hold to the bounds. The server's own are asked for as each connection begins. A pooler takes none then:
 * one that lends its connections for as long as ours are open is told afterwards, and one that lends them for a transaction has them from
 * its own settings (docs/running.md#through-a-pooler).
 */
export function poolOptions(bounds: Bounds, name: string, pooler: Pooler | null) {
  const { connectMs, statementMs, lockMs, idleMs, keepAliveMs } = bounds;
  const own = {
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
  connection: { stream: { destroy(): void } };
}

// biome-ignore lint/suspicious/noExplicitAny: the compiler asks for just this of a class that another one extends
type ClientClass = (new (...args: any[]) => Client) & { Query: QueryClass };

/** What store/db/cell.ts has of this. */
interface Cell {
  inCell(text: string): string;
  namedInCell(error: Error & { code?: string }): void;
}

/** What begins or gives up a transaction; not what goes back to a savepoint. */
const BRACKET = /^(start transaction( .*)?|rollback)$/;

const POSTGRES = { "db.system.name": "postgresql" };
/** Of a statement that has no name, its first word: the text is nobody else's business. */
const wordOf = (text: string) => /^\s*(\w{1,20})/.exec(text)?.[1]?.toLowerCase() ?? "statement";

/** The server ends the connection, or takes no writes any more: another one does by now. */
const ENDED = /^(57P0[1-5]|25006)$/;

/** The result of a `begin` or `rollback` that was not sent, or that failed with its connection. */
const NOTHING = { command: "", rowCount: 0, rows: [] };

/**
 * A pg client that sends every defined statement under its name (but where a pooler lends connections for a transaction), `begin` with the statement after it, `commit` with the
 * one before it where that is declared as the last, and gives up on a
 * server that says nothing: that connection is cut, since its answer may still come. It also mends a leak: the query builder
 * returns a connection to the pool only after a `begin` or `rollback` that succeeded, so one that the server ended would count
 * as taken for ever, and a dozen of them would stop the service. Here `begin` cannot fail, `rollback` closes a broken
 * connection and then succeeds; every other statement fails on it, and the pool drops it. `cell`: how one is spoken with.
 */
export function resilient<C extends ClientClass>(
  Client: C,
  bounds: Pick<Bounds, "statementMs">,
  pooler: Pooler | null = null,
  cell: Cell | null = null,
): C {
  const Opening = openingQuery(Client.Query);
  const Closing = closingQuery(Client.Query);
  class ResilientClient extends Client {
    /** A transaction was asked for, and nothing in it yet. */
    #begins = false;
    /** Between `begin` and the end. */
    #inside = false;
    /** The last statement of the transaction, which waits for its commit. */
    #last: QueryConfig | null = null;

    /** Of what we ask for as a connection begins, poolers take this one, and see to it. */
    override getStartupConf(): object {
      return pooler === null ? super.getStartupConf() : { ...super.getStartupConf(), TimeZone: "UTC" };
    }

    override query(text: unknown, values?: unknown, ...rest: unknown[]): unknown {
      if (typeof text !== "string") {
        // It would run outside of the transaction that was asked for.
        if (this.#begins) throw new Error("a transaction begins with a statement that is a text");
        return super.query(text, values, ...rest);
      }
      const begins = this.#begins;
      const last = this.#last;
      const ends = /^(commit|rollback)$/.test(text);
      this.#begins = text === "begin";
      this.#inside = this.#begins || (this.#inside && !ends);
      this.#last = null;
      if (this.#begins || (begins && ends)) return Promise.resolve(NOTHING);
      if (last && !ends) throw new Error("a statement follows the last one of its transaction");
      const query_timeout = bounds.statementMs && bounds.statementMs + READ_MARGIN_MS;
      // Of a name another transaction's connection knows nothing, or something else.
      const known = nameOf(text);
      const name = pooler === "transaction" ? undefined : known;
      const config = { name, text: cell ? cell.inCell(text) : text, values, query_timeout };
      if (this.#inside && !begins && isClosing(text)) {
        this.#last = config;
        return Promise.resolve(NOTHING);
      }
      const span = spanUnder()?.child(`sql ${known ?? wordOf(text)}`, "client", POSTGRES);
      const result = begins
        ? this.#run(Opening, config)
        : last && text === "commit"
          ? this.#run(Closing, last)
          : super.query(config, ...rest);
      if (!(result instanceof Promise)) return result;
      const well = (value: unknown) => {
        recordStatementOutcome(null);
        span?.end();
        return value;
      };
      return result.then(well, (error: Error & { code?: string }) => {
        cell?.namedInCell(error);
        recordStatementOutcome(error);
        span?.end(error.code ?? "error");
        if (error.message === "Query read timeout") this.connection.stream.destroy();
        // The server has ended it; the pool must not hand it out before the socket says so as well.
        if (ENDED.test(error.code ?? "") || BRACKET.test(text)) this.end().catch(() => {});
        if (!BRACKET.test(text)) throw error;
        return NOTHING;
      });
    }

    /** The first statement of a transaction, or its last. */
    #run(Special: QueryClass, config: QueryConfig): Promise<unknown> {
      return new Promise((resolve, reject) => {
        const done = (error: Error | null, result: unknown) => (error ? reject(error) : resolve(result));
        const query: Query = new Special({ ...config, queryMode: "extended" }, undefined, done);
        query.query_timeout = config.query_timeout;
        super.query(query);
      });
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
export function patient(pool: Pool, { connectMs }: Pick<Bounds, "connectMs">): void {
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
