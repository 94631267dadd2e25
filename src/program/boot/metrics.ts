// Prometheus figures of this process, or of several together: calls by operation, requests by surface and status,
// what goes on beside them, and the runtime's own. Never an id, a handle or a device as a label. Their library is
// read once there is something to count.

import type { DeliveryResult } from "../../effects/webhooks/deliver_once.ts";
import { assertDefined } from "../../model/assert.ts";
import type { SenderRequest } from "../../model/entities/credentials.ts";
import type { SenderProgram } from "../../model/fields/sender_programs.ts";
import { COUNTERS, GAUGES, type GaugeReading, HISTOGRAMS } from "./metric_definitions.ts";

type Library = typeof import("prom-client");

/** The figures of one process, as they go to another one. */
export type MetricSnapshot = Awaited<ReturnType<InstanceType<Library["Registry"]>["getMetricsAsJSON"]>>;

/** Few labels whatever is asked for: the part of the service that a path belongs to. */
function surfaceOf(path: string): string {
  if (path.startsWith("/api/v1/")) return "api";
  if (path.startsWith("/handset/v1/")) return path.startsWith("/handset/v1/inbox") ? "inbox" : "handset";
  return path === "/mcp" ? "mcp" : "other";
}

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The text format that scrapers ask for. */
const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/**
 * How often the event loop's delay is measured. At the library's own 10 an idle process spends more on this than on
 * all else.
 */
const LAG_MS = 100;

/**
 * Loads the library with the first figure; what is counted until it is there is counted then, in its order. `ofAll`
 * says the figures of this process together with those of others.
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
  const registry = assertDefined(registers[0], "this process has one of its own");
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_MS });
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
            this.set({ [assertDefined(labelNames[0], "it has parts")]: part }, value);
      },
    });
  });
  return {
    text: () => registry.metrics(),
    figures: (): Promise<MetricSnapshot> => registry.getMetricsAsJSON(),
    request(method: string, path: string, status: number, seconds: number): void {
      const surface = surfaceOf(path);
      count.requests.inc({ surface, method: METHODS.has(method) ? method : "other", status });
      time.requestSeconds.observe({ surface }, seconds);
    },
    /** A call of an operation that ended; `seconds` is null where it waits on purpose. All three words are our own. */
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
    /** How many streams of inboxes are open now. */
    streams: (open: number) => gauge.streams.set(open),
    /** One of them woke, or ended: `cause` is one of a few fixed words. */
    woken: (cause: string) => count.wakes.inc({ cause }),
    /** Wake-ups of handsets whose app is closed: `outcome` is one of a few fixed words. */
    wakeUps: (outcome: string, many: number) => count.wakeUps.inc({ outcome }, many),
    /** A call that a limit judged. */
    limited: (policy: string, outcome: "allowed" | "refused" | "uncounted") => count.limited.inc({ policy, outcome }),
    stored: (verb: string, done: boolean) => count.files.inc({ verb, outcome: done ? "done" : "failed" }),
    mailed: (sent: boolean) => count.mails.inc({ outcome: sent ? "sent" : "failed" }),
    /**
     * A request of a program that sends in its own format; the words are a program of ours and one of a few outcomes.
     */
    sender: (program: SenderProgram | null, outcome: SenderRequest["outcome"]) =>
      count.senders.inc({ program: program ?? "unknown", outcome }),
    /** From now on these gauges are what their readings say whenever somebody asks. */
    watch: (given: typeof readings): void => void Object.assign(readings, given),
    /** A round of one of the housekeeping's steps; `removed` is null when it failed. */
    housekeeping(step: string, removed: number | null): void {
      count.rounds.inc({ step, outcome: removed === null ? "failed" : "done" });
      if (removed === null) return;
      count.removals.inc({ step }, removed);
      gauge.lastRound.setToCurrentTime({ step });
    },
  };
}

/** The figures of several processes as those of one: sums, but for what has its own way to be put together. */
export async function mergeMetrics(figures: readonly MetricSnapshot[]) {
  const { AggregatorRegistry } = await import("prom-client");
  return AggregatorRegistry.aggregate(figures as object[]);
}
