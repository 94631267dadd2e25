// Where the rows lie and how long they are waited for: the data directory, the database, the embedded one, the secret.

import { resolve } from "node:path";
import { databaseUrl } from "./database_url.ts";
import { ConfigError, type Earlier, flag, type Pooler, type Table, urlOf, wholeNumber } from "./setting.ts";

export const MIN_SECRET_BYTES = 32;

/** What goes with a database of one's own. @throws ConfigError without one. */
function besideUrl<Value>(value: Value, name: string, { databaseUrl }: Earlier): Value {
  if (value !== null && !databaseUrl)
    throw new ConfigError(name, "goes with DATABASE_URL: set that as well, or leave this one out.");
  return value;
}

export const STORAGE = {
  dataDir: {
    name: "DATA_DIR",
    shownDefault: ".data",
    meaning: "Folder of the embedded database, its lock, secret and first credentials, and of uploaded files.",
    read: (raw) => resolve(raw ?? ".data"),
  },
  databaseUrl: {
    name: "DATABASE_URL",
    shownDefault: "(embedded)",
    meaning:
      "PostgreSQL to use instead of the embedded one; then SECRET is required. It may name several hosts with commas between them: the one that takes writes is found, and found again after a failure.",
    read: databaseUrl,
  },
  databaseReadUrls: {
    name: "DATABASE_READ_URLS",
    shownDefault: "(none)",
    meaning:
      "Comma list of hot standbys of DATABASE_URL, one server each, that answer what may be read there: polls, lists, public pages, statistics. Each has DATABASE_POOL_SIZE connections more.",
    read: (raw, name, soFar) => {
      const urls = (raw ?? "").split(",").flatMap((url) => databaseUrl(url.trim() || undefined, name) ?? []);
      if (urls.length > 0 && !soFar.databaseUrl)
        throw new ConfigError(
          name,
          "names standbys of DATABASE_URL, which is not set; the embedded database has none.",
        );
      return urls;
    },
  },
  databasePoolerMode: {
    name: "DATABASE_POOLER_MODE",
    shownDefault: "(none)",
    meaning:
      "How the pooler that DATABASE_URL leads to (pgbouncer) lends its connections: session or transaction. The latter needs DATABASE_LISTEN_URL or MESSAGE_BUS_URL.",
    read: (raw, name, soFar): Pooler | null => {
      const pooler = raw === "session" || raw === "transaction" ? raw : null;
      if (raw !== undefined && pooler === null)
        throw new ConfigError(name, "must be session or transaction, or left out where there is no pooler.");
      return besideUrl(pooler, name, soFar);
    },
  },
  databaseListenUrl: {
    name: "DATABASE_LISTEN_URL",
    shownDefault: "(DATABASE_URL)",
    meaning:
      "The same database past a pooler: here processes listen to one another, and commands of the operator work.",
    read: (raw, name, soFar) => besideUrl(databaseUrl(raw, name), name, soFar),
  },
  messageBusUrl: {
    name: "MESSAGE_BUS_URL",
    shownDefault: "(the database)",
    meaning:
      "NATS (nats://) or Redis (redis://, rediss://) by which the processes of one database tell each other what changed, instead of LISTEN; for tens of processes and more.",
    read: (raw, name, { databasePoolerMode, databaseListenUrl }) => {
      const url = urlOf(["nats:", "redis:", "rediss:"])(raw, name);
      if (databasePoolerMode === "transaction" && !databaseListenUrl && url === null)
        throw new ConfigError(
          "DATABASE_LISTEN_URL",
          "is required with DATABASE_POOLER_MODE=transaction, through which nobody can listen: name the database past the pooler, or set MESSAGE_BUS_URL.",
        );
      return url;
    },
  },
  databasePoolSize: {
    name: "DATABASE_POOL_SIZE",
    shownDefault: "12; 4 with MESSAGE_BUS_URL",
    meaning:
      "How many connections to the database the service keeps at most, besides one of each process that listens.",
    read: (raw, name, { messageBusUrl }) => wholeNumber(2, 500, messageBusUrl ? 4 : 12).read(raw, name),
  },
  databaseConnectTimeoutMs: {
    name: "DATABASE_CONNECT_TIMEOUT_MS",
    meaning: "How long a call waits for a connection to the database; then it is 503.",
    ...wholeNumber(10, 600_000, 5_000),
  },
  databaseStatementTimeoutMs: {
    name: "DATABASE_STATEMENT_TIMEOUT_MS",
    meaning: "How long one statement may take; then its call is 503. 0: as long as it takes.",
    ...wholeNumber(0, 3_600_000, 15_000),
  },
  databaseLockTimeoutMs: {
    name: "DATABASE_LOCK_TIMEOUT_MS",
    meaning: "How long a statement waits for a lock; then its call is 503. 0: as long as it takes.",
    ...wholeNumber(0, 3_600_000, 5_000),
  },
  databaseIdleTimeoutMs: {
    name: "DATABASE_IDLE_TIMEOUT_MS",
    meaning: "After how long the database ends a transaction in which nothing happens. 0: never.",
    ...wholeNumber(0, 3_600_000, 10_000),
  },
  databaseKeepaliveIntervalMs: {
    name: "DATABASE_KEEPALIVE_INTERVAL_MS",
    meaning: "After how long an idle connection to the database is asked whether it is there. 0: never.",
    ...wholeNumber(0, 3_600_000, 10_000),
  },
  minFreeDiskMb: {
    name: "MIN_FREE_DISK_MB",
    meaning:
      "While less is free on the disk of the embedded database, writes are 503 and /readyz says why; its log may take up to 256 MB.",
    ...wholeNumber(0, 1_000_000_000, 320),
  },
  postgresBin: {
    name: "POSTGRES_BIN",
    shownDefault: "(the package's)",
    meaning:
      "Folder with postgres and initdb of PostgreSQL 15 or newer, for the embedded database instead of those that npm brings.",
    read: (raw) => (raw === undefined ? null : resolve(raw)),
  },
  postgresSharedBuffers: {
    name: "POSTGRES_SHARED_BUFFERS",
    meaning: "Memory in MB that the embedded database keeps pages in; more pays off beyond a million rows.",
    ...wholeNumber(8, 65_536, 32),
  },
  postgresSynchronousCommit: {
    name: "POSTGRES_SYNCHRONOUS_COMMIT",
    meaning:
      "false lets the embedded database answer before the disk has what was written: faster on slow disks, and a loss of power may take the last half second of acknowledged sends along. Nothing is ever damaged.",
    ...flag(true),
  },
  /** Null until `loadSecret` has made or read the embedded one. */
  secret: {
    name: "SECRET",
    shownDefault: "(made in DATA_DIR)",
    meaning: "Server secret of at least 32 bytes: encrypts and pseudonymises. Required with DATABASE_URL.",
    read: (raw, name, soFar) => {
      if (raw !== undefined && Buffer.byteLength(raw) < MIN_SECRET_BYTES)
        throw new ConfigError(name, `must be at least ${MIN_SECRET_BYTES} bytes long.`);
      if (raw === undefined && soFar.databaseUrl)
        throw new ConfigError(name, "is required with DATABASE_URL: set it to at least 32 random bytes.");
      return raw ?? null;
    },
  },
} satisfies Table;
