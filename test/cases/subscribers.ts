// Subscribers: pseudonyms, pages, and a breakdown over the whole set.

import { expect } from "vitest";
import type { TestCase } from "../support/case_runner.ts";
import { joinNewHandset, parseUuid, pseudonym, registerHandset } from "../support/handsets.ts";
import type { World } from "../support/world.ts";

/** Subscribers by SQL at chosen times, the first one the oldest; every third is muted when `muted`. */
async function seeded(world: World, count: number, options: { tieFrom?: number; muted?: boolean } = {}) {
  const pusher = await world.pusher();
  const { tieFrom = count + 1, muted = false } = options;
  await world.sql(
    `with made as (
       insert into device (id, token_hash, platform, app_version, locale, timezone)
       select (random() * 9e18)::bigint, decode(md5(random()::text || n) || md5(random()::text), 'hex'), 'ios', '2.0',
         'de', 'UTC'
       from generate_series(1, ?::int) n returning id),
     numbered as (select id, row_number() over (order by id)::int as n from made)
     insert into subscription (device_id, pusher_id, permissions, muted, subscribed_at)
     select id, ?::uuid, '{}', ?::boolean and n % 3 = 0,
       timestamptz '2026-01-01T00:00:00Z' + least(n, ?::int) * interval '1 microsecond' from numbered`,
    [count, parseUuid(pusher.id), muted, tieFrom],
  );
  return pusher;
}

/** Every page of the list. */
async function pages(world: World, args: Record<string, unknown>) {
  const all: any[] = [];
  for (let before: string | undefined; ; ) {
    const { status, body } = await world.rest("list_subscribers", { ...args, ...(before && { before }) });
    expect(status).toBe(200);
    all.push(body);
    if (body.meta.next_before === null) return all;
    before = body.meta.next_before;
  }
}

const refused = (field: string, value: unknown): TestCase => ({
  rule: "pages",
  name: `${field} ${JSON.stringify(value)} is 422`,
  tool: "list_subscribers",
  given: (world) => world.pusher(),
  input: ({ id }) => ({ pusher_id: id, [field]: value }),
  want: { error: "invalid_request", param: field },
});

const NONE = { total: 0, muted: 0, platform: {}, app_version: {}, locale: {}, timezone: {} };

export const subscriberCases: TestCase[] = [
  {
    rule: "subscriber-device",
    tool: "list_subscribers",
    given: async (world) => {
      const pusher = await world.pusher();
      const facts = { platform: "ios", app_version: "3.1", locale: "pt-BR", timezone: "America/Sao_Paulo" };
      return { pusher, device: await joinNewHandset(world, pusher.handle, undefined, facts) };
    },
    input: ({ pusher }) => ({ pusher_id: pusher.id }),
    want: {},
    after: (_world, { device }, { body }) => {
      expect(body).toEqual({
        data: [
          {
            device: pseudonym(device.id),
            platform: "ios",
            app_version: "3.1",
            locale: "pt-BR",
            timezone: "America/Sao_Paulo",
            muted: false,
            subscribed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
          },
        ],
        breakdown: {
          total: 1,
          muted: 0,
          platform: { ios: 1 },
          app_version: { "3.1": 1 },
          locale: { "pt-BR": 1 },
          timezone: { "America/Sao_Paulo": 1 },
        },
        meta: { next_before: null },
      });
      expect(body.data[0].device).toMatch(/^[0-9a-f]{10}$/);
      expect(JSON.stringify(body)).not.toContain(device.id);
    },
  },
  {
    rule: "subscriber-device",
    name: "one device has one pseudonym on every channel and in every answer",
    tool: "list_subscribers",
    given: async (world) => {
      const [one, two] = [await world.pusher(), await world.pusher()];
      const { token, id } = await joinNewHandset(world, one.handle);
      await world.handset("PUT", `/subscriptions/${two.handle}`, token, { muted: true });
      const first = await world.rest("list_subscribers", { pusher_id: one.id });
      return { two, id, first: first.body.data[0].device };
    },
    input: ({ two }) => ({ pusher_id: two.id }),
    want: { body: { data: [{ muted: true }] } },
    after: (_world, { id, first }, { body }) => {
      expect(body.data[0].device).toBe(first);
      expect(first).toBe(pseudonym(id));
    },
  },
  {
    rule: "list-answer",
    name: "a channel without subscribers",
    tool: "list_subscribers",
    given: (world) => world.pusher(),
    input: ({ id }) => ({ pusher_id: id }),
    as: (world) => world.memberKey("viewer"),
    want: {},
    after: (_world, _given, { body }) =>
      expect(body).toEqual({ data: [], breakdown: NONE, meta: { next_before: null } }),
  },
  {
    rule: "subscriber-breakdown",
    tool: "list_subscribers",
    given: async (world) => {
      const pusher = await world.pusher();
      const others = { platform: "ios", app_version: "2.0", locale: "de", timezone: "Europe/Berlin" };
      await joinNewHandset(world, pusher.handle);
      await joinNewHandset(world, pusher.handle);
      const { token } = await joinNewHandset(world, pusher.handle, undefined, others);
      await world.handset("PUT", `/subscriptions/${pusher.handle}`, token, { muted: true });
      const gone = await joinNewHandset(world, pusher.handle, undefined, { platform: "web" });
      await world.handset("DELETE", `/subscriptions/${pusher.handle}`, gone.token);
      return pusher;
    },
    input: ({ id }) => ({ pusher_id: id, status: "muted", limit: 1 }),
    want: { body: { data: [{ platform: "ios", muted: true }] } },
    after: (_world, _given, { body }) => {
      expect(body.data).toHaveLength(1);
      // A device that left is counted nowhere, not even as a zero.
      expect(body.breakdown).toEqual({
        total: 3,
        muted: 1,
        platform: { android: 2, ios: 1 },
        app_version: { "1.0.0": 2, "2.0": 1 },
        locale: { en: 2, de: 1 },
        timezone: { "Europe/Lisbon": 2, "Europe/Berlin": 1 },
      });
    },
  },
  {
    rule: "subscriber-list",
    also: ["subscription"],
    name: "unmuting is counted back, muting twice counts once",
    tool: "list_subscribers",
    given: async (world) => {
      const pusher = await world.pusher();
      const [one, two] = [await joinNewHandset(world, pusher.handle), await joinNewHandset(world, pusher.handle)];
      const set = (token: string, muted: boolean) =>
        world.handset("PUT", `/subscriptions/${pusher.handle}`, token, { muted });
      for (const muted of [true, true, false]) await set(one.token, muted);
      for (const muted of [true, true]) await set(two.token, muted);
      return { pusher, two };
    },
    input: ({ pusher }) => ({ pusher_id: pusher.id, status: "muted" }),
    want: { body: { breakdown: { total: 2, muted: 1 } } },
    after: (_world, { two }, { body }) =>
      expect(body.data.map(({ device }: any) => device)).toEqual([pseudonym(two.id)]),
  },
  {
    rule: "subscriber-filter",
    name: "active are those that are not muted",
    tool: "list_subscribers",
    given: (world) => seeded(world, 9, { muted: true }),
    input: ({ id }) => ({ pusher_id: id, status: "active" }),
    want: { body: { breakdown: { total: 9, muted: 3 } } },
    after: (_world, _given, { body }) => {
      expect(body.data.map(({ muted }: any) => muted)).toEqual(Array(6).fill(false));
    },
  },
  {
    rule: "pages",
    tool: "list_subscribers",
    given: (world) => seeded(world, 51),
    input: ({ id }) => ({ pusher_id: id }),
    want: { body: { meta: { next_before: "2026-01-01T00:00:00.000002Z" }, breakdown: { total: 51 } } },
    after: async (world, { id }, { body }) => {
      expect(body.data).toHaveLength(50);
      // Newest first.
      expect(body.data[0].subscribed_at).toBe("2026-01-01T00:00:00.000051Z");
      const full = await world.rest("list_subscribers", { pusher_id: id, limit: 100 });
      expect([full.body.data.length, full.body.meta.next_before]).toEqual([51, null]);
    },
  },
  {
    rule: "pages",
    name: "a last page that is exactly full is the last",
    tool: "list_subscribers",
    given: (world) => seeded(world, 50),
    input: ({ id }) => ({ pusher_id: id }),
    want: { body: { meta: { next_before: null } } },
    after: (_world, _given, { body }) => expect(body.data).toHaveLength(50),
  },
  {
    rule: "pages",
    tool: "list_subscribers",
    given: (world) => seeded(world, 5),
    input: ({ id }) => ({ pusher_id: id, before: "2026-01-01T01:00:00.000003+01:00" }),
    want: { body: { meta: { next_before: null }, breakdown: { total: 5 } } },
    after: (_world, _given, { body }) =>
      expect(body.data.map(({ subscribed_at }: any) => subscribed_at.slice(-8))).toEqual(
        ["000002Z", "000001Z"].map((t) => t.padStart(8, ".")),
      ),
  },
  {
    rule: "pages",
    tool: "list_subscribers",
    // Rows 1 to 3 have times of their own, 4 to 20 share one.
    given: (world) => seeded(world, 20, { tieFrom: 4, muted: true }),
    input: ({ id }) => ({ pusher_id: id, limit: 2 }),
    want: { body: { breakdown: { total: 20 } } },
    after: async (world, { id }) => {
      for (const limit of [1, 2, 3, 7, 17, 18, 20, 100]) {
        const all = await pages(world, { pusher_id: id, limit });
        const devices = all.flatMap(({ data }) => data.map(({ device }: any) => device));
        expect([limit, devices.length, new Set(devices).size]).toEqual([limit, 20, 20]);
        // The whole set on every page (rules#subscriber-breakdown).
        for (const { breakdown } of all) expect(breakdown).toEqual(all[0].breakdown);
        expect(all[0].data.length).toBe(limit <= 17 ? 17 : Math.min(limit, 20));
      }
      for (const [status, count] of [
        ["muted", 6],
        ["active", 14],
      ] as const) {
        const all = await pages(world, { pusher_id: id, limit: 1, status });
        expect(all.flatMap(({ data }) => data)).toHaveLength(count);
      }
    },
  },
  {
    rule: "instants",
    name: "the widest offsets",
    tool: "list_subscribers",
    given: (world) => seeded(world, 2),
    input: ({ id }) => ({ pusher_id: id, before: "2026-01-01T23:59:00.000002+23:59" }),
    want: {},
    after: async (world, { id }, { body }) => {
      expect(body.data).toHaveLength(1);
      const far = { pusher_id: id, before: "9999-12-31T23:59:59.999999Z" };
      expect((await world.rest("list_subscribers", far)).body.data).toHaveLength(2);
      const lower = { pusher_id: id, before: "2025-12-31t00:02:00.000002-23:58" };
      expect((await world.rest("list_subscribers", lower)).body.data).toHaveLength(1);
    },
  },
  refused("limit", 0),
  refused("limit", 101),
  refused("limit", 1.5),
  refused("limit", -1),
  refused("limit", "ten"),
  refused("before", "2026-01-01"),
  refused("before", "yesterday"),
  refused("before", "2026-01-01T00:00:00"),
  refused("before", "2026-13-01T00:00:00Z"),
  refused("before", "2026-01-01T00:00:00+24:00"),
  // No answer could show it.
  refused("before", "9999-12-31T23:59:59-00:01"),
  refused("status", "paused"),
  refused("status", "Muted"),
  refused("device", "0123456789"),
  {
    rule: "subscriber-list",
    tool: "list_subscribers",
    input: () => ({ pusher_id: "psh_01h455vb4pex5vsknk084sn02q" }),
    want: { error: "not_found", param: null },
  },
  {
    rule: "foreign-is-missing",
    tool: "list_subscribers",
    given: (world) => seeded(world, 1),
    as: (world) => world.foreignKey(),
    input: ({ id }) => ({ pusher_id: id }),
    want: { error: "not_found", param: null },
  },
  {
    rule: "restricted-sees-its-channels",
    tool: "list_subscribers",
    given: async (world) => ({ seen: await world.pusher(), unseen: await seeded(world, 1) }),
    as: (world, { seen }) => world.memberKey("owner", [seen.id]),
    input: ({ unseen }) => ({ pusher_id: unseen.id }),
    want: { error: "not_found" },
  },
  {
    rule: "restricted-sees-its-channels",
    tool: "list_subscribers",
    given: (world) => seeded(world, 1),
    as: (world, { id }) => world.key({ pusher: id }),
    input: ({ id }) => ({ pusher_id: id }),
    want: { body: { breakdown: { total: 1 } } },
  },
  {
    rule: "one-scope",
    tool: "list_subscribers",
    given: (world) => world.pusher(),
    as: (world) => world.key({ scopes: "stats:read" }),
    input: ({ id }) => ({ pusher_id: id }),
    want: { error: "insufficient_scope", says: /subscribers:read/ },
  },
  {
    rule: "subscriber-breakdown",
    name: "facts that look like parts of the language are facts",
    // An assistant is shown none of them (rules#subscribers-in-plain-labels).
    over: "REST",
    tool: "list_subscribers",
    given: async (world) => {
      const pusher = await world.pusher();
      for (const app_version of ["constructor", "hasOwnProperty", "toString", "__proto__"])
        await joinNewHandset(world, pusher.handle, undefined, { app_version, platform: "other" });
      return pusher;
    },
    input: ({ id }) => ({ pusher_id: id }),
    want: {},
    after: (_world, _given, { body }) => {
      expect(Object.entries(body.breakdown.app_version).sort()).toEqual([
        ["__proto__", 1],
        ["constructor", 1],
        ["hasOwnProperty", 1],
        ["toString", 1],
      ]);
      expect(body.breakdown.platform).toEqual({ other: 4 });
    },
  },
  {
    rule: "reach-is-now",
    name: "a device that only registered subscribes to nothing",
    tool: "list_subscribers",
    given: async (world) => {
      await registerHandset(world);
      return world.pusher();
    },
    input: ({ id }) => ({ pusher_id: id }),
    want: { body: { data: [], breakdown: NONE } },
  },
];
