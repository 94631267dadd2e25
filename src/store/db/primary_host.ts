// The choice of the writable host among several. All are queried at once, and again after a connection was lost or none
// is left. If two accept writes, the one with the higher timeline was promoted, and the other is a former primary that
// does not know it.

import { getDatabaseUrlHostname, parseTlsOptions } from "../config/database_url.ts";
import { findDatabaseUnavailableCode } from "./database_unavailable_errors.ts";

/** The used part of pg's client. */
export interface PgClient {
  host: string;
  port: number;
  connect(done: (error: Error | null) => void): void;
  connect(): Promise<void>;
  query(text: string): Promise<{ rows: { timeline?: number }[] }>;
  end(): Promise<void>;
  on(event: "notification", listener: (message: { payload?: string }) => void): unknown;
  on(event: "error" | "end", listener: (error?: Error) => void): unknown;
  connection: {
    stream: { destroy(): void };
    ssl?: boolean | object;
    on(event: "parameterStatus", listener: (said: { parameterName: string; parameterValue: string }) => void): void;
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the compiler asks for just this of a class that another one extends
type ClientClass = new (...args: any[]) => PgClient;

type Host = ReturnType<typeof parsePgConnectionOptions>;

/** The extra wait for other hosts after the first writable one, because one of them may have been promoted. */
const OTHERS_MS = 500;

/** Zero if the server does not report it. */
const TIMELINE = "select ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline";

/** The parameters by which a server reports that it is read-only. */
const READ_ONLY = ["in_hot_standby", "default_transaction_read_only"];

/** None takes writes: as when the server is away. */
class NoPrimary extends Error {
  readonly code = "08001";
  constructor() {
    super("none of the hosts in DATABASE_URL currently accepts writes");
  }
}

/** Returns the options of pg for a URL. */
export function parsePgConnectionOptions(url: string) {
  const { port, username, password, pathname } = new URL(url);
  const text = decodeURIComponent;
  return {
    host: getDatabaseUrlHostname(url),
    port: Number(port || 5432),
    user: text(username),
    password: text(password),
    database: text(pathname).slice(1),
    ...parseTlsOptions(url),
  };
}

/**
 * Creates a class of clients that connect to the writable host.
 * @param connectMs the time for finding it
 * @param options further options of the clients that only query
 */
export function createWritableClientClass<C extends ClientClass>(
  Client: C,
  hosts: readonly Host[],
  { connectMs }: { connectMs: number },
  options: object,
): C {
  const open = new Map<PgClient, Host>();
  let primary: Host | null = null;
  let search: Promise<Host> | null = null;
  /** The highest timeline seen by this process. Hosts with a lower one are not used. */
  let newest = 0;

  class Writable extends Client {
    readonly #reasons = new Set<string>();
    #ending = false;

    // biome-ignore lint/suspicious/noExplicitAny: as above
    constructor(...args: any[]) {
      super(...args);
      this.connection.on("parameterStatus", ({ parameterName, parameterValue }) => {
        if (!READ_ONLY.includes(parameterName)) return;
        if (parameterValue === "on") this.#reasons.add(parameterName);
        else this.#reasons.delete(parameterName);
      });
      this.on("end", () => this.#gone());
    }

    // biome-ignore lint/suspicious/noExplicitAny: pg's has both forms
    override connect(done?: (error: Error | null) => void): any {
      if (!done)
        return new Promise<void>((resolve, reject) => this.connect((error) => (error ? reject(error) : resolve())));
      find().then(
        (host) =>
          this.#connectTo(host, (error) => {
            if (!error) open.set(this, host);
            done(error);
          }),
        done,
      );
    }

    /** Connects to this host in any state. */
    connectTo(host: Host): Promise<void> {
      return new Promise((resolve, reject) => this.#connectTo(host, (error) => (error ? reject(error) : resolve())));
    }

    #connectTo(host: Host, done: (error: Error | null) => void): void {
      this.host = host.host;
      this.port = host.port;
      const { connection } = this;
      // The host name for checking the certificate.
      if (typeof connection.ssl === "object") connection.ssl = { ...connection.ssl, host: host.host };
      super.connect((error) => {
        const refusal = error ?? (this.#reasons.size > 0 ? new NoPrimary() : null);
        if (refusal && primary === host) primary = null;
        if (refusal && !error) this.end().catch(() => {});
        done(refusal);
      });
    }

    override end(...args: []): Promise<void> {
      this.#ending = true;
      return super.end(...args);
    }

    /** The server may have changed its role. */
    #gone(): void {
      const host = open.get(this);
      if (!open.delete(this)) return;
      if (host === primary && (!this.#ending || ![...open.values()].includes(host))) primary = null;
    }
  }

  function find(): Promise<Host> {
    if (primary) return Promise.resolve(primary);
    search ??= findPrimary().finally(() => {
      search = null;
    });
    return search;
  }

  /** The timeline of a host that takes writes. */
  async function probe(host: Host): Promise<number> {
    const client = new Writable({ ...options, ...host });
    client.on("error", () => {});
    const late = setTimeout(() => client.connection.stream.destroy(), connectMs).unref();
    try {
      await client.connectTo(host);
      // Without the privilege to read it, all are equal.
      const { rows } = await client.query(TIMELINE).catch(() => ({ rows: [] }));
      return rows[0]?.timeline ?? 0;
    } finally {
      clearTimeout(late);
      client.end().catch(() => {});
    }
  }

  function move(host: Host, timeline: number): void {
    newest = timeline;
    primary = host;
    // Connections to another host would write to a former primary, or wait for a dead one.
    for (const [client, other] of open) if (other !== host) client.connection.stream.destroy();
  }

  function findPrimary(): Promise<Host> {
    const { promise, resolve, reject } = Promise.withResolvers<Host>();
    const errors: unknown[] = [];
    let best: { host: Host; timeline: number } | null = null;
    let left = hosts.length;
    let over = false;
    const end = () => {
      over = true;
      clearTimeout(soon);
      clearTimeout(late);
      if (best) {
        move(best.host, best.timeline);
        return resolve(best.host);
      }
      const telling = errors.find((error) => findDatabaseUnavailableCode(error) === null);
      const full = errors.find((error) => (error as { code?: string }).code === "53300");
      reject(telling ?? full ?? new NoPrimary());
    };
    let soon: NodeJS.Timeout | undefined;
    const late = setTimeout(end, connectMs);
    for (const host of hosts)
      void probe(host)
        .then((timeline) => {
          if (timeline < newest || timeline <= (best?.timeline ?? -1)) return;
          best = { host, timeline };
          if (over && timeline > newest) move(host, timeline);
        })
        .catch((error) => errors.push(error))
        .finally(() => {
          left--;
          if (over) return;
          if (left === 0) end();
          else if (best) soon ??= setTimeout(end, OTHERS_MS);
        });
    return promise;
  }

  return Writable;
}
