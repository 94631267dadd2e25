// Handsets that are woken while their app is closed: who is, by what, and what is kept of it (rules#push-wakes).

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../src/store/config/load_settings.ts";
import { parseUuid, registerHandset, suspend } from "../support/handsets.ts";
import { countPushes, joinWithPush, registerPush } from "../support/push_handsets.ts";
import { startPushService } from "../support/push_service.ts";
import { waitUntil } from "../support/wait.ts";
import { timeInSeconds, World } from "../support/world.ts";

const CONTACT = "mailto:ops@example.org";
const statuses = new Map<string, number>();

let service: Awaited<ReturnType<typeof startPushService>>;
let world: World;
const settings = () => ({ WEB_PUSH: "on", WEB_PUSH_CONTACT: CONTACT, WEB_PUSH_ALLOW_HOSTS: service.host });
beforeAll(async () => {
  service = await startPushService((path) => statuses.get(path) ?? 201);
  world = await World.open({ settings: settings() });
});
afterAll(async () => {
  await world.close();
  expect(service.refused).toEqual([]);
  service.close();
});

let names = 0;
const fresh = () => `device-${++names}`;

/** A new channel, with a handset that is woken for it. */
async function channel(more: Parameters<typeof joinWithPush>[3] = {}) {
  const pusher = await world.pusher();
  const name = fresh();
  const device = await joinWithPush(world, pusher.handle, service.endpoint(name), more);
  return { pusher, name, device };
}
const send = (pusher: { id: string }, fields: object = {}) =>
  world.alert(pusher.id, { title: "The quay floods at six", send: true, ...fields });
const woken = (name: string, times = 1) => waitUntil(() => service.count(name) === times);
const lastOf = (name: string) => service.received.findLast(({ path }) => path.endsWith(`/${name}`))!;
const rowOf = async ({ id }: { id: string }) =>
  (await world.sql("select * from push_endpoint where device_id = ?::bigint", [id]))[0];

describe("the settings and responses of a handset", () => {
  // rules#push-setting
  test("a server without push notifications reports it, and accepts no endpoint", async () => {
    const off = await World.open({ settings: { WEB_PUSH: "off" } });
    const { token } = await registerHandset(off);
    expect((await off.handset("GET", "/push", token)).body).toEqual({ enabled: false, public_key: null, kind: null });
    const refused = await registerPush(off, token, "https://push.example.org/x");
    expect([refused.status, refused.body.error.type]).toEqual([409, "conflict"]);
    expect(refused.body.error.message).toMatch(/WEB_PUSH/);
    expect((await off.handset("DELETE", "/devices/me/push", token)).status).toBe(204);
    await off.close();
  });

  // rules#push-setting
  test("by itself a server wakes where a browser can be woken: by https, and on this machine", () => {
    const auto = (PUBLIC_URL: string) => loadConfig({ PUBLIC_URL }, {}).webPush;
    for (const url of [
      "https://alerts.example.org",
      "http://localhost:8787",
      "http://127.0.0.1",
      "http://[::1]:8787",
      "http://belfry.localhost",
    ])
      expect([url, auto(url)]).toEqual([url, true]);
    for (const url of [
      "http://192.168.1.5:8787",
      "http://alerts.lan",
      "http://localhost.example.org",
      "http://127.0.0.1.example.org",
    ])
      expect([url, auto(url)]).toEqual([url, false]);
    expect(loadConfig({}, {})).toMatchObject({ webPush: true, webPushContact: "https://localhost:8787" });
    expect(loadConfig({ WEB_PUSH: "off" }, {})).toMatchObject({ webPush: false, webPushContact: null });
  });

  test("the contact is PUBLIC_URL where that is https, and required elsewhere", () => {
    const on = { WEB_PUSH: "on" };
    expect(() => loadConfig({ ...on, PUBLIC_URL: "http://alerts.lan" }, {})).toThrow(/^WEB_PUSH_CONTACT is required/);
    expect(loadConfig({ ...on, PUBLIC_URL: "https://alerts.example.org" }, {}).webPushContact).toBe(
      "https://alerts.example.org",
    );
    expect(loadConfig({ ...on, WEB_PUSH_CONTACT: CONTACT }, {}).webPushContact).toBe(CONTACT);
  });

  test("the key is a P-256 point, the same on every process and after a restart, and needs a token", async () => {
    const { token } = await registerHandset(world);
    const { body } = await world.handset("GET", "/push", token);
    expect(body).toEqual({ enabled: true, public_key: expect.any(String), kind: null });
    expect(Buffer.from(body.public_key, "base64url")).toHaveLength(65);
    const other = await world.replica(settings());
    expect((await other.handset("GET", "/push", token)).body).toEqual(body);
    await other.leave();
    expect((await world.handset("GET", "/push", null)).status).toBe(401);
    const [row] = await world.sql("select push_key from server_secret");
    expect(row.push_key.includes("PRIVATE KEY")).toBe(false);
  });

  // rules#push-endpoint
  test("one endpoint a device: the next replaces it, DELETE removes it, and no response shows it", async () => {
    const { pusher, name, device } = await channel();
    const shown = async () => (await world.handset("GET", "/push", device.token)).body.kind;
    expect(await shown()).toBe("web_push");
    const next = fresh();
    await registerPush(world, device.token, service.endpoint(next));
    expect(await shown()).toBe("web_push");
    await send(pusher);
    await woken(next);
    expect(service.count(name)).toBe(0);
    for (let twice = 0; twice < 2; twice++)
      expect((await world.handset("DELETE", "/devices/me/push", device.token)).status).toBe(204);
    expect(await shown()).toBeNull();
    const sealed = await world.sql("select endpoint from push_endpoint");
    for (const { endpoint } of sealed) expect(endpoint.toString("latin1")).not.toMatch(/https?:|wpush/);
    const { body } = await world.rest("list_subscribers", { pusher_id: pusher.id });
    expect(JSON.stringify(body)).not.toMatch(/wpush|push/);
  });

  test("additional fields of a browser's subscription are accepted, and other values are not", async () => {
    const { token } = await registerHandset(world);
    const put = (body: object) => world.handset("PUT", "/devices/me/push", token, body);
    const endpoint = service.endpoint(fresh());
    const keys = { p256dh: "B".repeat(87), auth: "a".repeat(22) };
    expect((await put({ endpoint, kind: "web_push", keys })).status).toBe(204);
    for (const [param, body] of Object.entries({
      kind: { endpoint },
      endpoint: { kind: "web_push" },
      "keys.auth": { endpoint, kind: "web_push", keys: { p256dh: "B" } },
      expirationTime: { endpoint, kind: "web_push", expirationTime: null },
    })) {
      const answer = await put(body);
      expect([answer.status, answer.body.error.param]).toEqual([422, param]);
    }
    expect((await world.handset("PUT", "/devices/me/push", null, { endpoint, kind: "web_push" })).status).toBe(401);
  });

  test("an endpoint is deleted with its device", async () => {
    const { device } = await channel();
    expect(await rowOf(device)).toBeDefined();
    await world.sql("delete from subscription where device_id = ?::bigint", [device.id]);
    await world.sql("delete from device where id = ?::bigint", [device.id]);
    expect(await rowOf(device)).toBeUndefined();
  });
});

describe("what wakes", () => {
  // rules#push-wakes
  test("creating with send, sending a draft, and sending by an assistant, as a vendor would take it", async () => {
    const { pusher, name } = await channel();
    await send(pusher);
    await woken(name);
    expect(lastOf(name)).toMatchObject({ urgency: "normal", topic: "inbox", ttl: 86_400 });
    expect(lastOf(name).claims).toMatchObject({ aud: service.origin, sub: CONTACT });
    const { body } = await world.handset("GET", "/push", (await registerHandset(world)).token);
    expect(lastOf(name).key).toBe(body.public_key);
    const draft = await world.alert(pusher.id, { priority: "urgent" });
    await world.rest("send_alert", { pusher_id: pusher.id, alert_id: draft.id });
    await woken(name, 2);
    expect(lastOf(name).urgency).toBe("high");
    await world.mcp("create_alert", { pusher_id: pusher.id, title: "By MCP", send: true, priority: "important" });
    await woken(name, 3);
    expect(lastOf(name).urgency).toBe("high");
  });

  test("nothing else does: drafts, plans, edits, cancelling, a repeated send, and what was refused", async () => {
    const { pusher, name } = await channel();
    const draft = await world.alert(pusher.id);
    const path = { pusher_id: pusher.id, alert_id: draft.id };
    await world.rest("update_alert", { ...path, title: "Edited" });
    await world.alert(pusher.id, { send: true, send_at: timeInSeconds(3600) });
    await world.rest("update_pusher", { pusher_id: pusher.id, status: "paused" });
    expect((await world.rest("send_alert", path)).status).toBe(409);
    await world.rest("update_pusher", { pusher_id: pusher.id, status: "active" });
    await world.rest("send_alert", path);
    await woken(name);
    await world.rest("send_alert", path);
    await world.rest("cancel_alert", path);
    // Earlier notifications would have arrived before this one.
    const other = await channel();
    await send(other.pusher);
    await woken(other.name);
    expect(service.count(name)).toBe(1);
  });

  test.each(["notify", "sound", "vibrate", "tts", "full"])("a device that granted %s alone", async (permission) => {
    const { pusher, name } = await channel({ permissions: [permission] });
    await send(pusher);
    await woken(name);
  });

  test("not a device that muted the channel, granted nothing that shows or sounds, left, or never joined", async () => {
    const { pusher, name, device } = await channel();
    const others = await Promise.all(
      [[], ["loc", "quiet"]].map(async (permissions) => {
        const own = fresh();
        await joinWithPush(world, pusher.handle, service.endpoint(own), { permissions });
        return own;
      }),
    );
    const [muted, left, stranger] = [fresh(), fresh(), fresh()];
    const one = await joinWithPush(world, pusher.handle, service.endpoint(muted));
    await world.handset("PUT", `/subscriptions/${pusher.handle}`, one.token, { muted: true });
    const two = await joinWithPush(world, pusher.handle, service.endpoint(left));
    await world.handset("DELETE", `/subscriptions/${pusher.handle}`, two.token);
    await registerPush(world, (await registerHandset(world)).token, service.endpoint(stranger));
    await send(pusher);
    await woken(name);
    await waitUntil(async () => world.service.push.pending() === 0);
    for (const own of [...others, muted, left, stranger]) expect([own, service.count(own)]).toEqual([own, 0]);
    // Unmuting and revoking a grant take effect with the next alert.
    await world.handset("PUT", `/subscriptions/${pusher.handle}`, one.token, { muted: false });
    await world.handset("PUT", `/subscriptions/${pusher.handle}`, device.token, { permissions: [] });
    await send(pusher);
    await woken(muted);
    expect(service.count(name)).toBe(1);
  });

  // rules#push-once
  test("a channel notifies a device once a second at most, and once after the last alert", async () => {
    const { pusher, name } = await channel();
    const begun = Date.now();
    let last = 0;
    for (let n = 0; n < 12; n++) {
      await send(pusher, { priority: n === 11 ? "urgent" : "normal" });
      last = Date.now();
    }
    const times = () => service.received.filter(({ path }) => path.endsWith(`/${name}`)).map(({ at }) => at);
    // The first one may also be that late, and does not contain the last alert.
    await waitUntil(() => (times().at(-1) ?? 0) > last && lastOf(name).urgency === "high");
    // A late one on a busy machine still did not leave before its second; a timer may be a moment early.
    for (const [i, at] of times().entries()) expect(at - begun).toBeGreaterThan(i * 1000 - 10);
  });

  // rules#push-scheduled
  test("a scheduled alert at its time, from any process that publishes it", async () => {
    const { pusher, name, device } = await channel();
    await send(pusher, { send_at: timeInSeconds(1) });
    await woken(name);
    // A handset that polls publishes it first, and so does its owner.
    await send(pusher, { send_at: timeInSeconds(1), priority: "urgent" });
    await waitUntil(async () => (await world.handset("GET", "/inbox", device.token)).body.data.length === 2);
    await woken(name, 2);
    expect(lastOf(name).urgency).toBe("high");
    const last = await send(pusher, { send_at: timeInSeconds(1) });
    const path = { pusher_id: pusher.id, alert_id: last.id };
    await waitUntil(async () => (await world.rest("send_alert", path)).body.status === "sent");
    await woken(name, 3);
  });

  test("an alert that came due without a process is notified later, unless it is over by then", async () => {
    const { pusher, name } = await channel();
    const late = await channel();
    const plan = async (of: { id: string }, expires: string) => {
      const { id } = await send(of, { send_at: timeInSeconds(3600), expires_at: timeInSeconds(7200) });
      await world.sql(
        `update alert set send_at = now() - interval '1 hour', expires_at = now() ${expires} where id = ?::uuid`,
        [parseUuid(id)],
      );
    };
    await plan(late.pusher, "- interval '1 minute'");
    await plan(pusher, "+ interval '1 hour'");
    await woken(name);
    await waitUntil(
      async () =>
        (await world.sql("select 1 from channel_state where next_due_at <= now()")).length === 0 &&
        world.service.push.pending() === 0,
    );
    expect(service.count(late.name)).toBe(0);
  });

  test("a suspended channel sends no push notifications", async () => {
    const { pusher, name } = await channel();
    const { id } = await send(pusher, { send_at: timeInSeconds(3600) });
    await suspend(world, pusher.handle);
    await world.sql("update alert set send_at = now() where id = ?::uuid", [parseUuid(id)]);
    await waitUntil(
      async () =>
        (await world.sql("select 1 from alert where id = ?::uuid and status = 'sent'", [parseUuid(id)])).length === 1,
    );
    const other = await channel();
    await send(other.pusher);
    await woken(other.name);
    expect(service.count(name)).toBe(0);
  });
});

describe("effects of the push service's responses", () => {
  const answering = (name: string, status: number) => statuses.set(`/wpush/v2/${name}`, status);

  // rules#push-forgets
  test.each([404, 410])("%i forgets the endpoint, and the device stays", async (status) => {
    const { pusher, name, device } = await channel();
    answering(name, status);
    await send(pusher);
    await waitUntil(async () => (await rowOf(device)) === undefined);
    expect((await world.handset("GET", "/push", device.token)).body.kind).toBeNull();
    await send(pusher);
    await send((await channel()).pusher);
    expect(service.count(name)).toBe(1);
  });

  test.each([400, 403, 302, 500, 429])("%i counts, and a success counts from the beginning", async (status) => {
    const { pusher, name, device } = await channel();
    answering(name, status);
    await send(pusher);
    await waitUntil(async () => (await rowOf(device)).failures === 1);
    expect((await rowOf(device)).failing_since).not.toBeNull();
    answering(name, 201);
    await send(pusher);
    await waitUntil(async () => (await rowOf(device)).failures === 0);
    expect((await rowOf(device)).failing_since).toBeNull();
  });

  test("twenty failures in a row forget an endpoint once they last for three days", async () => {
    const { pusher, name, device } = await channel();
    answering(name, 403);
    const set = (failures: number, days: number) =>
      world.sql(
        `update push_endpoint set failures = ?, failing_since = now() - ?::int * interval '1 day' where device_id =
          ?::bigint`,
        [failures, days, device.id],
      );
    await set(18, 4);
    await send(pusher);
    await waitUntil(async () => (await rowOf(device)).failures === 19);
    await set(40, 2);
    await send(pusher);
    await waitUntil(async () => (await rowOf(device)).failures === 41);
    await set(19, 4);
    await send(pusher);
    await waitUntil(async () => (await rowOf(device)) === undefined);
  });

  test("a new endpoint is not affected by responses of the old one", async () => {
    const pusher = await world.pusher();
    let answer = () => {};
    const slow = await startPushService(() => new Promise((resolve) => (answer = () => resolve(410))));
    const own = await World.open({ settings: { ...settings(), WEB_PUSH_ALLOW_HOSTS: "127.0.0.1" } });
    const there = await own.pusher({ handle: pusher.handle });
    const device = await joinWithPush(own, there.handle, slow.endpoint("old"));
    await own.alert(there.id, { send: true });
    await waitUntil(() => slow.received.length === 1);
    await registerPush(own, device.token, slow.endpoint("new"));
    answer();
    await waitUntil(async () => (await countPushes(own, "gone")) === 1 && own.service.push.pending() === 0);
    await own.leave();
    expect(await (await own.replica()).sql("select 1 from push_endpoint")).toHaveLength(1);
    slow.close();
  });

  // rules#push-leaves-nothing
  test("an accepted push notification leaves no trace in the database", async () => {
    const { pusher, name, device } = await channel();
    // A row that is written again, even with the same values, has another xmin.
    const written = () =>
      world.sql(
        "select e.*, e.xmin::text, d.xmin::text as of from push_endpoint e join device d on d.id = e.device_id where " +
          "d.id = ?::bigint",
        [device.id],
      );
    const before = await written();
    await send(pusher);
    await woken(name);
    await waitUntil(() => world.service.push.pending() === 0);
    expect(await written()).toEqual(before);
    expect(await countPushes(world, "accepted")).toBeGreaterThan(0);
  });
});
