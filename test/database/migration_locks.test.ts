// A new version starts next to an old one that serves. Its migrations never wait for clients that wait for them. Each
// is kept once it is done. A failure is explained in a message.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Migrator } from "@mikro-orm/migrations";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { ConfigError } from "../../src/store/config/setting_types.ts";
import {
  applyMigrations,
  compareMigrations,
  isMigrated,
  listMigrations,
  readAppliedMigrations,
} from "../../src/store/db/migrate.ts";
import { type Orm, openOrm } from "../../src/store/db/orm.ts";
import { expectRecountClean } from "../support/counter_checks.ts";
import { withDatabase } from "../support/postgres_server.ts";
import { readSchema } from "../support/schema_text.ts";
import { eventually } from "../support/wait.ts";
import { World } from "../support/world.ts";

const { url, template } = inject("database");
/** Migrations of this test: one creates a separate table, the next changes channels and refers to files. */
const STEPS = join(import.meta.dirname, "test_migrations");
const [BEFORE, ...PENDING] = listMigrations(STEPS) as [string, string, string];

let admin: Orm;
const names: string[] = [];
const orms: Orm[] = [];
const opened = (databaseUrl: string) => {
  const orm = openOrm({ databaseUrl, databasePoolSize: 3 });
  orms.push(orm);
  return orm;
};
beforeAll(() => {
  admin = opened(url);
});
afterAll(async () => {
  for (const name of names) await admin.em.fork().execute(`drop database ${name} with (force)`);
  for (const orm of orms) await orm.close(true);
});

async function empty(): Promise<string> {
  const name = `${template}_upgrading_${names.length}`;
  await admin.em.fork().execute(`create database ${name}`);
  names.push(name);
  return withDatabase(url, name);
}

/** As a version is that has the steps of this test. */
function stepping(databaseUrl: string): Orm {
  const orm = opened(databaseUrl);
  orm.config.set("migrations", { ...orm.config.get("migrations"), path: STEPS, pathTs: STEPS });
  return orm;
}

/** A database of a version before; `old`: a transaction that an old replica is in the middle of. */
async function before(): Promise<{ orm: Orm; old: SqlEntityManager }> {
  const databaseUrl = await empty();
  const orm = stepping(databaseUrl);
  await new Migrator(orm.em).up({ to: BEFORE });
  const old = opened(databaseUrl).em.fork() as SqlEntityManager;
  await old.begin();
  return { orm, old };
}

const executed = async (orm: Orm) =>
  (await orm.em.fork().execute<{ name: string }[]>("select name from migration order by id desc limit 2"))
    .map(({ name }) => name)
    .reverse();

test("a call that takes the same tables in the other order continues, and the migration after it", async () => {
  const { orm, old } = await before();
  await old.execute("lock table file in row exclusive mode");
  const migrating = applyMigrations(orm);
  migrating.catch(() => {});
  const waits = async () =>
    (
      await admin.em
        .fork()
        .execute(
          "select 1 from pg_locks l join pg_database d on d.oid = l.database where not granted and datname = ?",
          [names.at(-1)],
        )
    ).length > 0;
  await eventually(waits);
  // It waits for the files, and has locked the channels or will lock them.
  await old.execute("select count(*) from channel");
  await old.commit();
  expect(await migrating).toEqual(PENDING);
  expect(await isMigrated(orm)).toBe(true);
});

test("a lock's owner is awaited for a limited time: then it is reported, and completed work stays", async () => {
  const { orm, old } = await before();
  await old.execute("lock table file in row exclusive mode");
  const said = await applyMigrations(orm, 0).catch((error) => error);
  expect(said).toBeInstanceOf(ConfigError);
  expect(said.message).toMatch(/^DATABASE_URL .*could not be migrated: tables were locked .*Start again/);
  expect(await executed(orm)).toEqual([BEFORE, PENDING[0]]);
  await old.commit();
  expect(await applyMigrations(orm)).toEqual([PENDING[1]]);
});

test("replicas that start together bring it up once", async () => {
  const { orm, old } = await before();
  await old.commit();
  const done = await Promise.all([applyMigrations(orm), applyMigrations(stepping(orm.config.get("clientUrl")!))]);
  expect(done.flat().sort()).toEqual(PENDING);
});

const kept = (name: string) => readFileSync(join(import.meta.dirname, "released_versions", name), "utf8");

// rules#upgrade
test("a database of 0.1.0 in use is brought up, and its key and its phone go on", async () => {
  const databaseUrl = await empty();
  const orm = opened(databaseUrl);
  const client = await (await orm.driver.getConnection().getNativeClient()).connect();
  await client.query(kept("0.1.0.sql"));
  client.release();
  const [, ...since] = listMigrations();
  expect(await applyMigrations(orm)).toEqual(since);
  const had = (await readAppliedMigrations(orm.em.fork())) ?? [];
  expect(await isMigrated(orm)).toBe(true);
  // On the same server, created by the migrations alone.
  const { secret, key, token, channel, alert, inbox, stats } = JSON.parse(kept("0.1.0.json"));
  const world = await World.open();
  const fresh = world.service.orm;
  // A dump writes brackets that PostgreSQL, reading them, keeps.
  const plain = async (of: Orm) =>
    (await readSchema(of.em.fork())).map((row) => JSON.stringify(row).replaceAll(/[()]/g, ""));
  expect(await plain(orm)).toEqual(await plain(fresh));
  // Nor is the account of what was done another one, by which servers know that they keep the same.
  expect(await readAppliedMigrations(fresh.em.fork())).toEqual(had);
  await expectRecountClean(orm);

  // Kept for longer than an inactive handset.
  const there = await world.replica({ DATABASE_URL: databaseUrl, SECRET: secret, DEVICE_RETENTION_DAYS: "0" });
  const polled = await there.handset("GET", "/inbox", token);
  const card = polled.body.data.find(({ id }: any) => id === alert);
  expect(card).toMatchObject(inbox.find(({ id }: any) => id === alert));
  const of = { pusher_id: channel, alert_id: alert };
  expect((await there.rest("get_alert_stats", of, key)).body).toMatchObject({ totals: stats.totals });
  const sent = await there.rest("create_alert", { pusher_id: channel, title: "After", send: true }, key);
  expect(sent.status).toBe(201);
  await expectRecountClean(there.service.orm);
  await there.leave();
  await world.close();
});

// rules#upgrade
test("one of a build from before 0.1.0 is refused with a solution, and stays as it is", async () => {
  const orm = opened(await empty());
  const em = orm.em.fork() as SqlEntityManager;
  await em.execute(
    "create table migration (id serial primary key, name varchar(255), executed_at timestamptz default now())",
  );
  await em.execute(
    "insert into migration (name) values ('Migration20261120000001_foundation'), ('Migration20261120000002_webhooks')",
  );
  await em.execute("create table workspace (id uuid primary key)");
  const [schema, had] = [await readSchema(em), await readAppliedMigrations(em)];
  const said = await applyMigrations(orm).catch((error) => error);
  expect(said).toBeInstanceOf(ConfigError);
  expect(said.message).toBe(
    "DATABASE_URL or DATA_DIR names a database of a build older than 0.1.0. Start 0.1.0 on it once, then this version. Nothing was changed.",
  );
  expect([await readSchema(em), await readAppliedMigrations(em)]).toEqual([schema, had]);
  expect(await isMigrated(orm)).toBe(false);
});

test("a database's applied migrations show its version", () => {
  const [fold = "", ...since] = listMigrations();
  const early = "Migration20261120000001_foundation";
  const later = "Migration20991231000000_later";
  expect(compareMigrations([])).toEqual({ missing: listMigrations(), newer: [], before: null });
  expect(compareMigrations([early])).toEqual({ missing: listMigrations(), newer: [], before: "0.1.0" });
  expect(compareMigrations([early, fold])).toEqual({ missing: since, newer: [], before: null });
  expect(compareMigrations([fold, ...since, later])).toEqual({ missing: [], newer: [later], before: null });
});
