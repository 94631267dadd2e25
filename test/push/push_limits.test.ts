// The limits of push notifications, with a sender of the test's own (rules#push-bounds), and the grouping of alerts
// into rounds (rules#push-once).

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  createOneAttemptPushQueue,
  PUSH_QUEUE_LIMITS,
  type QueuedPush,
} from "../../src/handset/push/one_attempt_push_queue.ts";
import { createPushFanOut, type PushFanOut } from "../../src/handset/push/push_fan_out.ts";
import type { PushOutcome, PushUrgency } from "../../src/handset/push/push_sender.ts";
import { nextTick } from "../support/wait.ts";

/** Push notifications whose ends the test decides. */
function held(limits: Partial<typeof PUSH_QUEUE_LIMITS> = {}) {
  const underWay: { origin: string; path: string; urgency: PushUrgency; end(outcome: PushOutcome): Promise<void> }[] =
    [];
  const outcomes: string[] = [];
  const figures = { dropped: 0 };
  let clock = 0;
  const wakeUps = createOneAttemptPushQueue<QueuedPush>({
    limits,
    now: () => clock,
    send: ({ origin, pathname }, urgency) =>
      new Promise((resolve) => {
        const one = {
          origin,
          path: pathname,
          urgency,
          end: (outcome: PushOutcome) => {
            underWay.splice(underWay.indexOf(one), 1);
            resolve(outcome);
            return nextTick();
          },
        };
        underWay.push(one);
      }),
    sent: ({ deviceId }, outcome) => outcomes.push(`${deviceId} ${outcome}`),
    dropped: (count) => {
      figures.dropped += count;
    },
  });
  const add = (deviceId: string, host = "push.test", urgency: PushUrgency = "normal") =>
    wakeUps.add({ deviceId, endpoint: new URL(`https://${host}/${deviceId}`), urgency });
  return { wakeUps, add, underWay, outcomes, figures, pass: (ms: number) => (clock += ms) };
}

describe("places", () => {
  // rules#push-bounds
  test("a limit of notifications at once in all, and for each origin", async () => {
    const { add, underWay, wakeUps } = held();
    for (let n = 0; n < 1000; n++) add(`a${n}`);
    expect(underWay).toHaveLength(PUSH_QUEUE_LIMITS.perEndpointIdle);
    for (let n = 0; n < 1000; n++) add(`b${n}`, `push${n}.test`);
    expect(underWay).toHaveLength(PUSH_QUEUE_LIMITS.inFlight);
    await underWay[0]!.end("accepted");
    expect(underWay).toHaveLength(PUSH_QUEUE_LIMITS.inFlight);
    expect(wakeUps.pending()).toBe(1999);
  });

  test("a thousand origins that never answered leave half of the places to one that did", async () => {
    const { add, underWay } = held();
    add("first", "push.test");
    await underWay[0]!.end("accepted");
    for (let n = 0; n < 1000; n++) add(`x${n}`, `strange${n}.test`);
    for (let n = 0; n < 1000; n++) add(`d${n}`, "push.test");
    // Slots that strangers return are used by responding endpoints until they have their share.
    for (let n = 0; n < 200; n++) await underWay.find(({ origin }) => origin.includes("strange"))!.end("unanswered");
    const known = underWay.filter(({ origin }) => origin === "https://push.test").length;
    expect(known).toBeGreaterThanOrEqual(PUSH_QUEUE_LIMITS.perEndpointBusy);
  });

  test("a device that waits is not waited for twice, and what wakes it is as urgent as the most urgent", async () => {
    const { add, underWay, wakeUps } = held({ inFlight: 1 });
    add("busy");
    for (const urgency of ["normal", "high", "normal"] as const) add("one", "push.test", urgency);
    expect(wakeUps.pending()).toBe(2);
    await underWay[0]!.end("accepted");
    expect(underWay).toMatchObject([{ path: "/one", urgency: "high" }]);
    // Under way it may be too early for what comes now.
    add("one");
    expect(wakeUps.pending()).toBe(2);
  });

  test("without room, the oldest of the largest waiting group is dropped and counted", () => {
    const { add, figures, wakeUps } = held({ inFlight: 1, waiting: 10 });
    add("busy");
    for (let n = 0; n < 30; n++) add(`d${n}`);
    expect(figures.dropped).toBe(20);
    expect(wakeUps.pending()).toBe(11);
    // A device that was pushed out may come again.
    add("d0");
    expect(figures.dropped).toBe(21);
  });

  test("an origin that does not respond is skipped for half a minute, and no other waits for it", async () => {
    const { add, underWay, figures, outcomes, pass, wakeUps } = held();
    for (let n = 0; n < 500; n++) add(`d${n}`, "dead.test");
    for (let n = 0; n < 8; n++) await underWay[0]!.end("unanswered");
    expect(outcomes).toHaveLength(8);
    while (underWay.length > 0) await underWay[0]!.end("unanswered");
    expect([figures.dropped + outcomes.length, wakeUps.pending()]).toEqual([500, 0]);
    const before = figures.dropped;
    add("late", "dead.test");
    add("other", "push.test");
    expect([figures.dropped, underWay.length]).toEqual([before + 1, 1]);
    pass(30_001);
    add("again", "dead.test");
    expect(underWay.map(({ path }) => path)).toEqual(["/other", "/again"]);
    // One that answers is an origin like any other again.
    await underWay[1]!.end("failed");
    for (let n = 0; n < 5; n++) add(`e${n}`, "dead.test");
    expect(underWay).toHaveLength(6);
  });

  test("a request for room is granted when there is some, and after five seconds in any case", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { add, underWay, wakeUps } = held({ inFlight: 1, waiting: 10 });
      add("busy");
      for (let n = 0; n < 10; n++) add(`d${n}`);
      const told: string[] = [];
      void wakeUps.room(2).then(() => told.push("two"));
      void wakeUps.room(20).then(() => told.push("twenty"));
      await underWay[0]!.end("accepted");
      expect(told).toEqual([]);
      await underWay[0]!.end("accepted");
      expect(told).toEqual(["two"]);
      await vi.advanceTimersByTimeAsync(5_000);
      expect(told).toEqual(["two", "twenty"]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("closing drops what waits, gives what is under way a moment, and takes nothing more", async () => {
    const { add, underWay, figures, outcomes, wakeUps } = held({ inFlight: 2 });
    for (let n = 0; n < 10; n++) add(`d${n}`);
    const closed = wakeUps.close(60_000);
    expect(figures.dropped).toBe(8);
    await underWay[0]!.end("accepted");
    await underWay[0]!.end("unanswered");
    await closed;
    // Interrupted notifications at the end do not count as failures.
    expect(outcomes).toEqual(["d0 accepted"]);
    add("late");
    expect([underWay.length, figures.dropped]).toEqual([0, 9]);
    const other = held();
    other.add("silent");
    await other.wakeUps.close(5);
    expect(other.underWay).toHaveLength(1);
  });
});

describe("rounds", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  function counting(pages = 1) {
    const read: string[] = [];
    const errors: unknown[] = [];
    const state = { channels: null as unknown as PushFanOut, fail: false, most: 0, now: 0 };
    state.channels = createPushFanOut({
      async pushPage(channel, after, urgency) {
        state.most = Math.max(state.most, ++state.now);
        await nextTick();
        state.now--;
        if (state.fail) throw new Error("no database");
        read.push(`${channel} ${urgency}`);
        const next = Number(after) + 1;
        return next < pages - 1 ? String(next) : null;
      },
      waitForRoom: async () => {},
      onDropped: (error) => errors.push(error),
    });
    const pass = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      for (let n = 0; n < 20; n++) await nextTick();
    };
    return { ...state, state, read, errors, pass };
  }

  // rules#push-once
  test("alerts of one moment are one round, as urgent as the most urgent of them", async () => {
    const { channels, read, pass } = counting();
    for (const urgency of ["normal", "high", "normal"] as const) channels.wake("a", urgency);
    channels.wake("b", "normal");
    await pass(100);
    expect(read).toEqual(["a high", "b normal"]);
    await pass(5_000);
    expect(read).toHaveLength(2);
  });

  test("alerts within the next second are one more round at its end", async () => {
    const { channels, read, pass } = counting();
    channels.wake("a", "normal");
    await pass(100);
    for (let n = 0; n < 9; n++) {
      channels.wake("a", n === 4 ? "high" : "normal");
      await pass(100);
    }
    expect(read).toEqual(["a normal"]);
    await pass(100);
    expect(read).toEqual(["a normal", "a high"]);
    await pass(1_000);
    channels.wake("a", "normal");
    await pass(100);
    expect(read).toEqual(["a normal", "a high", "a normal"]);
  });

  test("a channel with many devices does not delay another one, and two pages are read at once", async () => {
    const { state, channels, read, pass } = counting(40);
    for (const name of ["a", "b", "c", "d"]) channels.wake(name, "normal");
    await pass(100);
    for (let n = 0; n < 400; n++) await nextTick();
    expect(read).toHaveLength(160);
    expect(read.indexOf("d normal")).toBeLessThan(8);
    expect(state.most).toBe(2);
  });

  test("devices that cannot be read get no notification, and the next alert tries again", async () => {
    const { state, channels, read, errors, pass } = counting();
    state.fail = true;
    channels.wake("a", "normal");
    await pass(100);
    expect([errors.length, read]).toEqual([1, []]);
    state.fail = false;
    channels.wake("a", "normal");
    await pass(100);
    expect(read).toEqual(["a normal"]);
  });

  test("the number of waiting channels is limited", async () => {
    const { channels, errors } = counting();
    for (let n = 0; n < 10_005; n++) channels.wake(`c${n}`, "normal");
    expect(errors).toHaveLength(5);
    await channels.close();
  });

  test("closing ends what gathers, and what is read ends with its page", async () => {
    const { channels, read, pass } = counting(1_000);
    channels.wake("a", "normal");
    await pass(100);
    channels.wake("b", "normal");
    await channels.close();
    const so = read.length;
    expect(so).toBeLessThan(1_000);
    channels.wake("c", "normal");
    await pass(5_000);
    expect(read).toHaveLength(so);
  });
});
