// One ORM configuration for both databases: PostgreSQL by URL, or the embedded one in a data directory.
// Knows how to open and migrate; nothing of what the rows mean.

import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import type { Options } from "@mikro-orm/core";
import { Migrator } from "@mikro-orm/migrations";
import { MikroORM as LiteORM } from "@mikro-orm/pglite";
import { MikroORM as PgORM } from "@mikro-orm/postgresql";
import type { AbstractSqlDriver, MikroORM, SqlEntityManager } from "@mikro-orm/sql";
import { type Config, dataPaths } from "../config.ts";
import { ENTITIES } from "../entities/all.ts";
import { resilient } from "./statement.ts";

export type Orm = MikroORM<AbstractSqlDriver, SqlEntityManager>;

const MIGRATIONS = `${import.meta.dirname}/../migrations`;

/** Enough to keep the hot paths busy, few enough for several replicas on one default PostgreSQL. */
const POOL = { min: 0, max: 12 };

/** By this the database tells the connections of this process from those of others. */
const PROCESS = `belfry-${randomUUID().slice(0, 13)}`;

/** The options that both databases share, with those of the one that the settings name. */
export function ormOptions(config: Pick<Config, "databaseUrl" | "dataDir">): Options {
  const common = {
    entities: ENTITIES,
    extensions: [Migrator],
    forceUtcTimezone: true,
    pool: POOL,
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
  };
  const options = config.databaseUrl
    ? {
        ...common,
        clientUrl: config.databaseUrl,
        driverOptions: {
          options: `-c TimeZone=UTC -c application_name=${PROCESS}`,
          onPoolCreated: (pool: { Client: never }) => {
            pool.Client = resilient(pool.Client);
          },
        },
      }
    : { ...common, dbName: dataPaths(config.dataDir).cluster };
  return options as unknown as Options;
}

/** Opens the database that the settings name. The embedded one must have been locked before (see lock.ts). */
export async function openOrm(config: Pick<Config, "databaseUrl" | "dataDir">): Promise<Orm> {
  const options = ormOptions(config) as never;
  if (config.databaseUrl) return (await PgORM.init(options)) as unknown as Orm;
  mkdirSync(dataPaths(config.dataDir).cluster, { recursive: true, mode: 0o700 });
  return (await LiteORM.init(options)) as unknown as Orm;
}

/** Any number that nobody else takes advisory locks under. */
const MIGRATION_LOCK = 7_239_104_551;

/** Brings the schema up. On PostgreSQL one replica at a time, the others wait and then find nothing to do. */
export async function migrate(orm: Orm, config: Pick<Config, "databaseUrl">): Promise<string[]> {
  const migrator = (orm as unknown as { migrator: Migrator }).migrator;
  if (!config.databaseUrl) return (await migrator.up()).map((done) => done.name);
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
