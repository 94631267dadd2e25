// One PostgreSQL for the whole run with one migrated template on it; every test file copies it (see support/world.ts).

import type { SqlEntityManager } from "@mikro-orm/sql";
import type { TestProject } from "vitest/node";
import { applyPendingMigrations } from "../../src/store/db/migrate.ts";
import { createOrm } from "../../src/store/db/orm.ts";
import { makeCluster, openTestServer, withDatabase } from "./postgres_server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** URL of the server, the name of a migrated database on it, and whether the server is removed after the run. */
    database: { url: string; template: string; thrownAway: boolean };
    /** A cluster that initdb has made and that was never started. */
    cluster: string;
  }
}

export default async function setUp(project: TestProject) {
  const { cluster, remove } = await makeCluster();
  project.provide("cluster", cluster);
  const { url, thrownAway, close } = await openTestServer(cluster);
  const template = `belfry_test_${process.pid}`;
  const admin = createOrm({ databaseUrl: url, databasePoolSize: 2 });
  const em = admin.em.fork() as SqlEntityManager;
  await em.execute(`create database ${template}`);
  const made = createOrm({ databaseUrl: withDatabase(url, template) });
  await applyPendingMigrations(made);
  await made.close(true);
  project.provide("database", { url, template, thrownAway });

  return async () => {
    if (!thrownAway) {
      const rows = await em.execute<{ datname: string }[]>(
        `select datname from pg_database where datname like '${template}%'`,
      );
      for (const { datname } of rows) await em.execute(`drop database if exists ${datname} with (force)`);
    }
    await admin.close(true);
    await close();
    remove();
  };
}
