// MikroORM's own command line, as a developer runs it in a checkout. It finds its configuration by itself, connects to
// the service's database, and sees no difference between a migrated one and the entities.

import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { loadConfig } from "../../src/store/config/load_settings.ts";
import { listMigrationNames } from "../../src/store/db/migrate.ts";
import { createOrm } from "../../src/store/db/orm.ts";
import { openCluster } from "../../src/store/embedded/cluster.ts";
import { withDatabase } from "../support/postgres_server.ts";
import { runProgram, temporaryFolder } from "../support/processes.ts";

const { url, template } = inject("database");
const name = `${template}_mikro_orm`;
const DATABASE_URL = withDatabase(url, name);

async function execute(statement: string, database = url): Promise<void> {
  const orm = createOrm({ databaseUrl: database, databasePoolSize: 1 });
  await orm.em.fork().execute(statement);
  await orm.close(true);
}

beforeAll(() => execute(`create database ${name} template ${template}`));
afterAll(() => execute(`drop database ${name} with (force)`));

/** The program of `npx mikro-orm`. */
const CLI = "node_modules/.bin/mikro-orm";

const mikroOrm = async (command: string, settings: Record<string, string>) => {
  const { code, stdout, stderr } = await runProgram(process.execPath, [CLI, command], { NO_COLOR: "1", ...settings });
  return { code, said: stdout.trim(), stderr };
};

test("a migrated database equals the entities", async () => {
  const settings = { DATABASE_URL };
  expect(await mikroOrm("migration:check", settings)).toEqual({
    code: 0,
    said: "No changes required, schema is up-to-date",
    stderr: "",
  });
  expect(await mikroOrm("migration:pending", settings)).toMatchObject({ code: 0, said: "No pending migrations" });
  const { said } = await mikroOrm("debug", settings);
  expect(said).toMatch(/ - configuration found\n[\s\S]* - database connection successful\n/);
});

test.each([
  [
    "alter table asset alter column expires_at drop default",
    "alter table asset alter column expires_at set default clock_timestamp() + interval '24 hours'",
  ],
  ["alter table report add column place int", "alter table report drop column place"],
  ["drop index alert_inbox", "create index alert_inbox on alert (pusher_id, visible_at, id) where status = 'sent'"],
])("one that is not is found out, until it is again: %s", async (change, undo) => {
  await execute(change, DATABASE_URL);
  const { code, said } = await mikroOrm("migration:check", { DATABASE_URL });
  await execute(undo, DATABASE_URL);
  expect({ code, said }).toEqual({ code: 1, said: expect.stringContaining("Changes detected") });
});

test("without a DATABASE_URL it is the embedded database, while a server runs on it", async () => {
  const folder = temporaryFolder();
  const settings = { DATABASE_URL: "", DATA_DIR: folder.path };
  const silent = { debug: () => {}, info: () => {}, error: console.error };
  const cluster = await openCluster(loadConfig(settings), { log: silent, sync: false });
  try {
    const { code, said } = await mikroOrm("migration:pending", settings);
    expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining(listMigrationNames()[0]!) });
  } finally {
    await cluster.close();
  }
  const { code, stderr } = await mikroOrm("migration:pending", settings);
  expect(code).toBe(1);
  expect(stderr).toContain(`start a server on ${folder.path} (npm start), or name another database`);
  folder.remove();
});
