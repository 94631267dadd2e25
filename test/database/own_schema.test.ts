// A Belfry in a schema of its own: the one of the database's or the role's search_path, and nothing in public
// (docs/explanation/scale.md).

import { afterAll, beforeAll, expect, test } from "vitest";
import { createOrm } from "../../src/store/db/orm.ts";
import { alertArguments } from "../cases/fixtures.ts";
import { expectRecountClean } from "../support/counter_checks.ts";
import { freshDatabase, World } from "../support/world.ts";

const SCHEMA = "cell";

let fresh: Awaited<ReturnType<typeof freshDatabase>>;
let world: World;

beforeAll(async () => {
  fresh = await freshDatabase({ empty: true });
  const url = fresh.settings.DATABASE_URL!;
  const database = new URL(url).pathname.slice(1);
  const orm = createOrm({ databaseUrl: url, databasePoolSize: 1 });
  for (const text of [`create schema ${SCHEMA}`, `alter database ${database} set search_path = ${SCHEMA}`])
    await (orm.em.fork() as any).execute(text);
  await orm.close(true);
  world = await World.open({ settings: { DATABASE_URL: url } });
});
afterAll(async () => {
  await world?.close();
  await fresh?.remove();
});

test("migrates, publishes, is read and counts, and leaves public alone", async () => {
  const channel = await world.pusher();
  const token = await world.device(channel.handle);
  const alert = await world.alert(channel.id, { title: "In a cell", send: true });
  expect((await world.handset("GET", "/inbox", token)).body.data).toMatchObject([{ title: "In a cell" }]);
  const reports = ["read", "ack"].map((kind) => ({ alert_id: alert.id, kind }));
  expect((await world.handset("POST", "/reports", token, { reports })).body).toEqual({ accepted: 2 });
  expect((await world.rest("get_alert_stats", alertArguments(alert))).body.totals).toEqual({ reads: 1, acks: 1 });
  expect((await world.rest("list_account_alerts", { query: "cell" })).body.data).toHaveLength(1);
  await world.rest("cancel_alert", alertArguments(alert));
  expect((await world.rest("delete_alert", alertArguments(alert))).status).toBeLessThan(300);
  await expectRecountClean(world.service.orm);
  expect(
    await world.sql(
      "select schemaname, count(*) > 10 as many from pg_tables where schemaname not in ('pg_catalog', " +
        "'information_schema') group by 1 order by 1",
    ),
  ).toEqual([
    { schemaname: "auth", many: true },
    { schemaname: SCHEMA, many: true },
  ]);
});
