// A transaction is atomic, even if its statements fail, and its commit is sent with the last statement where that is
// declared.

import { sql, type Transaction } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { newUuid } from "../../src/model/domain/type_ids.ts";
import { createOperatorActor } from "../../src/operation/audit_lines.ts";
import { createOrm, type Orm } from "../../src/store/db/orm.ts";
import { getKysely, runStatement } from "../../src/store/db/statement.ts";
import { noteKeyUse } from "../../src/store/queries/api_keys.ts";
import { insertAudit } from "../../src/store/queries/audit_and_events.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../support/database_proxy.ts";
import { World } from "../support/world.ts";

let world: World;
let proxy: DatabaseProxy;
let orm: Orm;
beforeAll(async () => {
  world = await World.open();
  proxy = await startDatabaseProxy(world.settings.DATABASE_URL!);
  orm = createOrm({ databaseUrl: proxy.url, databasePoolSize: 1 });
});
afterAll(async () => {
  await orm.close(true);
  await proxy.close();
  await world.close();
});

const kysely = () => getKysely(orm);
const count = async () =>
  Number((await sql<{ n: string }>`select count(*) as n from marked`.execute(kysely())).rows[0]!.n);
const mark = sql`insert into marked default values`;

beforeEach(async () => {
  await sql`drop table if exists marked`.execute(kysely());
  await sql`create table marked ()`.execute(kysely());
});

/** The number of exchanges with the database in the meantime. */
async function exchanges(work: () => Promise<unknown>): Promise<number> {
  const before = proxy.asked();
  await work();
  return proxy.asked() - before;
}

const KEY = { id: "01890a5d-ac96-774b-bcce-b302099a8057" };

test("its effects are completely rolled back, including its first statement", async () => {
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

test("a first statement that fails ends it: later statements do nothing", async () => {
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
  const other = createOrm({ databaseUrl: world.settings.DATABASE_URL!, databasePoolSize: 1 });
  const use = () =>
    getKysely(other)
      .transaction()
      .execute((db) => runStatement(db, noteKeyUse, KEY));
  await sql`alter table api_key rename to elsewhere`.execute(kysely());
  await expect(use()).rejects.toMatchObject({ code: "42P01" });
  await sql`alter table elsewhere rename to api_key`.execute(kysely());
  await use();
  await use();
  await other.close(true);
});

/** A line of the audit log, which nothing follows but the commit. */
const line = (operation: string) => ({
  id: newUuid(),
  ...createOperatorActor(null),
  operation,
  pusher_id: null,
  subject_id: null,
  status: null,
  count: null,
  changed: null,
});
const written = async (operation: string) =>
  (await world.sql("select from audit_event where operation = ?", [operation])).length;

test("its last statement costs no exchange of its own, where one is declared as that", async () => {
  const both = (operation: string) => () =>
    kysely()
      .transaction()
      .execute(async (db) => {
        await runStatement(db, noteKeyUse, KEY);
        await runStatement(db, insertAudit, line(operation));
      });
  await both("warm")();
  // The begin, a statement, and the last one with the commit.
  expect(await exchanges(both("second"))).toBe(3);
  const alone = () =>
    kysely()
      .transaction()
      .execute((db) => runStatement(db, insertAudit, line("alone")));
  expect(await exchanges(alone)).toBe(2);
  expect(await exchanges(() => runStatement(kysely(), insertAudit, line("outside")))).toBe(1);
  for (const operation of ["warm", "second", "alone", "outside"]) expect(await written(operation)).toBe(1);
});

test("a last statement that fails undoes it whole, and so does giving up before the commit", async () => {
  const marked = (last: (db: Transaction<unknown>) => Promise<unknown>) =>
    kysely()
      .transaction()
      .execute(async (db) => {
        await mark.execute(db);
        await last(db);
      });
  const bad = { ...line("bad"), transport: "pigeon" };
  for (let i = 0; i < 2; i++)
    await expect(marked((db) => runStatement(db, insertAudit, bad))).rejects.toMatchObject({ code: "23514" });
  const given = marked(async (db) => {
    await runStatement(db, insertAudit, line("given up"));
    throw new Error("no");
  });
  await expect(given).rejects.toThrow("no");
  const followed = marked(async (db) => {
    await runStatement(db, insertAudit, bad);
    await mark.execute(db);
  });
  await expect(followed).rejects.toMatchObject({ code: "25P02" });
  expect(await count()).toBe(0);
  expect((await written("given up")) + (await written("bad"))).toBe(0);
  await marked((db) => runStatement(db, insertAudit, line("well")));
  expect([await count(), await written("well")]).toEqual([1, 1]);
});

test("operations inside share its clock", async () => {
  const now = sql<{ at: string }>`select now()::text as at`;
  const [first, second] = await kysely()
    .transaction()
    .execute(async (db) => [(await now.execute(db)).rows[0]!.at, (await now.execute(db)).rows[0]!.at]);
  expect(second).toBe(first);
});
