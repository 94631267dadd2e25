// The one ORM configuration, for PostgreSQL by URL: a server's, or the socket of the embedded one.
// Knows how to open and migrate; nothing of what the rows mean.

import { randomUUID } from "node:crypto";
import type { Options } from "@mikro-orm/core";
import { Migrator } from "@mikro-orm/migrations";
import { MikroORM as PgORM } from "@mikro-orm/postgresql";
import type { AbstractSqlDriver, MikroORM, SqlEntityManager } from "@mikro-orm/sql";
import type { Config } from "../config.ts";
import { ENTITIES } from "../entities/all.ts";
import { type Bounds, PATIENT, patient, poolOptions, resilient } from "./pool.ts";

export type Orm = MikroORM<AbstractSqlDriver, SqlEntityManager>;

const MIGRATIONS = `${import.meta.dirname}/../migrations`;

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

/** Enough to keep the hot paths busy, few enough for several replicas on one default PostgreSQL. */
const POOL = 12;

export function ormOptions(config: DatabaseSettings, bounds: Bounds = PATIENT): Options {
  const options = {
    clientUrl: config.databaseUrl ?? undefined,
    entities: ENTITIES,
    extensions: [Migrator],
    forceUtcTimezone: true,
    pool: { min: 0, max: config.databasePool ?? POOL },
    // The sign-in library's tables are its own; triggers stand in entities/triggers.ts (see scripts/schema).
    schemaGenerator: { ignoreSchema: ["auth"], ignoreTriggers: true },
    // What there is to say, the service's own log says.
    logger: () => {},
    migrations: { path: MIGRATIONS, pathTs: MIGRATIONS, tableName: "migration", snapshot: false },
    driverOptions: {
      ...poolOptions(bounds, PROCESS),
      onPoolCreated: (pool: Parameters<typeof patient>[0] & { Client: never }) => {
        pool.Client = resilient(pool.Client, bounds);
        patient(pool, bounds);
      },
    },
  };
  return options as unknown as Options;
}

/** Opens the database that the URL names; the embedded one must run (see embedded/cluster.ts). */
export async function openOrm(config: DatabaseSettings): Promise<Orm> {
  const bounds = boundsFrom(config);
  const orm = (await PgORM.init(ormOptions(config, bounds) as never)) as unknown as Orm;
  boundsOf.set(orm, bounds);
  return orm;
}

const boundsOf = new WeakMap<Orm, Bounds>();

/** Any number that nobody else takes advisory locks under. */
const MIGRATION_LOCK = 7_239_104_551;

/**
 * Brings the schema up: one process at a time, the others wait and then find nothing to do. It may take as long as a large
 * table takes, so no bound on statements holds meanwhile.
 */
export async function migrate(orm: Orm): Promise<string[]> {
  const migrator = (orm as unknown as { migrator: Migrator }).migrator;
  const bounds = boundsOf.get(orm)!;
  const { statementMs } = bounds;
  bounds.statementMs = 0;
  try {
    return await orm.em.fork().transactional(async (em) => {
      for (const bound of ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"])
        await em.execute(`set local ${bound} = 0`);
      await em.execute(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
      const done = await migrator.up({ transaction: em.getTransactionContext() });
      return done.map(({ name }) => name);
    });
  } finally {
    bounds.statementMs = statementMs;
  }
}

/** True when every migration that this build carries is in. */
export async function isMigrated(orm: Orm): Promise<boolean> {
  const migrator = (orm as unknown as { migrator: Migrator }).migrator;
  return (await migrator.getPending()).length === 0;
}
