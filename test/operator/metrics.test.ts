// The figures of a process: what is counted before their library is read is counted all the same, and in order.

import { expect, test } from "vitest";
import { createMetrics } from "../../src/program/boot/metrics.ts";

test("what happened before the figures could be kept is in them", async () => {
  const metrics = createMetrics();
  for (let i = 0; i < 3; i++) metrics.request("GET", "/api/v1/me", 200, 0.004);
  metrics.held(7);
  metrics.held(2);
  metrics.webhooksDropped(5);
  metrics.housekeeping("links", 4);
  metrics.housekeeping("links", null);
  metrics.woken("own");
  const text = await metrics.text();
  expect(text).toContain('belfry_http_requests_total{surface="api",method="GET",status="200"} 3');
  expect(text).toContain('belfry_http_request_seconds_bucket{le="0.005",surface="api"} 3');
  expect(text).toContain("belfry_held_polls 2");
  expect(text).toContain("belfry_webhook_dropped_total 5");
  expect(text).toContain('belfry_housekeeping_removed_total{step="links"} 4');
  expect(text).toContain('belfry_housekeeping_rounds_total{step="links",outcome="failed"} 1');
  expect(text).toContain('belfry_held_wakes_total{cause="own"} 1');
  expect(text).toContain("process_cpu_seconds_total");
  metrics.request("GET", "/api/v1/me", 200, 0.004);
  expect(await metrics.text()).toContain('status="200"} 4');
  const { Registry } = await import("prom-client");
  expect(metrics.contentType).toBe(new Registry().contentType);
});
