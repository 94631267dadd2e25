// Limits are exact while they can be and let calls through when they cannot. Redis is a real one, really killed and
// hung. The machine that runs this may be busy: what must not wait is given a wait without end, or one that a sum
// would show.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  createRateLimitHeaders,
  createRateLimits,
  type RateLimiter,
  type RateLimitPolicy,
  type RateLimitResult,
} from "../../src/store/rate_limits/rate_limits.ts";
import { createRedisWindows } from "../../src/store/rate_limits/redis_windows.ts";
import { freePort } from "../support/free_port.ts";
import { type RedisServer, startRedis } from "../support/redis_server.ts";
import { isMissing } from "../support/requirements.ts";
import { WAIT, waitFor } from "../support/wait.ts";

/** Milliseconds, far beyond the end of any test. */
const NEVER = 3_600_000;

const SENDS: RateLimitPolicy = { name: "alert-sends", max: 30, seconds: 60 };
const TWO: RateLimitPolicy = { name: "pusher-creations", max: 2, seconds: 60 };

const opened: RateLimiter[] = [];
const lines: { obj: object; msg: string }[] = [];
const log = { warn: (obj: object, msg: string) => void lines.push({ obj, msg }) };

function limits({
  redisUrl,
  now,
  ...options
}: {
  redisUrl?: string;
  waitMs?: number;
  prefix?: string;
  now?: () => number;
}): RateLimiter {
  const clock = now && { now };
  const shared = redisUrl ? { shared: createRedisWindows({ url: redisUrl, log, ...options, ...clock }) } : {};
  const made = createRateLimits({ ...shared, ...clock });
  opened.push(made);
  return made;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
  lines.length = 0;
});

const many = (count: number, call: (index: number) => Promise<RateLimitResult>) =>
  Promise.all(Array.from({ length: count }, (_, index) => call(index)));
async function listening(server: Server): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as { port: number }).port;
}
const allowed = (answers: RateLimitResult[]) => answers.filter((taken) => taken.allowed).length;

/** Calls until one is counted; how long that took. @throws when it never is. */
async function untilLimited(made: RateLimiter, subject: string): Promise<number> {
  const start = performance.now();
  while (performance.now() - start < WAIT.timeout) {
    if ((await made.take(SENDS, subject)).limited) return performance.now() - start;
    await sleep(50);
  }
  throw new Error("limiting did not resume");
}

async function timed<T>(call: () => Promise<T>): Promise<{ taken: T; ms: number }> {
  const start = performance.now();
  const taken = await call();
  return { taken, ms: performance.now() - start };
}

/** Both stores obey the same rule; `pass` lets time go by on the store's own clock. */
interface Given {
  make(): RateLimiter;
  pass(ms: number): Promise<void>;
}

function countingRule(given: () => Given) {
  const fresh = () => `subject:${randomUUID()}`;
  const SHORT: RateLimitPolicy = { name: "device-registrations", max: 2, seconds: 1 };

  test("counts down, then refuses, and a refused call is not counted", async () => {
    const made = given().make();
    const subject = fresh();
    const first = await made.take(TWO, subject);
    expect(first).toMatchObject({ allowed: true, limit: 2, remaining: 1, limited: true });
    expect(first.resetSeconds).toBeGreaterThan(50);
    expect(first.resetSeconds).toBeLessThanOrEqual(60);
    const second = await made.take(TWO, subject);
    expect(second).toMatchObject({ allowed: true, remaining: 0 });
    const refused = await many(5, () => made.take(TWO, subject));
    for (const each of refused) expect(each).toMatchObject({ allowed: false, limit: 2, remaining: 0, limited: true });
    await made.refund(TWO, subject, second);
    expect((await made.take(TWO, subject)).allowed).toBe(true);
    expect((await made.take(TWO, subject)).allowed).toBe(false);
  });

  test("subjects and policies do not share a count", async () => {
    const made = given().make();
    const subject = fresh();
    await many(2, () => made.take(TWO, subject));
    expect((await made.take(TWO, subject)).allowed).toBe(false);
    expect((await made.take(TWO, fresh())).allowed).toBe(true);
    expect((await made.take(SENDS, subject)).remaining).toBe(29);
  });

  test("64 simultaneous calls: exactly max are allowed", async () => {
    const made = given().make();
    for (let round = 0; round < 10; round += 1) {
      const subject = fresh();
      const answers = await many(64, () => made.take(SENDS, subject));
      expect(answers.every((taken) => taken.limited)).toBe(true);
      expect(allowed(answers)).toBe(30);
    }
  });

  test("simultaneous calls and returns end with the exact count", async () => {
    const made = given().make();
    const subject = fresh();
    // 64 calls of which every allowed one with an even number is rolled back at once.
    const kept = await many(64, async (index) => {
      const taken = await made.take(SENDS, subject);
      if (!taken.allowed || index % 2) return taken;
      await made.refund(SENDS, subject, taken);
      return { ...taken, allowed: false };
    });
    const rest = await many(64, () => made.take(SENDS, subject));
    expect(allowed(kept) + allowed(rest)).toBe(30);
  });

  test("a call is returned once, and neither a refused one nor a stranger's receipt returns anything", async () => {
    const made = given().make();
    const subject = fresh();
    const first = await made.take(TWO, subject);
    await made.refund(TWO, subject, first);
    await made.refund(TWO, subject, first);
    expect(allowed(await many(5, () => made.take(TWO, subject)))).toBe(2);
    await made.refund(TWO, subject, await made.take(TWO, subject));
    await made.refund(TWO, subject, await made.take(TWO, fresh()));
    expect((await made.take(TWO, subject)).allowed).toBe(false);
  });

  test("a window ends after its length from the first counted call; refused calls do not prolong it", async () => {
    const { make, pass } = given();
    const made = make();
    const subject = fresh();
    await many(2, () => made.take(SHORT, subject));
    await pass(600);
    expect((await made.take({ ...SHORT, max: 0 }, subject)).allowed).toBe(false);
    await pass(600);
    expect(await made.take(SHORT, subject)).toMatchObject({ allowed: true, remaining: 1, resetSeconds: 1 });
  });

  test("a return after the window ended gives the next one no extra call", async () => {
    const { make, pass } = given();
    const made = make();
    const subject = fresh();
    const [old, older] = await many(2, () => made.take(SHORT, subject));
    await pass(1200);
    await made.refund(SHORT, subject, old!);
    const LATER = { ...SHORT, seconds: 60 };
    expect(allowed(await many(2, () => made.take(LATER, subject)))).toBe(2);
    await made.refund(SHORT, subject, older!);
    expect((await made.take(LATER, subject)).allowed).toBe(false);
  });

  test("a window whose only call was refunded begins again with the next", async () => {
    const { make, pass } = given();
    const made = make();
    const subject = fresh();
    await made.refund(TWO, subject, await made.take(TWO, subject));
    await pass(1100);
    expect((await made.take(TWO, subject)).resetSeconds).toBe(60);
  });
}

describe("in one process", () => {
  let clock = 0;
  countingRule(() => ({
    make: () => limits({ now: () => clock }),
    pass: async (ms) => {
      clock += ms;
    },
  }));

  test("the seconds to the window's end are whole and at least 1", async () => {
    const made = limits({ now: () => clock });
    await made.take(TWO, "s");
    clock += 25_500;
    expect((await made.take(TWO, "s")).resetSeconds).toBe(35);
    clock += 34_499;
    expect(await made.take(TWO, "s")).toMatchObject({ allowed: false, resetSeconds: 1 });
    clock += 1;
    expect(await made.take(TWO, "s")).toMatchObject({ allowed: true, remaining: 1, resetSeconds: 60 });
  });

  test("ended windows are dropped", async () => {
    const made = limits({ now: () => clock });
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let n = 0; n < 200_000; n += 1) {
      await made.take(SENDS, `somebody-with-a-long-name-${n}`);
      clock += 60;
    }
    collect();
    // A thousand windows run at a time; all 200,000 would be well over 20 MB.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000);
    expect((await made.take(SENDS, "s")).limited).toBe(true);
  });
});

describe("headers", () => {
  const taken: RateLimitResult = { allowed: true, limit: 30, remaining: 12, resetSeconds: 34, limited: true };
  test("are the draft's structured fields", () => {
    expect(createRateLimitHeaders(SENDS, taken)).toEqual({
      "ratelimit-policy": '"alert-sends";q=30;w=60',
      ratelimit: '"alert-sends";r=12;t=34',
    });
  });
  test("carry Retry-After on a refusal", () => {
    expect(createRateLimitHeaders(SENDS, { ...taken, allowed: false, remaining: 0 })).toEqual({
      "ratelimit-policy": '"alert-sends";q=30;w=60',
      ratelimit: '"alert-sends";r=0;t=34',
      "retry-after": "34",
    });
  });
  test("claim nothing about a call that was not counted", () => {
    expect(createRateLimitHeaders(SENDS, { ...taken, limited: false })).toEqual({
      "ratelimit-policy": '"alert-sends";q=30;w=60',
    });
  });
});

describe("a cache that is away", () => {
  test("refuses connections: calls pass at once, with one log line a minute and no credentials in it", async () => {
    let clock = 0;
    const port = await freePort();
    const redisUrl = `redis://user:hunter2@127.0.0.1:${port}/0`;
    const made = limits({ redisUrl, waitMs: NEVER, now: () => clock });
    for (let n = 0; n < 50; n += 1)
      expect(await made.take(SENDS, "s")).toEqual({
        allowed: true,
        limit: 30,
        remaining: 30,
        resetSeconds: 60,
        limited: false,
      });
    expect(lines).toHaveLength(1);
    clock += 59_999;
    await made.take(SENDS, "s");
    expect(lines).toHaveLength(1);
    clock += 1;
    await made.take(SENDS, "s");
    expect(lines).toHaveLength(2);
    expect(lines[1]!.obj).toEqual({ cache: `127.0.0.1:${port}`, reason: "ECONNREFUSED", unlimited: 51 });
    expect(JSON.stringify(lines)).not.toContain("hunter2");
  });

  test("accepts and never answers: the first calls wait a bounded time, later ones not at all", async () => {
    let connections = 0;
    const silent = createServer((socket) => {
      connections += 1;
      socket.on("error", () => {}).resume();
    });
    const port = await listening(silent);
    try {
      const start = performance.now();
      const waitMs = 500;
      const made = limits({ redisUrl: `redis://:hunter2@127.0.0.1:${port}`, waitMs, now: () => 0 });
      // Without a limit this would not end.
      for (const taken of await many(64, () => made.take(SENDS, "s")))
        expect(taken).toMatchObject({ allowed: true, limited: false });
      const { ms } = await timed(async () => {
        for (let n = 0; n < 50; n += 1) expect((await made.take(SENDS, "s")).limited).toBe(false);
      });
      expect(ms).toBeLessThan((50 * waitMs) / 2);
      // The connection is replaced in the background, at most once a second.
      await waitFor(() => expect(connections).toBeGreaterThan(2));
      expect(connections).toBeLessThanOrEqual(2 + (performance.now() - start) / 1000);
      expect(lines.map((line) => line.obj)).toMatchObject([{ reason: "no response in time" }]);
      expect(JSON.stringify(lines)).not.toContain("hunter2");
    } finally {
      silent.close();
    }
  });

  test("a bad address is refused without being repeated", () => {
    for (const redisUrl of ["http://user:hunter2@host", "hunter2", "redis//:hunter2@host"]) {
      expect(() => createRedisWindows({ url: redisUrl, log })).toThrow(/^REDIS_URL must begin with redis/);
    }
  });

  test("after close, calls pass and nothing is logged", async () => {
    const made = limits({ redisUrl: `redis://127.0.0.1:${await freePort()}` });
    await made.close();
    expect(await made.take(SENDS, "s")).toMatchObject({ allowed: true, limited: false });
    expect(lines).toEqual([]);
  });
});

describe.skipIf(isMissing("redis-server"))("shared through Redis", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis(await freePort());
  });
  afterAll(async () => {
    await redis.kill();
  });
  // These are about counting: no wait is so short that a busy machine looks like an outage.
  const shared = () => limits({ redisUrl: redis.url, waitMs: WAIT.timeout });

  countingRule(() => ({ make: shared, pass: (ms) => sleep(ms) }));

  test("two processes count together: 64 simultaneous calls, exactly max allowed", async () => {
    const [one, two] = [shared(), shared()];
    for (let round = 0; round < 20; round += 1) {
      const answers = await many(64, (n) => (n % 2 ? one : two).take(SENDS, `pair:${round}`));
      expect(allowed(answers)).toBe(30);
      const back = answers.findIndex((taken) => taken.allowed);
      await (back % 2 ? one : two).refund(SENDS, `pair:${round}`, answers[back]!);
      const again = await many(8, (n) => (n % 2 ? one : two).take(SENDS, `pair:${round}`));
      expect(allowed(again)).toBe(1);
    }
    expect(lines).toEqual([]);
  });

  test("a process that was busy does not take its own delay for an outage", async () => {
    const waitMs = 500;
    const made = limits({ redisUrl: redis.url, waitMs });
    await untilLimited(made, "busy");
    const pending = made.take(SENDS, "busy");
    // The whole process is paused for longer than the wait, and until Redis has responded to a later client.
    expect(spawnSync("redis-cli", ["-p", String(redis.port), "ping"]).status).toBe(0);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * waitMs);
    expect((await pending).limited).toBe(true);
  });

  test("a window is removed from Redis when it ends, or when its last call is refunded", async () => {
    const { Redis } = await import("ioredis");
    const client = new Redis(redis.url);
    try {
      const made = limits({ redisUrl: redis.url, waitMs: WAIT.timeout, prefix: "mine:" });
      const taken = await made.take(TWO, "s");
      expect(await client.keys("mine:*")).toEqual(["mine:pusher-creations:s"]);
      expect(await client.pttl("mine:pusher-creations:s")).toBeGreaterThan(0);
      await made.refund(TWO, "s", taken);
      await made.take({ ...TWO, seconds: 1 }, "t");
      await waitFor(async () => expect(await client.keys("mine:*")).toEqual([]));
    } finally {
      client.disconnect();
    }
  });
});

describe.skipIf(isMissing("redis-server"))("Redis away and back", () => {
  /** Windows that no test outlives. */
  const LONG: RateLimitPolicy = { ...SENDS, seconds: 3600 };

  // rules#limit-fails-open
  test("killed in mid-run: no call fails, and limiting resumes", async () => {
    const port = await freePort();
    let redis = await startRedis(port);
    try {
      const waitMs = WAIT.timeout;
      const made = limits({ redisUrl: redis.url, waitMs, now: () => 0 });
      await untilLimited(made, "before");
      const waits: number[] = [];
      let running = true;
      const traffic = (async () => {
        for (let n = 0; running; n += 1) {
          const { taken, ms } = await timed(() => made.take(SENDS, `killed:${n}`));
          expect(taken.allowed).toBe(true);
          waits.push(ms);
          await sleep(5);
        }
      })();
      await waitFor(() => expect(waits.length).toBeGreaterThan(10));
      await redis.kill();
      await waitFor(async () => expect((await made.take(SENDS, "during")).limited).toBe(false));
      const gone = waits.length;
      await waitFor(() => expect(waits.length).toBeGreaterThan(gone + 50));
      redis = await startRedis(port);
      const back = await untilLimited(made, "after");
      running = false;
      await traffic;
      // No call waited for a connection that was known to be down.
      expect(Math.max(...waits)).toBeLessThan(waitMs);
      expect(lines).toHaveLength(1);
      expect(allowed(await many(64, () => made.take(TWO, "exact")))).toBe(2);
      figures("killed", waits, back);
    } finally {
      await redis.kill();
    }
  });

  test("hung in mid-run: the wait is bounded, and limiting resumes", async () => {
    const redis = await startRedis(await freePort());
    try {
      const waitMs = 1000;
      const made = limits({ redisUrl: redis.url, waitMs, now: () => 0 });
      await untilLimited(made, "before");
      redis.signal("SIGSTOP");
      // Without a limit this would not end.
      const counted = await made.take(SENDS, "during");
      expect(counted).toMatchObject({ allowed: true, limited: false });
      const waits: number[] = [];
      for (let n = 0; n < 50; n += 1) {
        const { taken, ms } = await timed(() => made.take(SENDS, "during"));
        expect(taken).toMatchObject({ allowed: true, limited: false });
        waits.push(ms);
      }
      // Only the first one waited.
      expect(waits.reduce((sum, ms) => sum + ms)).toBeLessThan((50 * waitMs) / 2);
      expect(lines).toHaveLength(1);
      // Never counted for sure, hence never returned.
      await made.refund(SENDS, "during", counted);
      redis.signal("SIGCONT");
      const back = await untilLimited(made, "after");
      figures("hung", waits, back);
    } finally {
      redis.signal("SIGCONT");
      await redis.kill();
    }
  });

  test("a stall admits only its own calls: they are counted once, when it responds again", async () => {
    const redis = await startRedis(await freePort());
    try {
      const waitMs = 500;
      const made = limits({ redisUrl: redis.url, waitMs });
      // Counts for sure, however busy the machine is.
      const patient = limits({ redisUrl: redis.url, waitMs: WAIT.timeout });
      await untilLimited(made, "before");
      await untilLimited(patient, "before");
      redis.signal("SIGSTOP");
      const during = await many(64, () => made.take(LONG, "burst"));
      expect(during.filter((taken) => taken.limited || !taken.allowed)).toEqual([]);
      // Longer than a round trip: every command that Redis wakes to is too late by its own clock.
      await sleep(2 * waitMs);
      redis.signal("SIGCONT");
      await untilLimited(made, "after");
      // 64 of 30 passed: nothing is left of their window. The commands that it wakes to are not counted twice.
      expect(allowed(await many(64, () => patient.take(LONG, "burst")))).toBe(0);
      const other = Array.from({ length: 7 }, () => patient.take(LONG, "few"));
      expect(allowed(await Promise.all(other))).toBe(7);
      redis.signal("SIGSTOP");
      expect(allowed(await many(7, () => made.take(LONG, "few")))).toBe(7);
      // Longer than a round trip: every command that Redis wakes to is too late by its own clock.
      await sleep(2 * waitMs);
      redis.signal("SIGCONT");
      await untilLimited(made, "after again");
      // 7 counted, 7 let through: 16 are left of the 30, where 23 were left before.
      expect(allowed(await many(64, () => patient.take(LONG, "few")))).toBe(16);
    } finally {
      redis.signal("SIGCONT");
      await redis.kill();
    }
  });

  test("a dead connection is replaced by a new one", async () => {
    const redis = await startRedis(await freePort());
    const inner: Socket[] = [];
    const proxy = createServer((socket) => {
      const upstream = connect(redis.port, "127.0.0.1");
      inner.push(upstream);
      socket.on("error", () => {}).pipe(upstream);
      upstream.on("error", () => {}).pipe(socket);
    });
    const port = await listening(proxy);
    try {
      const made = limits({ redisUrl: `redis://127.0.0.1:${port}`, waitMs: 1000 });
      await untilLimited(made, "before");
      // From here on existing connections are silent, and no side closes them.
      for (const upstream of inner) upstream.unpipe().pause();
      expect((await made.take(SENDS, "dead")).limited).toBe(false);
      await untilLimited(made, "after");
    } finally {
      proxy.close();
      await redis.kill();
    }
  });

  test("a wrong password lets calls through and is named in the log, not shown", async () => {
    const redis = await startRedis(await freePort(), "--requirepass", "correct-horse");
    try {
      const wrong = limits({ redisUrl: `redis://:hunter2@127.0.0.1:${redis.port}`, now: () => 0 });
      await many(10, () => wrong.take(SENDS, "s"));
      await sleep(500);
      expect(await wrong.take(SENDS, "s")).toMatchObject({ allowed: true, limited: false });
      expect(lines).toHaveLength(1);
      expect(JSON.stringify(lines)).not.toMatch(/hunter2|correct-horse/);
      const right = limits({ redisUrl: `redis://:correct-horse@127.0.0.1:${redis.port}`, waitMs: WAIT.timeout });
      expect(await right.take(SENDS, "s")).toMatchObject({ limited: true, remaining: 29 });
    } finally {
      await redis.kill();
    }
  });
});

/** Measured, not asserted; shown with FIGURES=1. */
function figures(name: string, waits: number[], back: number): void {
  if (!process.env.FIGURES) return;
  const sorted = waits.toSorted((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)]!;
  console.log(
    `${name}: ${waits.length} calls, p99 ${p99.toFixed(1)} ms, max ${sorted
      .at(-1)!
      .toFixed(1)} ms, back in ${back.toFixed(0)} ms`,
  );
}
