// Webhooks end to end: what leaves, when, to whom, how it is signed, and what a receiver can do to the sender.

import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { DELIVERY_TIMEOUT_MS } from "../../src/effects/webhooks/deliver_webhook_once.ts";
import { startDnsServer } from "../support/dns_server.ts";
import {
  joinChannel,
  joinNewHandset,
  parseUuid,
  registerHandset,
  waitForSubscriberCount,
} from "../support/handsets.ts";
import { startHttpReceiver, startTcpReceiver } from "../support/loopback_receivers.ts";
import { WAIT, waitFor, waitUntil } from "../support/wait.ts";
import { createHandle, timeInSeconds, World } from "../support/world.ts";

const ALL = ["alert.sent", "alert.scheduled", "alert.cancelled", "subscriber.created", "subscriber.deleted"];

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A receiver whose answers a test may change. */
async function receiver(respond: (response: ServerResponse) => void = (response) => void response.end()) {
  const arrivals: number[] = [];
  const control = { respond };
  const sink = await startHttpReceiver((_request, response) => {
    arrivals.push(Date.now());
    control.respond(response);
  });
  const received = () => sink.requests.map(({ body }) => JSON.parse(body.toString()) as { event: string; data: any });
  return { ...sink, arrivals, control, received, url: `http://127.0.0.1:${sink.port}/hook` };
}
const answer = (status: number) => (response: ServerResponse) => {
  response.statusCode = status;
  response.end();
};

/**
 * A receiver's verifier, written from the signature chapter alone: over the raw body, within 300 seconds, in constant
 * time, reading the elements that it knows.
 */
function verified(headers: IncomingHttpHeaders, rawBody: Buffer, secret: string, now = Date.now() / 1000): boolean {
  const elements = String(headers["x-webhook-signature"]).split(",");
  const element = (name: string) => elements.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
  const t = element("t");
  if (Math.abs(now - Number(t)) > 300) return false;
  const wanted = createHmac("sha256", secret)
    .update(Buffer.concat([Buffer.from(`${t}.`), rawBody]))
    .digest();
  const given = Buffer.from(element("v1"), "hex");
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** An account of its own and what a test does in it. */
async function account(world: World, key?: string) {
  const owner = key ?? (await world.foreignKey());
  const call = async (tool: string, args: Record<string, unknown>) => {
    const { status, body } = await world.rest(tool, args, owner);
    if (status >= 300) throw new Error(`${tool}: ${JSON.stringify(body)}`);
    return body;
  };
  return {
    key: owner,
    call,
    pusher: (fields = {}) => world.pusher(fields, owner),
    send: (pusher: { id: string }, fields = {}) =>
      call("create_alert", { pusher_id: pusher.id, title: "An alert", send: true, ...fields }),
    listen: (url: string, events = ALL) => call("create_webhook", { url, events }),
    endpoint: async (id: string) => (await call("list_webhooks", {})).data.find((row: { id: string }) => row.id === id),
  };
}

type Row = { id: string };

/** Copies a channel this number of times, all joined by one device, which their account was notified of. */
async function joinedEverywhere(world: World, channel: Row, deviceId: string, count: number) {
  const copied = `workspace_id, name, category, description, requested_perms, alert_types, tags, is_public, search_text,
      gradient_from, gradient_to, initials`;
  await world.sql(
    `with made as (
       insert into pusher (id, handle, ${copied})
       select gen_random_uuid(), left(handle, 20) || n, ${copied} from pusher, generate_series(1, ${count}) n
       where id = ? returning id)
     insert into subscription (device_id, pusher_id, permissions) select ?, id, '{}' from made`,
    [parseUuid(channel.id), deviceId],
  );
  await world.sql("update channel_state set subscribers_reported = subscribers");
}

/** Ends no delivery of a test by its time limit: a busy machine can exceed it. */
function disableDeliveryTimeout(): void {
  const { setTimeout } = globalThis;
  const unending = (act: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) =>
    setTimeout(act, ms === DELIVERY_TIMEOUT_MS ? 20 * WAIT.timeout : ms, ...args);
  vi.spyOn(globalThis, "setTimeout").mockImplementation(unending as typeof setTimeout);
}

describe("on a service", () => {
  let world: World;
  const sinks: { close(): void }[] = [];
  const sink = async (respond?: (response: ServerResponse) => void) => {
    const made = await receiver(respond);
    sinks.push(made);
    return made;
  };
  beforeAll(async () => {
    world = await World.open({ settings: { WEBHOOK_ALLOW_HOSTS: "127.0.0.1" } });
  });
  afterAll(async () => {
    for (const made of sinks) made.close();
    await world.close();
  });

  // rules#signed-webhooks
  test("each event carries exactly its fields, in one envelope", async () => {
    const to = await sink();
    const { call, pusher: open, send, listen } = await account(world);
    const pusher = await open();
    await listen(to.url);
    const next = async (action: () => Promise<any>) => {
      const before = to.requests.length;
      const began = Date.now();
      const result = await action();
      await waitUntil(() => to.requests.length === before + 1);
      const { headers, body, method } = to.requests.at(-1)!;
      const parsed = JSON.parse(body.toString());
      expect(Object.keys(parsed)).toEqual(["event", "created_at", "data"]);
      expect(parsed.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/);
      expect(Date.parse(parsed.created_at)).toBeGreaterThanOrEqual(began);
      expect(Date.parse(parsed.created_at)).toBeLessThanOrEqual(Date.now());
      expect([method, headers["content-type"], headers["x-webhook-event"]]).toEqual([
        "POST",
        "application/json",
        parsed.event,
      ]);
      return { result, event: parsed.event, data: parsed.data };
    };
    const alertData = ({ id, title, priority, status, send_at, sent_at }: any) => ({
      pusher_id: pusher.id,
      alert_id: id,
      title,
      priority,
      status,
      send_at,
      sent_at,
    });
    const path = (alert: { id: string }) => ({ pusher_id: pusher.id, alert_id: alert.id });

    const sent = await next(() => send(pusher, { title: "Grüße 🔔", priority: "urgent" }));
    expect(sent).toMatchObject({ event: "alert.sent", data: { status: "sent", send_at: null } });
    expect(sent.data).toEqual(alertData(sent.result));
    expect(sent.data.sent_at).toMatch(/\.\d{6}Z$/);

    const at = "2098-01-02T03:04:05.000006Z";
    const scheduled = await next(() => send(pusher, { send_at: at }));
    expect(scheduled.event).toBe("alert.scheduled");
    expect(scheduled.data).toEqual({ ...alertData(scheduled.result), send_at: at, sent_at: null });

    const later = "2098-01-02T03:04:05.000007Z";
    const moved = await next(() => call("update_alert", { ...path(scheduled.result), send_at: later }));
    expect(moved).toMatchObject({ event: "alert.scheduled", data: { status: "scheduled", send_at: later } });
    expect(moved.data).toEqual(alertData(moved.result));

    const returned = await next(() => call("update_alert", { ...path(scheduled.result), send_at: null }));
    expect(returned.event).toBe("alert.cancelled");
    expect(returned.data).toEqual({ ...alertData(returned.result), status: "draft", send_at: null });

    await call("update_alert", { ...path(scheduled.result), send_at: later });
    const again = await next(() => call("schedule_alert", path(scheduled.result)));
    expect([again.event, again.data]).toEqual(["alert.scheduled", moved.data]);

    const early = await next(() => call("send_alert", path(scheduled.result)));
    expect(early).toMatchObject({ event: "alert.sent", data: { status: "sent", send_at: null } });
    expect(early.data).toEqual(alertData(early.result));

    const withdrawn = await next(() => call("cancel_alert", path(sent.result)));
    expect(withdrawn.event).toBe("alert.cancelled");
    expect(withdrawn.data).toEqual({ ...sent.data, status: "cancelled" });

    const other = await next(() => send(pusher, { send_at: at }));
    const unsent = await next(() => call("cancel_alert", path(other.result)));
    expect(unsent.data).toEqual({ ...other.data, status: "cancelled", sent_at: null });

    // A receiver that planned from alert.scheduled is notified, and not with the status that it planned from.
    const third = await next(() => send(pusher, { send_at: at }));
    const deleted = await next(() => call("delete_alert", path(third.result)));
    expect([deleted.event, deleted.data]).toEqual(["alert.cancelled", { ...third.data, status: "cancelled" }]);

    const draft = await call("create_alert", { pusher_id: pusher.id, title: "Draft" });
    const published = await next(() => call("send_alert", path(draft)));
    expect([published.event, published.data]).toEqual(["alert.sent", alertData(published.result)]);

    // rules#events-of-subscribers
    const device = await registerHandset(world);
    const came = await next(() => joinChannel(world, device.token, pusher.handle));
    expect(came).toMatchObject({ event: "subscriber.created", data: { pusher_id: pusher.id, count: 1 } });
    expect(Object.keys(came.data)).toEqual(["pusher_id", "count", "delta"]);
    const left = await next(() => world.handset("DELETE", `/subscriptions/${pusher.handle}`, device.token));
    expect([left.event, left.data]).toEqual(["subscriber.deleted", { pusher_id: pusher.id, count: 0, delta: -1 }]);

    expect(new Set(to.requests.map(({ headers }) => headers["x-webhook-id"])).size).toBe(to.requests.length);
  });

  // rules#events-of-alerts
  test("a change without effect, and the passing of send_at, emit no event", async () => {
    const [to, before] = [await sink(), await sink()];
    const { key, call, pusher: open, send, listen } = await account(world);
    const pusher = await open();
    await listen(before.url);
    const path = (alert: { id: string }) => ({ pusher_id: pusher.id, alert_id: alert.id });
    const [sent, gone] = [await send(pusher), await send(pusher)];
    const scheduled = await send(pusher, { send_at: timeInSeconds(3600) });
    await call("cancel_alert", path(gone));
    const device = await joinNewHandset(world, pusher.handle);
    // Endpoints are looked up after the action: what has happened so far must be out before this one is there.
    await waitUntil(() => before.requests.length === 5);
    await listen(to.url);

    await call("send_alert", path(sent));
    await call("cancel_alert", path(gone));
    await call("schedule_alert", path(scheduled));
    await call("update_alert", { ...path(scheduled), title: "Another title" });
    await call("update_alert", { ...path(scheduled), send_at: scheduled.send_at });
    await call("update_alert", path(scheduled));
    const draft = await call("create_alert", { pusher_id: pusher.id, title: "Draft" });
    await call("update_alert", { ...path(draft), send_at: timeInSeconds(3600) });
    await call("update_alert", { ...path(draft), send_at: null });
    await call("delete_alert", path(draft));
    await call("delete_alert", path(gone));
    for (const [tool, args, status] of [
      ["cancel_alert", path(await call("create_alert", { pusher_id: pusher.id, title: "D" })), 409],
      ["delete_alert", path(sent), 409],
      ["create_alert", { pusher_id: pusher.id, title: "", send: true }, 422],
      ["create_alert", { pusher_id: pusher.id, title: "T", send: true, send_at: timeInSeconds(-1) }, 422],
      ["send_alert", { ...path(sent), pusher_id: createHandle() }, 404],
    ] as const)
      expect((await world.rest(tool, args, key)).status).toBe(status);
    await joinChannel(world, device.token, pusher.handle);
    await world.handset("PUT", `/subscriptions/${pusher.handle}`, device.token, { muted: true });
    const stranger = await registerHandset(world);
    await world.handset("DELETE", `/subscriptions/${pusher.handle}`, stranger.token);
    await world.handset("DELETE", "/subscriptions/nobody-has-this", stranger.token);

    // rules#publishing-is-one-row
    const soon = await send(pusher, { title: "Soon", send_at: timeInSeconds(5), idempotency_key: "once" });
    await waitUntil(async () => (await call("get_alert", path(soon))).status === "sent");
    await world.rest(
      "create_alert",
      { pusher_id: pusher.id, title: "Soon", send: true, send_at: soon.send_at, idempotency_key: "once" },
      key,
    );
    await send(pusher, { title: "The end" });
    await waitUntil(() => to.received().some(({ data }) => data.title === "The end"));
    await pause(50);
    expect(to.received().map(({ event, data }) => [event, data.title])).toEqual([
      ["alert.scheduled", "Soon"],
      ["alert.sent", "The end"],
    ]);
  });

  test("one draft that is sent a hundred times at once is one event", async () => {
    const to = await sink();
    const { key, call, pusher: open, listen } = await account(world);
    const pusher = await open();
    await listen(to.url);
    for (let round = 1; round <= 3; round++) {
      const draft = await call("create_alert", { pusher_id: pusher.id, title: `Round ${round}` });
      const path = { pusher_id: pusher.id, alert_id: draft.id };
      const answers = await Promise.all(Array.from({ length: 100 }, () => world.rest("send_alert", path, key)));
      expect(new Set(answers.map(({ status, body }) => `${status} ${body.sent_at}`)).size).toBe(1);
      expect(answers[0]!.status).toBe(200);
      // Send against cancel: with either order, the two events report the one legal end.
      const racing = await call("create_alert", {
        pusher_id: pusher.id,
        title: "Race",
        send: true,
        send_at: timeInSeconds(3600),
      });
      const race = { pusher_id: pusher.id, alert_id: racing.id };
      const [sent, cancelled] = await Promise.all([
        world.rest("send_alert", race, key),
        world.rest("cancel_alert", race, key),
      ]);
      expect([200, 409]).toContain(sent.status);
      expect(cancelled.status).toBe(200);
      const end = await call("get_alert", race);
      expect([end.status, end.sent_at === null]).toEqual(["cancelled", sent.status === 409]);
    }
    await waitUntil(() => to.received().filter(({ event }) => event === "alert.cancelled").length === 3);
    await pause(50);
    const titles = to
      .received()
      .filter(({ event }) => event === "alert.sent")
      .map(({ data }) => data.title);
    expect(titles.filter((title) => title.startsWith("Round")).sort()).toEqual(["Round 1", "Round 2", "Round 3"]);
  });

  test("an endpoint gets its subscribed events, of its own account", async () => {
    const [alerts, people] = [await sink(), await sink()];
    const { pusher: open, send, listen, call } = await account(world);
    const pusher = await open();
    await listen(alerts.url, ["alert.cancelled"]);
    await listen(people.url, ["subscriber.deleted"]);
    const other = await account(world);
    const foreign = await other.pusher();
    const path = { pusher_id: foreign.id, alert_id: (await other.send(foreign)).id };
    await other.call("cancel_alert", path);

    const alert = await send(pusher);
    await call("cancel_alert", { pusher_id: pusher.id, alert_id: alert.id });
    await call("update_pusher", { pusher_id: pusher.id, is_public: false });
    const invite = await call("create_invite", { pusher_id: pusher.id });
    for (let n = 0; n < 3; n++) await joinNewHandset(world, pusher.handle, invite.code);
    await waitForSubscriberCount(world, pusher.id, 3);
    // A removal is one event, for any number of subscribers (rules#subscriber-events-are-gathered).
    await call("revoke_invite", { pusher_id: pusher.id, invite_id: invite.id, remove_subscribers: true });
    await waitUntil(() => people.requests.length === 1 && alerts.requests.length === 1);
    await pause(50);
    expect(alerts.received().map(({ event }) => event)).toEqual(["alert.cancelled"]);
    expect(people.received()).toMatchObject([
      { event: "subscriber.deleted", data: { pusher_id: pusher.id, count: 0, delta: -3 } },
    ]);
  });

  const rounds = 50;
  test(`${20 * rounds} deliveries of ${20 * rounds} verify`, async () => {
    disableDeliveryTimeout();
    const to = await sink();
    const { pusher: open, send, listen } = await account(world);
    const pusher = await open();
    const secrets = new Map<string, string>();
    for (let n = 0; n < 20; n++) secrets.set(`/hook${n}`, (await listen(to.url + n)).secret);
    for (let n = 0; n < rounds; n++) await send(pusher, { title: `Grüße 🔔 ${n} "quoted" \\ </script>` });
    await waitUntil(() => to.requests.length === 20 * rounds);
    await pause(50);

    let good = 0;
    for (const [i, { url, headers, body }] of to.requests.entries()) {
      if (verified(headers, body, secrets.get(url)!)) good += 1;
      const t = Number(/t=(\d+)/.exec(String(headers["x-webhook-signature"]))![1]);
      // rules#event-verifying
      expect(Math.abs(to.arrivals[i]! / 1000 - t)).toBeLessThan(300);
    }
    expect([good, to.requests.length]).toEqual([20 * rounds, 20 * rounds]);
    // The verifier refuses what it should: another endpoint's secret, another body, another time.
    const { headers, body, url } = to.requests[0]!;
    const secret = secrets.get(url)!;
    expect(verified(headers, body, `${secret}x`)).toBe(false);
    expect(verified(headers, Buffer.concat([body, Buffer.from(" ")]), secret)).toBe(false);
    expect(verified(headers, body, secret, Date.now() / 1000 + 400)).toBe(false);
    expect(headers["x-webhook-signature"]).toMatch(/^t=\d{10},v1=[0-9a-f]{64}$/);
  });

  // rules#webhook-secret
  test("a secret is sealed at rest, and shown in one answer only", async () => {
    const { key, listen, call } = await account(world);
    const { secret, id } = await listen("https://1.1.1.1/");
    const kept = await world.rest(
      "create_webhook",
      { url: "https://1.1.1.1/", events: ALL, idempotency_key: randomUUID() },
      key,
    );
    const tables = await world.sql<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public'",
    );
    let dump = "";
    for (const { name } of tables)
      dump += (await world.sql(`select coalesce(string_agg(t::text, ' '), '') as rows from "${name}" t`))[0].rows;
    expect(dump).toContain(parseUuid(id));
    for (const shown of [secret, kept.body.secret]) {
      const plain = Buffer.from(shown);
      const random = Buffer.from(shown.slice(6), "base64url");
      for (const form of [
        shown.slice(6),
        plain.toString("hex"),
        plain.toString("base64"),
        random.toString("hex"),
        random.toString("base64"),
      ])
        expect(dump.includes(form)).toBe(false);
    }
    const answers = [
      await call("list_webhooks", {}),
      (await world.rest("create_webhook", { url: "https://1.1.1.1/", events: [secret] }, key)).body,
      (await world.rest("delete_webhook", { webhook_id: secret }, key)).body,
    ];
    for (const body of answers) expect(JSON.stringify(body)).not.toContain(secret.slice(6));
  });

  // rules#webhook-disabled
  test("20 consecutive failures disable: exactly 20 POSTs, none afterwards", async () => {
    const [bad, good] = [await sink(answer(500)), await sink()];
    const { pusher: open, send, listen, endpoint } = await account(world);
    const pusher = await open();
    const { id } = await listen(bad.url);
    // There is still a receiver, so that events are looked up to the end.
    await listen(good.url);
    for (let n = 1; n <= 23; n++) {
      await send(pusher);
      await waitUntil(async () => good.requests.length === n);
      await waitUntil(async () => (await endpoint(id)).failure_count === Math.min(n, 20));
      if (n === 19) expect(await endpoint(id)).toMatchObject({ disabled: false, disabled_at: null });
    }
    await pause(50);
    expect(bad.requests).toHaveLength(20);
    expect(await endpoint(id)).toMatchObject({
      disabled: true,
      failure_count: 20,
      last_status: 500,
      disabled_at: expect.stringMatching(/Z$/),
      last_delivery_at: expect.stringMatching(/Z$/),
    });
  });

  // rules#webhook-success
  test("19 failures and a success: the counter is zero, and 19 more do not disable", async () => {
    const to = await sink(answer(404));
    const { pusher: open, send, listen, endpoint } = await account(world);
    const pusher = await open();
    const { id } = await listen(to.url);
    const round = async (count: number) => {
      for (let n = 1; n <= count; n++) {
        await send(pusher);
        await waitUntil(async () => (await endpoint(id)).failure_count === n);
      }
    };
    await round(19);
    to.control.respond = answer(204);
    await send(pusher);
    await waitUntil(async () => (await endpoint(id)).failure_count === 0);
    expect(await endpoint(id)).toMatchObject({ disabled: false, last_status: 204 });
    to.control.respond = answer(302);
    await round(19);
    expect(await endpoint(id)).toMatchObject({ disabled: false, failure_count: 19, last_status: 302 });
    expect(to.requests).toHaveLength(39);
  });

  test("50 concurrent failures count 50", async () => {
    const held: ServerResponse[] = [];
    const to = await sink((response) => void held.push(response));
    const { pusher: open, send, listen, endpoint } = await account(world);
    const pusher = await open();
    const { id } = await listen(to.url);
    await Promise.all(Array.from({ length: 50 }, () => send(pusher)));
    await waitUntil(() => held.length === 50);
    for (const response of held) answer(503)(response);
    await waitUntil(async () => (await endpoint(id)).failure_count === 50);
    expect(await endpoint(id)).toMatchObject({ disabled: true });
    await send(pusher);
    await pause(50);
    expect(to.requests).toHaveLength(50);
  });

  // rules#strangers-disable-nothing
  test("who comes and goes disables nobody's endpoint, and pushes nothing out of its log", async () => {
    const to = await sink(answer(503));
    const { pusher: open, send, listen, endpoint, call } = await account(world);
    const pushers = await Promise.all(Array.from({ length: 30 }, () => open()));
    const { id } = await listen(to.url, ["alert.sent", "subscriber.deleted"]);
    await send(pushers[0]!);
    await waitUntil(async () => (await endpoint(id)).failure_count === 1);
    const device = await world.device(...pushers.map(({ handle }) => handle));
    expect((await world.handset("DELETE", "/devices/me", device)).status).toBe(204);
    await waitUntil(() => to.requests.length === 31);
    // Thirty failures of strangers are one, and those of alerts count as ever.
    await send(pushers[0]!);
    await waitUntil(async () => (await endpoint(id)).failure_count === 3);
    expect(await endpoint(id)).toMatchObject({ disabled: false });
    await world.sql(
      `insert into webhook_delivery (id, endpoint_id, event, body, ok)
       select gen_random_uuid(), ?, 'subscriber.created', '{}', true from generate_series(1, 300)`,
      [parseUuid(id)],
    );
    await call("create_alert", { pusher_id: pushers[0]!.id, title: "One more", send: true });
    await waitUntil(async () => (await endpoint(id)).failure_count === 4);
    const left = () =>
      world.sql(
        "select event like 'alert.%' as ours, count(*)::int as n from webhook_delivery where endpoint_id = ? group " +
          "by 1 order by 1",
        [parseUuid(id)],
      );
    expect((await left())[1]).toEqual({ ours: true, n: 3 });
  });

  test("a deleted endpoint receives nothing more; a new one at its address is a new one", async () => {
    const [gone, stays] = [await sink(), await sink()];
    const { pusher: open, send, listen, call, endpoint } = await account(world);
    const pusher = await open();
    const { id } = await listen(gone.url);
    await listen(stays.url);
    await send(pusher);
    await waitUntil(() => gone.requests.length === 1 && stays.requests.length === 1);
    await call("delete_webhook", { webhook_id: id });
    await send(pusher);
    await waitUntil(() => stays.requests.length === 2);
    await pause(50);
    expect(gone.requests).toHaveLength(1);
    const { id: renewed, secret } = await listen(gone.url);
    expect(await endpoint(renewed)).toMatchObject({ failure_count: 0, disabled: false, last_status: null });
    await send(pusher);
    await waitUntil(() => gone.requests.length === 2);
    const { headers, body } = gone.requests[1]!;
    expect(verified(headers, body, secret)).toBe(true);
  });

  test("the endpoint of a restricted member or key receives events of their present channels", async () => {
    const [owned, restricted, bound] = [await sink(), await sink(), await sink()];
    const owner = await account(world, world.owner);
    const [one, two] = [await owner.pusher(), await owner.pusher()];
    const member = await account(world, await world.memberKey("editor", [one.id]));
    const key = await account(world, await world.key({ pusher: two.id }));
    const endpoints = [await owner.listen(owned.url), await member.listen(restricted.url), await key.listen(bound.url)];
    const hear = async (...want: string[][]) => {
      const all = [owned, restricted, bound];
      const before = all.map(({ requests }) => requests.length);
      await owner.send(one, { title: "one" });
      await owner.send(two, { title: "two" });
      const heard = () =>
        all.map((to, i) =>
          to
            .received()
            .slice(before[i])
            .map(({ data }) => data.title)
            .sort(),
        );
      await waitFor(() => expect(heard()).toEqual(want));
      // And nothing else comes.
      await pause(100);
      expect(heard()).toEqual(want);
    };
    await hear(["one", "two"], ["one"], ["two"]);
    const restrict = (ids: string[] | null) =>
      world.sql(
        "update member set pusher_ids = ?::uuid[] where id = (select member_id from webhook_endpoint where id = ?)",
        [ids && `{${ids.map(parseUuid).join(",")}}`, parseUuid(endpoints[1].id)],
      );
    await restrict([two.id]);
    await hear(["one", "two"], ["two"], ["two"]);
    await restrict([]);
    await hear(["one", "two"], [], ["two"]);
    await restrict(null);
    await hear(["one", "two"], ["one", "two"], ["two"]);
    // Subscribers too: the handset's event is addressed by the channel, not by a caller.
    await joinNewHandset(world, one.handle);
    await waitUntil(() => restricted.received().at(-1)?.event === "subscriber.created");
    expect(bound.received().map(({ event }) => event)).not.toContain("subscriber.created");
    for (const { id } of endpoints) await owner.call("delete_webhook", { webhook_id: id });
  });

  test("dead receivers cost a send nothing", async () => {
    const { pusher: open, send, listen } = await account(world);
    const pusher = await open();
    const sends = async (count: number) => {
      const started = performance.now();
      for (let n = 0; n < count; n++) await send(pusher);
      return performance.now() - started;
    };
    const hang = await startTcpReceiver();
    const reset = await startTcpReceiver((socket) => socket.resetAndDestroy());
    const drip = await startTcpReceiver((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n");
      const timer = setInterval(() => socket.write("x"), 100);
      socket.on("close", () => clearInterval(timer));
    });
    const trap = await receiver();
    const failing = await receiver(answer(500));
    const redirecting = await receiver((response) => {
      response.writeHead(307, { location: trap.url });
      response.end();
    });
    const receivers = [hang, reset, drip, trap, failing, redirecting];
    sinks.push(...receivers);
    for (const { port } of [hang, reset, drip, failing, redirecting])
      for (let n = 0; n < 4; n++) await listen(`http://127.0.0.1:${port}/${n}`);
    // A send that waited for these receivers would take their five seconds: this number cannot, on any slow machine.
    expect(await sends(30)).toBeLessThan((30 * 5_000) / 2);
    // They were called all the same.
    await waitUntil(() => failing.requests.length > 0 && redirecting.requests.length > 0);
    expect(trap.requests).toHaveLength(0);
    // Their remaining deliveries are refused at once, and take no slot from the deliveries of later tests.
    for (const made of receivers) made.close();
  });

  test("a burst of 20,000 deliveries disables no other endpoint and delays no other workspace", async () => {
    disableDeliveryTimeout();
    const [loud, quiet] = [await account(world), await account(world)];
    const [first, second, other] = [await sink(), await sink(), await sink()];
    const ours: { id: string }[] = [];
    for (let n = 0; n < 20; n++) ours.push(await loud.listen(n % 2 ? first.url : second.url));
    const theirs = await quiet.listen(other.url);
    const elsewhere = await quiet.pusher();
    // One call that is a thousand events, of a thousand channels.
    const channel = await loud.pusher();
    const device = await registerHandset(world);
    await joinedEverywhere(world, channel, device.id, 1000);
    expect((await world.handset("DELETE", "/devices/me", device.token)).status).toBe(204);
    await quiet.send(elsewhere);
    await waitUntil(() => other.requests.length === 1);
    // Both of the burst's receivers are far from done then.
    expect(first.requests.length + second.requests.length).toBeLessThan(20_000);
    const dropped = async () =>
      (await Promise.all(ours.map(({ id }) => loud.endpoint(id)))).reduce((sum, row) => sum + row.dropped_count, 0);
    await waitUntil(async () => (await dropped()) >= 7000);
    await waitUntil(() => first.requests.length > 300 && second.requests.length > 300);
    const ended = await Promise.all(ours.map(({ id }) => loud.endpoint(id)));
    for (const endpoint of ended) expect(endpoint).toMatchObject({ disabled: false, failure_count: 0 });
    expect(await quiet.endpoint(theirs.id)).toMatchObject({ disabled: false, dropped_count: 0 });
    const figures = (await world.request("GET", "/metrics")).body as string;
    expect(Number(/belfry_webhook_deliveries_dropped_total (\d+)/.exec(figures)![1])).toBeGreaterThanOrEqual(7000);
  });

  test("20 endpoints a workspace, also of 30 registrations at once", async () => {
    const { key } = await account(world);
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => world.rest("create_webhook", { url: "https://1.1.1.1/", events: ALL }, key)),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(20).fill(201), ...Array(10).fill(409)]);
    const { body } = await world.rest("list_webhooks", {}, key);
    expect(body.data).toHaveLength(20);
  });

  test("one idempotency key makes one endpoint, also of simultaneous repeats", async () => {
    const { key } = await account(world);
    const args = { url: "https://1.1.1.1/", events: ALL, idempotency_key: "retry" };
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        n % 2 ? world.mcp("create_webhook", args, key) : world.rest("create_webhook", args, key),
      ),
    );
    expect(new Set(answers.map(({ body }) => body.secret)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201));
    expect((await world.rest("list_webhooks", {}, key)).body.data).toHaveLength(1);
  });

  // Nothing of it depends on the database.
  test("shutdown gives those in flight their time", async () => {
    const own = await World.open({ settings: { WEBHOOK_ALLOW_HOSTS: "127.0.0.1" } });
    const finished: boolean[] = [];
    const slow = await sink((response) => {
      response.on("close", () => finished.push(response.writableFinished));
      setTimeout(() => response.end("done"), 800);
    });
    const silent = await startTcpReceiver();
    sinks.push(silent);
    const { pusher, send, listen } = await account(own);
    const channel = await pusher();
    await listen(slow.url);
    await listen(`http://127.0.0.1:${silent.port}/`);
    await send(channel);
    await waitUntil(() => slow.requests.length === 1 && silent.connections() === 1);
    const started = performance.now();
    await own.close();
    await waitUntil(() => finished.length === 1);
    expect(finished).toEqual([true]);
    // The hanging one had its five seconds, not all the time that it wanted.
    expect(performance.now() - started).toBeLessThan(60_000);
    await waitUntil(() => silent.open() === 0);
  });
});

describe("names", () => {
  let world: World;
  let dns: Awaited<ReturnType<typeof startDnsServer>>;
  const zone: Record<string, { a?: string[]; aaaa?: string[]; cname?: string; rcode?: number; silent?: boolean }> = {
    "good.hooks.test": { a: ["1.1.1.1"], aaaa: ["2606:4700:4700::1111"] },
    "six.hooks.test": { aaaa: ["2606:4700:4700::1111"] },
    "private.hooks.test": { a: ["10.0.0.1"] },
    "loop.hooks.test": { a: ["127.0.0.1"] },
    "mixed.hooks.test": { a: ["1.1.1.1", "192.168.0.1"] },
    "mixed6.hooks.test": { a: ["1.1.1.1"], aaaa: ["fd00::1"] },
    "mapped.hooks.test": { aaaa: ["::ffff:101:101"] },
    "metadata.hooks.test": { a: ["169.254.169.254"] },
    "alias.hooks.test": { cname: "inner.hooks.test", a: ["10.0.0.2"] },
    "missing.hooks.test": { rcode: 3 },
    "empty.hooks.test": {},
    "broken.hooks.test": { rcode: 2 },
    "refusing.hooks.test": { rcode: 5 },
  };
  beforeAll(async () => {
    dns = await startDnsServer(({ name }) => zone[name] ?? { rcode: 3 });
    world = await World.open({ settings: { WEBHOOK_DNS_SERVERS: dns.server } });
  });
  afterAll(async () => {
    await world.close();
    dns.close();
  });
  const register = (key: string, host: string, more = {}) =>
    world.rest("create_webhook", { url: `https://${host}/hook`, events: ALL, ...more }, key);

  // rules#webhook-public-addresses
  test("registration refuses what names or resolves to any address that is not public, or does not exist", async () => {
    const key = await world.foreignKey();
    const messages = new Set<string>();
    for (const name of [
      "private",
      "loop",
      "mixed",
      "mixed6",
      "mapped",
      "metadata",
      "alias",
      "missing",
      "empty",
      "unheard-of",
    ]) {
      const { status, body } = await register(key, `${name}.hooks.test`);
      expect([name, status, body.error?.type, body.error?.param]).toEqual([name, 422, "invalid_request", "url"]);
      messages.add(body.error.message);
      const args = { url: `https://${name}.hooks.test/hook`, events: ALL };
      const { error } = (await world.mcp("create_webhook", args, key)).body;
      expect(error).toEqual({ ...body.error, message: `Nothing was changed. ${body.error.message}` });
    }
    // Names of an internal network are indistinguishable from names that do not exist.
    expect(messages.size).toBe(1);
  });

  test("a resolver that fails for another reason does not refuse", async () => {
    const key = await world.foreignKey();
    for (const name of ["good", "six", "broken", "refusing"])
      expect([name, (await register(key, `${name}.hooks.test`)).status]).toEqual([name, 201]);
  });

  // rules#event-repointed
  test("a name that is repointed at a private address is refused at delivery, which counts as failed", async () => {
    const trap = await startHttpReceiver((_request, response) => void response.end());
    const { key, pusher: open, send, endpoint } = await account(world);
    const pusher = await open();
    zone["rebound.hooks.test"] = { a: ["1.1.1.1"] };
    const { body } = await world.rest(
      "create_webhook",
      { url: `https://rebound.hooks.test:${trap.port}/`, events: ALL },
      key,
    );
    zone["rebound.hooks.test"] = { a: ["127.0.0.1"] };
    await send(pusher);
    await waitUntil(async () => (await endpoint(body.id)).failure_count === 1);
    expect(await endpoint(body.id)).toMatchObject({ last_status: null, disabled: false });
    expect(trap.connections()).toBe(0);
    trap.close();
  });

  test("a repeat under an idempotency key returns the first result, for any later result of DNS", async () => {
    const key = await world.foreignKey();
    zone["moving.hooks.test"] = { a: ["1.1.1.1"] };
    const idempotency_key = randomUUID();
    const first = await register(key, "moving.hooks.test", { idempotency_key });
    expect(first.status).toBe(201);
    zone["moving.hooks.test"] = { rcode: 3 };
    const repeat = await register(key, "moving.hooks.test", { idempotency_key });
    expect([repeat.status, repeat.body]).toEqual([201, first.body]);
    // A refusal is not stored: the same key works once the name is fixed.
    const later = randomUUID();
    expect((await register(key, "moving.hooks.test", { idempotency_key: later })).status).toBe(422);
    zone["moving.hooks.test"] = { a: ["1.1.1.1"] };
    expect((await register(key, "moving.hooks.test", { idempotency_key: later })).status).toBe(201);
  });
});
