// A new version starts beside an old one that serves: its migrations wait for no one who waits for them, each is kept once it is
// done, and what cannot be done is said in words.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { ConfigError } from "../../src/store/config/setting.ts";
import { isMigrated, migrate } from "../../src/store/db/migrate.ts";
import { type Orm, openOrm } from "../../src/store/db/orm.ts";
import { withDatabase } from "../support/databases.ts";
import { expectRecountClean } from "../support/recount.ts";
import { schemaOf } from "../support/schema_text.ts";
import { eventually } from "../support/wait.ts";
import { World } from "../support/world.ts";

const { url, template } = inject("database");
const BEFORE = "Migration20261122110201_audit_subject";
/** One makes a table beside the alerts, the other changes channels and refers to files. */
const PENDING = ["Migration20261122150101_alert_changes", "Migration20261122150201_channel_picture"];

let admin: Orm;
const names: string[] = [];
const orms: Orm[] = [];
const opened = (databaseUrl: string) => {
  const orm = openOrm({ databaseUrl, databasePool: 3 });
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

/** A database of a version before; `old`: a transaction that an old replica is in the middle of. */
async function before(): Promise<{ orm: Orm; old: SqlEntityManager }> {
  const name = `${template}_upgrading_${names.length}`;
  await admin.em.fork().execute(`create database ${name}`);
  names.push(name);
  const orm = opened(withDatabase(url, name));
  const { Migrator } = await import("@mikro-orm/migrations");
  await new Migrator(orm.em).up({ to: BEFORE });
  const old = opened(withDatabase(url, name)).em.fork() as SqlEntityManager;
  await old.begin();
  return { orm, old };
}

const executed = async (orm: Orm) =>
  (await orm.em.fork().execute<{ name: string }[]>("select name from migration order by id desc limit 2"))
    .map(({ name }) => name)
    .reverse();

/** Only what was there when this was written is looked at: later migrations follow. */
const theirs = (done: string[]) => done.filter((name) => PENDING.includes(name));

test("a call that takes the same tables the other way round goes on, and the migration after it", async () => {
  const { orm, old } = await before();
  await old.execute("lock table asset in row exclusive mode");
  const migrating = migrate(orm);
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
  // It waits for the files, and has the channels or will ask for them.
  await old.execute("select count(*) from pusher");
  await old.commit();
  expect(theirs(await migrating)).toEqual(PENDING);
  expect(await isMigrated(orm)).toBe(true);
});

test("who keeps a table is waited for so long and no longer: it is said, and what was done before stays", async () => {
  const { orm, old } = await before();
  await old.execute("lock table asset in row exclusive mode");
  const said = await migrate(orm, 0).catch((error) => error);
  expect(said).toBeInstanceOf(ConfigError);
  expect(said.message).toMatch(/^DATABASE_URL .*could not be migrated: .*others held tables .*start again/);
  expect(await executed(orm)).toEqual([BEFORE, PENDING[0]]);
  await old.commit();
  expect(theirs(await migrate(orm))).toEqual([PENDING[1]]);
});

test("replicas that start together bring it up once", async () => {
  const { orm, old } = await before();
  await old.commit();
  const done = await Promise.all([migrate(orm), migrate(opened(orm.config.get("clientUrl")!))]);
  expect(theirs(done.flat()).sort()).toEqual(PENDING);
});

const kept = (name: string) => readFileSync(join(import.meta.dirname, "kept", name), "utf8");

// docs/rules.md#upgrade
test("a database of 0.1.0 in use is brought up, and its key and its phone go on", async () => {
  const name = `${template}_upgrading_${names.length}`;
  await admin.em.fork().execute(`create database ${name}`);
  names.push(name);
  const databaseUrl = withDatabase(url, name);
  const orm = opened(databaseUrl);
  const client = await (await orm.driver.getConnection().getNativeClient()).connect();
  await client.query(kept("0.1.0.sql"));
  client.release();
  const came = await migrate(orm);
  expect(came).toContain("Migration20261124200100_epoch");
  expect(await isMigrated(orm)).toBe(true);
  // Of the same server, made by the migrations alone.
  const { secret, key, token, channel, alert, inbox, stats } = JSON.parse(kept("0.1.0.json"));
  const world = await World.open();
  const fresh = world.service.orm;
  // A dump writes brackets that PostgreSQL, reading them, keeps.
  const plain = async (of: Orm) =>
    (await schemaOf(of.em.fork())).map((row) => JSON.stringify(row).replaceAll(/[()]/g, ""));
  expect(await plain(orm)).toEqual(await plain(fresh));
  await expectRecountClean(orm);

  // Kept for longer than a handset that nobody sees.
  const there = await world.replica({ DATABASE_URL: databaseUrl, SECRET: secret, DEVICES_KEPT_DAYS: "0" });
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
