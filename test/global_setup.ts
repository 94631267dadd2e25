// One migrated template of each database for the whole run; every test file copies it (see support/world.ts).

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SqlEntityManager } from "@mikro-orm/sql";
import type { TestProject } from "vitest/node";
import { migrate, openOrm } from "../src/db/orm.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A data directory with a migrated embedded database. */
    liteTemplate: string;
    /** URL of a PostgreSQL server, and the name of a migrated database on it; null when there is none. */
    postgres: { url: string; template: string } | null;
  }
}

const withDatabase = (url: string, name: string) =>
  Object.assign(new URL(url), { pathname: `/${name}` }).href;

export default async function setUp(project: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), "belfry-test-"));
  const lite = await openOrm({ databaseUrl: null, dataDir: folder });
  await migrate(lite, { databaseUrl: null });
  await lite.close(true);
  project.provide("liteTemplate", folder);

  const url = process.env.TEST_DATABASE_URL;
  if (!url) {
    console.log("PostgreSQL tests are skipped: TEST_DATABASE_URL is not set.");
    project.provide("postgres", null);
    return () => rmSync(folder, { recursive: true, force: true });
  }
  const template = `belfry_test_${process.pid}`;
  const admin = await openOrm({ databaseUrl: url, dataDir: "" });
  const em = admin.em.fork() as SqlEntityManager;
  await em.execute(`create database ${template}`);
  const made = await openOrm({ databaseUrl: withDatabase(url, template), dataDir: "" });
  await migrate(made, { databaseUrl: url });
  await made.close(true);
  project.provide("postgres", { url, template });

  return async () => {
    rmSync(folder, { recursive: true, force: true });
    const rows = await em.execute<{ datname: string }[]>(
      `select datname from pg_database where datname like '${template}%'`,
    );
    for (const { datname } of rows) await em.execute(`drop database if exists ${datname} with (force)`);
    await admin.close(true);
  };
}
