// How many calls a subject may make in a window of time, and what a caller is told about it. Decides the counting
// rule for one process and the header texts; src/store/rate_limits/redis_windows.ts shares the same rule between
// processes. Must not know what a call is, who the subject is, or which route asked.

/** A ceiling: `max` calls in `seconds`. The name is our own fixed word, for it is written into headers unescaped. */
export interface RateLimitPolicy {
  name: "pusher-creations" | "alert-sends" | "device-registrations" | (string & {});
  max: number;
  seconds: number;
  /** While the cache is away this process counts by itself instead of letting every call through. */
  countsLocally?: boolean;
}

/** What became of one call. Pass the object itself to `refund`: it is the receipt. */
export interface RateLimitResult {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  resetSeconds: number;
  /** False when the cache was away: the call was let through and not counted. */
  limited: boolean;
}

export interface RateLimits {
  /** Counts one call, or refuses it; a refused call is not counted and prolongs nothing. */
  take(policy: RateLimitPolicy, subject: string): Promise<RateLimitResult>;
  /** Whether a call would be within the limit now. It is not counted, and neither is the question. */
  hasRoom(policy: RateLimitPolicy, subject: string): Promise<boolean>;
  /**
   * Returns a call because what it stood for was rolled back. Without the receipt a late return could not be told from
   * one of the next window, nor from a call that was never counted; with it, each call is returned once and only to
   * the window that counted it.
   */
  refund(policy: RateLimitPolicy, subject: string, taken: RateLimitResult): Promise<void>;
  close(): Promise<void>;
}

export interface RateLimitOptions {
  /** Windows that several processes share (see redis_windows.ts); left out, they are kept in this process. */
  shared?: RateLimitWindows;
  /** Milliseconds; only differences count. */
  now?: () => number;
  /** Told of each call that was judged. */
  note?: (policy: string, outcome: "allowed" | "refused" | "uncounted") => void;
}

/** What a store of windows answers to a call. `window` names the window that counted it. */
export interface WindowCount {
  allowed: boolean;
  count: number;
  msLeft: number;
  window: string;
}

/** Where windows are kept. `take` answers undefined when the store is away. */
export interface RateLimitWindows {
  take(policy: RateLimitPolicy, subject: string): Promise<WindowCount | undefined>;
  refund(policy: RateLimitPolicy, subject: string, window: string): Promise<void>;
  close(): void;
}

/** Limits that are shared fail open while their store is away, but for policies that say otherwise. */
export function createRateLimits({ shared, now = () => performance.now(), note }: RateLimitOptions = {}): RateLimits {
  const windows = shared ?? createMemoryWindows(now);
  // What a process counts by itself while the store is away.
  const alone = shared ? createMemoryWindows(now) : null;
  const receipts = new WeakMap<RateLimitResult, { windows: RateLimitWindows; window: string }>();

  return {
    async take(policy, subject) {
      let kept = windows;
      let counted = await windows.take(policy, subject);
      if (!counted && policy.countsLocally && alone) {
        kept = alone;
        counted = await alone.take(policy, subject);
      }
      const { max: limit, seconds } = policy;
      note?.(policy.name, !counted ? "uncounted" : counted.allowed ? "allowed" : "refused");
      if (!counted) return { allowed: true, limit, remaining: limit, resetSeconds: seconds, limited: false };
      const taken: RateLimitResult = {
        allowed: counted.allowed,
        limit,
        // The ceiling may have been lowered while a window ran.
        remaining: Math.max(0, limit - counted.count),
        // Whole milliseconds first: a clock with fractions would make 61 seconds of a minute that has just begun.
        resetSeconds: Math.max(1, Math.ceil(Math.round(counted.msLeft) / 1000)),
        limited: true,
      };
      if (counted.allowed) receipts.set(taken, { windows: kept, window: counted.window });
      return taken;
    },

    async hasRoom(policy, subject) {
      // A call beyond the limit is not counted, and the answer has the count.
      const counted = await windows.take({ ...policy, max: 0 }, subject);
      return !counted || counted.count < policy.max;
    },

    async refund(policy, subject, taken) {
      const receipt = receipts.get(taken);
      if (receipt === undefined) return;
      receipts.delete(taken);
      await receipt.windows.refund(policy, subject, receipt.window);
    },

    async close() {
      windows.close();
      alone?.close();
    },
  };
}

/**
 * The fields of draft-ietf-httpapi-ratelimit-headers, and `retry-after` on a refusal. A call that was not counted has
 * no `ratelimit`: nothing is known of what remains.
 */
export function createRateLimitHeaders(policy: RateLimitPolicy, taken: RateLimitResult): Record<string, string> {
  const headers: Record<string, string> = {
    "ratelimit-policy": `"${policy.name}";q=${policy.max};w=${policy.seconds}`,
  };
  if (taken.limited) headers.ratelimit = `"${policy.name}";r=${taken.remaining};t=${taken.resetSeconds}`;
  if (!taken.allowed) headers["retry-after"] = String(taken.resetSeconds);
  return headers;
}

/**
 * The same rule as the scripts for Redis. Each step runs in one turn of the event loop, so simultaneous calls cannot
 * pass between the look and the count.
 */
export function createMemoryWindows(now: () => number): RateLimitWindows {
  type BySubject = Map<string, { id: string; count: number; endsAt: number }>;
  const policies = new Map<string, BySubject>();
  let opened = 0;

  const windowsOf = (policy: RateLimitPolicy): BySubject => {
    const windows: BySubject = policies.get(policy.name) ?? new Map();
    policies.set(policy.name, windows);
    return windows;
  };

  return {
    async take(policy, subject) {
      const at = now();
      const windows = windowsOf(policy);
      // The windows of a policy are equally long, so the oldest end first and ended ones are all at the front.
      for (const [key, window] of windows) {
        if (window.endsAt > at) break;
        windows.delete(key);
      }
      const length = policy.seconds * 1000;
      // Not merely "is it there": a policy whose length was changed leaves windows out of order.
      const found = windows.get(subject);
      const running = found && found.endsAt > at ? found : { id: "", count: 0, endsAt: at + length };
      const answer = (allowed: boolean) => {
        return { allowed, count: running.count, msLeft: running.endsAt - at, window: running.id };
      };
      if (running.count >= policy.max) return answer(false);
      if (running.count === 0) {
        opened += 1;
        running.id = String(opened);
        windows.delete(subject);
        windows.set(subject, running);
      }
      running.count += 1;
      return answer(true);
    },

    async refund(policy, subject, window) {
      const windows = windowsOf(policy);
      const running = windows.get(subject);
      if (running?.id !== window) return;
      running.count -= 1;
      // A window begins with a counted call; with none left there is no window.
      if (running.count === 0) windows.delete(subject);
    },

    close() {
      policies.clear();
    },
  };
}
