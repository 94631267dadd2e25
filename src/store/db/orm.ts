// The one ORM configuration, for PostgreSQL by URL: a server's, or the socket of the embedded one.
// Knows how to open it; nothing of what the rows mean.

import { randomUUID } from "node:crypto";
import { extname } from "node:path";
import type { Platform } from "@mikro-orm/core";
import { MikroORM as PgORM } from "@mikro-orm/postgresql";
import type { PostgreSqlSchemaHelper } from "@mikro-orm/sql";
import { assertDefined } from "../../model/assert.ts";
import { ENTITIES } from "../../model/tables/schema.ts";
import type { Config } from "../config/all_settings.ts";
import { parseTlsOptions, requiresWritableHost, splitDatabaseUrlByHost } from "../config/database_url.ts";
import type { PoolerMode } from "../config/setting_types.ts";
import { isCellDatabaseUrl, restoreCitusErrorCode, rewriteStatementForCell } from "./citus_cell.ts";
import {
  type ConnectionTimeouts,
  createPoolTimeoutOptions,
  createResilientClientClass,
  OPERATOR_TIMEOUTS,
  retryConnectAtConnectionLimit,
} from "./connection_timeouts_and_client.ts";
import { createWritableClientClass, type PgClient, parsePgConnectionOptions } from "./primary_host.ts";
import { getKysely, type StatementConnections, setStatementConnections } from "./statement.ts";

export type Orm = PgORM;

/** The used part of pg's pool. */
type Pool = Parameters<typeof retryConnectAtConnectionLimit>[0] &
  StatementConnections &
  Record<"totalCount" | "idleCount" | "waitingCount", number> & { Client: ClientClass; options: object };

export const MIGRATIONS_FOLDER = `${import.meta.dirname}/../../model/migrations`;
/** As this file is: .ts, or .js in the installed package. */
export const SOURCE_EXTENSION = extname(import.meta.filename);

/** The settings for opening a database. `databaseUrl` may be null only if nothing connects. */
type DatabaseSettings = Pick<Config, "databaseUrl"> &
  Partial<Pick<Config, "databasePoolSize" | "databasePoolerMode" | "databaseListenUrl">> &
  Partial<Record<keyof typeof SETTINGS, number>>;

/** The timeouts by setting. Commands have none of them, so their work takes any time. */
const SETTINGS = {
  databaseConnectTimeoutMs: "connectMs",
  databaseStatementTimeoutMs: "statementMs",
  databaseLockTimeoutMs: "lockMs",
  databaseIdleTransactionTimeoutMs: "idleMs",
  databaseKeepaliveIntervalMs: "keepAliveMs",
} as const;

function boundsFrom(config: DatabaseSettings): ConnectionTimeouts {
  const bounds = { ...OPERATOR_TIMEOUTS };
  for (const [setting, bound] of Object.entries(SETTINGS))
    bounds[bound] = config[setting as keyof typeof SETTINGS] ?? bounds[bound];
  return bounds;
}

/** The application name, by which the database distinguishes the connections of this process. */
const PROCESS = `belfry-${randomUUID().slice(0, 13)}`;

/**
 * Enough connections for the hot paths, and few enough for several replicas on one PostgreSQL with default settings.
 */
const POOL = 12;

/**
 * Compares indexes without included columns, which entities cannot express. The one of `report` has one
 * (model/tables/schema.ts).
 */
function compareKeysAlone(_: unknown, platform: Platform): void {
  const helper = platform.getSchemaHelper() as PostgreSqlSchemaHelper;
  const read = helper.getAllIndexes.bind(helper);
  helper.getAllIndexes = async (...asked) => {
    const indexes = await read(...asked);
    for (const index of Object.values(indexes).flat()) if (index.primary) delete index.include;
    return indexes;
  };
}

type ClientClass = Parameters<typeof createResilientClientClass>[0] & Parameters<typeof createWritableClientClass>[0];

/** Connections outside the pool. */
interface Ways {
  listener(): PgClient;
  server(url: string): object;
}

const firstOf = (url: string) => splitDatabaseUrlByHost(url)[0] ?? url;

const CELL = { inCell: rewriteStatementForCell, namedInCell: restoreCitusErrorCode };

/** The clients of a URL, which may lead to a pooler, or to several hosts. */
function classFor(
  plain: ClientClass,
  bounds: ConnectionTimeouts,
  pooler: PoolerMode | null,
  url: string | null,
  options: object,
): ClientClass {
  const Client = createResilientClientClass(
    plain,
    bounds,
    pooler,
    url !== null && isCellDatabaseUrl(url) ? CELL : null,
  );
  if (url === null || !requiresWritableHost(url)) return Client;
  return createWritableClientClass(Client, splitDatabaseUrlByHost(url).map(parsePgConnectionOptions), bounds, options);
}

export function ormOptions(
  config: DatabaseSettings,
  bounds: ConnectionTimeouts = OPERATOR_TIMEOUTS,
  made: (pool: Pool, ways: Ways) => void = () => {},
) {
  const { databaseUrl, databasePoolerMode = null, databaseListenUrl = null } = config;
  return {
    clientUrl: databaseUrl === null ? undefined : firstOf(databaseUrl),
    entities: ENTITIES,
    discovery: { afterDiscovered: compareKeysAlone },
    forceUtcTimezone: true,
    pool: { min: 0, max: config.databasePoolSize ?? POOL },
    // The sign-in library owns its tables; triggers are in model/tables/triggers.ts (see scripts/schema).
    schemaGenerator: { ignoreSchema: ["auth"], ignoreTriggers: true },
    // The service writes its own log, so the ORM writes none.
    logger: () => {},
    migrations: { path: MIGRATIONS_FOLDER, pathTs: MIGRATIONS_FOLDER, tableName: "migration", snapshot: false },
    driverOptions: {
      ...createPoolTimeoutOptions(bounds, PROCESS, databasePoolerMode),
      ...(databaseUrl === null ? {} : parseTlsOptions(firstOf(databaseUrl))),
      onPoolCreated: (pool: Pool) => {
        const plain = pool.Client;
        pool.Client = classFor(plain, bounds, databasePoolerMode, databaseUrl, pool.options);
        retryConnectAtConnectionLimit(pool, bounds);
        made(pool, {
          listener() {
            if (databaseListenUrl === null) return new pool.Client(pool.options);
            const options = {
              ...createPoolTimeoutOptions(bounds, PROCESS, null),
              ...parsePgConnectionOptions(firstOf(databaseListenUrl)),
            };
            return new (classFor(plain, bounds, null, databaseListenUrl, options))(options);
          },
          server: (url) => ({
            ...pool.options,
            onConnect: undefined,
            ...createPoolTimeoutOptions(bounds, PROCESS, null),
            ...parsePgConnectionOptions(url),
            Client: createResilientClientClass(plain, bounds),
          }),
        });
      },
    },
  };
}

/**
 * Opens the ORM for the database of the URL, without connecting. The embedded database must run at its first use (see
 * store/embedded/cluster.ts).
 */
export function createOrm(config: DatabaseSettings): Orm {
  const bounds = boundsFrom(config);
  const pools: ({ pool: Pool } & Ways)[] = [];
  const orm = new PgORM(ormOptions(config, bounds, (pool, ways) => pools.push({ pool, ...ways })));
  // The pool is created on first access, which does not connect.
  const database = getKysely(orm);
  for (const { pool } of pools) setStatementConnections(database, pool);
  opened.set(orm, { bounds, pools });
  return orm;
}

const opened = new WeakMap<Orm, { bounds: ConnectionTimeouts; pools: ({ pool: Pool } & Ways)[] }>();
const openedAs = (orm: Orm) => assertDefined(opened.get(orm), "every ORM is opened here");

/** Counts the connections by state; `waiting` is the number of calls that wait for one. */
export function countConnectionsByState(orm: Orm): { busy: number; idle: number; waiting: number } {
  const sum = (of: (pool: Pool) => number) => openedAs(orm).pools.reduce((all, { pool }) => all + of(pool), 0);
  return {
    busy: sum(({ totalCount, idleCount }) => totalCount - idleCount),
    idle: sum(({ idleCount }) => idleCount),
    waiting: sum(({ waitingCount }) => waitingCount),
  };
}

/** Creates a separate connection, without the pooler if DATABASE_LISTEN_URL is set. It is not opened yet. */
export const createListenClient = (orm: Orm): PgClient =>
  assertDefined(openedAs(orm).pools[0], "an ORM has a pool").listener();

/** Returns the options for a pool of another server with the same rows, for any configuration of the primary. */
export const createReplicaPoolOptions = (orm: Orm, url: string): object =>
  assertDefined(openedAs(orm).pools[0], "an ORM has a pool").server(url);

/** Runs work of any duration, without a statement timeout on `orm` during it. */
export async function runWithoutStatementTimeout<T>(orm: Orm, work: () => Promise<T>): Promise<T> {
  const { bounds } = openedAs(orm);
  const { statementMs } = bounds;
  bounds.statementMs = 0;
  try {
    return await work();
  } finally {
    bounds.statementMs = statementMs;
  }
}
