// Storage of rows and its timeouts: the data directory, the database, the embedded database, the secret.

import { resolve } from "node:path";
import { validateDatabaseUrl } from "./database_url.ts";
import {
  type AlreadyReadSettings,
  booleanSetting,
  ConfigError,
  createUrlSettingReader,
  integerSetting,
  type PoolerMode,
  type SettingTable,
} from "./setting_types.ts";

export const MIN_SECRET_BYTES = 32;

/** Settings that require a database by URL. @throws ConfigError without one. */
function besideUrl<Value>(value: Value, name: string, { databaseUrl }: AlreadyReadSettings): Value {
  if (value !== null && !databaseUrl) throw new ConfigError(name, "requires DATABASE_URL. Set both or neither.");
  return value;
}

export const STORAGE_SETTINGS = {
  dataDir: {
    shownDefault: ".data",
    meaning: "Folder for the embedded database, its lock, the secret, the initial credentials and uploaded files.",
    read: (raw) => resolve(raw ?? ".data"),
  },
  databaseUrl: {
    secret: true,
    shownDefault: "(embedded)",
    meaning:
      "PostgreSQL server to use instead of the embedded database. Requires SECRET. With several comma-separated " +
      "hosts, the writable one is used, even after a failover.",
    read: validateDatabaseUrl,
  },
  databaseReadUrls: {
    secret: true,
    shownDefault: "(none)",
    meaning:
      "Comma-separated list of hot standbys of DATABASE_URL for reads: polls, lists, public pages, statistics. " +
      "Each uses DATABASE_POOL_SIZE additional connections.",
    read: (raw, name, soFar) => {
      const urls = (raw ?? "").split(",").flatMap((url) => validateDatabaseUrl(url.trim() || undefined, name) ?? []);
      if (urls.length > 0 && !soFar.databaseUrl)
        throw new ConfigError(name, "requires DATABASE_URL; the embedded database has no standbys.");
      return urls;
    },
  },
  databasePoolerMode: {
    shownDefault: "(none)",
    meaning:
      "Mode of the connection pooler (PgBouncer) at DATABASE_URL: session or transaction. transaction requires " +
      "DATABASE_LISTEN_URL or MESSAGE_BUS_URL.",
    read: (raw, name, soFar): PoolerMode | null => {
      const pooler = raw === "session" || raw === "transaction" ? raw : null;
      if (raw !== undefined && pooler === null)
        throw new ConfigError(name, "must be session or transaction. Leave it unset if you do not use a pooler.");
      return besideUrl(pooler, name, soFar);
    },
  },
  databaseListenUrl: {
    secret: true,
    shownDefault: "(DATABASE_URL)",
    meaning: "URL that reaches the same database without the pooler, for LISTEN and operator commands.",
    read: (raw, name, soFar) => besideUrl(validateDatabaseUrl(raw, name), name, soFar),
  },
  messageBusUrl: {
    secret: true,
    shownDefault: "(the database)",
    meaning:
      "NATS (nats://) or Redis (redis://, rediss://) server for change notifications between processes, " +
      "instead of LISTEN. Recommended if you run dozens of processes or more.",
    read: (raw, name, { databasePoolerMode, databaseListenUrl }) => {
      const url = createUrlSettingReader(["nats:", "redis:", "rediss:"])(raw, name);
      if (databasePoolerMode === "transaction" && !databaseListenUrl && url === null)
        throw new ConfigError(
          "DATABASE_LISTEN_URL",
          "is required with DATABASE_POOLER_MODE=transaction, which does not support LISTEN. Set it to a URL that " +
            "bypasses the pooler, or set MESSAGE_BUS_URL.",
        );
      return url;
    },
  },
  databasePoolSize: {
    shownDefault: "12; 4 with MESSAGE_BUS_URL",
    meaning:
      "Maximum number of database connections of the service. Its workers share them, with at least 2 each. Each " +
      "process uses one more for LISTEN.",
    read: (raw, name, { messageBusUrl }) => integerSetting(2, 500, messageBusUrl ? 4 : 12).read(raw, name),
  },
  databaseConnectTimeoutMs: {
    meaning: "Maximum wait for a database connection, after which the call gets a 503.",
    ...integerSetting(10, 600_000, 5_000),
  },
  databaseStatementTimeoutMs: {
    meaning: "Maximum duration of a statement, after which the call gets a 503. 0 means no limit.",
    ...integerSetting(0, 3_600_000, 15_000),
  },
  databaseLockTimeoutMs: {
    meaning: "Maximum wait for a lock, after which the call gets a 503. 0 means no limit.",
    ...integerSetting(0, 3_600_000, 5_000),
  },
  databaseIdleTransactionTimeoutMs: {
    meaning: "Idle time after which the database ends a transaction. 0 means no limit.",
    ...integerSetting(0, 3_600_000, 10_000),
  },
  databaseKeepaliveIntervalMs: {
    meaning: "Idle time after which a database connection is checked. 0 means never.",
    ...integerSetting(0, 3_600_000, 10_000),
  },
  minFreeDiskMb: {
    meaning:
      "Minimum free disk space for the embedded database. Below this limit, writes get a 503 and /readyz gives the " +
      "reason. The database log can take up to 256 MB.",
    ...integerSetting(0, 1_000_000_000, 320),
  },
  postgresBin: {
    shownDefault: "(from the npm package)",
    meaning:
      "Folder that contains the postgres and initdb programs of PostgreSQL 15 or newer. The embedded database uses " +
      "them instead of those from npm.",
    read: (raw) => (raw === undefined ? null : resolve(raw)),
  },
  postgresSharedBuffersMb: {
    meaning:
      "Size of the embedded database's shared buffers, in MB. A larger value helps with more than a million rows.",
    ...integerSetting(8, 65_536, 32),
  },
  postgresSynchronousCommit: {
    meaning:
      "If false, the embedded database confirms writes before they are on disk. This is faster on slow disks, but a " +
      "power failure can lose the last half second of writes. Data is never corrupted.",
    ...booleanSetting(true),
  },
  /** Null until `loadSecret` has made or read the embedded one. */
  secret: {
    secret: true,
    shownDefault: "(generated in DATA_DIR)",
    meaning: "Server secret of at least 32 bytes for encryption and pseudonyms. Required with DATABASE_URL.",
    read: (raw, name, soFar) => {
      if (raw !== undefined && Buffer.byteLength(raw) < MIN_SECRET_BYTES)
        throw new ConfigError(name, `must be at least ${MIN_SECRET_BYTES} bytes long.`);
      if (raw === undefined && soFar.databaseUrl)
        throw new ConfigError(name, "is required with DATABASE_URL: set it to at least 32 random bytes.");
      return raw ?? null;
    },
  },
} satisfies SettingTable;
