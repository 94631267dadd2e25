// A new version starts next to an old one that serves. Its migrations never wait for clients that wait for them. Each
// is kept once it is done. A failure is explained in a message.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Migrator } from "@mikro-orm/migrations";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { ConfigError } from "../../src/store/config/setting_types.ts";
import {
  applyPendingMigrations,
  compareMigrations,
  isMigrated,
  listMigrationNames,
  readAppliedMigrations,
} from "../../src/store/db/migrate.ts";
import { createOrm, type Orm } from "../../src/store/db/orm.ts";
import { expectRecountClean } from "../support/counter_checks.ts";
import { startDatabaseProxy } from "../support/database_proxy.ts";
import { freePort } from "../support/free_port.ts";
import { withDatabase } from "../support/postgres_server.ts";
import { CLI, createChildEnvironment, startServer, temporaryFolder } from "../support/processes.ts";
import { readSchema } from "../support/schema_text.ts";
import { waitFor, waitUntil } from "../support/wait.ts";
import { World } from "../support/world.ts";

const { url, template } = inject("database");
/** Migrations of this test: one creates a separate table, the next changes channels and refers to files. */
const STEPS = join(import.meta.dirname, "test_migrations");
const [BEFORE, ...PENDING] = listMigrationNames(STEPS) as [string, string, string];

const folder = temporaryFolder();
let admin: Orm;
const names: string[] = [];
const orms: Orm[] = [];
const opened = (databaseUrl: string) => {
  const orm = createOrm({ databaseUrl, databasePoolSize: 3 });
  orms.push(orm);
  return orm;
};
beforeAll(() => {
  admin = opened(url);
});
afterAll(async () => {
  for (const name of names) await admin.em.fork().execute(`drop database ${name} with (force)`);
  for (const orm of orms) await orm.close(true);
  folder.remove();
});

async function empty(from = "template1"): Promise<string> {
  const name = `${template}_upgrading_${names.length}`;
  await admin.em.fork().execute(`create database ${name} template ${from}`);
  names.push(name);
  return withDatabase(url, name);
}

/** Runs SQL on a connection of its own. */
async function runSql(databaseUrl: string, sql: string): Promise<void> {
  const orm = createOrm({ databaseUrl, databasePoolSize: 1 });
  const client = await (await orm.driver.getConnection().getNativeClient()).connect();
  await client.query(sql);
  // A dump sets the path of its session.
  client.release(true);
  await orm.close(true);
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
  const migrating = applyPendingMigrations(orm);
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
  await waitUntil(waits);
  // It waits for the files, and has locked the channels or will lock them.
  await old.execute("select count(*) from channel");
  await old.commit();
  expect(await migrating).toEqual(PENDING);
  expect(await isMigrated(orm)).toBe(true);
});

test("a lock's owner is awaited for a limited time: then it is reported, and completed work stays", async () => {
  const { orm, old } = await before();
  await old.execute("lock table file in row exclusive mode");
  const said = await applyPendingMigrations(orm, { patienceMs: 0 }).catch((error) => error);
  expect(said).toBeInstanceOf(ConfigError);
  expect(said.message).toMatch(/^DATABASE_URL .*could not be migrated: tables were locked .*Start again/);
  expect(await executed(orm)).toEqual([BEFORE, PENDING[0]]);
  await old.commit();
  expect(await applyPendingMigrations(orm)).toEqual([PENDING[1]]);
});

test("replicas that start together bring it up once", async () => {
  const { orm, old } = await before();
  await old.commit();
  const done = await Promise.all([
    applyPendingMigrations(orm),
    applyPendingMigrations(stepping(orm.config.get("clientUrl")!)),
  ]);
  expect(done.flat().sort()).toEqual(PENDING);
});

const kept = (name: string) => readFileSync(join(import.meta.dirname, "released_versions", name), "utf8");

/** The schema without the brackets that a dump writes and PostgreSQL keeps. */
const plain = async (of: Orm) =>
  (await readSchema(of.em.fork())).map((row) => JSON.stringify(row).replaceAll(/[()]/g, ""));

// rules#upgrade
test("a database of 0.1.0 in use is brought up, and its key and its phone go on", async () => {
  const databaseUrl = await empty();
  const orm = opened(databaseUrl);
  await runSql(databaseUrl, kept("0.1.0.sql"));
  const [, ...since] = listMigrationNames();
  expect(await applyPendingMigrations(orm)).toEqual(since);
  const had = (await readAppliedMigrations(orm.em.fork())) ?? [];
  expect(await isMigrated(orm)).toBe(true);
  // On the same server, created by the migrations alone.
  const { secret, key, token, channel, alert, inbox, stats } = JSON.parse(kept("0.1.0.json"));
  const world = await World.open();
  const fresh = world.service.orm;
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
  const said = await applyPendingMigrations(orm).catch((error) => error);
  expect(said).toBeInstanceOf(ConfigError);
  expect(said.message).toBe(
    "DATABASE_URL or DATA_DIR points to a database from a build older than 0.1.0, so nothing was changed. Run " +
      "version 0.1.0 on it once, then start this version.",
  );
  expect([await readSchema(em), await readAppliedMigrations(em)]).toEqual([schema, had]);
  expect(await isMigrated(orm)).toBe(false);
});

const MOMENTS = Math.max(4, Number(process.env.BELFRY_TEST_KILL_ROUNDS ?? 4));

// rules#upgrade
test(`killed at ${MOMENTS} moments, a migration continues at the next start`, async () => {
  await runSql(await empty(), kept("0.1.0.sql"));
  const old = names.at(-1);
  /** Begins to migrate a copy, and stops at a question to the database. */
  const begin = async (question: number) => {
    const databaseUrl = await empty(old);
    const proxy = await startDatabaseProxy(databaseUrl);
    const release = proxy.stallAt(question);
    const child = spawn(process.execPath, [CLI, "migrate"], {
      env: createChildEnvironment({ DATABASE_URL: proxy.url }),
    });
    return { proxy, release, child, ended: once(child, "exit"), orm: opened(databaseUrl) };
  };
  const whole = await begin(0);
  expect(await whole.ended).toEqual([0, null]);
  const questions = whole.proxy.asked();
  await whole.proxy.close();
  const all = (await readAppliedMigrations(whole.orm.em.fork())) ?? [];
  const reached = new Set<number>();
  for (let moment = 1; moment <= MOMENTS; moment++) {
    const question = Math.floor((questions * moment) / (MOMENTS + 1));
    const { proxy, release, child, ended, orm } = await begin(question);
    await waitFor(() => expect(proxy.asked()).toBe(question));
    child.kill("SIGKILL");
    expect(await ended).toEqual([null, "SIGKILL"]);
    release();
    await proxy.close();
    const had = (await readAppliedMigrations(orm.em.fork())) ?? [];
    reached.add(had.length);
    // The next start waits until PostgreSQL has ended the session of the killed one.
    const more = await applyPendingMigrations(orm);
    expect(more.every((name) => all.includes(name))).toBe(true);
    expect(await readAppliedMigrations(orm.em.fork())).toEqual(all);
    expect(await plain(orm)).toEqual(await plain(whole.orm));
    await expectRecountClean(orm);
  }
  // Some are killed in the first migration, and some in later ones.
  expect(reached.size).toBeGreaterThan(1);
});

// rules#start-waits
test.each(["1", "2"])("a start with WORKERS=%s answers probes while the database is migrated", async (WORKERS) => {
  const databaseUrl = await empty();
  await runSql(databaseUrl, kept("0.1.0.sql"));
  const other = opened(databaseUrl).em.fork() as SqlEntityManager;
  await other.begin();
  // The lock of another process that migrates.
  await other.execute("select pg_advisory_xact_lock(7239104551)");
  const port = await freePort();
  const settings = { DATABASE_URL: databaseUrl, SECRET: JSON.parse(kept("0.1.0.json")).secret, WORKERS };
  const starting = startServer(folder.path, { settings, port });
  const probe = async (path: string) => {
    const response = await fetch(`http://localhost:${port}${path}`);
    return { status: response.status, body: await response.json() };
  };
  const migrating = { status: "not ready", reason: "The database is being migrated." };
  await waitFor(async () => expect(await probe("/readyz")).toEqual({ status: 503, body: migrating }));
  expect((await probe("/healthz")).status).toBe(200);
  expect(await probe("/api/v1/me")).toMatchObject({ status: 503, body: { error: { code: "database_unavailable" } } });
  await other.commit();
  const server = await starting;
  expect(await probe("/readyz")).toEqual({ status: 200, body: { status: "ready" } });
  expect(server.log()).not.toContain("the database is responding");
  await server.stop();
});

test("a database's applied migrations show its version", () => {
  const [fold = "", ...since] = listMigrationNames();
  const early = "Migration20261120000001_foundation";
  const later = "Migration20991231000000_later";
  expect(compareMigrations([])).toEqual({ missing: listMigrationNames(), newer: [], before: null });
  expect(compareMigrations([early])).toEqual({ missing: listMigrationNames(), newer: [], before: "0.1.0" });
  expect(compareMigrations([early, fold])).toEqual({ missing: since, newer: [], before: null });
  expect(compareMigrations([fold, ...since, later])).toEqual({ missing: [], newer: [later], before: null });
});
