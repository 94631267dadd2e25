// From events to deliveries: signatures at scale, bounds, fairness between endpoints, and the end of the process.

import { createHmac, timingSafeEqual } from "node:crypto";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Delivery, DeliveryResult } from "../src/webhooks/deliver.ts";
import { createDeliveries, type DeliveriesOptions, type WebhookEvent } from "../src/webhooks/deliveries.ts";
import { createLanes, LANE_LIMITS } from "../src/webhooks/lanes.ts";
import { newWebhookSecret } from "../src/webhooks/sign.ts";
import { targetRules } from "../src/webhooks/target.ts";
import { httpSink, tcpSink } from "./webhooks_sinks.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});
const rules = targetRules({ allowHosts: ["127.0.0.1"] });
const log = () => ({ debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() });
const event = (n: number): WebhookEvent => ({
  event: "alert.sent",
  created_at: "2026-11-20T14:25:31.123456Z",
  data: { pusher_id: "psh_1", alert_id: `alr_${n}`, title: `Grüße 🔔 ${n}` },
});
const endpoint = (id: string, port = 1) => ({ id, url: `http://127.0.0.1:${port}/`, secret: "whsec_x" });
const good: DeliveryResult = { ok: true, status: 200, durationMs: 1 };
const bad: DeliveryResult = { ok: false, status: 500, durationMs: 1, failure: "status" };

function make(options: Partial<DeliveriesOptions> = {}) {
  const lines = log();
  const results: [string, DeliveryResult][] = [];
  const deliveries = createDeliveries({
    rules,
    endpointsFor: async () => [endpoint("a")],
    onResult: async (id, result) => {
      results.push([id, result]);
      return { enabled: true };
    },
    log: lines,
    ...options,
  });
  return { deliveries, results, lines };
}
/** A delivery that ends when the test says so. */
function held() {
  const open: { delivery: Delivery; end: (result: DeliveryResult) => void }[] = [];
  const deliver = (delivery: Delivery) =>
    new Promise<DeliveryResult>((end) => {
      open.push({ delivery, end });
      delivery.signal?.addEventListener("abort", () => end({ ...bad, failure: "timeout" }));
    });
  return { open, deliver };
}
const tick = () => new Promise((resolve) => setTimeout(resolve, 5));

test("1,000 deliveries verify at a receiver that knows only the signature chapter", {
  timeout: 30_000,
}, async () => {
  const secret = newWebhookSecret();
  const ids = new Set<string>();
  let verified = 0;
  // Written from the specification's text alone: "hex HMAC-SHA256 … over `<t>.<rawBody>`".
  const sink = await httpSink((_request, response) => {
    const { headers, body } = sink.requests.pop()!;
    const elements = String(headers["x-webhook-signature"]).split(",");
    const t = elements.find((element) => element.startsWith("t="))!.slice(2);
    const v1 = elements.find((element) => element.startsWith("v1="))!.slice(3);
    const own = createHmac("sha256", secret)
      .update(Buffer.concat([Buffer.from(`${t}.`), body]))
      .digest("hex");
    const fresh = Math.abs(Date.now() / 1000 - Number(t)) <= 2;
    if (fresh && timingSafeEqual(Buffer.from(own), Buffer.from(v1))) verified += 1;
    ids.add(String(headers["x-webhook-id"]));
    expect(Object.keys(JSON.parse(body.toString()))).toEqual(["event", "created_at", "data"]);
    response.end();
  });
  closers.push(sink.close);
  const { deliveries, results } = make({
    endpointsFor: async () => [{ ...endpoint("a", sink.port), secret }],
  });
  for (let n = 0; n < 1000; n += 1) deliveries.emit(event(n));
  await deliveries.drain(25_000);
  expect(verified).toBe(1000);
  expect(ids.size).toBe(1000);
  expect(results.filter(([, result]) => result.ok)).toHaveLength(1000);
});

describe("emit", () => {
  test("returns before anything is asked or sent, and sends exactly event, created_at and data", async () => {
    const { open, deliver } = held();
    const endpointsFor = vi.fn(async () => [endpoint("a"), endpoint("b")]);
    const { deliveries, results } = make({ endpointsFor, deliver });
    const sent = event(1);
    deliveries.emit({ ...sent, more: "not ours" } as WebhookEvent);
    expect(endpointsFor).not.toHaveBeenCalled();
    sent.data.title = "changed after the fact";
    await tick();
    expect(open.map(({ delivery }) => delivery.event)).toEqual(["alert.sent", "alert.sent"]);
    expect(open.map(({ delivery }) => delivery.body)).toEqual(Array(2).fill(JSON.stringify(event(1))));
    expect(open[0]!.delivery.id).not.toBe(open[1]!.delivery.id);
    expect(deliveries.pending()).toBe(2);
    for (const { end } of open) end(good);
    await tick();
    expect(results).toEqual([
      ["a", good],
      ["b", good],
    ]);
    expect(deliveries.pending()).toBe(0);
  });

  test("never throws, whatever is thrown behind it", async () => {
    const { deliver } = held();
    const circular = event(1);
    circular.data.self = circular;
    const broken = make({
      endpointsFor: () => {
        throw new Error("storage is away");
      },
      deliver,
    });
    for (const wrong of [circular, undefined, null, {}, event(2)])
      broken.deliveries.emit(wrong as WebhookEvent);
    await tick();
    expect(broken.deliveries.pending()).toBe(0);
    expect(broken.lines.error).toHaveBeenCalled();

    const unrecorded = make({
      deliver: async () => good,
      onResult: async () => {
        throw new Error("storage is away");
      },
    });
    unrecorded.deliveries.emit(event(1));
    await tick();
    expect(unrecorded.deliveries.pending()).toBe(0);
    expect(unrecorded.lines.error).toHaveBeenCalledTimes(1);
  });

  test("logs a delivery without its URL, secret or body", async () => {
    const { deliveries, lines } = make({ deliver: async () => bad });
    deliveries.emit(event(1));
    await tick();
    expect(lines.info).toHaveBeenCalledTimes(1);
    expect(JSON.stringify(lines.info.mock.calls)).not.toMatch(/127\.0\.0\.1|whsec|Grüße/);
  });
});

describe("bounds", () => {
  test("so many under way, so many waiting; what is over is dropped, counted once each and logged once a minute", async () => {
    const { open, deliver } = held();
    let clock = 0;
    const { deliveries, results, lines } = make({
      deliver,
      limits: { inFlight: 4, waiting: 10 },
      now: () => clock,
    });
    for (let n = 0; n < 100; n += 1) {
      deliveries.emit(event(n));
      await Promise.resolve();
    }
    await vi.waitFor(() => expect(results).toHaveLength(86));
    expect(open).toHaveLength(4);
    expect(deliveries.pending()).toBe(14);
    expect(results.every(([, result]) => result.failure === "overload")).toBe(true);
    expect(lines.warn).toHaveBeenCalledTimes(1);
    clock += 60_000;
    deliveries.emit(event(100));
    await tick();
    expect(lines.warn).toHaveBeenCalledTimes(2);
    expect(lines.warn).toHaveBeenLastCalledWith({ dropped: 86 }, expect.any(String));
    await deliveries.drain(0);
  });

  test("events are bounded, too, while storage does not answer", async () => {
    const { deliveries, lines } = make({
      endpointsFor: () => new Promise(() => {}),
      limits: { waiting: 10 },
    });
    for (let n = 0; n < 1000; n += 1) deliveries.emit(event(n));
    expect(deliveries.pending()).toBe(14);
    expect(lines.warn).toHaveBeenCalledTimes(1);
    await deliveries.drain(0);
  });

  test("storage is asked a few questions at once, and results wait for their place", async () => {
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
    for (let n = 0; n < 20; n += 1) deliveries.emit(event(n));
    await deliveries.drain(2000);
    expect(most).toBe(4);
  });
});

describe("fairness", () => {
  test("twenty receivers that never answer do not hold up the one that does", async () => {
    const dead = await tcpSink();
    const live = await httpSink((_request, response) => response.end());
    closers.push(dead.close, live.close);
    const all = [
      ...Array.from({ length: 20 }, (_, n) => endpoint(`dead-${n}`, dead.port)),
      endpoint("live", live.port),
    ];
    const { deliveries, results } = make({ endpointsFor: async () => all, timeoutMs: 1500 });
    const started = performance.now();
    for (let n = 0; n < 100; n += 1) deliveries.emit(event(n));
    await vi.waitFor(() => expect(results.filter(([id]) => id === "live")).toHaveLength(100), {
      timeout: 1400,
    });
    expect(performance.now() - started).toBeLessThan(1400);
    expect(results.filter(([, result]) => !result.ok)).toHaveLength(0);
    expect(dead.open()).toBeLessThanOrEqual(256);
    await deliveries.drain(0);
  });

  test("a burst to one endpoint goes out at once", async () => {
    const { open, deliver } = held();
    const { deliveries } = make({ deliver });
    for (let n = 0; n < 100; n += 1) deliveries.emit(event(n));
    await tick();
    expect(open).toHaveLength(64);
    await deliveries.drain(0);
  });

  test("a failing endpoint gets two places until it succeeds", async () => {
    const { open, deliver } = held();
    const { deliveries } = make({ deliver });
    for (let n = 0; n < 100; n += 1) deliveries.emit(event(n));
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
    for (let n = 0; n < 100; n += 1) deliveries.emit(event(n));
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

    for (let n = 0; n < 100; n += 1) deliveries.emit(event(n));
    await tick();
    deliveries.forget("a");
    deliveries.forget("never seen");
    expect(deliveries.pending()).toBe(64);
    await deliveries.drain(0);
  });

  test("lanes: the longest pays, turns go round, and nothing is kept of the done", () => {
    const lanes = createLanes<number>({
      ...LANE_LIMITS,
      inFlight: 3,
      waiting: 5,
      perEndpointIdle: 2,
      perEndpointBusy: 1,
    });
    for (let n = 0; n < 4; n += 1) expect(lanes.add("long", n)).toBeUndefined();
    expect(lanes.add("short", 10)).toBeUndefined();
    expect(lanes.add("short", 11)).toBe("long");
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
    deliveries.emit(event(1));
    await tick();
    setTimeout(() => open[0]!.end(good), 50);
    const started = performance.now();
    await deliveries.drain(5000);
    expect(performance.now() - started).toBeLessThan(500);
    expect(results).toEqual([["a", good]]);
    deliveries.emit(event(2));
    await tick();
    expect(open).toHaveLength(1);
    expect(deliveries.pending()).toBe(0);
  });

  test("ends what is left, and does not count it against the receiver", async () => {
    const sink = await tcpSink();
    closers.push(sink.close);
    const { deliveries, results, lines } = make({ endpointsFor: async () => [endpoint("a", sink.port)] });
    for (let n = 0; n < 100; n += 1) deliveries.emit(event(n));
    await tick();
    await deliveries.drain(100);
    await vi.waitFor(() => expect([deliveries.pending(), sink.open()]).toEqual([0, 0]));
    expect(results).toEqual([]);
    expect(lines.warn).toHaveBeenCalledWith({ left: 100 }, expect.any(String));
  });

  test("at once when nothing is pending", async () => {
    const started = performance.now();
    await make().deliveries.drain(5000);
    expect(performance.now() - started).toBeLessThan(50);
  });
});
