// Limits: counted and uncounted calls, refusals and their responses. Runs with the operations' own limits.

import { expect } from "vitest";
import type { TestCase } from "../support/case_runner.ts";
import { createHandle, timeInSeconds, type World } from "../support/world.ts";
import { alertArguments, createAlertInState, oncePerWorld } from "./fixtures.ts";

const CREATIONS = "limit-creations";
const SENDS = "limit-sends";
const WINDOWS = "limit-windows";
const HEADERS = "limit-headers";

const fields = (handle = createHandle()) => ({ handle, name: "x", category: "ai", description: "x" });

/** A new member's key that has opened this number of channels. */
async function creator(world: World, created: number) {
  const key = await world.memberKey("admin");
  const pushers = [];
  for (let i = 0; i < created; i++) pushers.push(await world.pusher({}, key));
  return { key, pushers };
}

/** A channel of a creator whose limits are unused. */
const pusherOf = async (world: World) => world.pusher({}, await world.memberKey("admin"));

/** A channel with this number of sends in its window, of all the kinds that count, and one alert of each status. */
async function busy(world: World, sends: number) {
  const pusher = await pusherOf(world);
  const [draft, sent, scheduled] = [
    await createAlertInState(world, "draft", pusher),
    await createAlertInState(world, "sent", pusher),
    await createAlertInState(world, "scheduled", pusher),
  ];
  const early = await createAlertInState(world, "draft", pusher);
  const later = await createAlertInState(world, "draft", pusher);
  await world.rest("send_alert", alertArguments(early));
  await world.mcp("schedule_alert", alertArguments(later));
  for (let i = 4; i < sends; i++) await world.alert(pusher.id, { send: true });
  return { pusher, draft, sent, scheduled };
}

const full = oncePerWorld((world) => busy(world, 30));

const tells =
  (policy: string, max: number): TestCase["after"] =>
  (_world, _given, { headers }) => {
    expect(headers.get("ratelimit-policy")).toBe(`"${policy}";q=${max};w=60`);
    const [, seconds] = /^"[a-z-]+";r=0;t=(\d+)$/.exec(headers.get("ratelimit") ?? "") ?? [];
    expect(Number(seconds)).toBeGreaterThan(0);
    expect(Number(seconds)).toBeLessThanOrEqual(60);
    expect(headers.get("retry-after")).toBe(seconds);
  };

export const limitCases: TestCase[] = [
  {
    rule: CREATIONS,
    tool: "create_pusher",
    name: "the eleventh",
    given: (world) => creator(world, 10),
    as: (_world, { key }) => key,
    input: () => fields(),
    want: { error: "rate_limited", param: null, says: /10 .*60 seconds.*Retry in \d+ seconds/ },
    after: tells("pusher-creations", 10),
  },
  {
    rule: "limit-creations",
    tool: "create_pusher",
    name: "the tenth",
    given: (world) => creator(world, 9),
    as: (_world, { key }) => key,
    input: () => fields(),
    want: {},
    after: (_world, _given, { headers }) => {
      expect(headers.get("ratelimit-policy")).toBe('"pusher-creations";q=10;w=60');
      expect(headers.get("ratelimit")).toMatch(/^"pusher-creations";r=0;t=\d+$/);
      expect(headers.get("retry-after")).toBeNull();
    },
  },
  {
    rule: WINDOWS,
    tool: "create_pusher",
    name: "by another key of the member",
    given: async (world) => {
      const { key } = await creator(world, 9);
      const { body } = await world.rest("get_me", {}, key);
      expect((await world.mcp("create_pusher", fields(), key)).status).toBe(201);
      return { key: await world.key({ member: body.member.id }) };
    },
    as: (_world, { key }) => key,
    input: () => fields(),
    want: { error: "rate_limited" },
  },
  {
    rule: WINDOWS,
    tool: "create_pusher",
    name: "another member's budget is its own",
    given: async (world) => {
      await creator(world, 10);
      return creator(world, 0);
    },
    as: (_world, { key }) => key,
    input: () => fields(),
    want: {},
  },
  {
    rule: WINDOWS,
    tool: "create_pusher",
    name: "taken, bad and reserved ones",
    given: async (world) => {
      const { key, pushers } = await creator(world, 9);
      for (let i = 0; i < 3; i++) {
        expect((await world.rest("create_pusher", fields(pushers[0].handle), key)).status).toBe(409);
        expect((await world.rest("create_pusher", { ...fields(), name: "" }, key)).status).toBe(422);
        expect((await world.rest("create_pusher", fields("admin"), key)).status).toBe(422);
      }
      return { key };
    },
    as: (_world, { key }) => key,
    input: () => fields(),
    want: {},
  },
  {
    rule: "idempotency-keys",
    tool: "create_pusher",
    name: "repeats of one key use one",
    given: async (world) => {
      const { key } = await creator(world, 8);
      const once = { ...fields(), idempotency_key: "again" };
      for (let i = 0; i < 5; i++) expect((await world.rest("create_pusher", once, key)).status).toBe(201);
      return { key };
    },
    as: (_world, { key }) => key,
    input: () => fields(),
    want: {},
  },
  {
    rule: SENDS,
    tool: "create_alert",
    name: "the thirty-first",
    given: full,
    input: ({ pusher }) => ({ pusher_id: pusher.id, title: "x", send: true }),
    want: { error: "rate_limited", param: null, says: /30 .*60 seconds.*Retry in \d+ seconds/ },
    after: tells("alert-sends", 30),
  },
  {
    rule: HEADERS,
    tool: "send_alert",
    name: "a draft above the limit stays one",
    given: full,
    input: ({ draft }) => alertArguments(draft),
    want: { error: "rate_limited", param: null },
    after: async (world, given, answer) => {
      await tells("alert-sends", 30)!(world, given, answer);
      expect((await world.rest("get_alert", alertArguments(given.draft))).body.status).toBe("draft");
    },
  },
  {
    rule: SENDS,
    tool: "schedule_alert",
    name: "schedules also count",
    given: full,
    input: ({ draft }) => alertArguments(draft),
    want: { error: "rate_limited", param: null },
  },
  {
    rule: SENDS,
    tool: "create_alert",
    name: "scheduling at creation counts",
    given: full,
    input: ({ pusher }) => ({ pusher_id: pusher.id, title: "x", send: true, send_at: timeInSeconds(60) }),
    want: { error: "rate_limited", param: null },
  },
  {
    rule: "limit-drafts",
    tool: "create_alert",
    name: "a draft above the limit",
    given: full,
    input: ({ pusher }) => ({ pusher_id: pusher.id, title: "x" }),
    want: { body: { status: "draft" } },
  },
  {
    rule: SENDS,
    tool: "send_alert",
    name: "a repeat above the limit",
    given: full,
    input: ({ sent }) => alertArguments(sent),
    want: { body: { status: "sent" } },
  },
  {
    rule: SENDS,
    tool: "schedule_alert",
    name: "a repeat above the limit",
    given: full,
    input: ({ scheduled }) => alertArguments(scheduled),
    want: { body: { status: "scheduled" } },
  },
  {
    rule: "limit-sends",
    tool: "create_alert",
    name: "another channel of the same creator",
    given: async (world) => {
      await full(world);
      return pusherOf(world);
    },
    input: ({ id }) => ({ pusher_id: id, title: "x", send: true }),
    want: { body: { status: "sent" } },
  },
  {
    rule: "limit-sends",
    tool: "create_alert",
    name: "another member on the same channel",
    given: async (world) => ({ ...(await full(world)), key: await world.memberKey("editor") }),
    as: (_world, { key }) => key,
    input: ({ pusher }) => ({ pusher_id: pusher.id, title: "x", send: true }),
    want: { error: "rate_limited" },
  },
  {
    rule: "limit-sends",
    tool: "duplicate_alert",
    name: "a correction is also a send, and its original stays",
    given: full,
    input: ({ sent }) => alertArguments(sent, { title: "x", send: true, cancel_original: true }),
    want: { error: "rate_limited", param: null },
    after: async (world, { sent }) =>
      expect((await world.rest("get_alert", alertArguments(sent))).body.status).toBe("sent"),
  },
  {
    rule: "order-of-checks",
    tool: "create_alert",
    name: "a past send_at above the limit: invalid_request",
    given: full,
    input: ({ pusher }) => ({ pusher_id: pusher.id, title: "x", send: true, send_at: timeInSeconds(-60) }),
    want: { error: "invalid_request", param: "send_at" },
  },
  {
    rule: WINDOWS,
    tool: "create_alert",
    name: "refused sends and repeats leave the thirtieth",
    given: async (world) => {
      const { pusher, sent, scheduled, draft } = await busy(world, 29);
      const refused = [
        await world.rest("create_alert", { pusher_id: pusher.id, title: "x", send: true, send_at: timeInSeconds(-60) }),
        await world.rest("create_alert", {
          pusher_id: pusher.id,
          title: "x",
          send: true,
          expires_at: timeInSeconds(-60),
        }),
        await world.rest("schedule_alert", alertArguments(sent)),
        await world.rest("send_alert", alertArguments(sent)),
        await world.rest("schedule_alert", alertArguments(scheduled)),
        await world.rest("send_alert", { pusher_id: pusher.id, alert_id: pusher.id }),
      ];
      expect(refused.map(({ status }) => status)).toEqual([422, 422, 409, 200, 200, 404]);
      await world.rest("update_pusher", { pusher_id: pusher.id, status: "paused" });
      expect((await world.rest("send_alert", alertArguments(draft))).status).toBe(409);
      await world.rest("update_pusher", { pusher_id: pusher.id, status: "active" });
      return pusher;
    },
    input: ({ id }) => ({ pusher_id: id, title: "x", send: true }),
    want: { body: { status: "sent" } },
    after: async (world, { id }, { headers }) => {
      expect(headers.get("ratelimit")).toMatch(/^"alert-sends";r=0;t=\d+$/);
      expect((await world.rest("create_alert", { pusher_id: id, title: "x", send: true })).status).toBe(429);
    },
  },
  {
    rule: "recurrence-cost",
    tool: "schedule_alert",
    name: "a schedule whose rule was refused counts as a send",
    given: async (world) => {
      const { pusher, draft } = await busy(world, 29);
      const never = await world.alert(pusher.id, {
        send_at: timeInSeconds(3600),
        recurrence: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30 UTC",
      });
      expect((await world.rest("schedule_alert", alertArguments(never))).status).toBe(422);
      return draft;
    },
    input: (draft) => alertArguments(draft, { send_at: timeInSeconds(3600) }),
    want: { error: "rate_limited" },
  },
];
