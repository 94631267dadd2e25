// Limits of calls per subject in a time window, and their response headers. It defines the counting rule of one
// process; src/store/rate_limits/redis_windows.ts shares the same rule between processes. It is independent of calls,
// subjects and routes.

/** A limit: `max` calls in `seconds`. The name is our own fixed term, because it is written into headers unescaped. */
export interface RateLimitPolicy {
  name: "pusher-creations" | "alert-sends" | "device-registrations" | (string & {});
  max: number;
  seconds: number;
  /** While the cache is away this process counts by itself instead of letting every call through. */
  countsLocally?: boolean;
}

/** The result of one call. Pass the object itself to `refund`: it is the receipt. */
export interface RateLimitResult {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  resetSeconds: number;
  /** False when the cache was away: the call was permitted and not counted. */
  limited: boolean;
}

export interface RateLimiter {
  /** Counts one call, or refuses it; a refused call is not counted and prolongs nothing. */
  take(policy: RateLimitPolicy, subject: string): Promise<RateLimitResult>;
  /** Reports if a call would be within the limit now. Neither the call nor this check is counted. */
  hasRoom(policy: RateLimitPolicy, subject: string): Promise<boolean>;
  /**
   * Refunds a call because its action was rolled back. The receipt identifies the window that counted it. Each call is
   * refunded once, only to its own window. Calls that were never counted cannot be refunded.
   */
  refund(policy: RateLimitPolicy, subject: string, taken: RateLimitResult): Promise<void>;
  close(): Promise<void>;
}

interface RateLimiterOptions {
  /** Windows that several processes share (see redis_windows.ts); left out, they are kept in this process. */
  shared?: RateLimitWindows;
  /** Milliseconds; only differences count. */
  now?: () => number;
  /** Receives each call that was judged. */
  note?: (policy: string, outcome: "allowed" | "refused" | "uncounted") => void;
}

/** The result that a store of windows returns for a call. `window` names the window that counted it. */
export interface WindowCount {
  allowed: boolean;
  count: number;
  msLeft: number;
  window: string;
}

/** The store of windows. `take` returns undefined when the store is away. */
export interface RateLimitWindows {
  take(policy: RateLimitPolicy, subject: string): Promise<WindowCount | undefined>;
  refund(policy: RateLimitPolicy, subject: string, window: string): Promise<void>;
  close(): void;
}

/** Shared limits fail open while their store is away, unless the policy is defined otherwise. */
export function createRateLimits({
  shared,
  now = () => performance.now(),
  note,
}: RateLimiterOptions = {}): RateLimiter {
  const windows = shared ?? createMemoryWindows(now);
  // The process's own counts while the store is away.
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
        // The limit may have been lowered while a window ran.
        remaining: Math.max(0, limit - counted.count),
        // Whole milliseconds first: a clock with fractions would make 61 seconds of a minute that has just begun.
        resetSeconds: Math.max(1, Math.ceil(Math.round(counted.msLeft) / 1000)),
        limited: true,
      };
      if (counted.allowed) receipts.set(taken, { windows: kept, window: counted.window });
      return taken;
    },

    async hasRoom(policy, subject) {
      // A call beyond the limit is not counted, and the response has the count.
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
      // A window begins with a counted call; a window without calls does not exist.
      if (running.count === 0) windows.delete(subject);
    },

    close() {
      policies.clear();
    },
  };
}
