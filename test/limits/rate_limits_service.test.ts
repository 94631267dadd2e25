// The limits as callers see them: their subjects, counted calls, response headers, and the behaviour without the cache.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openServiceWithoutListening, type Service } from "../../src/program/boot/service.ts";
import { loadConfig } from "../../src/store/config/load_settings.ts";
import { freePort } from "../support/free_port.ts";
import { DEVICE_FACTS } from "../support/handsets.ts";
import { openWorld } from "../support/open_world.ts";
import { type RedisServer, startRedis } from "../support/redis_server.ts";
import { isMissing } from "../support/requirements.ts";
import { waitFor } from "../support/wait.ts";
import { type Answer, createHandle, freshDatabase, timeInSeconds, World } from "../support/world.ts";

const statuses = (answers: { status: number }[]) => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
const times = <T>(count: number, make: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)));

const channel = () => ({ handle: createHandle(), name: "A channel", category: "community", description: "For tests" });

const world = await openWorld({ limits: true });

describe("on a service", () => {
  /** A channel of a creator of its own, so that tests share no limit. */
  const ownPusher = async () => {
    const key = await world.foreignKey();
    return { key, pusher: await world.pusher({}, key) };
  };
  const send = (pusher: { id: string }, key: string, fields = {}) =>
    world.rest("create_alert", { pusher_id: pusher.id, title: "T", send: true, ...fields }, key);

  test("10 creations a minute per creator, over all of its keys and both transports", async () => {
    const first = await world.memberKey("editor");
    const { body: me } = await world.rest("get_me", {}, first);
    const second = await world.key({ member: me.member.id });
    const keys = [first, second];
    const answers = await times(24, (n) =>
      n % 4 < 2
        ? world.rest("create_pusher", channel(), keys[n % 2])
        : world.mcp("create_pusher", channel(), keys[n % 2]),
    );
    expect(statuses(answers)).toEqual({ 201: 10, 429: 14 });
    // Another member of the same workspace has its own (rules#limit-windows).
    expect((await world.rest("create_pusher", channel(), await world.memberKey("editor"))).status).toBe(201);
    expect((await world.rest("create_pusher", channel(), second)).status).toBe(429);
  });

  test("30 sends a minute per pusher, at 64 at once and over several keys: exactly 30", async () => {
    const { key, pusher } = await ownPusher();
    const other = await world.pusher({}, key);
    const answers = await times(64, () => send(pusher, key));
    expect(statuses(answers)).toEqual({ 201: 30, 429: 34 });
    // A refused alert does not exist, not even as a draft.
    const read = await world.rest("get_pusher", { pusher_id: pusher.id }, key);
    expect(read.body.alerts_sent).toBe(30);
    const drafts = await world.rest("list_alerts", { pusher_id: pusher.id, status: "draft" }, key);
    expect(drafts.body.data).toEqual([]);
    // rules#limit-sends
    expect((await send(other, key)).status).toBe(201);
    // Drafts have no limit (rules#limit-drafts), and neither has anything else on that channel.
    expect(statuses(await times(40, () => send(pusher, key, { send: false })))).toEqual({ 201: 40 });
    const [alert] = (await world.rest("list_alerts", { pusher_id: pusher.id, status: "sent" }, key)).body.data;
    const path = { pusher_id: pusher.id, alert_id: alert.id };
    expect((await world.rest("cancel_alert", path, key)).status).toBe(200);
  });

  test("send, schedule and create with send true share the limit; repeats neither count nor are refused", async () => {
    const { key, pusher } = await ownPusher();
    const call = async (tool: string, args: object) => world.rest(tool, { pusher_id: pusher.id, ...args }, key);
    const draft = async (fields = {}) => (await call("create_alert", { title: "T", ...fields })).body.id as string;
    const drafts = [];
    for (let n = 0; n < 12; n++) drafts.push(await draft());
    const timed = await draft({ send_at: timeInSeconds(3600) });
    const last = await draft({ send_at: timeInSeconds(3600) });

    for (const alert_id of drafts) expect((await call("send_alert", { alert_id })).status).toBe(200);
    expect((await call("schedule_alert", { alert_id: timed })).status).toBe(200);
    for (let n = 0; n < 16; n++)
      expect((await send(pusher, key, n % 2 ? {} : { send_at: timeInSeconds(3600) })).status).toBe(201);
    // 29 so far. Repeats, in any number, and what changes no state:
    for (const alert_id of drafts) {
      const repeat = await call("send_alert", { alert_id });
      expect([repeat.status, repeat.headers.get("ratelimit")]).toEqual([200, null]);
    }
    expect((await call("schedule_alert", { alert_id: timed })).status).toBe(200);
    const once = { title: "T", send: true, idempotency_key: "once" };
    expect((await call("create_alert", once)).status).toBe(201);
    // 30. A repeat of the last one is still answered; everything new is not.
    expect((await call("create_alert", once)).status).toBe(201);
    expect((await send(pusher, key)).status).toBe(429);
    expect((await call("send_alert", { alert_id: timed })).status).toBe(429);
    expect((await call("schedule_alert", { alert_id: last })).status).toBe(429);
    expect((await call("send_alert", { alert_id: drafts[0] })).status).toBe(200);
    // A refused change leaves it as it was.
    expect((await call("get_alert", { alert_id: timed })).body.status).toBe("scheduled");
    expect((await call("get_alert", { alert_id: last })).body.status).toBe("draft");
  });

  test("a refused request uses up nothing", async () => {
    const { key, pusher } = await ownPusher();
    const bad = async (count: number, make: () => Promise<Answer>, status: number) =>
      expect(statuses(await times(count, make))).toEqual({ [status]: count });
    await bad(12, () => send(pusher, key, { title: "" }), 422);
    await bad(12, () => send(pusher, key, { layout: "html" }), 422);
    await bad(12, () => send(pusher, key, { send_at: timeInSeconds(-5) }), 422);
    await bad(12, () => world.rest("send_alert", { pusher_id: pusher.id, alert_id: "alr_x" }, key), 404);
    const { body: cancelled } = await send(pusher, key);
    const path = { pusher_id: pusher.id, alert_id: cancelled.id };
    await world.rest("cancel_alert", path, key);
    await bad(12, () => world.rest("send_alert", path, key), 409);
    await world.rest("update_pusher", { pusher_id: pusher.id, status: "paused" }, key);
    await bad(12, () => send(pusher, key), 409);
    await world.rest("update_pusher", { pusher_id: pusher.id, status: "active" }, key);
    // One was counted, by the alert that was cancelled.
    expect(statuses(await times(32, () => send(pusher, key)))).toEqual({ 201: 29, 429: 3 });

    // Creations: taken handles and wrong fields are not counted.
    const creator = await world.memberKey("editor");
    await bad(15, () => world.rest("create_pusher", { ...channel(), handle: pusher.handle }, creator), 409);
    await bad(15, () => world.rest("create_pusher", { ...channel(), handle: "api" }, creator), 422);
    await bad(15, () => world.rest("create_pusher", { ...channel(), lat: 1 }, creator), 422);
    const made = await times(12, () => world.rest("create_pusher", channel(), creator));
    expect(statuses(made)).toEqual({ 201: 10, 429: 2 });
    // When one handle is claimed ten times at once, the losers get a refund.
    const claimer = await world.memberKey("editor");
    const handle = createHandle();
    const claims = await times(10, () => world.rest("create_pusher", { ...channel(), handle }, claimer));
    expect(statuses(claims)).toEqual({ 201: 1, 409: 9 });
    const rest = await times(10, () => world.rest("create_pusher", channel(), claimer));
    expect(statuses(rest)).toEqual({ 201: 9, 429: 1 });
  });

  test("the headers and the message contain the rest and the time to retry, also over MCP", async () => {
    const { key, pusher } = await ownPusher();
    const args = { pusher_id: pusher.id, title: "T", send: true };
    const numbers = ({ headers }: Answer) => ({
      policy: headers.get("ratelimit-policy"),
      limit: headers.get("ratelimit")?.replace(/t=\d+/, "t=n"),
    });
    const first = await world.rest("create_alert", args, key);
    const policy = '"alert-sends";q=30;w=60';
    expect(numbers(first)).toEqual({ policy, limit: '"alert-sends";r=29;t=n' });
    expect(first.headers.get("retry-after")).toBeNull();
    const seconds = Number(/t=(\d+)/.exec(first.headers.get("ratelimit")!)![1]);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    const second = await world.mcp("create_alert", args, key);
    expect(numbers(second)).toEqual({ policy, limit: '"alert-sends";r=28;t=n' });
    // A draft counts against no limit and its response has no limit headers.
    const draft = await world.rest("create_alert", { ...args, send: false }, key);
    expect(numbers(draft)).toEqual({ policy: null, limit: undefined });
    for (let n = 0; n < 28; n++) await world.rest("create_alert", args, key);
    for (const over of ["rest", "mcp"] as const) {
      // Over MCP a repeat of the same title would be answered the first alert.
      const refused = await world[over]("create_alert", { ...args, title: over }, key);
      expect([refused.status, refused.body.error.type, refused.body.error.param]).toEqual([429, "rate_limited", null]);
      expect(numbers(refused)).toEqual({ policy, limit: '"alert-sends";r=0;t=n' });
      const wait = Number(refused.headers.get("retry-after"));
      expect(Number.isInteger(wait) && wait >= 1 && wait <= 60).toBe(true);
      expect(refused.headers.get("ratelimit")).toContain(`t=${wait}`);
      // rules#error-rate-limited
      expect(refused.body.error.message).toMatch(/30 .*60 seconds/);
      expect(refused.body.error.message).toContain(`${wait} second`);
    }
    const created = await world.rest("create_pusher", channel(), await world.memberKey("editor"));
    expect(numbers(created)).toEqual({ policy: '"pusher-creations";q=10;w=60', limit: '"pusher-creations";r=9;t=n' });
  });

  // rules#register-ceiling
  test("60 registrations of handsets a minute per address; loopback is exempt", async () => {
    const register = async (address: string) => {
      const request = new Request("http://localhost/handset/v1/devices", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(DEVICE_FACTS),
      });
      return { status: (await world.service.app.fetch(request, address)).status };
    };
    expect(statuses(await times(64, () => register("203.0.113.7")))).toEqual({ 201: 60, 429: 4 });
    expect((await register("203.0.113.8")).status).toBe(201);
    for (const loopback of ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
      expect(statuses(await times(62, () => register(loopback)))).toEqual({ 201: 62 });
  });
});

describe.skipIf(isMissing("redis-server"))("shared through Redis", () => {
  let redis: RedisServer;
  let port: number;
  let services: Service[];
  // The longest possible one: these tests are about counting, and a busy machine is not an outage.
  const REDIS_TIMEOUT_MS = "5000";
  let first: World;
  let database: Awaited<ReturnType<typeof freshDatabase>>;

  beforeAll(async () => {
    port = await freePort();
    redis = await startRedis(port);
    first = await World.open({ limits: true, settings: { REDIS_URL: redis.url, REDIS_TIMEOUT_MS } });
    const [{ name }] = await first.sql<any>("select current_database() as name");
    database = await freshDatabase();
    const url = Object.assign(new URL(database.settings.DATABASE_URL!), { pathname: `/${name}` }).href;
    const settings = {
      ...database.settings,
      DATABASE_URL: url,
      REDIS_URL: redis.url,
      REDIS_TIMEOUT_MS,
      LOG_LEVEL: "silent",
    };
    services = [first.service, await openServiceWithoutListening(loadConfig(settings))];
  });
  afterAll(async () => {
    await services[1]!.close();
    await first.close();
    await database.remove();
    await redis.kill();
  });

  const send = async (n: number, pusher: { id: string }, key: string) => {
    const request = new Request(`http://localhost/api/v1/pushers/${pusher.id}/alerts`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ title: "T", send: true }),
    });
    const response = await services[n % 2]!.app.fetch(request);
    return { status: response.status, limit: response.headers.get("ratelimit") };
  };
  const ownPusher = async () => {
    const key = await first.foreignKey();
    return { key, pusher: await first.pusher({}, key) };
  };

  test("two services and 64 sends at once: exactly 30", async () => {
    const { key, pusher } = await ownPusher();
    expect(statuses(await times(64, (n) => send(n, pusher, key)))).toEqual({ 201: 30, 429: 34 });
  });

  // rules#limit-fails-open
  test("fails open while the cache is away, and limits again when it is back", async () => {
    const { key, pusher } = await ownPusher();
    expect((await send(0, pusher, key)).limit).toMatch(/r=29/);
    await redis.kill();
    const open = await times(70, (n) => send(n, pusher, key));
    expect(statuses(open)).toEqual({ 201: 70 });
    // Nothing is claimed to be known of what remains.
    expect(open.at(-1)!.limit).toBeNull();
    redis = await startRedis(port);
    await waitFor(async () => {
      const fresh = await ownPusher();
      for (const n of [0, 1]) expect((await send(n, fresh.pusher, fresh.key)).limit).not.toBeNull();
    });
    const again = await ownPusher();
    expect(statuses(await times(64, (n) => send(n, again.pusher, again.key)))).toEqual({ 201: 30, 429: 34 });
  });
});
