// The one ORM configuration, for PostgreSQL by URL: a server's, or the socket of the embedded one.
// Knows how to open it; nothing of what the rows mean.

import { randomUUID } from "node:crypto";
import { extname } from "node:path";
import type { Platform } from "@mikro-orm/core";
import { MikroORM as PgORM } from "@mikro-orm/postgresql";
import type { PostgreSqlSchemaHelper } from "@mikro-orm/sql";
import { ENTITIES } from "../../model/entities/all.ts";
import { need } from "../../model/need.ts";
import type { Config } from "../config/settings.ts";
import { type Bounds, PATIENT, patient, poolOptions, resilient } from "./pool.ts";
import { type Connections, databaseOf, runOn } from "./statement.ts";

export type Orm = PgORM;

/** The pool of pg: what is asked of it here. */
type Pool = Connections & Record<"totalCount" | "idleCount" | "waitingCount", number>;

export const MIGRATIONS = `${import.meta.dirname}/../../model/migrations`;
/** As this file is: .ts, or .js in the installed package. */
export const WRITTEN_IN = extname(import.meta.filename);

/** What opening a database needs to know. `databaseUrl` may be null only where nothing connects. */
export type DatabaseSettings = Pick<Config, "databaseUrl"> &
  Partial<Pick<Config, "databasePool">> &
  Partial<Record<keyof typeof SETTINGS, number>>;

/** Which setting is which bound. With none of them, as a command has it, work takes as long as it takes. */
const SETTINGS = {
  databaseConnectMs: "connectMs",
  databaseStatementMs: "statementMs",
  databaseLockMs: "lockMs",
  databaseIdleMs: "idleMs",
  databaseKeepaliveMs: "keepAliveMs",
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
 * `report` carries one (model/entities/storage.ts).
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

export function ormOptions(
  config: DatabaseSettings,
  bounds: Bounds = PATIENT,
  made: (pool: Pool) => void = () => {},
) {
  return {
    clientUrl: config.databaseUrl ?? undefined,
    entities: ENTITIES,
    discovery: { afterDiscovered: compareKeysAlone },
    forceUtcTimezone: true,
    pool: { min: 0, max: config.databasePool ?? POOL },
    // The sign-in library's tables are its own; triggers stand in model/entities/triggers.ts (see scripts/schema).
    schemaGenerator: { ignoreSchema: ["auth"], ignoreTriggers: true },
    // The service writes its own log, so the ORM writes none.
    logger: () => {},
    migrations: { path: MIGRATIONS, pathTs: MIGRATIONS, tableName: "migration", snapshot: false },
    driverOptions: {
      ...poolOptions(bounds, PROCESS),
      onPoolCreated: (pool: Parameters<typeof patient>[0] & Pool & { Client: never }) => {
        pool.Client = resilient(pool.Client, bounds);
        patient(pool, bounds);
        made(pool);
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
  const pools: Pool[] = [];
  const orm = new PgORM(ormOptions(config, bounds, (pool) => pools.push(pool)));
  // The pool is made with the first look at what stands on it, which connects nothing.
  const database = databaseOf(orm);
  for (const pool of pools) runOn(database, pool);
  boundsOf.set(orm, bounds);
  poolsOf.set(orm, pools);
  return orm;
}

const boundsOf = new WeakMap<Orm, Bounds>();
const poolsOf = new WeakMap<Orm, Pool[]>();

/** What its connections do now; `waiting`: calls that wait for one. */
export function connectionsOf(orm: Orm): { busy: number; idle: number; waiting: number } {
  const sum = (of: (pool: Pool) => number) =>
    (poolsOf.get(orm) ?? []).reduce((all, pool) => all + of(pool), 0);
  return {
    busy: sum(({ totalCount, idleCount }) => totalCount - idleCount),
    idle: sum(({ idleCount }) => idleCount),
    waiting: sum(({ waitingCount }) => waitingCount),
  };
}

/** Runs something that may take as long as it takes: no bound on statements holds on `orm` meanwhile. */
export async function unbounded<T>(orm: Orm, work: () => Promise<T>): Promise<T> {
  const bounds = need(boundsOf.get(orm), "each was opened here");
  const { statementMs } = bounds;
  bounds.statementMs = 0;
  try {
    return await work();
  } finally {
    bounds.statementMs = statementMs;
  }
}
