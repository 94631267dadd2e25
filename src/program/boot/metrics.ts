// Prometheus figures of this process, or of several together: requests by surface and status, the housekeeping's, and the runtime's
// own. Never an id, a handle or a device as a label. Their library is read once there is something to count.

import { need } from "../../model/need.ts";

type Library = typeof import("prom-client");

/** The figures of one process, as they go to another one. */
export type Figures = Awaited<ReturnType<InstanceType<Library["Registry"]>["getMetricsAsJSON"]>>;

export interface Metrics {
  request(method: string, path: string, status: number, seconds: number): void;
  /** A round of one of the housekeeping's steps; `removed` is null when it failed. */
  housekeeping(step: string, removed: number | null): void;
  /** Webhook deliveries, or events before their endpoints were known, that were dropped for lack of room. */
  webhooksDropped(count: number): void;
  /** How many polls are held now. */
  held(count: number): void;
  /** How many streams of inboxes are open now. */
  streams(count: number): void;
  /** One of them woke, or ended: `cause` is one of a few fixed words. */
  woken(cause: string): void;
  /** Wake-ups of handsets whose app is closed: `outcome` is one of a few fixed words. */
  wakeUps(outcome: string, count: number): void;
  /** As they are served. */
  text(): Promise<string>;
  figures(): Promise<Figures>;
  contentType: string;
}

/** Few labels whatever is asked for: the part of the service that a path belongs to. */
function surfaceOf(path: string): string {
  if (path.startsWith("/api/v1/")) return "api";
  if (path.startsWith("/handset/v1/")) return path.startsWith("/handset/v1/inbox") ? "inbox" : "handset";
  return path === "/mcp" ? "mcp" : "other";
}

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The text format that scrapers ask for. */
const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** How often the event loop's delay is measured. At the library's own 10 an idle process spends more on this than on all else. */
const LAG_MS = 100;

/**
 * Loads the library with the first figure; what is counted until it is there is counted then, in its order. `ofAll` says the figures
 * of this process together with those of others.
 */
export function createMetrics(ofAll?: () => Promise<string>): Metrics {
  let loading: Promise<Counters> | null = null;
  const load = () => {
    loading ??= import("prom-client").then(createCounters);
    return loading;
  };
  const note = (what: (counters: Counters) => void) => void load().then(what);
  return {
    contentType: CONTENT_TYPE,
    text: ofAll ?? (async () => (await load()).text()),
    figures: async () => (await load()).figures(),
    request: (...noted) => note((to) => to.request(...noted)),
    webhooksDropped: (count) => note((to) => to.webhooksDropped(count)),
    held: (count) => note((to) => to.held(count)),
    streams: (count) => note((to) => to.streams(count)),
    woken: (cause) => note((to) => to.woken(cause)),
    wakeUps: (...noted) => note((to) => to.wakeUps(...noted)),
    housekeeping: (...noted) => note((to) => to.housekeeping(...noted)),
  };
}

type Counters = Omit<Metrics, "contentType">;

function createCounters({ Counter, collectDefaultMetrics, Gauge, Histogram, Registry }: Library): Counters {
  const registers = [new Registry()];
  const registry = need(registers[0], "this process has one of its own");
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_MS });
  const requests = new Counter({
    name: "belfry_http_requests_total",
    help: "Requests answered, by surface, method and status.",
    labelNames: ["surface", "method", "status"],
    registers,
  });
  const durations = new Histogram({
    name: "belfry_http_request_seconds",
    help: "Time from a request to its answer.",
    labelNames: ["surface"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const rounds = new Counter({
    name: "belfry_housekeeping_rounds_total",
    help: "Rounds of the housekeeping, by step and outcome.",
    labelNames: ["step", "outcome"],
    registers,
  });
  const removals = new Counter({
    name: "belfry_housekeeping_removed_total",
    help: "Rows, devices and files that the housekeeping removed, and due alerts that it settled, by step.",
    labelNames: ["step"],
    registers,
  });
  const lastRound = new Gauge({
    name: "belfry_housekeeping_last_success_timestamp_seconds",
    help: "When a step of the housekeeping last succeeded, by step.",
    labelNames: ["step"],
    aggregator: "max",
    registers,
  });
  const droppedDeliveries = new Counter({
    name: "belfry_webhook_dropped_total",
    help: "Webhook deliveries dropped because too many were waiting; they disable no endpoint.",
    registers,
  });
  const held = new Gauge({
    name: "belfry_held_polls",
    help: "Polls of inboxes that wait for something new now.",
    registers,
  });
  const streams = new Gauge({
    name: "belfry_streams",
    help: "Streams of inboxes that are open now.",
    registers,
  });
  const wakes = new Counter({
    name: "belfry_held_wakes_total",
    help: "Wakes of held polls, by cause: a change that this process committed (own), one that another told of (told), one found by looking (round, again), an instant that came (instant); and their ends, or those of streams: time, newer, gone, stop, slow, unknown, away.",
    labelNames: ["cause"],
    registers,
  });
  const wakeUps = new Counter({
    name: "belfry_push_wakeups_total",
    help: "Wake-ups through push services: taken by one (accepted), to an endpoint that is no more (gone), refused (failed), without a usable answer (unanswered), or never sent (dropped).",
    labelNames: ["outcome"],
    registers,
  });
  return {
    text: () => registry.metrics(),
    figures: () => registry.getMetricsAsJSON(),
    request(method, path, status, seconds) {
      const surface = surfaceOf(path);
      requests.inc({ surface, method: METHODS.has(method) ? method : "other", status });
      durations.observe({ surface }, seconds);
    },
    webhooksDropped: (count) => droppedDeliveries.inc(count),
    held: (count) => held.set(count),
    streams: (count) => streams.set(count),
    woken: (cause) => wakes.inc({ cause }),
    wakeUps: (outcome, count) => wakeUps.inc({ outcome }, count),
    housekeeping(step, removed) {
      rounds.inc({ step, outcome: removed === null ? "failed" : "done" });
      if (removed === null) return;
      removals.inc({ step }, removed);
      lastRound.setToCurrentTime({ step });
    },
  };
}

/** The figures of several processes as those of one: sums, but for what has its own way to be put together. */
export async function together(figures: readonly Figures[]) {
  const { AggregatorRegistry } = await import("prom-client");
  return AggregatorRegistry.aggregate(figures as object[]);
}
