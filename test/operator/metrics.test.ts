// The metrics of a process. Events before their library is loaded are counted all the same, and in order. Also those of
// a whole service, by operation and next to the calls.

import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import { HANDSET_OPERATIONS } from "../../src/handset/handset_operations.ts";
import { createMetrics } from "../../src/program/boot/metrics.ts";
import { startHttpReceiver } from "../support/loopback_receivers.ts";
import { waitFor, waitUntil } from "../support/wait.ts";
import { World } from "../support/world.ts";

test("events before the metrics were loaded are in them", async () => {
  const metrics = createMetrics();
  for (let i = 0; i < 3; i++) metrics.request("GET", "/api/v1/me", 200, 0.004);
  metrics.held(7);
  metrics.held(2);
  metrics.webhooksDropped(5);
  metrics.housekeeping("links", 4);
  metrics.housekeeping("links", null);
  metrics.woken("local");
  const text = await metrics.text();
  expect(text).toContain('belfry_http_requests_total{surface="api",method="GET",status="200"} 3');
  expect(text).toContain('belfry_http_request_duration_seconds_bucket{le="0.005",surface="api"} 3');
  expect(text).toContain("belfry_long_polls 2");
  expect(text).toContain("belfry_webhook_deliveries_dropped_total 5");
  expect(text).toContain('belfry_housekeeping_removed_total{step="links"} 4');
  expect(text).toContain('belfry_housekeeping_runs_total{step="links",outcome="failed"} 1');
  expect(text).toContain('belfry_long_poll_wakeups_total{cause="local"} 1');
  expect(text).toContain("process_cpu_seconds_total");
  metrics.request("GET", "/api/v1/me", 200, 0.004);
  expect(await metrics.text()).toContain('status="200"} 4');
  const { Registry } = await import("prom-client");
  expect(metrics.contentType).toBe(new Registry().contentType);
});

// rules#idle-work
test("the delay of the event loop is measured from the first scrape on, which has its values", async () => {
  const performance = createRequire(import.meta.url)("node:perf_hooks");
  const monitor = vi.spyOn(performance, "monitorEventLoopDelay");
  try {
    const metrics = createMetrics();
    metrics.request("GET", "/healthz", 200, 0.004);
    await import("prom-client");
    expect(monitor).toHaveBeenCalledTimes(0);
    // Without a sample since the last scrape the value is "Nan".
    await waitFor(async () => expect(await metrics.text()).toMatch(/^nodejs_eventloop_lag_mean_seconds \d/m));
    await metrics.text();
    expect(monitor).toHaveBeenCalledTimes(1);
  } finally {
    monitor.mockRestore();
  }
});

describe("of a service", () => {
  let world: World;
  let sink: Awaited<ReturnType<typeof startHttpReceiver>>;
  let ill: Awaited<ReturnType<typeof startHttpReceiver>>;
  beforeAll(async () => {
    sink = await startHttpReceiver((_request, response) => void response.end());
    ill = await startHttpReceiver((_request, response) => void response.writeHead(500).end());
    const WEBHOOK_ALLOW_HOSTS = `127.0.0.1:${sink.port},127.0.0.1:${ill.port}`;
    world = await World.open({ settings: { WEBHOOK_ALLOW_HOSTS } });
  });
  afterAll(() => Promise.all([world.close(), sink.close(), ill.close()]));

  const lines = async () => String((await world.request("GET", "/metrics")).body).split("\n");
  /** The present value of a metric with exactly these labels. */
  const figure = async (named: string) =>
    (await lines())
      .find((line) => line.startsWith(`${named} `))
      ?.split(" ")
      .at(-1);

  // rules#figures-by-operation
  test("each call is counted by its operation, its way and its outcome, and measured", async () => {
    const { id } = await world.pusher();
    await world.rest("create_alert", { pusher_id: id, title: "An alert" });
    await world.mcp("create_alert", { pusher_id: id, title: "An alert" });
    await world.rest("create_alert", { pusher_id: id, title: "" });
    await world.rest("create_alert", { pusher_id: "psh_nothing", title: "An alert" });
    await world.rest("create_alert", { pusher_id: id, title: "x" }, await world.key({ scopes: "account:read" }));
    await world.device();
    const calls = 'belfry_operations_total{operation="create_alert",transport';
    expect(await figure(`${calls}="rest",outcome="done"}`)).toBe("1");
    expect(await figure(`${calls}="mcp",outcome="done"}`)).toBe("1");
    for (const type of ["invalid_request", "not_found", "insufficient_scope"])
      expect(await figure(`${calls}="rest",outcome="${type}"}`), type).toBe("1");
    expect(await figure('belfry_operation_duration_seconds_count{operation="create_alert"}')).toBe("5");
    expect(
      await figure('belfry_operations_total{operation="register_device",transport="handset",outcome="done"}'),
    ).toBe("1");
  });

  // rules#figures-name-nobody
  test("labels are fixed terms, for any request", async () => {
    const { id, handle } = await world.pusher({ name: "Tenant text" });
    await world.alert(id, { title: "Tenant text", send: true });
    await world.request("GET", "/api/v1/tenant-text", { token: world.owner });
    await world.request("POST", "/mcp", {
      token: world.owner,
      headers: { accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "tenant_text" } }),
    });
    const all = (await lines()).join("\n");
    for (const theirs of [/tenant.text/i, id, handle, world.owner, world.workspace.id]) expect(all).not.toMatch(theirs);
    const known = new Set([...OPERATIONS, ...HANDSET_OPERATIONS].map(({ name }) => name));
    for (const [, name] of all.matchAll(/operation="(\w+)"/g)) expect(known).toContain(name);
  });

  test("deliveries, the database's connections, limits and files are there", async () => {
    const { id } = await world.pusher();
    for (const { port } of [sink, ill])
      await world.rest("create_webhook", { url: `http://127.0.0.1:${port}/`, events: ["alert.sent"] });
    await world.alert(id, { send: true });
    const delivered = (outcome: string) => figure(`belfry_webhook_deliveries_total{outcome="${outcome}"}`);
    await waitUntil(async () => (await delivered("delivered")) === "1" && (await delivered("status")) === "1");
    expect(await figure("belfry_webhook_delivery_duration_seconds_count")).toBe("2");
    await waitUntil(async () => (await figure("belfry_webhook_deliveries_pending")) === "0");
    expect(Number(await figure('belfry_database_connections{state="idle"}'))).toBeGreaterThan(0);
    expect(await figure('belfry_database_connections{state="waiting"}')).toBe("0");
    expect(
      Number(await figure('belfry_rate_limit_checks_total{policy="alert-sends",outcome="allowed"}')),
    ).toBeGreaterThan(0);
    await world.request("GET", "/readyz");
    await waitUntil(
      async () => (await figure('belfry_file_store_operations_total{verb="ask",outcome="done"}')) === "1",
    );
    expect(await figure("belfry_disk_low")).toBe("0");
  });
});
