// Prometheus metrics of this process, or of several together: calls by operation, requests by surface and status,
// background work, and the runtime's own. Labels never contain an id, a handle or a device. The library is loaded with
// the first metric.

import { setTimeout as pause } from "node:timers/promises";
import type { DeliveryResult } from "../../effects/webhooks/deliver_webhook_once.ts";
import { assertDefined } from "../../model/assert.ts";
import type { IngestSourceProgramId } from "../../model/fields/sender_programs.ts";
import type { IngestRequestRecord } from "../../model/tables/keys_and_connections.ts";
import { COUNTERS, GAUGES, type GaugeReading, HISTOGRAMS } from "./metric_definitions.ts";

type Library = typeof import("prom-client");

/** The metrics of one process for another one. */
export type MetricSnapshot = Awaited<ReturnType<InstanceType<Library["Registry"]>["getMetricsAsJSON"]>>;

/** Returns the part of the service for a path, one of a few labels. */
function surfaceOf(path: string): string {
  if (path.startsWith("/api/v1/")) return "api";
  if (path.startsWith("/handset/v1/")) return path.startsWith("/handset/v1/inbox") ? "inbox" : "handset";
  return path === "/mcp" ? "mcp" : "other";
}

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The text format of scrapers. */
const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Milliseconds between two measurements of the event loop's delay. They begin with the first scrape. */
const LAG_MS = 100;

/**
 * Creates the metrics and loads the library with the first one; earlier counts are then added in order.
 * @param ofAll returns the metrics of this process merged with those of others
 */
export function createMetrics(ofAll?: () => Promise<string>): Counters & { contentType: string } {
  let counters: Counters | null = null;
  let loading: Promise<Counters> | null = null;
  const waiting: ((to: Counters) => void)[] = [];
  const load = () => {
    loading ??= import("prom-client").then((library) => {
      counters = createCounters(library);
      for (const what of waiting.splice(0)) what(counters);
      return counters;
    });
    return loading;
  };
  const note = (what: (to: Counters) => void) => {
    if (counters) return what(counters);
    waiting.push(what);
    void load();
  };
  return {
    contentType: CONTENT_TYPE,
    text: ofAll ?? (async () => (await load()).text()),
    figures: async () => (await load()).figures(),
    request: (...noted) => note((to) => to.request(...noted)),
    operation: (...noted) => note((to) => to.operation(...noted)),
    delivered: (result) => note((to) => to.delivered(result)),
    webhooksDropped: (count) => note((to) => to.webhooksDropped(count)),
    held: (count) => note((to) => to.held(count)),
    streams: (count) => note((to) => to.streams(count)),
    woken: (cause) => note((to) => to.woken(cause)),
    wakeUps: (...noted) => note((to) => to.wakeUps(...noted)),
    limited: (...noted) => note((to) => to.limited(...noted)),
    stored: (...noted) => note((to) => to.stored(...noted)),
    mailed: (sent) => note((to) => to.mailed(sent)),
    sender: (...noted) => note((to) => to.sender(...noted)),
    watch: (readings) => note((to) => to.watch(readings)),
    housekeeping: (...noted) => note((to) => to.housekeeping(...noted)),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
type Counters = ReturnType<typeof createCounters>;

const mapped = <T extends object, V>(table: T, make: (name: keyof T) => V) =>
  Object.fromEntries(Object.keys(table).map((name) => [name, make(name as keyof T)])) as Record<keyof T, V>;

function createCounters({ Counter, collectDefaultMetrics, Gauge, Histogram, Registry }: Library) {
  const registers = [new Registry()];
  const registry = assertDefined(registers[0], "this process has a registry");
  let measured: Promise<void> | undefined;
  /** Measures the runtime from the first scrape on. Without scrapes, an idle process is not woken for it. */
  const measureRuntime = () => {
    if (!measured) collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_MS });
    // The delay has no values before the second measurement.
    measured ??= pause(3 * LAG_MS);
    return measured;
  };
  const readings: Partial<Record<keyof typeof GAUGES, GaugeReading>> = {};
  const count = mapped(COUNTERS, (name) => new Counter({ ...COUNTERS[name], registers }));
  const time = mapped(HISTOGRAMS, (name) => new Histogram({ ...HISTOGRAMS[name], registers }));
  const gauge = mapped(GAUGES, (name) => {
    const { labelNames = [], ...figure }: { labelNames?: string[]; name: string; help: string } = GAUGES[name];
    return new Gauge({
      ...figure,
      labelNames,
      registers,
      collect() {
        const read = readings[name]?.();
        if (typeof read === "number") this.set(read);
        else
          for (const [part, value] of Object.entries(read ?? {}))
            this.set({ [assertDefined(labelNames[0], "the metric has a label")]: part }, value);
      },
    });
  });
  return {
    async text(): Promise<string> {
      await measureRuntime();
      return registry.metrics();
    },
    async figures(): Promise<MetricSnapshot> {
      await measureRuntime();
      return registry.getMetricsAsJSON();
    },
    request(method: string, path: string, status: number, seconds: number): void {
      const surface = surfaceOf(path);
      count.requests.inc({ surface, method: METHODS.has(method) ? method : "other", status });
      time.requestSeconds.observe({ surface }, seconds);
    },
    /** Counts a finished call; `seconds` is null if it waits on purpose. All three texts are our own. */
    operation(operation: string, transport: string, outcome: string, seconds: number | null): void {
      count.operations.inc({ operation, transport, outcome });
      if (seconds !== null) time.operationSeconds.observe({ operation }, seconds);
    },
    delivered({ failure, durationMs }: DeliveryResult): void {
      count.deliveries.inc({ outcome: failure ?? "delivered" });
      time.deliverySeconds.observe(durationMs / 1000);
    },
    /** Webhook deliveries, or events before their endpoints were known, that were dropped for lack of room. */
    webhooksDropped: (dropped: number) => count.droppedDeliveries.inc(dropped),
    held: (held: number) => gauge.held.set(held),
    /** Sets the number of open inbox streams. */
    streams: (open: number) => gauge.streams.set(open),
    /** Counts a wakeup or end of a long poll or stream; `cause` is one of a few fixed terms. */
    woken: (cause: string) => count.wakes.inc({ cause }),
    /** Counts push notifications; `outcome` is one of a few fixed terms. */
    wakeUps: (outcome: string, many: number) => count.wakeUps.inc({ outcome }, many),
    /** A call that a limit judged. */
    limited: (policy: string, outcome: "allowed" | "refused" | "uncounted") => count.limited.inc({ policy, outcome }),
    stored: (verb: string, done: boolean) => count.files.inc({ verb, outcome: done ? "done" : "failed" }),
    mailed: (sent: boolean) => count.mails.inc({ outcome: sent ? "sent" : "failed" }),
    /** Counts a sender request, by one of our program names and one of a few outcomes. */
    sender: (program: IngestSourceProgramId | null, outcome: IngestRequestRecord["outcome"]) =>
      count.senders.inc({ program: program ?? "unknown", outcome }),
    /** Sets the functions that read these gauges on each scrape. */
    watch: (given: typeof readings): void => void Object.assign(readings, given),
    /** A round of one of the housekeeping's steps; `removed` is null when it failed. */
    housekeeping(step: string, removed: number | null): void {
      count.rounds.inc({ step, outcome: removed === null ? "failed" : "done" });
      if (removed !== null) count.removals.inc({ step }, removed);
      (removed === null ? gauge.lastFailedRound : gauge.lastRound).setToCurrentTime({ step });
    },
  };
}

/** Merges the metrics of several processes: sums, unless a metric has another rule. */
export async function mergeMetrics(figures: readonly MetricSnapshot[]) {
  const { AggregatorRegistry } = await import("prom-client");
  return AggregatorRegistry.aggregate(figures as object[]);
}
