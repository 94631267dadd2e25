// Two empty databases on one server: one that the migrations made, one that the ORM's generator made from the entities.

import type { EntitySchema } from "@mikro-orm/core";
import { MikroORM as PgORM } from "@mikro-orm/postgresql";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { ENTITIES, EXTRA_SCHEMA_STATEMENTS } from "../../src/model/tables/schema.ts";
import { applyPendingMigrations } from "../../src/store/db/migrate.ts";
import { createOrm, type Orm, ormOptions } from "../../src/store/db/orm.ts";

/** The expected schema. */
export interface SchemaSource {
  entities: readonly EntitySchema[];
  /** Statements for objects that entities cannot define. */
  beside: readonly string[];
}

export const SOURCE: SchemaSource = { entities: ENTITIES as readonly EntitySchema[], beside: EXTRA_SCHEMA_STATEMENTS };

export interface SchemaDatabases {
  source: SchemaSource;
  /** Made by the migrations; its ORM knows the source's entities. */
  migrated: Orm;
  /** Made from the source. */
  declared: Orm;
  close(): Promise<void>;
}

export const getSchemaGenerator = (orm: Orm) => orm.schema;
export const forkEntityManager = (orm: Orm) => orm.em.fork() as SqlEntityManager;

const opened = (databaseUrl: string, { entities }: SchemaSource) =>
  PgORM.init({ ...ormOptions({ databaseUrl, databasePoolSize: 2 }), entities: [...entities] });

/** `url`: a database on the server, whose user may create others. `prefix`: names that are not in use. */
export async function openSchemaDatabases(url: string, prefix: string, source = SOURCE): Promise<SchemaDatabases> {
  const admin = createOrm({ databaseUrl: url, databasePoolSize: 2 });
  const names = [`${prefix}_migrated`, `${prefix}_declared`];
  for (const name of names) await forkEntityManager(admin).execute(`create database ${name} template template0`);
  const [first, second] = names.map((name) => Object.assign(new URL(url), { pathname: `/${name}` }).href);
  const migrating = createOrm({ databaseUrl: first!, databasePoolSize: 2 });
  await applyPendingMigrations(migrating);
  await migrating.close(true);
  const migrated = await opened(first!, source);
  const declared = await opened(second!, source);
  await getSchemaGenerator(declared).create();
  for (const statement of source.beside) await forkEntityManager(declared).execute(statement);
  return {
    source,
    migrated,
    declared,
    close: async () => {
      for (const orm of [migrated, declared]) await orm.close(true);
      for (const name of names) await forkEntityManager(admin).execute(`drop database ${name}`);
      await admin.close(true);
    },
  };
}
