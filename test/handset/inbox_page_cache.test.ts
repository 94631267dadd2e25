// Pages that devices share. Concurrent requests get the same result as separate ones. No request gets a page that was
// read before it began. A twin implementation joins a running read, and must be seen to miss a change.

import { expect, test } from "vitest";
import { createInboxEtagger, formatInboxState } from "../../src/handset/inbox_page.ts";
import { createInboxPageCache, InboxPageLruCache } from "../../src/handset/inbox_page_cache.ts";
import { getKysely, runStatement } from "../../src/store/db/statement.ts";
import type { InboxViewMode } from "../../src/store/handler_context.ts";
import { readInboxStatesOfDevices } from "../../src/store/queries/subscriptions_and_directory.ts";
import { callConcurrently, pause } from "../support/concurrent_calls.ts";
import { joinChannel, parseUuid, registerHandset, suspend } from "../support/handsets.ts";
import { countHeldPolls } from "../support/long_polls.ts";
import { openWorld } from "../support/open_world.ts";
import { WAIT } from "../support/wait.ts";

const ROUNDS = Number(process.env.BELFRY_TEST_ROUNDS ?? 5);

const world = await openWorld();
const { orm, assets } = world.service;
const pages: ReturnType<typeof createInboxPageCache> = createInboxPageCache(orm, assets);

const inboxTag = createInboxEtagger("any");
/** The request of a poll, by default with a unique validator. */
let asked = 0;
const shared = (device: string, limit: number, view: InboxViewMode = "full", tag = `${asked++}`) =>
  pages.find(device, { limit, view, tag });
/** The validator that a poll of a first page finds. */
async function tagOf(device: string, limit = 50, view: InboxViewMode = "full") {
  const [state] = await runStatement(getKysely(world.service.orm), readInboxStatesOfDevices, { devices: [device] });
  return inboxTag(formatInboxState(state!.revision, { limit, view }));
}

const any = <T>(list: T[]): T => list[Math.floor(Math.random() * list.length)]!;

async function device(...pushers: any[]) {
  const { id, token } = await registerHandset(world);
  for (const { handle } of pushers) await joinChannel(world, token, handle);
  return { id, token, channels: pushers.map(({ id }) => id).toSorted() };
}

/** The response to a request alone: the bytes, and their validator. */
async function alone({ token }: { token: string }, limit: number, view = "full") {
  const request = new Request(`http://localhost/handset/v1/inbox?limit=${limit}&view=${view}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const response = await world.service.app.fetch(request);
  return { text: await response.text(), etag: response.headers.get("etag") };
}

const textOf = (page: Buffer) => page.toString();

/** Alerts with fields of every kind, some of them large, on a few channels; some have the same time. */
async function written(channels: number, alerts: number) {
  const pushers = await callConcurrently(channels, () => world.pusher(), 4);
  await callConcurrently(
    alerts,
    (i) =>
      world.alert(any(pushers).id, {
        send: true,
        title: `"${i}" é \u{1f514}`,
        body: "text ".repeat(i % 50),
        ...(i % 5 === 0 ? { layout: "document", html: '"'.repeat((i % 3) * 90_000 + 1) } : {}),
      }),
    4,
  );
  await world.sql(
    `update alert a set sent_at = t from (
       select id, now() - interval '1 hour' - ((row_number() over (order by id) / 3) * interval '1 s') as t
       from alert where pusher_id = any(?::uuid[])) x where a.id = x.id`,
    [`{${pushers.map(({ id }) => parseUuid(id)).join(",")}}`],
  );
  return pushers;
}

// rules#inbox-shared
test("devices with the same channels share a page, which is the one that each gets alone", async () => {
  const pushers = await written(4, 30);
  const sets = [[0], [0, 1], [1, 2, 3], [0, 1, 2, 3], []];
  const devices = await callConcurrently(20, (i) => device(...sets[i % sets.length]!.map((n) => pushers[n]!)), 4);
  const suspended = await world.pusher();
  await world.alert(suspended.id, { send: true, title: "Not to be seen" });
  for (const { token } of devices.slice(0, 5)) await joinChannel(world, token, suspended.handle);
  await suspend(world, suspended.handle);
  let together = 0;
  for (const limit of [1, 7, 50]) {
    const view = any(["full", "lean"] as const);
    const found = await Promise.all(devices.map(({ id }) => shared(id, limit, view)));
    for (const [i, page] of found.entries()) {
      // A tie that continues beyond the read rows is read for each alone.
      if (page) expect(textOf(page)).toBe((await alone(devices[i]!, limit, view)).text);
      expect(page).toBe(found[(i % sets.length) + (i < 5 ? 0 : 5)]);
    }
    together += found.filter((page) => page !== null).length;
  }
  // All of them where every alert fits; of the others chance decides, which puts ties at the end of a page or not.
  expect(together).toBeGreaterThan(20);
  // A device with a request of its own uses its own statement, and a deleted one is in no set.
  expect(await shared(devices[0]!.id, 50)).toBeNull();
  const gone = await device(pushers[0]);
  await world.sql("delete from device where id = ?::bigint", [gone.id]);
  expect((await Promise.all([shared(gone.id, 50), shared(devices[0]!.id, 50)]))[0]).toBeNull();
});

// rules#inbox-shared
test("a page is kept for all that have its channels, until something is another one in these", async () => {
  const [pusher, other] = await callConcurrently(2, () => world.pusher(), 2);
  const first = await world.alert(pusher.id, { send: true, title: "The first" });
  const [one, two, more] = [await device(pusher), await device(pusher), await device(pusher, other)];
  const ask = async ({ id }: { id: string }, limit = 50, view: InboxViewMode = "full") =>
    shared(id, limit, view, await tagOf(id, limit, view));
  /** Two concurrent requests have it read and cached; a single request only uses the cache. */
  async function found() {
    const tag = await tagOf(one.id);
    await Promise.all([one, two].map(({ id }) => shared(id, 50, "full", tag)));
    return ask(one);
  }
  let last = await found();
  expect(last).not.toBeNull();
  expect(await ask(two)).toBe(last);
  expect([await ask(more), await ask(one, 7), await ask(one, 50, "lean")]).toEqual([null, null, null]);
  const changes = [
    () => world.alert(pusher.id, { send: true, title: "One more" }),
    () => world.rest("cancel_alert", { pusher_id: pusher.id, alert_id: first.id }),
    () => suspend(world, pusher.handle),
  ];
  for (const change of changes) {
    await change();
    expect(await ask(one)).toBeNull();
    const next = await found();
    if (next) expect(textOf(next)).toBe((await alone(one, 50)).text);
    expect(next).not.toBe(last);
    last = next;
  }
});

test("a validator that two states had in common would not give one the page of the other", async () => {
  const [pusher] = await written(1, 3);
  const one = await device(pusher);
  const foreign = Buffer.from('"of somebody else"');
  const common = { page: foreign, marks: "", sent: [] };
  pages.put("common", { ...common, channelsAt: `${parseUuid(pusher.id)}.0` });
  expect(await shared(one.id, 50, "full", "common")).toBeNull();
  const [{ rev }] = await world.sql("select revision as rev from channel_state where pusher_id = ?::uuid", [
    parseUuid(pusher.id),
  ]);
  pages.put("common", { ...common, channelsAt: `${parseUuid(pusher.id)}.${rev}` });
  expect(await shared(one.id, 50, "full", "common")).toBe(foreign);
});

test("the cache is limited, and keeps the most recently requested pages", () => {
  const kept = new InboxPageLruCache();
  const page = (characters = 100_000, channelsAt: string | null = "channels", marks = "") => ({
    ...{ page: Buffer.from("x".repeat(characters)), channelsAt, marks, sent: [] },
  });
  for (let i = 0; i < 60; i++) {
    kept.put(`${i}`, page());
    kept.markUsed("0");
  }
  const there = Array.from({ length: 60 }, (_, i) => i).filter((i) => kept.get(`${i}`));
  expect(there).toEqual([0, ...Array.from({ length: there.length - 1 }, (_, i) => 61 - there.length + i)]);
  expect(there.length * 100_000).toBeLessThanOrEqual(4 * 1024 * 1024);
  expect(there.length).toBeGreaterThan(30);
  kept.put("large", page(300_000));
  kept.put("empty", page(100_000, null));
  expect([kept.get("large"), kept.get("empty")]).toEqual([undefined, undefined]);
  // Pages of one state that differ by their marks have a limit together.
  for (let i = 0; i < 20; i++) kept.put("marked", page(100_000, "channels", `${i}`));
  expect([...kept.get("marked")!.pages.keys()]).toEqual(["15", "16", "17", "18", "19"]);
});

test("more than one statement may read is read by the next ones", async () => {
  const hot = await world.pusher();
  for (let i = 0; i < 3; i++) await world.alert(hot.id, { send: true, layout: "document", html: "x".repeat(330_000) });
  const devices = await callConcurrently(
    35,
    async (i) => {
      const own = await world.pusher();
      await world.alert(own.id, { send: true, title: `Own ${i}` });
      return device(hot, own);
    },
    4,
  );
  const found = await Promise.all(devices.map(({ id }) => shared(id, 50)));
  expect(new Set(found).size).toBe(35);
  for (const [i, page] of found.entries()) expect(textOf(page!)).toBe((await alone(devices[i]!, 50)).text);
});

// rules#held-inbox rules#inbox-shared
test("devices that are woken together get the same bytes as from the next plain poll", async () => {
  const pushers = await written(3, 12);
  const handsets = await callConcurrently(
    24,
    async (i) => ({ ...(await device(pushers[0], ...(i % 3 ? [pushers[i % 3]] : []))), limit: [1, 7, 50][i % 3]! }),
    4,
  );
  for (let round = 0; round < 3; round++) {
    const etags = await Promise.all(handsets.map((one) => alone(one, one.limit)));
    const polls = handsets.map(({ token, limit }, i) => {
      const answered = world.service.app.fetch(
        new Request(`http://localhost/handset/v1/inbox?limit=${limit}`, {
          headers: { authorization: `Bearer ${token}`, "if-none-match": etags[i]!.etag!, prefer: "wait=55" },
        }),
      );
      return answered.then(async (answer) => ({
        status: answer.status,
        text: await answer.text(),
        etag: answer.headers.get("etag"),
      }));
    });
    await expect.poll(() => countHeldPolls(world), WAIT).toBe(handsets.length);
    await world.alert(pushers[0].id, { send: true, title: `Round ${round}` });
    const told = await Promise.all(polls);
    for (const [i, { status, ...answer }] of told.entries()) {
      expect(status).toBe(200);
      expect(answer).toEqual(await alone(handsets[i]!, handsets[i]!.limit));
    }
  }
});

// rules#inbox-shared
test(
  "no device gets a page from before its request, nor of a channel that it left, under concurrent requests and " +
    "writes",
  async () => {
    const pushers = await callConcurrently(3, () => world.pusher(), 3);
    const devices = await callConcurrently(24, async () => device(...pushers.filter(() => Math.random() < 0.8)), 4);
    /** The twin: a request during the same read gets that result. */
    const underWay = new Map<string, Promise<string>>();
    const twin = (key: string) => {
      const reading =
        underWay.get(key) ??
        world
          .sql("select string_agg(title, ' ') as titles from alert, pg_sleep(0.05) where pusher_id = ?::uuid", [key])
          .then(([row]) => row.titles ?? "")
          .finally(() => underWay.delete(key));
      underWay.set(key, reading);
      return reading as Promise<string>;
    };
    const figures = {
      ...{ sends: 0, leaves: 0, shared: 0, wrong: 0, seenAfterLeave: 0, twinWrong: 0 },
      believedAfterLeave: 0,
    };
    let going = true;
    /** A poll that may wait, with a validator of its own, so that it is answered at once. */
    async function asHeld({ token }: { token: string }) {
      const headers = { authorization: `Bearer ${token}`, "if-none-match": '"none"', prefer: "wait=55" };
      const request = new Request("http://localhost/handset/v1/inbox?limit=50", { headers });
      return (await world.service.app.fetch(request)).text();
    }
    /** Its twin believes what was known of the device. */
    const known = new Map<string, string[]>();
    const believing = async ({ id, channels }: { id: string; channels: string[] }) => {
      const ids = known.get(id) ?? channels.map(parseUuid);
      known.set(id, ids);
      const [row] = await world.sql(
        "select string_agg(title, ' ') as titles from alert where pusher_id = any(?::uuid[])",
        [`{${ids.join(",")}}`],
      );
      return row.titles ?? "";
    };
    // Other requests run all the time, so that pages are shared.
    const crowd = callConcurrently(4, async (i) => {
      while (going) {
        const one = devices[i]!;
        const [page] = await Promise.all([shared(one.id, 50), twin(parseUuid(any(pushers).id)), asHeld(one)]);
        if (page) figures.shared++;
        await pause(1 + Math.random() * 10);
      }
    });
    const titles = async (one: { id: string; token: string }) => {
      const page = await shared(one.id, 50);
      return page ? textOf(page) : (await alone(one, 50)).text;
    };
    const until = Date.now() + 200 * ROUNDS;
    const end = Date.now() + WAIT.timeout;
    const enough = () =>
      Math.min(
        ...[figures.sends / 8, figures.leaves / 3, figures.shared / 3],
        ...[figures.twinWrong, figures.believedAfterLeave],
      ) >= 1;
    while (Date.now() < until || (!enough() && Date.now() < end)) {
      const pusher = any(pushers);
      const one = any(devices.slice(4));
      if (Math.random() < 0.7) {
        await joinChannel(world, one.token, pusher.handle);
        const title = `sent-${++figures.sends}-`;
        await world.alert(pusher.id, { send: true, title });
        const [page, held, old] = await Promise.all([titles(one), asHeld(one), twin(parseUuid(pusher.id))]);
        // The second time it is answered with what was kept.
        const polls = [await alone(one, 50), await alone(one, 50)].map(({ text }) => text);
        if (![page, held, ...polls].every((text) => text.includes(title))) figures.wrong++;
        if (!old.includes(title)) figures.twinWrong++;
      } else {
        await world.handset("DELETE", `/subscriptions/${pusher.handle}`, one.token);
        const title = `left-${++figures.leaves}-`;
        await world.alert(pusher.id, { send: true, title });
        if ((await believing(one)).includes(title)) figures.believedAfterLeave++;
        const [page, held] = await Promise.all([titles(one), asHeld(one)]);
        const polls = [await alone(one, 50), await alone(one, 50)].map(({ text }) => text);
        if ([page, held, ...polls].some((text) => text.includes(title))) figures.seenAfterLeave++;
      }
    }
    going = false;
    await crowd;
    console.log(`shared: ${JSON.stringify(figures)}`);
    expect([figures.wrong, figures.seenAfterLeave]).toEqual([0, 0]);
    expect(Math.min(figures.leaves, figures.shared)).toBeGreaterThan(0);
    expect(figures.believedAfterLeave).toBeGreaterThan(0);
    expect(figures.twinWrong).toBeGreaterThan(0);
  },
);
