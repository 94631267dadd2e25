// The queue of push notifications, with a limit on simultaneous ones, fair between push services, once for each device.
// Notifications above the limit, or for a push service that does not respond, are dropped and counted. The queue is in
// memory, without retries, and does not depend on rows, channels or HTTP.

import { createFairQueue, type FairQueueLimits } from "../../effects/webhooks/fair_queue.ts";
import type { PushKeys } from "../../model/domain/push_keys.ts";
import { LIMITS } from "../../model/limits.ts";
import { waitUntilSettledOrTimeout } from "../../store/db/timeout.ts";
import type { PushOutcome, PushUrgency } from "./push_sender.ts";

export interface QueuedPush {
  deviceId: string;
  endpoint: URL;
  /** Where its push service wants a message, encrypted for these. */
  keys?: PushKeys | null;
  urgency: PushUrgency;
}

/** Browsers know few push services, so one origin may take many; strangers may name any number of others. */
export const PUSH_QUEUE_LIMITS: FairQueueLimits = {
  inFlight: 128,
  waiting: LIMITS.waiting_wake_ups,
  perEndpointIdle: 32,
  perEndpointBusy: 16,
  perEndpointFailing: 2,
};
/** The number of consecutive notifications without a response after which a push service is paused. */
const MISSES = 8;
const REST_MS = 30_000;
/** Origins that are remembered as not answering. */
const REMEMBERED = 1_000;
/** The maximum wait for space; then the oldest notifications are dropped. */
const PATIENCE_MS = 5_000;
/** Origins without a response so far share one part of the slots, so that many of them cannot take all. */
const UNKNOWN = "unknown";

interface PushQueue<T extends QueuedPush> {
  add(wakeUp: T): void;
  /** Resolves once the queue has space for this number, or after a timeout. */
  room(count: number): Promise<void>;
  /** Drops queued notifications, and waits up to `ms` for running ones. */
  close(ms: number): Promise<void>;
  pending(): number;
}

interface PushQueueOptions<T extends QueuedPush> {
  send(endpoint: URL, urgency: PushUrgency, keys?: PushKeys | null): Promise<PushOutcome>;
  /** Receives each notification that was sent; must not throw. */
  sent(wakeUp: T, outcome: PushOutcome): void;
  /** Receives those that were never sent; must not throw. */
  dropped(count: number): void;
  limits?: Partial<FairQueueLimits>;
  /** Milliseconds, from whenever. */
  now?: () => number;
}

export function createOneAttemptPushQueue<T extends QueuedPush>(options: PushQueueOptions<T>): PushQueue<T> {
  const { send, sent, dropped, now = () => performance.now() } = options;
  const limits = { ...PUSH_QUEUE_LIMITS, ...options.limits };
  const lanes = createFairQueue<T>(limits);
  const waiting = new Map<string, T>();
  /** Origins that do not answer: how often in a row, and until when they are left alone. */
  const silent = new Map<string, { misses: number; until: number }>();
  /** Origins with a response, the newest last. */
  const known = new Set<string>();
  const roomWanted = new Set<() => void>();
  let onIdle: (() => void) | undefined;
  let closed = false;

  const pending = () => lanes.waiting() + lanes.inFlight();

  function drop(items: readonly T[]): void {
    for (const { deviceId } of items) waiting.delete(deviceId);
    if (items.length > 0) dropped(items.length);
  }

  function start(): void {
    for (let next = lanes.take(); next !== undefined; next = lanes.take()) {
      waiting.delete(next.item.deviceId);
      void run(next.item);
    }
  }

  async function run(item: T): Promise<void> {
    const { origin } = item.endpoint;
    const outcome = await send(item.endpoint, item.urgency, item.keys);
    // An aborted notification does not count as a failure of its push service.
    if (!closed || outcome === "accepted") {
      judge(origin, outcome !== "unanswered");
      sent(item, outcome);
    }
    lanes.release(origin);
    start();
    for (const resume of roomWanted) resume();
    if (pending() === 0) onIdle?.();
  }

  function judge(origin: string, answered: boolean): void {
    lanes.judge(origin, answered);
    if (answered) {
      silent.delete(origin);
      remember(known, origin);
      return;
    }
    known.delete(origin);
    const { misses } = silent.get(origin) ?? { misses: 0 };
    const rests = misses + 1 >= MISSES;
    silent.delete(origin);
    silent.set(origin, { misses: misses + 1, until: rests ? now() + REST_MS : 0 });
    const [oldest] = silent.keys();
    if (oldest !== undefined && silent.size > REMEMBERED) silent.delete(oldest);
    if (rests) drop(lanes.forget(origin));
  }

  return {
    add(wakeUp) {
      const before = waiting.get(wakeUp.deviceId);
      // A queued notification also covers this change.
      if (before) {
        if (wakeUp.urgency === "high") before.urgency = "high";
        return;
      }
      const { origin } = wakeUp.endpoint;
      if (closed || (silent.get(origin)?.until ?? 0) > now()) return dropped(1);
      waiting.set(wakeUp.deviceId, wakeUp);
      const gone = lanes.add(known.has(origin) ? origin : UNKNOWN, origin, wakeUp);
      if (gone) drop([gone.item]);
      start();
    },
    room(count) {
      const fits = () => closed || lanes.waiting() + count <= limits.waiting;
      if (fits()) return Promise.resolve();
      return new Promise((resolve) => {
        const end = () => {
          clearTimeout(timer);
          roomWanted.delete(checkRoom);
          resolve();
        };
        const checkRoom = () => fits() && end();
        const timer = setTimeout(end, PATIENCE_MS).unref();
        roomWanted.add(checkRoom);
      });
    },
    async close(ms) {
      closed = true;
      dropped(lanes.waiting());
      lanes.clear();
      waiting.clear();
      for (const resume of roomWanted) resume();
      if (lanes.inFlight() === 0) return;
      const idle = Promise.withResolvers<void>();
      onIdle = idle.resolve;
      await waitUntilSettledOrTimeout(ms, idle.promise);
    },
    pending,
  };
}

function remember(known: Set<string>, origin: string): void {
  known.add(origin);
  const [oldest] = known;
  if (oldest !== undefined && known.size > REMEMBERED) known.delete(oldest);
}
