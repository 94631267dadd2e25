// Repeating alerts whose processes are killed while they write occurrences. Each time is written once, the late one
// once, and each is reported once. Covers rules#recurrence-ahead and #recurrence-late.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LIMITS } from "../../src/model/limits.ts";
import { createOrm, type Orm } from "../../src/store/db/orm.ts";
import { alertArguments, parseUuid } from "../cases/fixtures.ts";
import { pause } from "../support/concurrent_calls.ts";
import { expectRecountClean } from "../support/counter_checks.ts";
import { executeInLockOrder } from "../support/lock_order.ts";
import { type RunningServer, startServer } from "../support/processes.ts";
import { waitUntil } from "../support/wait.ts";
import { timeInSeconds, World } from "../support/world.ts";

const ROUNDS = Number(process.env.BELFRY_TEST_KILL_ROUNDS ?? 1);
const SERIES = 8;
const EACH = LIMITS.occurrences_ahead + 1;

let world: World;
let orm: Orm;
let ids: string;
beforeAll(async () => {
  world = await World.open();
  const all = [];
  for (let i = 0; i < SERIES; i++) {
    const { id } = await world.pusher();
    const recurrence = `FREQ=MINUTELY;INTERVAL=${5 + i} Europe/Lisbon`;
    const draft = await world.alert(id, { send_at: timeInSeconds(3600), recurrence });
    await world.rest("schedule_alert", alertArguments(draft));
    all.push(`'${parseUuid(draft.id)}'`);
  }
  ids = all.join();
  await world.leave();
  orm = createOrm({ databaseUrl: world.settings.DATABASE_URL!, databasePoolSize: 3 });
});
afterAll(async () => {
  await orm?.close(true);
  await world?.remove();
});

const em = () => orm.em.fork() as SqlEntityManager;
const sql = <T = any>(text: string): Promise<T[]> => executeInLockOrder<T>(em(), text);
const start = () => startServer(world.settings.DATA_DIR!, { settings: { ...world.settings, LOG_LEVEL: "warn" } });

/** A week without a running process. */
async function sleptThrough(): Promise<void> {
  await sql(`delete from workspace_event`);
  await sql(`delete from alert where series_id in (${ids})`);
  await sql(`update alert set send_at = send_at - interval '7 days' where id in (${ids})`);
  await sql(
    `update alert_series set filled_until = now() - interval '7 days', next_fill_at = now() where alert_id in (${ids})`,
  );
}

const made = () =>
  sql(`select id, series_id, occurs_at::text, occurs_at <= now() as late from alert where series_id in (${ids})`);

async function expectOnce(): Promise<void> {
  const rows = await made();
  const bySeries = Map.groupBy(rows, ({ series_id }) => series_id);
  expect(bySeries.size).toBe(SERIES);
  for (const own of bySeries.values()) {
    expect(new Set(own.map(({ occurs_at }) => occurs_at)).size).toBe(own.length);
    // Occurrences that came due since are also late.
    expect(own.length).toBeGreaterThanOrEqual(EACH);
    expect(own.filter(({ late }) => late).length).toBeLessThanOrEqual(2);
    expect(own.filter(({ late }) => late).length).toBeGreaterThanOrEqual(1);
  }
  const told = await sql(
    `select body::jsonb->'data'->>'alert_id' as id, count(*)::int as n from workspace_event group by 1`,
  );
  expect(told.length).toBe(rows.length);
  expect(told.filter(({ n }) => n !== 1)).toEqual([]);
}

/** Another process is writing occurrences. */
const writing = async (waiting = "") =>
  (
    await sql(
      `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
         and state <> 'idle' and query like '%f (series_id uuid%' ${waiting}`,
    )
  ).length > 0;

const filled = async () => (await made()).length >= SERIES * EACH;

async function finish(count: number): Promise<void> {
  const servers = await Promise.all(Array.from({ length: count }, start));
  await waitUntil(filled);
  await Promise.all(servers.map((server) => server.stop()));
  await expectOnce();
}

test("killed after it wrote and before the commit: nothing of it stays, and the next one writes all", async () => {
  await sleptThrough();
  let server: RunningServer | undefined;
  await em().transactional(async (holding) => {
    // The statement has made its occurrences, and waits for this to count them.
    await holding.execute("lock table channel_day in exclusive mode");
    server = await start();
    await waitUntil(() => writing("and wait_event_type = 'Lock'"));
    await server.stop("SIGKILL");
  });
  await waitUntil(async () => !(await writing()));
  expect(await made()).toEqual([]);
  await finish(2);
});

test(`killed at any moment, ${ROUNDS} rounds of two processes`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    await sleptThrough();
    const servers = await Promise.all([start(), start()]);
    let seen = false;
    for (; !seen; await pause(1)) seen = (await writing()) || (await made()).length > 0;
    await pause(Math.random() * 20);
    await Promise.all(servers.map((server) => server.stop("SIGKILL")));
    await finish(1 + (round % 2));
  }
  await expectRecountClean(orm);
});
