// A transaction begins with its first statement, in one exchange with the database, and is one whatever becomes of that.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Orm, openOrm } from "../../src/db/orm.ts";
import { databaseOf, run } from "../../src/db/statement.ts";
import { noteKeyUse } from "../../src/queries/keys.ts";
import { type DatabaseProxy, databaseProxy } from "../support/database_proxy.ts";
import { World } from "../support/world.ts";

let world: World;
let proxy: DatabaseProxy;
let orm: Orm;
beforeAll(async () => {
  world = await World.open();
  proxy = await databaseProxy(world.settings.DATABASE_URL!);
  orm = openOrm({ databaseUrl: proxy.url, databasePool: 1 });
});
afterAll(async () => {
  await orm.close(true);
  await proxy.close();
  await world.close();
});

const kysely = () => databaseOf(orm);
const count = async () =>
  Number((await sql<{ n: string }>`select count(*) as n from marked`.execute(kysely())).rows[0]!.n);
const mark = sql`insert into marked default values`;

beforeEach(async () => {
  await sql`drop table if exists marked`.execute(kysely());
  await sql`create table marked ()`.execute(kysely());
});

/** How often the database was spoken to meanwhile. */
async function exchanges(work: () => Promise<unknown>): Promise<number> {
  const before = proxy.asked();
  await work();
  return proxy.asked() - before;
}

const KEY = { id: "01890a5d-ac96-774b-bcce-b302099a8057" };

test("its begin costs no exchange of its own, and one in which nothing happens none at all", async () => {
  await kysely()
    .transaction()
    .execute((db) => run(db, noteKeyUse, KEY));
  expect(
    await exchanges(() =>
      kysely()
        .transaction()
        .execute((db) => run(db, noteKeyUse, KEY)),
    ),
  ).toBe(2);
  expect(
    await exchanges(() =>
      kysely()
        .transaction()
        .execute(async () => {}),
    ),
  ).toBe(0);
  const fails = () =>
    kysely()
      .transaction()
      .execute(() => Promise.reject(new Error("no")));
  expect(await exchanges(() => fails().catch(() => {}))).toBe(0);
  const manager = orm.em.fork() as SqlEntityManager;
  await manager.execute("select 1");
  expect(await exchanges(() => manager.transactional((em) => em.execute("select ?::int", [1])))).toBe(2);
});

test("what it did is undone whole, its first statement as well", async () => {
  const failing = kysely()
    .transaction()
    .execute(async (db) => {
      await mark.execute(db);
      await mark.execute(db);
      throw new Error("no");
    });
  await expect(failing).rejects.toThrow("no");
  expect(await count()).toBe(0);
  await kysely()
    .transaction()
    .execute(async (db) => {
      await mark.execute(db);
      await mark.execute(db);
    });
  expect(await count()).toBe(2);
});

test("a first statement that fails ends it: what is said after it does nothing", async () => {
  const failing = kysely()
    .transaction()
    .execute(async (db) => {
      await sql`select 1 / 0`.execute(db).catch(() => {});
      await mark.execute(db);
    });
  await expect(failing).rejects.toMatchObject({ code: "25P02" });
  expect(await count()).toBe(0);
  await mark.execute(kysely());
  expect(await count()).toBe(1);
});

test("a defined statement that could not be prepared as the first one is prepared the next time", async () => {
  // A connection that has never seen it.
  const other = openOrm({ databaseUrl: world.settings.DATABASE_URL!, databasePool: 1 });
  const use = () =>
    databaseOf(other)
      .transaction()
      .execute((db) => run(db, noteKeyUse, KEY));
  await sql`alter table api_key rename to elsewhere`.execute(kysely());
  await expect(use()).rejects.toMatchObject({ code: "42P01" });
  await sql`alter table elsewhere rename to api_key`.execute(kysely());
  await use();
  await use();
  await other.close(true);
});

test("what was asked for inside shares its clock", async () => {
  const now = sql<{ at: string }>`select now()::text as at`;
  const [first, second] = await kysely()
    .transaction()
    .execute(async (db) => [(await now.execute(db)).rows[0]!.at, (await now.execute(db)).rows[0]!.at]);
  expect(second).toBe(first);
});
