// A handset's operations on itself: it reads and changes its facts, lists its channels, and unregisters. Counters stay
// exact.

import { describe, expect, test } from "vitest";
import { callConcurrently } from "../support/concurrent_calls.ts";
import { expectRecountClean } from "../support/counter_checks.ts";
import {
  DEVICE_FACTS,
  joinChannel,
  joinNewHandset,
  registerHandset,
  suspend,
  waitForSubscriberCount,
} from "../support/handsets.ts";
import { startLongPoll } from "../support/long_polls.ts";
import { openWorld } from "../support/open_world.ts";

const world = await openWorld();

const change = (token: string, facts: object) => world.handset("PATCH", "/devices/me", token, facts);
const remove = (token: string) => world.handset("DELETE", "/devices/me", token);
const breakdown = async (channel: { id: string }) =>
  (await world.rest("list_subscribers", { pusher_id: channel.id })).body.breakdown;

describe("a handset's facts about itself", () => {
  // rules#own-device
  test("is read and changed field by field, and its channels' breakdowns follow", async () => {
    const channel = await world.pusher();
    const device = await joinNewHandset(world, channel.handle);
    await joinNewHandset(world, channel.handle);
    await world.handset("PUT", `/subscriptions/${channel.handle}`, device.token, { muted: true });
    const read = await world.handset("GET", "/devices/me", device.token);
    expect([read.status, read.body]).toEqual([200, { id: device.id, ...DEVICE_FACTS }]);

    const changed = await change(device.token, { app_version: "2.0", timezone: "Asia/Kolkata" });
    const now = { id: device.id, ...DEVICE_FACTS, app_version: "2.0", timezone: "Asia/Kolkata" };
    expect([changed.status, changed.body]).toEqual([200, now]);
    expect((await world.handset("GET", "/devices/me", device.token)).body).toEqual(now);
    expect(await breakdown(channel)).toMatchObject({
      total: 2,
      muted: 1,
      app_version: { "1.0.0": 1, "2.0": 1 },
      timezone: { "Europe/Lisbon": 1, "Asia/Kolkata": 1 },
    });
    await expectRecountClean(world.service.orm);
  });

  // rules#own-device
  test("is refused by the rules of registration, and an empty change is ignored", async () => {
    const { token } = await registerHandset(world);
    for (const [facts, param] of [
      [{ platform: "toaster" }, "platform"],
      [{ app_version: "1.0 beta" }, "app_version"],
      [{ locale: "en_US" }, "locale"],
      [{ timezone: null }, "timezone"],
      [{ name: "Ana's phone" }, "name"],
    ] as const) {
      const { status, body } = await change(token, facts);
      expect([status, body.error.param]).toEqual([422, param]);
    }
    const unchanged = await change(token, {});
    expect([unchanged.status, unchanged.body]).toMatchObject([200, DEVICE_FACTS]);
    expect((await change("bfd_unknown", { locale: "en" })).status).toBe(401);
  });

  test("leaves no rows behind, for any number of changes", async () => {
    const channel = await world.pusher();
    const { token } = await joinNewHandset(world, channel.handle);
    for (let i = 0; i < 20; i++) await change(token, { app_version: `3.${i}` });
    const rows = await world.sql(
      "select app_version from subscriber_breakdown where pusher_id = (select id from pusher where handle = ?)",
      [channel.handle],
    );
    expect(rows).toEqual([{ app_version: "3.19" }]);
  });

  test("wakes no long poll of its own", async () => {
    const channel = await world.pusher();
    const { token } = await joinNewHandset(world, channel.handle);
    const etag = (await world.handset("GET", "/inbox", token)).headers.get("etag")!;
    const poll = startLongPoll(world, token, etag, { prefer: "wait=2" });
    await poll.held();
    await change(token, { locale: "pt" });
    expect((await poll.answer).status).toBe(304);
  });
});

describe("a handset that removes itself", () => {
  // rules#remove-device
  test("leaves its channels, is unknown from then on, and its reports stay counted", async () => {
    const channel = await world.pusher();
    const other = await world.pusher({ is_public: false });
    const { body: invite } = await world.rest("create_invite", { pusher_id: other.id });
    const alert = await world.alert(channel.id, { send: true });
    const device = await joinNewHandset(world, channel.handle);
    await joinChannel(world, device.token, other.handle, invite.code);
    await joinNewHandset(world, channel.handle);
    await world.handset("POST", "/reports", device.token, { reports: [{ alert_id: alert.id, kind: "ack" }] });
    const etag = (await world.handset("GET", "/inbox", device.token)).headers.get("etag")!;
    const poll = startLongPoll(world, device.token, etag);
    await poll.held();
    await waitForSubscriberCount(world, channel.id, 2);
    world.events.length = 0;

    expect((await remove(device.token)).status).toBe(204);
    expect((await poll.answer).status).toBe(401);
    for (const [method, path] of [
      ["GET", "/devices/me"],
      ["DELETE", "/devices/me"],
      ["GET", "/inbox"],
      ["GET", "/subscriptions"],
    ] as const)
      expect((await world.handset(method, path, device.token)).status).toBe(401);
    expect(
      (await world.request("GET", "/handset/v1/inbox", { token: device.token, headers: { "if-none-match": etag } }))
        .status,
    ).toBe(401);
    await waitForSubscriberCount(world, channel.id, 1);
    await waitForSubscriberCount(world, other.id, 0);
    const stats = (await world.rest("get_alert_stats", { pusher_id: channel.id, alert_id: alert.id })).body;
    expect(stats).toMatchObject({ reach: 1, totals: { acks: 1 } });
    expect(await breakdown(other)).toMatchObject({ total: 0, platform: {} });
    await expectRecountClean(world.service.orm);
  });

  test("is deleted once, with any concurrent actions of it and its channels", async () => {
    const channels = await Promise.all([1, 2, 3].map(() => world.pusher()));
    const devices = await Promise.all([1, 2, 3, 4].map(() => registerHandset(world)));
    for (const { token } of devices) for (const { handle } of channels) await joinChannel(world, token, handle);
    world.events.length = 0;
    const calls = devices.flatMap(({ token }, d) => [
      () => remove(token),
      () => remove(token),
      ...channels.flatMap(({ handle }, c) => [
        () => world.handset("PUT", `/subscriptions/${handle}`, token, { muted: (c + d) % 2 === 0 }),
        () => change(token, { app_version: `4.${c}` }),
        () => world.handset("DELETE", `/subscriptions/${handle}`, token),
        () => joinChannel(world, token, handle),
      ]),
    ]);
    const answers = await Promise.all(calls.map((call) => call()));
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].filter((status) => ![200, 204, 401].includes(status))).toEqual([]);
    for (const { token } of devices) expect((await world.handset("GET", "/devices/me", token)).status).toBe(401);
    for (const channel of channels) expect(await breakdown(channel)).toMatchObject({ total: 0 });
    await expectRecountClean(world.service.orm);
  });
});

test("changes of a handset, its mutes, joins and leaves at the same time are counted exactly", async () => {
  const channels = await Promise.all([1, 2, 3].map(() => world.pusher()));
  const devices = await Promise.all([1, 2].map(() => joinNewHandset(world, channels[0]!.handle)));
  await callConcurrently(
    160,
    async (i) => {
      const { token } = devices[i % 2]!;
      const path = `/subscriptions/${channels[i % 3]!.handle}`;
      const { status } = await [
        () => change(token, { app_version: `5.${i % 3}`, locale: i % 5 ? "en" : "pt" }),
        () => world.handset("PUT", path, token, { muted: i % 4 === 0 }),
        () => world.handset("PUT", path, token, { muted: i % 4 !== 0 }),
        () => (i % 8 === 3 ? world.handset("DELETE", path, token) : world.handset("PUT", path, token, {})),
      ][i % 4]!();
      expect([200, 204]).toContain(status);
    },
    16,
  );
  await expectRecountClean(world.service.orm);
});

describe("the channels of a handset", () => {
  // rules#own-channels
  test("is listed as cards, newest first, in complete pages; private ones too, suspended ones not", async () => {
    const { token } = await registerHandset(world);
    const channels = [];
    for (const is_public of [true, false, true, true, false]) {
      const channel = await world.pusher({ is_public });
      const { body } = await world.rest("create_invite", { pusher_id: channel.id });
      await joinChannel(world, token, channel.handle, body.code);
      channels.unshift(channel);
    }
    await world.handset("PUT", `/subscriptions/${channels[1]!.handle}`, token, { muted: true, permissions: ["sound"] });
    await joinNewHandset(world, (await world.pusher()).handle);
    await suspend(world, channels[3]!.handle);
    const want = channels.filter((_, i) => i !== 3).map(({ handle }) => handle);

    const whole = (await world.handset("GET", "/subscriptions", token)).body;
    expect(whole.data.map(({ handle }: any) => handle)).toEqual(want);
    expect(whole.meta).toEqual({ next_before: null });
    expect(whole.data[1]).toEqual((await world.handset("GET", `/channels/${want[1]}`, token)).body);
    expect(whole.data[1].subscription).toMatchObject({ muted: true, permissions: ["sound"] });
    const paged: string[] = [];
    for (let before = ""; before !== null; ) {
      const { body } = await world.handset("GET", `/subscriptions?limit=2${before && `&before=${before}`}`, token);
      paged.push(...body.data.map(({ handle }: any) => handle));
      before = body.meta.next_before;
    }
    expect(paged).toEqual(want);
  });
});
