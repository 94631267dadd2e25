// From an event to its deliveries, beside the action that it reports and never in its way: "best-effort". Held in memory
// within bounds; nothing is stored, retried or run later ("There is no queue, no worker").
// Must not know rows: endpoints come from one function, results go to another.

import { randomUUID } from "node:crypto";
import { type Delivery, type DeliveryResult, deliverOnce } from "./deliver.ts";
import { createLanes, LANE_LIMITS, type LaneLimits } from "./lanes.ts";
import type { TargetRules } from "./target.ts";

export interface WebhookEvent {
  event: "alert.sent" | "alert.scheduled" | "alert.cancelled" | "subscriber.created" | "subscriber.deleted";
  /** ISO 8601 UTC */
  created_at: string;
  data: { pusher_id: string; [field: string]: unknown };
}

export interface DeliveryEndpoint {
  id: string;
  url: string;
  secret: string;
}

type LogLine = (fields: Record<string, unknown>, message: string) => void;

export interface DeliveriesOptions {
  rules: TargetRules;
  /** The enabled endpoints that asked for this event; asked at most four times at once. */
  endpointsFor: (event: WebhookEvent) => Promise<readonly DeliveryEndpoint[]>;
  /** Records a result, and says whether the endpoint may be called again; if not, what waits for it is let go. */
  onResult: (endpointId: string, result: DeliveryResult) => Promise<{ enabled: boolean }>;
  log: { debug: LogLine; info: LogLine; warn: LogLine; error: LogLine };
  limits?: Partial<LaneLimits>;
  timeoutMs?: number;
  /** Milliseconds since 1970. */
  now?: () => number;
  /** Must not throw. */
  deliver?: (delivery: Delivery) => Promise<DeliveryResult>;
}

export interface Deliveries {
  /** Starts the deliveries of one event. Returns at once and never throws. */
  emit(event: WebhookEvent): void;
  /** "DELETE stops deliveries to an endpoint": lets go what waits; what is under way ends within five seconds. */
  forget(endpointId: string): void;
  /** Waits until nothing is pending, at most `ms`; then ends what is left and takes no more events. */
  drain(ms: number): Promise<void>;
  /** Events and deliveries not yet done with. */
  pending(): number;
}

/** Questions to `endpointsFor` at once: events must not take the database from requests. */
const LOOKUPS = 4;
const LOG_EVERY_MS = 60_000;

interface Waiting {
  endpoint: DeliveryEndpoint;
  event: string;
  /** Shared by all deliveries of the event. */
  body: string;
}

export function createDeliveries(options: DeliveriesOptions): Deliveries {
  const { rules, endpointsFor, onResult, log, timeoutMs, now = Date.now, deliver = deliverOnce } = options;
  const limits = { ...LANE_LIMITS, ...options.limits };
  const lanes = createLanes<Waiting>(limits);
  const events: { event: WebhookEvent; body: string }[] = [];
  /** Endpoint → deliveries dropped and not yet recorded as failed. */
  const overloads = new Map<string, number>();
  const end = new AbortController();
  let lookups = 0;
  let dropped = 0;
  let droppedLoggedAt = Number.NEGATIVE_INFINITY;
  let onIdle: (() => void) | undefined;

  const pending = () => events.length + lookups + lanes.waiting() + lanes.inFlight();
  const settle = () => {
    if (pending() === 0) onIdle?.();
  };

  function emit(event: WebhookEvent): void {
    try {
      if (end.signal.aborted) return;
      const { created_at, data } = event;
      events.push({ event, body: JSON.stringify({ event: event.event, created_at, data }) });
      // So many wait here only while storage does not answer, and then there is nobody to count the failure for.
      if (events.length > limits.waiting) {
        events.shift();
        noteDropped();
      }
      findEndpoints();
    } catch (error) {
      log.error({ err: error, event: event?.event }, "webhook event could not be emitted");
    }
  }

  function findEndpoints(): void {
    while (lookups < LOOKUPS) {
      const next = events.shift();
      if (next === undefined) return;
      lookups += 1;
      void addDeliveries(next.event, next.body);
    }
  }

  async function addDeliveries(event: WebhookEvent, body: string): Promise<void> {
    try {
      // The caller's own work goes on before anything else is done.
      await Promise.resolve();
      for (const endpoint of await endpointsFor(event)) {
        if (end.signal.aborted) break;
        const loser = lanes.add(endpoint.id, { endpoint, event: event.event, body });
        if (loser !== undefined) overload(loser);
      }
    } catch (error) {
      log.error({ err: error, event: event.event }, "webhook endpoints could not be read; the event is lost");
    }
    lookups -= 1;
    findEndpoints();
    start();
    settle();
  }

  function start(): void {
    for (let next = lanes.take(); next !== undefined; next = lanes.take())
      void run(next.endpointId, next.item);
  }

  async function run(endpointId: string, { endpoint, event, body }: Waiting): Promise<void> {
    const id = randomUUID();
    const { url, secret } = endpoint;
    const result = await deliver({ url, secret, event, id, body, rules, timeoutMs, signal: end.signal, now });
    lanes.judge(endpointId, result.ok);
    const fields = { webhook_id: endpointId, event, delivery_id: id, ...result };
    if (result.ok) log.debug(fields, "webhook delivered");
    else log.info(fields, "webhook delivery failed");
    // What the shutdown cut off says nothing about its receiver. The place is kept until the result is recorded, so that
    // storage is never asked for more at once than there are places.
    if (result.ok || !end.signal.aborted) await record(endpointId, result);
    lanes.release(endpointId);
    start();
    settle();
  }

  async function record(endpointId: string, result: DeliveryResult): Promise<void> {
    try {
      if (!(await onResult(endpointId, result)).enabled) forget(endpointId);
    } catch (error) {
      log.error({ err: error, webhook_id: endpointId }, "webhook result could not be recorded");
    }
  }

  function noteDropped(): void {
    dropped += 1;
    if (now() - droppedLoggedAt < LOG_EVERY_MS) return;
    log.warn({ dropped }, "webhook deliveries dropped: too many are waiting");
    droppedLoggedAt = now();
    dropped = 0;
  }

  /** A dropped delivery counts as a failed one; recorded one after the other, however many they are. */
  async function overload(endpointId: string): Promise<void> {
    noteDropped();
    const unrecorded = overloads.get(endpointId);
    overloads.set(endpointId, (unrecorded ?? 0) + 1);
    if (unrecorded !== undefined) return;
    for (let left = 1; left > 0; left = overloads.get(endpointId) ?? 0) {
      overloads.set(endpointId, left - 1);
      await record(endpointId, { ok: false, status: null, durationMs: 0, failure: "overload" });
    }
    overloads.delete(endpointId);
  }

  function forget(endpointId: string): void {
    lanes.forget(endpointId);
    if (overloads.has(endpointId)) overloads.set(endpointId, 0);
    settle();
  }

  async function drain(ms: number): Promise<void> {
    if (pending() > 0) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        onIdle = resolve;
        timer = setTimeout(resolve, ms);
      });
      clearTimeout(timer);
    }
    const left = pending();
    end.abort();
    events.length = 0;
    lanes.clear();
    if (left > 0) log.warn({ left }, "webhook deliveries given up at shutdown");
  }

  return { emit, forget, drain, pending };
}
