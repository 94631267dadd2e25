// The one ORM configuration, for PostgreSQL by URL: a server's, or the socket of the embedded one.
// Knows how to open it; nothing of what the rows mean.

import { randomUUID } from "node:crypto";
import { extname } from "node:path";
import type { Platform } from "@mikro-orm/core";
import { MikroORM as PgORM } from "@mikro-orm/postgresql";
import type { PostgreSqlSchemaHelper, SqlEntityManager } from "@mikro-orm/sql";
import type { Kysely } from "kysely";
import { ENTITIES } from "../../model/entities/all.ts";
import type { Visibility } from "../../model/entities/pusher.ts";
import { need } from "../../model/need.ts";
import { hostsOf, tlsOf, wantsWritable } from "../config/database_url.ts";
import type { Pooler } from "../config/setting.ts";
import type { Config } from "../config/settings.ts";
import { inCell, leadsToCell, namedInCell } from "./cell.ts";
import { type Client, connectionTo, writable } from "./hosts.ts";
import { type Bounds, PATIENT, patient, poolOptions, resilient } from "./pool.ts";
import { type Connections, databaseOf, runOn } from "./statement.ts";

export type Orm = PgORM;

/** The pool of pg: what is asked of it here. */
type Pool = Parameters<typeof patient>[0] &
  Connections &
  Record<"totalCount" | "idleCount" | "waitingCount", number> & { Client: ClientClass; options: object };

export const MIGRATIONS = `${import.meta.dirname}/../../model/migrations`;
/** As this file is: .ts, or .js in the installed package. */
export const WRITTEN_IN = extname(import.meta.filename);

/** What opening a database needs to know. `databaseUrl` may be null only where nothing connects. */
export type DatabaseSettings = Pick<Config, "databaseUrl"> &
  Partial<Pick<Config, "databasePoolSize" | "databasePoolerMode" | "databaseListenUrl">> &
  Partial<Record<keyof typeof SETTINGS, number>>;

/** Which setting is which bound. With none of them, as a command has it, work takes as long as it takes. */
const SETTINGS = {
  databaseConnectTimeoutMs: "connectMs",
  databaseStatementTimeoutMs: "statementMs",
  databaseLockTimeoutMs: "lockMs",
  databaseIdleTimeoutMs: "idleMs",
  databaseKeepaliveIntervalMs: "keepAliveMs",
} as const;

function boundsFrom(config: DatabaseSettings): Bounds {
  const bounds = { ...PATIENT };
  for (const [setting, bound] of Object.entries(SETTINGS))
    bounds[bound] = config[setting as keyof typeof SETTINGS] ?? bounds[bound];
  return bounds;
}

/** By this the database tells the connections of this process from those of others. */
const PROCESS = `belfry-${randomUUID().slice(0, 13)}`;

/** Enough connections for the hot paths, and few enough for several replicas on one PostgreSQL with default settings. */
const POOL = 12;

/**
 * A key that carries columns is read without them when a database is compared with the entities, which cannot say it: that of
 * `report` carries one (model/entities/all.ts).
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

type ClientClass = Parameters<typeof resilient>[0] & Parameters<typeof writable>[0];

/** Connections beside those of the pool. */
interface Ways {
  listener(): Client;
  server(url: string): object;
}

const firstOf = (url: string) => hostsOf(url)[0] ?? url;

const CELL = { inCell, namedInCell };

/** The clients of a URL, which may lead to a pooler, or to several hosts. */
function classFor(
  plain: ClientClass,
  bounds: Bounds,
  pooler: Pooler | null,
  url: string | null,
  options: object,
): ClientClass {
  const Client = resilient(plain, bounds, pooler, url !== null && leadsToCell(url) ? CELL : null);
  if (url === null || !wantsWritable(url)) return Client;
  return writable(Client, hostsOf(url).map(connectionTo), bounds, options);
}

export function ormOptions(
  config: DatabaseSettings,
  bounds: Bounds = PATIENT,
  made: (pool: Pool, ways: Ways) => void = () => {},
) {
  const { databaseUrl, databasePoolerMode = null, databaseListenUrl = null } = config;
  return {
    clientUrl: databaseUrl === null ? undefined : firstOf(databaseUrl),
    entities: ENTITIES,
    discovery: { afterDiscovered: compareKeysAlone },
    forceUtcTimezone: true,
    pool: { min: 0, max: config.databasePoolSize ?? POOL },
    // The sign-in library's tables are its own; triggers stand in model/entities/triggers.ts (see scripts/schema).
    schemaGenerator: { ignoreSchema: ["auth"], ignoreTriggers: true },
    // The service writes its own log, so the ORM writes none.
    logger: () => {},
    migrations: { path: MIGRATIONS, pathTs: MIGRATIONS, tableName: "migration", snapshot: false },
    driverOptions: {
      ...poolOptions(bounds, PROCESS, databasePoolerMode),
      ...(databaseUrl === null ? {} : tlsOf(firstOf(databaseUrl))),
      onPoolCreated: (pool: Pool) => {
        const plain = pool.Client;
        pool.Client = classFor(plain, bounds, databasePoolerMode, databaseUrl, pool.options);
        patient(pool, bounds);
        made(pool, {
          listener() {
            if (databaseListenUrl === null) return new pool.Client(pool.options);
            const options = {
              ...poolOptions(bounds, PROCESS, null),
              ...connectionTo(firstOf(databaseListenUrl)),
            };
            return new (classFor(plain, bounds, null, databaseListenUrl, options))(options);
          },
          server: (url) => ({
            ...pool.options,
            onConnect: undefined,
            ...poolOptions(bounds, PROCESS, null),
            ...connectionTo(url),
            Client: resilient(plain, bounds),
          }),
        });
      },
    },
  };
}

/**
 * What works on the database that the URL names; the embedded one must run by its first use (see store/embedded/cluster.ts).
 * Nothing connects yet.
 */
export function openOrm(config: DatabaseSettings): Orm {
  const bounds = boundsFrom(config);
  const pools: ({ pool: Pool } & Ways)[] = [];
  const orm = new PgORM(ormOptions(config, bounds, (pool, ways) => pools.push({ pool, ...ways })));
  // The pool is made with the first look at what stands on it, which connects nothing.
  const database = databaseOf(orm);
  for (const { pool } of pools) runOn(database, pool);
  opened.set(orm, { bounds, pools });
  return orm;
}

const opened = new WeakMap<Orm, { bounds: Bounds; pools: ({ pool: Pool } & Ways)[] }>();
const openedAs = (orm: Orm) => need(opened.get(orm), "each was opened here");

/** What its connections do now; `waiting`: calls that wait for one. */
export function connectionsOf(orm: Orm): { busy: number; idle: number; waiting: number } {
  const sum = (of: (pool: Pool) => number) => openedAs(orm).pools.reduce((all, { pool }) => all + of(pool), 0);
  return {
    busy: sum(({ totalCount, idleCount }) => totalCount - idleCount),
    idle: sum(({ idleCount }) => idleCount),
    waiting: sum(({ waitingCount }) => waitingCount),
  };
}

/** A connection of its own, past a pooler where DATABASE_LISTEN_URL says how; it is yet to be opened. */
export const newListener = (orm: Orm): Client => need(openedAs(orm).pools[0], "there is one").listener();

/** What a pool of another server with the same rows is made with, whatever stands in front of the primary. */
export const optionsOfServer = (orm: Orm, url: string): object =>
  need(openedAs(orm).pools[0], "there is one").server(url);

/** Runs something that may take as long as it takes: no bound on statements holds on `orm` meanwhile. */
export async function unbounded<T>(orm: Orm, work: () => Promise<T>): Promise<T> {
  const { bounds } = openedAs(orm);
  const { statementMs } = bounds;
  bounds.statementMs = 0;
  try {
    return await work();
  } finally {
    bounds.statementMs = statementMs;
  }
}

/**
 * A manager that sees what `visible` allows; null: reading what is filtered by it throws. `transaction`: it works inside of
 * that one.
 */
export function managerFor(
  orm: Orm,
  visible: Visibility | null,
  transaction: Kysely<unknown> | null,
): SqlEntityManager {
  const em: SqlEntityManager = orm.em.fork();
  if (transaction) em.setTransactionContext(transaction);
  if (visible) em.setFilterParams("visible", { ...visible });
  return em;
}
