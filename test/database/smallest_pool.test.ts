// A process with two database connections, the minimum, and one that listens: all of its concurrent work finds a
// connection. rules#database-connections

import { afterAll, beforeAll, expect, test } from "vitest";
import { loadConfig } from "../../src/store/config/load_settings.ts";
import { callConcurrently } from "../support/concurrent_calls.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../support/database_proxy.ts";
import { countPollWakeups, startLongPoll } from "../support/long_polls.ts";
import { waitUntil } from "../support/wait.ts";
import { World } from "../support/world.ts";

const [POOL, HELD, CALLS] = [2, 12, 60];

let direct: World;
let proxy: DatabaseProxy;
let world: World;
beforeAll(async () => {
  direct = await World.open();
  proxy = await startDatabaseProxy(direct.settings.DATABASE_URL!);
  world = await direct.replica({ DATABASE_URL: proxy.url, DATABASE_POOL_SIZE: String(POOL) });
});
afterAll(async () => {
  await world?.leave();
  await direct?.close();
  await proxy?.close();
});

test("all work runs concurrently with two connections and one that listens", async () => {
  let most = 0;
  // The proxy has two sockets for each connection.
  const looking = setInterval(() => (most = Math.max(most, proxy.count() / 2)), 1);
  const rounds = async () => {
    const { body } = await world.request("GET", "/metrics");
    return Number(/runs_total\{step="due_alerts",outcome="done"\} (\d+)/.exec(String(body))?.[1] ?? 0);
  };
  const before = await rounds();
  const { id, handle } = await world.pusher();
  const devices = await callConcurrently(HELD, () => world.device(handle), 4);
  const polls = [];
  for (const [i, token] of devices.entries()) {
    const { headers } = await world.handset("GET", "/inbox", token);
    const poll = startLongPoll(world, token, headers.get("etag")!);
    await poll.held(i + 1);
    polls.push(poll);
  }
  const told = await countPollWakeups(world, "message");
  await direct.alert(id, { send: true });
  for (const { answer } of polls) expect((await answer).status).toBe(200);
  const made = await callConcurrently(CALLS, async (i) => {
    const token = devices[i % HELD]!;
    const sent = await world.rest("create_alert", { pusher_id: id, title: `alert ${i}`, send: true });
    const seen = await world.handset("GET", "/inbox", token);
    const reports = [{ alert_id: sent.body.id, kind: "ack" }];
    const reported = await world.handset("POST", "/reports", token, { reports });
    const page = await world.rest("list_alerts", { pusher_id: id });
    return [sent, seen, reported, page].map(({ status }) => status).join(" ");
  });
  expect([...new Set(made)]).toEqual([expect.stringMatching(/^201 200 20\d 200$/)]);
  await waitUntil(async () => (await rounds()) > before);
  clearInterval(looking);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(POOL + 1);
  console.log(`at most ${most} connections; ${(await countPollWakeups(world, "message")) - told} polls were woken`);
});

test("where processes notify each other by MESSAGE_BUS_URL the pool is small by default", () => {
  const poolOf = (settings: Record<string, string>) => loadConfig(settings, {}).databasePoolSize;
  expect(poolOf({})).toBe(12);
  expect(poolOf({ MESSAGE_BUS_URL: "nats://127.0.0.1:1" })).toBe(4);
  expect(poolOf({ MESSAGE_BUS_URL: "nats://127.0.0.1:1", DATABASE_POOL_SIZE: "9" })).toBe(9);
});
