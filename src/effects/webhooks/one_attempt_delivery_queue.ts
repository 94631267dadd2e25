// The queue from an event to its deliveries, in the background and never delaying its action (rules#signed-webhooks).
// It is in memory and limited; nothing is stored, retried or delayed. It does not depend on rows: one function returns
// endpoints, and another one receives results.

import { serializeEvent } from "../../model/domain/domain_events.ts";
import { formatId, newUuid } from "../../model/domain/type_ids.ts";
import { waitUntilSettledOrTimeout } from "../../store/db/timeout.ts";
import { currentSpan, runTraced, runWithActiveSpan } from "../../store/trace_spans.ts";
import { type DeliveryResult, deliverWebhookOnce, type WebhookDeliveryRequest } from "./deliver_webhook_once.ts";
import { createFairQueue, FAIR_QUEUE_LIMITS, type FairQueueLimits } from "./fair_queue.ts";
import type { TargetRules } from "./target_check.ts";
import {
  createWorkspaceEventQueue,
  type EventTraceContext,
  type WebhookEvent,
  type WebhookEventBatch,
} from "./workspace_event_queue.ts";

interface DeliveryEndpoint {
  id: string;
  url: string;
  secret: string;
  previousSecret?: string | null;
}

/** One delivery as it is written down. */
interface DeliveryMessage {
  /** UUIDs; the receiver gets both in their form on the wire. */
  id: string;
  eventId: string;
  event: string;
  body: string;
}

type LogLine = (fields: Record<string, unknown>, message: string) => void;

export interface DeliveryQueueOptions {
  rules: TargetRules;
  /** Returns the enabled endpoints for this event; at most four calls at once. */
  endpointsFor: (event: WebhookEvent, workspaceId: string) => Promise<readonly DeliveryEndpoint[]>;
  /**
   * Records a result, and returns if the endpoint gets further events. Otherwise its waiting events are dropped.
   * Deliveries by hand are dropped for a deleted endpoint only.
   */
  onResult: (
    endpointId: string,
    result: DeliveryResult,
    attempted: DeliveryMessage,
  ) => Promise<{ enabled: boolean; deleted?: boolean }>;
  /** Records deliveries that were dropped because our queue was full (rules#event-room). */
  onDropped: (endpointId: string, count: number) => Promise<unknown>;
  /** Receives every dropped delivery or event at once; must not throw. */
  noteDropped?: () => void;
  /** Receives every delivery that was made; must not throw. */
  noteDelivered?: (result: DeliveryResult) => void;
  log: { debug: LogLine; info: LogLine; warn: LogLine; error: LogLine };
  limits?: Partial<FairQueueLimits>;
  timeoutMs?: number;
  /** Milliseconds since 1970. */
  now?: () => number;
  /** Must not throw. */
  deliver?: (delivery: WebhookDeliveryRequest) => Promise<DeliveryResult>;
}

/** Questions to `endpointsFor` at once: events must not take the database from requests. */
const LOOKUPS = 4;
const LOG_EVERY_MS = 60_000;

interface Waiting {
  endpoint: DeliveryEndpoint;
  /** The id of a delivery by hand, which was written down before. An event gets one when it starts. */
  id?: string;
  eventId: string;
  event: string;
  body: string;
  from: EventTraceContext;
}

export function createOneAttemptDeliveryQueue(options: DeliveryQueueOptions) {
  const { rules, endpointsFor, onResult, onDropped, noteDropped, noteDelivered, log, timeoutMs } = options;
  const { now = Date.now, deliver = deliverWebhookOnce } = options;
  const limits = { ...FAIR_QUEUE_LIMITS, ...options.limits };
  const lanes = createFairQueue<Waiting>(limits);
  const backlog = createWorkspaceEventQueue(limits.waiting);
  /** Endpoint → deliveries dropped and not yet recorded. */
  const drops = new Map<string, number>();
  let recordingDrops: Promise<void> | null = null;
  const end = new AbortController();
  let lookups = 0;
  let dropped = 0;
  let droppedLoggedAt = Number.NEGATIVE_INFINITY;
  let onIdle: (() => void) | undefined;

  /** Events and deliveries not yet done with. */
  const pending = () => backlog.size() + lookups + lanes.waiting() + lanes.inFlight();
  const settle = () => {
    if (pending() === 0) onIdle?.();
  };

  /** Starts the deliveries of one event. Returns at once and never throws. Workspaces share what there is fairly. */
  function emit(event: WebhookEvent, workspaceId: string): void {
    try {
      if (end.signal.aborted) return;
      const from = { requestId: event.requestId, span: currentSpan() };
      if (backlog.add(workspaceId, event, serializeEvent(event), from)) countDropped();
      findEndpoints();
    } catch (error) {
      log.error({ err: error, event: event?.event }, "a webhook event could not be emitted");
    }
  }

  function send(endpoint: DeliveryEndpoint, workspaceId: string, attempted: DeliveryMessage): void {
    if (end.signal.aborted) return;
    const from = { requestId: undefined, span: currentSpan() };
    wait(workspaceId, { endpoint, ...attempted, from });
    start();
  }

  function wait(workspaceId: string, waiting: Waiting): void {
    const loser = lanes.add(workspaceId, waiting.endpoint.id, waiting);
    if (loser === undefined) return;
    countDropped();
    recordDropped(loser.endpointId, 1);
  }

  function findEndpoints(): void {
    while (lookups < LOOKUPS) {
      const next = backlog.take();
      if (next === undefined) return;
      lookups += 1;
      void addDeliveries(next);
    }
  }

  async function addDeliveries({ workspaceId, event, events, dropped: before }: WebhookEventBatch): Promise<void> {
    try {
      // The caller's own work continues first.
      await Promise.resolve();
      const endpoints = await endpointsFor(event, workspaceId);
      for (const { id } of endpoints) recordDropped(id, before);
      for (const { id: eventId, body, from } of events)
        for (const endpoint of endpoints) {
          if (end.signal.aborted) break;
          wait(workspaceId, { endpoint, eventId, event: event.event, body, from });
        }
    } catch (error) {
      log.error({ err: error, event: event.event }, "webhook endpoints could not be read; the event was dropped");
    }
    lookups -= 1;
    findEndpoints();
    start();
    settle();
  }

  function start(): void {
    for (let next = lanes.take(); next !== undefined; next = lanes.take()) {
      const { endpointId, item } = next;
      void runWithActiveSpan(item.from.span, () => run(endpointId, item));
    }
  }

  async function run(endpointId: string, waiting: Waiting): Promise<void> {
    const { endpoint, event, eventId, body, id = newUuid(), from } = waiting;
    const { url, secret, previousSecret } = endpoint;
    const ids = { id: formatId("dlv", id), eventId: formatId("evt", eventId) };
    const signed = { url, secret, previousSecret, event, ...ids, body };
    // Neither its address, which is a tenant's, nor the trace's id to its receiver (docs/decisions/0047).
    const result = await runTraced("webhook", "client", { "belfry.event": event }, async (span) => {
      const made = await deliver({ ...signed, rules, timeoutMs, signal: end.signal, now });
      span?.describe({ "belfry.outcome": made.failure ?? "delivered" });
      return made;
    });
    lanes.judge(endpointId, result.ok);
    noteDelivered?.(result);
    const { requestId: request_id, span } = from;
    const caused = { request_id, trace_id: span?.traceId };
    const fields = { webhook_id: endpointId, event, delivery_id: signed.id, ...caused, ...result };
    if (result.ok) log.debug(fields, "webhook delivered");
    else log.info(fields, "webhook delivery failed");
    // A delivery that the shutdown aborted is not a failure of its receiver. The slot is kept until the result is
    // recorded, so the number of slots limits the writes.
    if (result.ok || !end.signal.aborted) await record(endpointId, result, { id, eventId, event, body });
    lanes.release(endpointId);
    start();
    settle();
  }

  async function record(endpointId: string, result: DeliveryResult, attempted: DeliveryMessage): Promise<void> {
    try {
      const { enabled, deleted } = await onResult(endpointId, result, attempted);
      if (deleted) forget(endpointId);
      else if (!enabled) forgetEvents(endpointId);
    } catch (error) {
      log.error({ err: error, webhook_id: endpointId }, "a webhook delivery result could not be recorded");
    }
  }

  function countDropped(): void {
    noteDropped?.();
    dropped += 1;
    if (now() - droppedLoggedAt < LOG_EVERY_MS) return;
    log.warn({ dropped }, "webhook deliveries dropped: the queue is full");
    droppedLoggedAt = now();
    dropped = 0;
  }

  /** Records one endpoint after the other; further drops are added to its count. */
  function recordDropped(endpointId: string, count: number): void {
    if (count === 0) return;
    drops.set(endpointId, (drops.get(endpointId) ?? 0) + count);
    recordingDrops ??= writeDrops();
  }

  async function writeDrops(): Promise<void> {
    // Drops of the same turn share one statement.
    await Promise.resolve();
    for (const endpointId of drops.keys()) {
      const count = drops.get(endpointId) ?? 0;
      drops.delete(endpointId);
      try {
        await onDropped(endpointId, count);
      } catch (error) {
        log.error({ err: error, webhook_id: endpointId, count }, "dropped deliveries could not be recorded");
      }
    }
    recordingDrops = null;
  }

  /** Drops what waits; what is under way ends within its time (rules#webhook-removed). */
  function forget(endpointId: string): void {
    lanes.forget(endpointId);
    drops.delete(endpointId);
    settle();
  }

  /** Drops the waiting events; deliveries by hand remain (rules#webhook-paused). */
  function forgetEvents(endpointId: string): void {
    lanes.forget(endpointId, ({ id }) => id !== undefined);
    settle();
  }

  /** Waits until nothing is pending, at most `ms`; then ends what is left and takes no more events. */
  async function drain(ms: number): Promise<void> {
    const idle = Promise.withResolvers<void>();
    onIdle = idle.resolve;
    settle();
    const recorded = idle.promise.then(() => recordingDrops);
    await waitUntilSettledOrTimeout(ms, recorded);
    const left = pending();
    end.abort();
    backlog.clear();
    lanes.clear();
    drops.clear();
    if (left > 0) log.warn({ left }, "webhook deliveries abandoned at shutdown");
  }

  return { emit, send, forget, forgetEvents, drain, pending };
}
