// From events to deliveries: signatures at scale, limits, fairness between endpoints, and the end of the process.

import { createHmac, timingSafeEqual } from "node:crypto";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { DeliveryResult, WebhookDeliveryRequest } from "../../src/effects/webhooks/deliver_webhook_once.ts";
import { createFairQueue, FAIR_QUEUE_LIMITS } from "../../src/effects/webhooks/fair_queue.ts";
import {
  createOneAttemptDeliveryQueue,
  type DeliveryQueueOptions,
} from "../../src/effects/webhooks/one_attempt_delivery_queue.ts";
import { createWebhookSecret } from "../../src/effects/webhooks/payload_signature.ts";
import { parseTargetRules } from "../../src/effects/webhooks/target_check.ts";
import type { WebhookEvent } from "../../src/effects/webhooks/workspace_event_queue.ts";
import { formatId, newUuid } from "../../src/model/domain/type_ids.ts";
import { startHttpReceiver, startTcpReceiver } from "../support/loopback_receivers.ts";
import { WAIT, waitFor } from "../support/wait.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});
const rules = parseTargetRules({ allowHosts: ["127.0.0.1"] });
const log = () => ({ debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() });
const event = (n: number): WebhookEvent => ({
  id: newUuid(),
  event: "alert.sent",
  created_at: "2026-11-20T14:25:31.123456Z",
  data: { pusher_id: "psh_1", alert_id: `alr_${n}`, title: `Grüße 🔔 ${n}` },
});
const endpoint = (id: string, port = 1) => ({ id, url: `http://127.0.0.1:${port}/`, secret: "whsec_x" });
const good: DeliveryResult = { ok: true, status: 200, durationMs: 1 };
const bad: DeliveryResult = { ok: false, status: 500, durationMs: 1, failure: "status" };

function make(options: Partial<DeliveryQueueOptions> = {}) {
  const lines = log();
  const results: [string, DeliveryResult][] = [];
  const dropped = new Map<string, number>();
  const deliveries = createOneAttemptDeliveryQueue({
    rules,
    endpointsFor: async () => [endpoint("a")],
    onResult: async (id, result) => {
      results.push([id, result]);
      return { enabled: true };
    },
    onDropped: async (id, count) => {
      dropped.set(id, (dropped.get(id) ?? 0) + count);
    },
    log: lines,
    ...options,
  });
  return { deliveries, results, dropped, lines };
}
/** A delivery that ends when the test decides. */
function held() {
  const open: { delivery: WebhookDeliveryRequest; end: (result: DeliveryResult) => void }[] = [];
  const deliver = (delivery: WebhookDeliveryRequest) =>
    new Promise<DeliveryResult>((end) => {
      open.push({ delivery, end });
      delivery.signal?.addEventListener("abort", () => end({ ...bad, failure: "timeout" }));
    });
  return { open, deliver };
}
/** Milliseconds, far beyond the end of any test. */
const NEVER = 3_600_000;
/** Actions without a socket or a timer have happened after it. */
const tick = () => new Promise((resolve) => setTimeout(resolve, 5));

test("1,000 deliveries verify at a receiver that knows only the signature chapter", async () => {
  const secret = createWebhookSecret();
  const ids = new Set<string>();
  const began = Math.floor(Date.now() / 1000);
  let verified = 0;
  // Written from the rule alone: rules#event-signature
  const sink = await startHttpReceiver((_request, response) => {
    const { headers, body } = sink.requests.pop()!;
    const elements = String(headers["x-webhook-signature"]).split(",");
    const t = elements.find((element) => element.startsWith("t="))!.slice(2);
    const v1 = elements.find((element) => element.startsWith("v1="))!.slice(3);
    const own = createHmac("sha256", secret)
      .update(Buffer.concat([Buffer.from(`${t}.`), body]))
      .digest("hex");
    const fresh = Number(t) >= began && Number(t) <= Date.now() / 1000;
    if (fresh && timingSafeEqual(Buffer.from(own), Buffer.from(v1))) verified += 1;
    ids.add(String(headers["x-webhook-id"]));
    expect(Object.keys(JSON.parse(body.toString()))).toEqual(["event", "created_at", "data"]);
    response.end();
  });
  closers.push(sink.close);
  const { deliveries, results } = make({
    endpointsFor: async () => [{ ...endpoint("a", sink.port), secret }],
    timeoutMs: 200_000,
  });
  for (let n = 0; n < 1000; n += 1) deliveries.emit(event(n), "w");
  await deliveries.drain(200_000);
  expect(verified).toBe(1000);
  expect(ids.size).toBe(1000);
  expect(results.filter(([, result]) => result.ok)).toHaveLength(1000);
});

describe("emit", () => {
  // rules#event-body
  test("returns before any request, and sends exactly event, created_at and data", async () => {
    const { open, deliver } = held();
    const endpointsFor = vi.fn(async () => [endpoint("a"), endpoint("b")]);
    const { deliveries, results } = make({ endpointsFor, deliver });
    const sent = event(1);
    const { id, ...said } = sent;
    const told = JSON.stringify(said);
    deliveries.emit({ ...sent, more: "not ours" } as WebhookEvent, "w");
    expect(endpointsFor).not.toHaveBeenCalled();
    sent.data.title = "changed after the fact";
    await tick();
    expect(open.map(({ delivery }) => delivery.event)).toEqual(["alert.sent", "alert.sent"]);
    expect(open.map(({ delivery }) => delivery.body)).toEqual(Array(2).fill(told));
    expect(open[0]!.delivery.id).not.toBe(open[1]!.delivery.id);
    expect(open.map(({ delivery }) => delivery.eventId)).toEqual(Array(2).fill(formatId("evt", id)));
    expect(deliveries.pending()).toBe(2);
    for (const { end } of open) end(good);
    await tick();
    expect(results).toEqual([
      ["a", good],
      ["b", good],
    ]);
    expect(deliveries.pending()).toBe(0);
  });

  test("never throws, for any error behind it", async () => {
    const { deliver } = held();
    const circular = event(1);
    circular.data.self = circular;
    const broken = make({
      endpointsFor: () => {
        throw new Error("storage is away");
      },
      deliver,
    });
    for (const wrong of [circular, undefined, null, {}, event(2)]) broken.deliveries.emit(wrong as WebhookEvent, "w");
    await tick();
    expect(broken.deliveries.pending()).toBe(0);
    expect(broken.lines.error).toHaveBeenCalled();

    const unrecorded = make({
      deliver: async () => good,
      onResult: async () => {
        throw new Error("storage is away");
      },
    });
    unrecorded.deliveries.emit(event(1), "w");
    await tick();
    expect(unrecorded.deliveries.pending()).toBe(0);
    expect(unrecorded.lines.error).toHaveBeenCalledTimes(1);
  });

  test("logs a delivery without its URL, secret or body", async () => {
    const { deliveries, lines } = make({ deliver: async () => bad });
    deliveries.emit(event(1), "w");
    await tick();
    expect(lines.info).toHaveBeenCalledTimes(1);
    expect(JSON.stringify(lines.info.mock.calls)).not.toMatch(/127\.0\.0\.1|whsec|Grüße/);
  });
});

describe("bounds", () => {
  // rules#event-room
  test("so many under way, so many waiting; others are dropped, counted and logged once a minute", async () => {
    const { open, deliver } = held();
    let clock = 0;
    const { deliveries, results, dropped, lines } = make({
      deliver,
      limits: { inFlight: 4, waiting: 10 },
      now: () => clock,
    });
    for (let n = 0; n < 100; n += 1) {
      deliveries.emit(event(n), "w");
      await Promise.resolve();
    }
    await waitFor(() => expect(dropped.get("a")).toBe(86));
    expect(open).toHaveLength(4);
    expect(deliveries.pending()).toBe(14);
    // rules#event-room
    expect(results).toEqual([]);
    expect(lines.warn).toHaveBeenCalledTimes(1);
    clock += 60_000;
    deliveries.emit(event(100), "w");
    await tick();
    expect(lines.warn).toHaveBeenCalledTimes(2);
    expect(lines.warn).toHaveBeenLastCalledWith({ dropped: 86 }, expect.any(String));
    await deliveries.drain(0);
  });

  test("events are also limited while storage does not respond", async () => {
    const { deliveries, lines } = make({ endpointsFor: () => new Promise(() => {}), limits: { waiting: 10 } });
    for (let n = 0; n < 1000; n += 1) deliveries.emit(event(n), "w");
    expect(deliveries.pending()).toBe(14);
    expect(lines.warn).toHaveBeenCalledTimes(1);
    await deliveries.drain(0);
  });

  test("events that go for want of room are counted for the endpoints that would have had them", async () => {
    const { deliveries, dropped } = make({ deliver: async () => good, limits: { waiting: 10 } });
    for (let n = 0; n < 100; n += 1) deliveries.emit(event(n), "w");
    // Four are requested at once, ten wait, and these are the newest.
    await waitFor(() => expect(dropped.get("a")).toBe(86));
    await deliveries.drain(120_000);
  });

  test("storage gets a few queries at once, and results wait for their place", async () => {
    let asked = 0;
    let most = 0;
    const { deliveries } = make({
      deliver: async () => good,
      endpointsFor: async () => {
        asked += 1;
        most = Math.max(most, asked);
        await tick();
        asked -= 1;
        return [endpoint("a")];
      },
    });
    for (let n = 0; n < 20; n += 1) deliveries.emit(event(n), `w${n}`);
    await deliveries.drain(120_000);
    expect(most).toBe(4);
  });
});

describe("fairness", () => {
  test("twenty receivers that never respond do not delay another one", async () => {
    const dead = await startTcpReceiver();
    const live = await startHttpReceiver((_request, response) => response.end());
    closers.push(dead.close, live.close);
    const all = [
      ...Array.from({ length: 20 }, (_, n) => endpoint(`dead-${n}`, dead.port)),
      endpoint("live", live.port),
    ];
    // Nothing is given up by its time before the live one has everything.
    const { deliveries, results } = make({ endpointsFor: async () => all, timeoutMs: 10 * WAIT.timeout });
    for (let n = 0; n < 100; n += 1) deliveries.emit(event(n), "w");
    await waitFor(() => expect(results.filter(([id]) => id === "live")).toHaveLength(100));
    expect(results.filter(([, result]) => !result.ok)).toHaveLength(0);
    expect(dead.open()).toBeLessThanOrEqual(256);
    await deliveries.drain(0);
  });

  test("a burst to one endpoint is sent at once", async () => {
    const { open, deliver } = held();
    const { deliveries } = make({ deliver });
    for (let n = 0; n < 100; n += 1) deliveries.emit(event(n), "w");
    await tick();
    expect(open).toHaveLength(64);
    await deliveries.drain(0);
  });

  test("a failing endpoint gets two places until it succeeds", async () => {
    const { open, deliver } = held();
    const { deliveries } = make({ deliver });
    for (let n = 0; n < 100; n += 1) deliveries.emit(event(n), "w");
    await tick();
    for (const { end } of open.splice(0)) end(bad);
    await tick();
    expect(open).toHaveLength(2);
    open.shift()!.end(good);
    await tick();
    expect(open).toHaveLength(35);
    await deliveries.drain(0);
  });

  test("a disabled endpoint gets no further POST, a deleted one neither", async () => {
    const { open, deliver } = held();
    let failures = 0;
    const { deliveries } = make({
      deliver,
      onResult: async () => {
        failures += 1;
        return { enabled: failures < 20 };
      },
    });
    for (let n = 0; n < 100; n += 1) deliveries.emit(event(n), "w");
    await tick();
    expect(open).toHaveLength(64);
    for (const { end } of open.splice(0, 20)) end(bad);
    await tick();
    expect(deliveries.pending()).toBe(44);
    for (const { end } of open.splice(0)) end(bad);
    await tick();
    expect({ failures, pending: deliveries.pending(), started: open.length }).toEqual({
      failures: 64,
      pending: 0,
      started: 0,
    });

    for (let n = 0; n < 100; n += 1) deliveries.emit(event(n), "w");
    await tick();
    deliveries.forget("a");
    deliveries.forget("never seen");
    expect(deliveries.pending()).toBe(64);
    await deliveries.drain(0);
  });

  // rules#webhook-paused
  test.each([
    ["paused or disabled", { enabled: false }, ["by hand"]],
    ["deleted", { enabled: false, deleted: true }, []],
    ["enabled", { enabled: true }, ["alert.sent", "alert.sent", "by hand"]],
  ])("a result of an endpoint that is %s leaves the right waiting deliveries", async (_state, result, left) => {
    const { open, deliver } = held();
    const { deliveries } = make({
      deliver,
      limits: { inFlight: 3, perEndpointIdle: 1, perEndpointBusy: 1 },
      onResult: async () => result,
    });
    for (let n = 0; n < 3; n += 1) deliveries.emit(event(n), "w");
    await waitFor(() => expect(open).toHaveLength(1));
    deliveries.send(endpoint("a"), "w", { id: newUuid(), eventId: newUuid(), event: "by hand", body: "{}" });
    expect(deliveries.pending()).toBe(4);
    const sent: string[] = [];
    open.shift()!.end(good);
    while (sent.length < left.length) {
      await waitFor(() => expect(open).toHaveLength(1));
      const { delivery, end } = open.shift()!;
      sent.push(delivery.event);
      end(good);
    }
    await waitFor(() => expect(deliveries.pending()).toBe(0));
    expect(sent).toEqual(left);
    await deliveries.drain(0);
  });

  // rules#webhook-paused
  test("a pause drops waiting events and keeps waiting deliveries by hand", async () => {
    const { open, deliver } = held();
    const { deliveries } = make({ deliver, limits: { perEndpointIdle: 1 } });
    for (let n = 0; n < 3; n += 1) deliveries.emit(event(n), "w");
    await waitFor(() => expect(open).toHaveLength(1));
    deliveries.send(endpoint("a"), "w", { id: newUuid(), eventId: newUuid(), event: "by hand", body: "{}" });
    deliveries.forgetEvents("a");
    expect(deliveries.pending()).toBe(2);
    open.shift()!.end(good);
    await waitFor(() => expect(open.map(({ delivery }) => delivery.event)).toEqual(["by hand"]));
    deliveries.forget("a");
    await deliveries.drain(0);
  });

  test("a workspace's burst delays no other: not at the look-up, not in the slots, not in the queue", async () => {
    const { open, deliver } = held();
    const asked: string[] = [];
    const { deliveries, dropped } = make({
      deliver,
      limits: { inFlight: 16, waiting: 40, perEndpointIdle: 16, perEndpointBusy: 16 },
      endpointsFor: async (_event, workspaceId) => {
        asked.push(workspaceId);
        return [1, 2, 3].map((n) => endpoint(`${workspaceId}-${n}`));
      },
    });
    for (let n = 0; n < 40; n += 1) deliveries.emit({ ...event(n), data: { pusher_id: `psh_${n}` } }, "loud");
    await waitFor(() => expect(open).toHaveLength(16));
    deliveries.emit(event(1), "quiet");
    await waitFor(() => expect(asked).toContain("quiet"));
    await tick();
    // Each released slot is given to an endpoint with less than its share.
    for (const { end } of open.splice(0, 3)) end(good);
    await tick();
    const under = open.map(({ delivery }) => JSON.parse(delivery.body).data.alert_id);
    expect(under.filter((id) => id === "alr_1")).toHaveLength(3);
    expect([...dropped.keys()].filter((id) => id.startsWith("quiet"))).toEqual([]);
    expect([...dropped.values()].reduce((sum, n) => sum + n, 0)).toBe(120 - 16 - 40 + 3);
    await deliveries.drain(0);
  });

  test("the next look-up is another workspace's, for any number of its waiting events", async () => {
    const asked: string[] = [];
    const { deliveries } = make({
      endpointsFor: async (_event, workspaceId) => {
        asked.push(workspaceId);
        return [];
      },
    });
    for (let n = 0; n < 500; n += 1) deliveries.emit({ ...event(n), data: { pusher_id: `psh_${n}` } }, "loud");
    deliveries.emit(event(1), "quiet");
    await deliveries.drain(120_000);
    expect(asked.indexOf("quiet")).toBeLessThan(10);
    expect(asked).toHaveLength(501);
  });

  test("lanes: once half is taken, each workspace has its share, and one share is left for the next", () => {
    const lanes = createFairQueue<number>({
      ...FAIR_QUEUE_LIMITS,
      inFlight: 12,
      perEndpointIdle: 12,
      perEndpointBusy: 12,
    });
    for (let n = 0; n < 30; n += 1) {
      lanes.add("loud", `loud-${n % 3}`, n);
      if (n < 10) lanes.add("mid", "mid", n);
    }
    const taken = Array.from({ length: 12 }, () => lanes.take()).filter((item) => item !== undefined);
    const of = (name: string) => taken.filter(({ endpointId }) => endpointId.startsWith(name)).length;
    expect([of("loud"), of("mid")]).toEqual([4, 4]);
    lanes.add("late", "late", 1);
    expect(lanes.take()).toEqual({ endpointId: "late", item: 1 });
  });

  test("lanes: the workspace with the most waiting pays, not the endpoint", () => {
    const lanes = createFairQueue<number>({ ...FAIR_QUEUE_LIMITS, inFlight: 0, waiting: 8 });
    for (let n = 0; n < 6; n += 1) lanes.add("loud", `loud-${n}`, n);
    for (let n = 0; n < 2; n += 1) lanes.add("quiet", "quiet", n);
    expect(lanes.add("quiet", "quiet", 2)?.endpointId).toMatch(/^loud-/);
  });

  test("lanes: an endpoint that failed stays one through an idle moment, until its next success", () => {
    const lanes = createFairQueue<number>(FAIR_QUEUE_LIMITS);
    /** Delivers eight, which all end as `ok`, and returns the number of concurrent ones. */
    const burst = (endpointId: string, ok: boolean) => {
      for (let n = 0; n < 8; n += 1) lanes.add("w", endpointId, n);
      const most = [];
      while (lanes.waiting() > 0) {
        while (lanes.take());
        most.push(lanes.inFlight());
        for (let n = lanes.inFlight(); n > 0; n -= 1) {
          lanes.judge(endpointId, ok);
          lanes.release(endpointId);
        }
      }
      return most[0];
    };
    expect([burst("bad", false), burst("bad", false), burst("good", true)]).toEqual([8, 2, 8]);
    expect([burst("bad", true), burst("bad", true)]).toEqual([2, 8]);
    // State about strangers' failing endpoints is limited: the one that failed longest ago is forgotten first.
    for (let n = 0; n <= 10_000; n += 1) lanes.judge(`bad-${n}`, false);
    expect([burst("bad-0", true), burst("bad-1", true)]).toEqual([8, 2]);
  });

  test("lanes: the longest pays, turns go round, and nothing is kept of the done", () => {
    const lanes = createFairQueue<number>({
      ...FAIR_QUEUE_LIMITS,
      inFlight: 3,
      waiting: 5,
      perEndpointIdle: 2,
      perEndpointBusy: 1,
    });
    for (let n = 0; n < 4; n += 1) expect(lanes.add("w", "long", n)).toBeUndefined();
    expect(lanes.add("w", "short", 10)).toBeUndefined();
    expect(lanes.add("w", "short", 11)).toEqual({ endpointId: "long", item: 0 });
    expect(lanes.take()).toEqual({ endpointId: "long", item: 1 });
    expect(lanes.take()).toEqual({ endpointId: "short", item: 10 });
    expect(lanes.take()).toBeUndefined(); // half the places are taken: one each
    lanes.judge("long", false);
    lanes.release("long");
    expect(lanes.take()).toEqual({ endpointId: "long", item: 2 });
    lanes.clear();
    expect([lanes.waiting(), lanes.inFlight()]).toEqual([0, 2]);
    lanes.release("long");
    lanes.release("short");
    lanes.release("short");
    expect(lanes.inFlight()).toBe(0);
  });
});

describe("drain", () => {
  test("waits for what is under way, and no longer", async () => {
    const { open, deliver } = held();
    const { deliveries, results } = make({ deliver });
    deliveries.emit(event(1), "w");
    await tick();
    let drained = false;
    // Were its own time waited for, this test would never end.
    const draining = deliveries.drain(NEVER).then(() => (drained = true));
    await tick();
    expect(drained).toBe(false);
    open[0]!.end(good);
    await draining;
    expect(results).toEqual([["a", good]]);
    deliveries.emit(event(2), "w");
    await tick();
    expect(open).toHaveLength(1);
    expect(deliveries.pending()).toBe(0);
  });

  test("ends what is left, and does not count it against the receiver", async () => {
    const sink = await startTcpReceiver();
    closers.push(sink.close);
    const { deliveries, results, lines } = make({
      endpointsFor: async () => [endpoint("a", sink.port)],
      timeoutMs: NEVER,
    });
    for (let n = 0; n < 100; n += 1) deliveries.emit(event(n), "w");
    await tick();
    await deliveries.drain(100);
    await waitFor(() => expect([deliveries.pending(), sink.open()]).toEqual([0, 0]));
    expect(results).toEqual([]);
    expect(lines.warn).toHaveBeenCalledWith({ left: 100 }, expect.any(String));
  });

  test("at once when nothing is pending", async () => {
    await make().deliveries.drain(NEVER);
  });
});
