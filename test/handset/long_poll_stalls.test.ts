// A database that stalls for a moment delays the results of long polls by that time, and not by a multiple of it.

import { afterAll, beforeAll, expect, test } from "vitest";
import { pause } from "../support/concurrent_calls.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../support/database_proxy.ts";
import { joinChannel, parseUuid, registerHandset, suspend } from "../support/handsets.ts";
import { countPollWakeups, startLongPoll } from "../support/long_polls.ts";
import { runTicksUntil, waitFor } from "../support/wait.ts";
import { timeInSeconds, World } from "../support/world.ts";

let world: World;
let proxy: DatabaseProxy;
/** A process that reaches the same database through the proxy. */
let behind: World;
beforeAll(async () => {
  world = await World.open();
  proxy = await startDatabaseProxy(world.settings.DATABASE_URL!);
  behind = await world.replica({ DATABASE_URL: proxy.url });
});
afterAll(async () => {
  await behind?.close();
  await proxy?.close();
  await world?.close();
});

/** Two seconds are promised; the rest is for a busy machine. */
const SOON_MS = 25_000;

/** A handset on a channel of its own, whose poll waits behind the proxy. */
async function held(alert?: Record<string, unknown>) {
  const pusher = await world.pusher();
  const { token } = await registerHandset(world);
  await joinChannel(world, token, pusher.handle);
  if (alert) await world.alert(pusher.id, alert);
  const etag = (await behind.handset("GET", "/inbox", token)).headers.get("etag")!;
  const poll = startLongPoll(behind, token, etag);
  await poll.held();
  return { ...poll, handle: pusher.handle };
}

/** Stalls for this number of seconds, once a check is under way. */
async function stall(seconds: number) {
  const pass = proxy.stall();
  const before = proxy.asked();
  await pause(1_100);
  expect(proxy.asked()).toBe(before);
  await pause(1000 * seconds);
  pass();
  await runTicksUntil(() => proxy.asked() > before);
}

// rules#held-wakes
test.each([1, 3, 10])("after %d s in which nothing passed, a change is seen soon", async (seconds) => {
  const poll = await held();
  await stall(seconds);
  await pause(300);
  const began = performance.now();
  await suspend(world, poll.handle);
  const { status, body } = await poll.answer;
  expect([status, body.data]).toEqual([200, []]);
  expect(performance.now() - began).toBeLessThan(SOON_MS);
});

// rules#held-wakes
test("a known time is kept, for any duration of the checks before it", async () => {
  const due = Date.now() + 15_000;
  const poll = await held({ title: "Due", send: true, send_at: timeInSeconds(15) });
  await stall(3);
  const { status, body } = await poll.answer;
  expect([status, body.data.map(({ title }: any) => title)]).toEqual([200, ["Due"]]);
  expect(Date.now() - due).toBeLessThan(SOON_MS);
});

// rules#held-wakes
test("a poll is not woken again and again by an alert that is due and cannot be written down as sent", async () => {
  const pusher = await world.pusher();
  const { token } = await registerHandset(world);
  await joinChannel(world, token, pusher.handle);
  await world.sql(`create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'the disk is full'; end $$`);
  await world.sql(`create trigger refused before update on alert for each row
    when (new.status = 'sent' and new.pusher_id = '${parseUuid(pusher.id)}') execute function refuse()`);
  try {
    await world.alert(pusher.id, { title: "Due", send: true, send_at: timeInSeconds(2) });
    const read = () => world.handset("GET", "/inbox", token);
    await waitFor(async () => expect((await read()).body.data).toHaveLength(1));
    const before = await countPollWakeups(world, "timer");
    const poll = startLongPoll(world, token, (await read()).headers.get("etag")!, { prefer: "wait=4" });
    expect((await poll.answer).status).toBe(304);
    // Only rounds wake it, a second apart.
    expect((await countPollWakeups(world, "timer")) - before).toBeLessThan(20);
  } finally {
    await world.sql("drop function refuse() cascade");
  }
});
