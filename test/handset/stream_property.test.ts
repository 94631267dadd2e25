// Handsets with streams, on two processes. Owners send, schedule, withdraw and are suspended, while handsets join and
// leave. Each handset reaches the state of a plain poll, byte by byte, without polling. A twin loses random events.

import { afterAll, beforeAll, expect, test } from "vitest";
import { findFreePort, type ListeningServer, listenHttp } from "../../src/program/boot/http_server.ts";
import { callConcurrently, pause } from "../support/concurrent_calls.ts";
import { joinChannel, parseUuid, registerHandset, suspend } from "../support/handsets.ts";
import { StreamHandset } from "../support/stream_handset.ts";
import { waitFor } from "../support/wait.ts";
import { timeInSeconds, World } from "../support/world.ts";

const ROUNDS = Number(process.env.BELFRY_TEST_ROUNDS ?? 5);
const HOST = "127.0.0.1";

let worlds: World[];
let listening: ListeningServer[];
let urls: string[];
beforeAll(async () => {
  const world = await World.open();
  worlds = [world, await world.replica()];
  listening = [];
  urls = [];
  for (const { service } of worlds) {
    const port = await findFreePort(HOST);
    listening.push(await listenHttp(service.app, { host: HOST, port }));
    urls.push(`http://${HOST}:${port}`);
  }
});
afterAll(async () => {
  for (const one of listening ?? []) await one.close();
  await worlds?.[1]?.leave();
  await worlds?.[0]?.close();
});

const any = <T>(list: T[]): T => list[Math.floor(Math.random() * list.length)]!;

// rules#stream rules#inbox-is-state
test("streams and polls end with what polls alone show, and so they do when events are lost", async () => {
  const world = worlds[0]!;
  const pushers = await callConcurrently(4, () => world.pusher(), 4);
  const handsets = await callConcurrently(
    12,
    async (i) => {
      const { token, id } = await registerHandset(world);
      for (const { handle } of pushers) if (Math.random() < 0.7) await joinChannel(world, token, handle);
      const view = any(["full", "lean"]);
      const limit = any([100, 5]);
      const query = `?limit=${limit}&view=${view}`;
      const poll = (headers: Record<string, string>) =>
        any(worlds).handset("GET", `/inbox?limit=${limit}&view=${view}`, token, undefined, headers);
      const drops = i % 3 === 0 ? () => Math.random() < 0.4 : undefined;
      const follower = new StreamHandset({ token, urls, query, poll, ...(drops && { drops }) });
      return { token, id, limit, view, follower, drops };
    },
    4,
  );
  const live: { pusher_id: string; alert_id: string }[] = [];
  const create = async (fields: object) => {
    const { body } = await any(worlds).rest("create_alert", { pusher_id: any(pushers).id, send: true, ...fields });
    if (body?.id?.startsWith("alr_")) live.push({ pusher_id: body.pusher_id, alert_id: body.id });
  };
  const now = () => create({ title: `Now ${live.length}`, body: "x".repeat(any([0, 20, 3_900])) });
  const STEPS: (() => Promise<unknown>)[] = [
    now,
    now,
    now,
    () => create({ title: `Soon ${live.length}`, send_at: timeInSeconds(0.1 + Math.random()) }),
    () => create({ title: "Large", layout: "document", html: "<p>x</p>".repeat(2_000) }),
    async () => live.length && any(worlds).rest("cancel_alert", any(live.slice(-6))),
    async () => live.length && any(worlds).rest("cancel_alert", any(live)),
    async () => {
      const { handle } = any(pushers);
      await suspend(world, handle);
      await pause(Math.random() * 15);
      await suspend(world, handle, false);
    },
    () => any(worlds).handset("DELETE", `/subscriptions/${any(pushers).handle}`, any(handsets).token),
    () => any(worlds).handset("PUT", `/subscriptions/${any(pushers).handle}`, any(handsets).token, {}),
    () => world.sql("update alert set title = title || '!' where id = ?::uuid", [parseUuid(any(live).alert_id)]),
  ];
  await now();
  const until = Date.now() + 500 * ROUNDS;
  let steps = 0;
  await callConcurrently(4, async () => {
    while (Date.now() < until) {
      await any(STEPS)();
      steps++;
      await pause(10 + Math.random() * 80);
    }
  });
  for (const { token, limit, view, follower, drops } of handsets)
    await waitFor(async () => {
      // A loss is detected by the next event, or by a poll; a handset polls now and then.
      if (drops) await follower.lastLook();
      const { body } = await world.handset("GET", `/inbox?limit=100&view=${view}`, token);
      const truth = body.data.map((row: object) => JSON.stringify(row));
      // After the end of a page, withdrawn alerts are not replaced until the next request.
      const shown = follower.shown.split("\n").filter(Boolean);
      if (limit === 100) expect(shown.slice(0, 100)).toEqual(truth.slice(0, shown.length));
      else expect(shown).toEqual(truth.slice(0, shown.length));
      expect(shown.length).toBeGreaterThanOrEqual(limit === 100 ? truth.length : 0);
    });
  const sum = (name: keyof StreamHandset["counts"]) =>
    handsets.reduce((total, { follower }) => total + follower.counts[name], 0);
  const counts = Object.fromEntries(
    (["events", "applied", "looks", "polls", "opened", "dropped"] as const).map((name) => [name, sum(name)]),
  );
  console.log(`streams: ${JSON.stringify({ steps, alerts: live.length, ...counts })}`);
  expect(counts.applied).toBeGreaterThan(0);
  expect(counts.dropped).toBeGreaterThan(0);
  for (const { follower } of handsets) await follower.end();
});
