// Windows of calls shared by several processes through Redis or Valkey, and the behaviour while it is away. No call
// waits longer than `waitMs`. A cache that refuses, hangs or ends lets calls through. These calls are counted as soon
// as the cache responds again, so an outage admits only the calls that came during it. This module is independent of
// the purpose of the limits. It never logs an address with its credentials, or Redis's own messages. The scripts that
// count and refund a call inside Redis define what is atomic.

import { randomUUID } from "node:crypto";
import { Redis, ReplyError } from "ioredis";
import type { RateLimitWindows } from "./rate_limits.ts";

/**
 * KEYS: the window. ARGV: max, length in milliseconds, a name for the window if this call opens it, and the caller's
 * deadline by Redis's clock. A server that hung may process calls that were permitted long ago, and must not count
 * them. Reading the clock in a script that writes needs Redis 5 or later, or Valkey.
 */
const TAKE = `
local time = redis.call("TIME")
local at = time[1] * 1000 + math.floor(time[2] / 1000)
if at > tonumber(ARGV[4]) then
  return {-1, 0, 0, "", at}
end
local left = redis.call("PTTL", KEYS[1])
local row = redis.call("HMGET", KEYS[1], "count", "id")
local count, id = tonumber(row[1]) or 0, row[2]
if left < 0 then
  redis.call("DEL", KEYS[1])
  left, count, id = tonumber(ARGV[2]), 0, ARGV[3]
end
if count >= tonumber(ARGV[1]) then
  return {0, count, left, id, at}
end
redis.call("HSET", KEYS[1], "count", count + 1, "id", id)
if count == 0 then
  redis.call("PEXPIRE", KEYS[1], ARGV[2])
end
return {1, count + 1, left, id, at}
`;

/** KEYS: the window. ARGV: the name of the window that counted the call. A window without calls does not exist. */
const GIVE_BACK = `
if redis.call("HGET", KEYS[1], "id") ~= ARGV[1] then
  return 0
end
if redis.call("HINCRBY", KEYS[1], "count", -1) <= 0 then
  redis.call("DEL", KEYS[1])
end
return 1
`;

/**
 * KEYS: the window. ARGV: the number of uncounted calls, the remaining milliseconds of a window that they open, and its
 * name. Their sum may exceed the limit: then nothing is left of the window.
 */
const COUNT_LATE = `
if redis.call("PTTL", KEYS[1]) < 0 then
  redis.call("DEL", KEYS[1])
  redis.call("HSET", KEYS[1], "count", ARGV[1], "id", ARGV[3])
  redis.call("PEXPIRE", KEYS[1], ARGV[2])
else
  redis.call("HINCRBY", KEYS[1], "count", ARGV[1])
end
return 1
`;

/** -1 too late, 0 refused, 1 counted; then the count, the milliseconds left, the window's name and Redis's clock. */
type CountReply = [-1 | 0 | 1, number, number, string, number];

type ScriptedRedis = Redis & {
  takeCall(key: string, max: number, ms: number, id: string, until: number): Promise<CountReply>;
  giveCallBack(key: string, id: string): Promise<0 | 1>;
  countLate(key: string, calls: number, ms: number, id: string): Promise<1>;
};

/**
 * A client that never queues, never repeats a command (it would count twice), and tries again for ever, each time
 * after `pause` ms.
 */
function connectRedis(url: string, pause: () => number): ScriptedRedis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2000,
    disconnectTimeout: 50,
    retryStrategy: pause,
    // A fail-over leaves us on a replica: the address may lead to the new primary by now.
    reconnectOnError: (error) => error.message.startsWith("READONLY"),
    // Both would wait without limit on a hung server before "ready". Our own check on "ready" has a limit.
    enableReadyCheck: false,
    disableClientInfo: true,
  });
  redis.defineCommand("takeCall", { numberOfKeys: 1, lua: TAKE });
  redis.defineCommand("countLate", { numberOfKeys: 1, lua: COUNT_LATE });
  redis.defineCommand("giveCallBack", { numberOfKeys: 1, lua: GIVE_BACK });
  return redis as ScriptedRedis;
}

const LOG_EVERY_MS = 60_000;
const CLOSED = "connection closed";

/** Subjects whose uncounted calls are remembered, at most. */
const MAX_UNCOUNTED = 10_000;

class TooLate extends Error {}

/**
 * Windows kept in Redis. Every command passes through one circuit breaker: away means immediate permission, unlimited.
 */
export function createRedisWindows(options: {
  url: string;
  log: { warn(obj: object, msg: string): void };
  /** The longest that a call waits for the cache. */
  waitMs?: number;
  prefix?: string;
  /** Milliseconds; only differences count. Redis measures windows by its own clock. */
  now?: () => number;
}): RateLimitWindows {
  const { url, log, waitMs = 100, prefix = "belfry:limit:", now = () => performance.now() } = options;
  const cache = hostOf(url);
  // A short outage is detected soon; a cache that stays away is tried once a second.
  let misses = 0;
  const redis = connectRedis(url, () => (misses++ === 0 ? 50 : 1000));
  const keyOf = (policy: { name: string }, subject: string) => `${prefix}${policy.name}:${subject}`;

  let state: "starting" | "up" | "away" = "starting";
  let closed = false;
  let reason = CLOSED;
  // The offset of Redis's clock from ours. It may be too large by one round trip, so that a late call is counted and
  // not missed.
  let clockAhead = 0;
  let unlimited = 0;
  let warnedAt = Number.NEGATIVE_INFINITY;
  // The first calls of a process wait for the first connection, so that a healthy cache also limits them.
  const { promise: started, resolve: startDone } = Promise.withResolvers<void>();

  /** Window → calls that were permitted while the cache was away; `ms` is its length, `from` the first of them. */
  const uncounted = new Map<string, { calls: number; ms: number; from: number }>();

  const enter = (next: "up" | "away") => {
    state = next;
    if (next === "up") {
      reason = CLOSED;
      misses = 0;
      catchUp();
    }
    startDone();
  };

  /**
   * Counts the permitted calls, before any call that the new connection will count. If this command is lost, the counts
   * end with the window. A call that Redis counted just when its wait ended is counted twice, so the error is on the
   * strict side.
   */
  const catchUp = () => {
    const at = performance.now();
    for (const [key, { calls, ms, from }] of uncounted) {
      const left = Math.round(ms - (at - from));
      if (left > 0) redis.countLate(key, calls, left, randomUUID()).catch(() => {});
    }
    uncounted.clear();
  };

  const letThrough = (key: string, ms: number) => {
    const at = performance.now();
    const known = uncounted.get(key);
    if (known && at - known.from < ms) known.calls += 1;
    else if (known || uncounted.size < MAX_UNCOUNTED) uncounted.set(key, { calls: 1, ms, from: at });
    warn();
  };

  /** A hung server never responds to our QUIT: the connection is replaced, and the new one must prove itself. */
  const hangUp = () => {
    if (redis.status === "ready") redis.disconnect(true);
  };

  redis.on("error", (error: unknown) => {
    reason = reasonOf(error);
  });
  redis.on("close", () => enter("away"));
  // A connection proves little: a stopped server's kernel still accepts. Only a response in time ends the outage.
  redis.on("ready", async () => {
    try {
      const sentAt = performance.now();
      const [seconds = 0, micros = 0] = await within(waitMs, redis.time());
      clockAhead = Number(seconds) * 1000 + Number(micros) / 1000 - sentAt;
      enter("up");
    } catch (error) {
      // A refusal is also a response in time; the calls themselves report the error.
      if (error instanceof ReplyError) return enter("up");
      reason = reasonOf(error);
      enter("away");
      hangUp();
    }
  });

  /** The result of one command, or undefined: the only place that decides to fail open. */
  async function ask<T>(command: () => Promise<T>): Promise<T | undefined> {
    const until = performance.now() + waitMs;
    try {
      if (state === "starting") await within(waitMs, started);
      if (state !== "up" || closed) return undefined;
      return await within(Math.max(1, until - performance.now()), command());
    } catch (error) {
      reason = reasonOf(error);
      // Redis responded at once: no reason to drop the connection. Away: another call has already opened the breaker.
      if (error instanceof ReplyError || state === "away") return undefined;
      enter("away");
      hangUp();
      return undefined;
    }
  }

  const takeOnce = async (key: string, max: number, ms: number): Promise<CountReply> => {
    const sentAt = performance.now();
    const until = Math.ceil(sentAt + waitMs + clockAhead);
    const reply = await redis.takeCall(key, max, ms, randomUUID(), until);
    clockAhead = reply[4] - sentAt;
    return reply;
  };

  const warn = () => {
    unlimited += 1;
    if (closed || now() - warnedAt < LOG_EVERY_MS) return;
    warnedAt = now();
    log.warn({ cache, reason, unlimited }, "Redis is unavailable; calls are allowed without rate limits");
    unlimited = 0;
  };

  return {
    async take(policy, subject) {
      const ms = Math.round(policy.seconds * 1000);
      const key = keyOf(policy, subject);
      const reply = await ask(async () => {
        const first = await takeOnce(key, policy.max, ms);
        // Redis responded in time, but reported a late call: its clock was changed, and this response contains the
        // offset.
        return first[0] === -1 ? takeOnce(key, policy.max, ms) : first;
      });
      if (!reply || reply[0] === -1) {
        letThrough(key, ms);
        return undefined;
      }
      const [allowed, count, msLeft, window] = reply;
      return { allowed: allowed === 1, count, msLeft, window };
    },

    async refund(policy, subject, window) {
      // While the cache is away this is lost, and the call comes back with the end of its window.
      await ask(() => redis.giveCallBack(keyOf(policy, subject), window));
    },

    close() {
      closed = true;
      redis.disconnect();
    },
  };
}

/**
 * Limits a wait. When the time is up, the event loop checks its sockets once more. A process that was busy for longer
 * than the limit must not mistake its own delay for the cache's.
 */
function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(() => reject(new TooLate())), ms);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** A short word for the log. Redis's error objects carry the command, which may be AUTH with the password. */
function reasonOf(error: unknown): string {
  if (error instanceof TooLate) return "no response in time";
  if (error instanceof ReplyError) return /^[A-Z]+/.exec((error as Error).message)?.[0] ?? "refused";
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : CLOSED;
}

/** The host and port of a cache's address, for the log; throws without repeating the address. */
function hostOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === "redis:" || parsed?.protocol === "rediss:") return parsed.host;
  throw new Error("REDIS_URL must begin with redis:// or rediss://.");
}
