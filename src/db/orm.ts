// The one ORM configuration, for PostgreSQL by URL: a server's, or the socket of the embedded one.
// Knows how to open and migrate; nothing of what the rows mean.

import { randomUUID } from "node:crypto";
import type { Options } from "@mikro-orm/core";
import { Migrator } from "@mikro-orm/migrations";
import { MikroORM as PgORM } from "@mikro-orm/postgresql";
import type { AbstractSqlDriver, MikroORM, SqlEntityManager } from "@mikro-orm/sql";
import type { Config } from "../config.ts";
import { ENTITIES } from "../entities/all.ts";
import { resilient } from "./statement.ts";

export type Orm = MikroORM<AbstractSqlDriver, SqlEntityManager>;

const MIGRATIONS = `${import.meta.dirname}/../migrations`;

/** What opening a database needs to know. `databaseUrl` may be null only where nothing connects. */
export type DatabaseSettings = Pick<Config, "databaseUrl"> & Partial<Pick<Config, "databasePool">>;

/** By this the database tells the connections of this process from those of others. */
const PROCESS = `belfry-${randomUUID().slice(0, 13)}`;

/** Enough to keep the hot paths busy, few enough for several replicas on one default PostgreSQL. */
const POOL = 12;

export function ormOptions(config: DatabaseSettings): Options {
  const options = {
    clientUrl: config.databaseUrl ?? undefined,
    entities: ENTITIES,
    extensions: [Migrator],
    forceUtcTimezone: true,
    pool: { min: 0, max: config.databasePool ?? POOL },
    // The sign-in library's tables are its own.
    schemaGenerator: { ignoreSchema: ["auth"] },
    // What there is to say, the service's own log says.
    logger: () => {},
    migrations: {
      path: MIGRATIONS,
      pathTs: MIGRATIONS,
      tableName: "migration",
      snapshotName: ".snapshot",
      snapshotOnMigrate: false,
      emit: "ts",
    },
    driverOptions: {
      options: `-c TimeZone=UTC -c application_name=${PROCESS}`,
      onPoolCreated: (pool: { Client: never }) => {
        pool.Client = resilient(pool.Client);
      },
    },
  };
  return options as unknown as Options;
}

/** Opens the database that the URL names; the embedded one must run (see embedded/cluster.ts). */
export async function openOrm(config: DatabaseSettings & { dataDir?: string }): Promise<Orm> {
  return (await PgORM.init(ormOptions(config) as never)) as unknown as Orm;
}

/** Any number that nobody else takes advisory locks under. */
const MIGRATION_LOCK = 7_239_104_551;

/** Brings the schema up: one process at a time, the others wait and then find nothing to do. */
export async function migrate(orm: Orm): Promise<string[]> {
  const migrator = (orm as unknown as { migrator: Migrator }).migrator;
  return orm.em.fork().transactional(async (em) => {
    await em.execute(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    const done = await migrator.up({ transaction: em.getTransactionContext() });
    return done.map(({ name }) => name);
  });
}

/** True when every migration that this build carries is in. */
export async function isMigrated(orm: Orm): Promise<boolean> {
  const migrator = (orm as unknown as { migrator: Migrator }).migrator;
  return (await migrator.getPending()).length === 0;
}
