// Statistics over all channels that a credential sees.

import { expect } from "vitest";
import type { TestCase } from "../../support/case_runner.ts";
import { joinChannel, joinNewHandset, registerHandset, suspend } from "../../support/handsets.ts";
import type { World } from "../../support/world.ts";
import { BAD_RANGES, badRange, dayRow, daysAgo, expectNoDeliveryFigures, sendReport, today } from "./fixtures.ts";

/** An account of its own with three channels, of which the second has an alert, three reports and two subscribers. */
async function account(world: World) {
  const key = await world.foreignKey();
  const [one, two, three] = [
    await world.pusher({ name: "One" }, key),
    await world.pusher({ name: "Two" }, key),
    await world.pusher({ name: "Three" }, key),
  ];
  const { token } = await joinNewHandset(world, one.handle);
  await joinChannel(world, token, two.handle);
  const { token: muted } = await registerHandset(world);
  await world.handset("PUT", `/subscriptions/${two.handle}`, muted, { muted: true });
  const send = async (pusher: any) =>
    (await world.rest("create_alert", { pusher_id: pusher.id, title: "T", send: true }, key)).body;
  await send(one);
  const alert = await send(two);
  await sendReport(world, token, alert.id, "read", "ack");
  await sendReport(world, muted, alert.id, "read");
  return { key, one, two, three };
}

export const accountStatsCases: TestCase[] = [
  {
    rule: "account-stats",
    tool: "get_account_stats",
    given: account,
    as: (_world, { key }) => key,
    input: () => ({ period: "day" }),
    want: {
      body: {
        timezone: "UTC",
        // A device on two channels counts twice (rules#account-stats).
        reach: 3,
        totals: { alerts_sent: 2, reads: 2, acks: 1 },
        channels: [dayRow("Three", 0, 0, 0, 0), dayRow("Two", 2, 1, 2, 1), dayRow("One", 1, 1, 0, 0)],
      },
    },
    after: (_world, { one, two, three }, { body }) => {
      expect(body.buckets).toEqual([{ date: today(), alerts_sent: 2, reads: 2, acks: 1 }]);
      expect([body.from, body.to]).toEqual([today(), today()]);
      expect(body.channels.map(({ pusher_id, handle }: any) => [pusher_id, handle])).toEqual(
        [three, two, one].map(({ id, handle }) => [id, handle]),
      );
      expect(Object.keys(body).sort()).toEqual(
        ["buckets", "channels", "from", "reach", "timezone", "to", "totals"].sort(),
      );
      expect(Object.keys(body.channels[0]).sort()).toEqual(
        ["acks", "alerts_sent", "handle", "name", "pusher_id", "reach", "reads"].sort(),
      );
      expectNoDeliveryFigures(body);
    },
  },
  {
    rule: "stats-utc",
    name: "outside of the range channels stay, with zeros and their present reach",
    tool: "get_account_stats",
    given: account,
    as: (_world, { key }) => key,
    input: () => ({ from: "2026-01-01", to: "2026-01-02" }),
    want: {
      body: {
        reach: 3,
        totals: { alerts_sent: 0, reads: 0, acks: 0 },
        buckets: [
          { date: "2026-01-01", alerts_sent: 0, reads: 0, acks: 0 },
          { date: "2026-01-02", alerts_sent: 0, reads: 0, acks: 0 },
        ],
        channels: [dayRow("Three", 0, 0, 0, 0), dayRow("Two", 2, 0, 0, 0), dayRow("One", 1, 0, 0, 0)],
      },
    },
  },
  {
    rule: "stats-period",
    tool: "get_account_stats",
    given: account,
    as: (_world, { key }) => key,
    input: () => ({}),
    want: { body: { reach: 3 } },
    after: (_world, _given, { body }) => {
      expect(body.buckets.map(({ date }: any) => date)).toEqual([6, 5, 4, 3, 2, 1, 0].map(daysAgo));
      const sums = body.channels.reduce((n: number, { reads }: any) => n + reads, 0);
      expect(body.totals.reads).toBe(sums);
    },
  },
  {
    rule: "account-stats",
    name: "an account without channels",
    tool: "get_account_stats",
    given: (world) => world.foreignKey(),
    as: (_world, key) => key,
    input: () => ({ period: "day" }),
    want: { body: { reach: 0, totals: { alerts_sent: 0, reads: 0, acks: 0 }, channels: [] } },
    after: (_world, _given, { body }) =>
      expect(body.buckets).toEqual([{ date: today(), alerts_sent: 0, reads: 0, acks: 0 }]),
  },
  {
    rule: "account-stats-restricted",
    name: "a restricted member sums its own channels",
    tool: "get_account_stats",
    given: async (world) => {
      const pusher = await world.pusher({ name: "Mine" });
      await world.alert(pusher.id, { send: true });
      await joinNewHandset(world, pusher.handle);
      return pusher;
    },
    as: (world, { id }) => world.memberKey("viewer", [id]),
    input: () => ({ period: "day" }),
    want: { body: { reach: 1, totals: { alerts_sent: 1, reads: 0, acks: 0 }, channels: [dayRow("Mine", 1, 1, 0, 0)] } },
    after: (_world, _given, { body }) => expect(body.channels).toHaveLength(1),
  },
  {
    rule: "account-stats-restricted",
    name: "a key of one channel sums its channel",
    tool: "get_account_stats",
    given: async (world) => {
      const pusher = await world.pusher({ name: "Bound" });
      await world.alert(pusher.id, { send: true });
      return pusher;
    },
    as: (world, { id }) => world.key({ pusher: id, scopes: "stats:read" }),
    input: () => ({ period: "day" }),
    want: { body: { totals: { alerts_sent: 1 }, channels: [dayRow("Bound", 0, 1, 0, 0)] } },
    after: (_world, _given, { body }) => expect(body.channels).toHaveLength(1),
  },
  {
    rule: "restricted-sees-its-channels",
    name: "a member restricted to nothing gets zeros",
    tool: "get_account_stats",
    as: (world) => world.memberKey("owner", []),
    input: () => ({ period: "day" }),
    want: { body: { reach: 0, totals: { alerts_sent: 0, reads: 0, acks: 0 }, channels: [] } },
  },
  {
    rule: "restricted-sees-its-channels",
    name: "a key of a channel that its member does not see sees nothing",
    tool: "get_account_stats",
    given: async (world) => ({ seen: await world.pusher(), bound: await world.pusher() }),
    as: async (world, { seen, bound }) => world.memberKey("editor", [seen.id], { pusher: bound.id }),
    input: () => ({}),
    want: { body: { reach: 0, channels: [] } },
  },
  {
    rule: "restricted-sees-its-channels",
    name: "a suspended channel is still its owner's",
    tool: "get_account_stats",
    given: async (world) => {
      const given = await account(world);
      await suspend(world, given.two.handle);
      return given;
    },
    as: (_world, { key }) => key,
    input: () => ({ period: "day" }),
    want: { body: { reach: 3, totals: { alerts_sent: 2, reads: 2, acks: 1 } } },
  },
  ...BAD_RANGES.filter(([args]) => args.period !== "").map(([args, param]) =>
    badRange("get_account_stats", args, param),
  ),
  {
    rule: "one-scope",
    tool: "get_account_stats",
    as: (world) => world.key({ scopes: "alerts:read,subscribers:read" }),
    input: () => ({}),
    want: { error: "insufficient_scope", says: /stats:read/ },
  },
];
