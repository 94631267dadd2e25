// Two empty databases on one server: one that the migrations made, one that the ORM's generator made from the entities.

import type { EntitySchema } from "@mikro-orm/core";
import { MikroORM as PgORM } from "@mikro-orm/postgresql";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { BESIDE, ENTITIES } from "../../src/model/entities/all.ts";
import { migrate } from "../../src/store/db/migrate.ts";
import { type Orm, openOrm, ormOptions } from "../../src/store/db/orm.ts";

/** What the schema shall be. */
export interface Source {
  entities: readonly EntitySchema[];
  /** Statements for what entities cannot say. */
  beside: readonly string[];
}

export const SOURCE: Source = { entities: ENTITIES as readonly EntitySchema[], beside: BESIDE };

export interface Databases {
  source: Source;
  /** Made by the migrations; its ORM knows the source's entities. */
  migrated: Orm;
  /** Made from the source. */
  declared: Orm;
  close(): Promise<void>;
}

export const generatorOf = (orm: Orm) => orm.schema;
export const managerOf = (orm: Orm) => orm.em.fork() as SqlEntityManager;

const opened = (databaseUrl: string, { entities }: Source) =>
  PgORM.init({
    ...ormOptions({ databaseUrl, databasePoolSize: 2 }),
    entities: [...entities],
  });

/** `url`: a database on the server, whose user may make others. `prefix`: names that nobody else uses. */
export async function openDatabases(url: string, prefix: string, source = SOURCE): Promise<Databases> {
  const admin = openOrm({ databaseUrl: url, databasePoolSize: 2 });
  const names = [`${prefix}_migrated`, `${prefix}_declared`];
  for (const name of names) await managerOf(admin).execute(`create database ${name} template template0`);
  const [first, second] = names.map((name) => Object.assign(new URL(url), { pathname: `/${name}` }).href);
  const migrating = openOrm({ databaseUrl: first!, databasePoolSize: 2 });
  await migrate(migrating);
  await migrating.close(true);
  const migrated = await opened(first!, source);
  const declared = await opened(second!, source);
  await generatorOf(declared).create();
  for (const statement of source.beside) await managerOf(declared).execute(statement);
  return {
    source,
    migrated,
    declared,
    close: async () => {
      for (const orm of [migrated, declared]) await orm.close(true);
      for (const name of names) await managerOf(admin).execute(`drop database ${name}`);
      await admin.close(true);
    },
  };
}
