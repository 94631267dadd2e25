// Holds a poll. It is asked again whenever something that it depends on may have changed, and answered when its answer has
// become another one or its time is over (docs/rules.md#held-inbox). Each time it is an ordinary poll from its beginning,
// credential included. No answer is kept in between, and no connection to the database.

import { setImmediate as yieldToLoop } from "node:timers/promises";
import { DEVICE_PREFIX, hexHash, looksLikeToken } from "../../identity/auth/tokens.ts";
import { LIMITS } from "../../model/limits.ts";
import type { Bus } from "../../store/bus/bus.ts";
import type { InboxView, Log } from "../../store/context.ts";
import { batchedByPosition, IN_BURSTS } from "../../store/db/batch.ts";
import type { Orm } from "../../store/db/orm.ts";
import { databaseOf, run } from "../../store/db/statement.ts";
import { CHANNELS_READ, findWaitedFor } from "../../store/queries/held.ts";
import { createPlaces, type Leases } from "../../store/rate_limits/places.ts";
import { createDevices, type Device } from "./devices.ts";
import type { ReadNews } from "./followed.ts";
import type { BeatOptions } from "./outlet.ts";
import { Sleeper } from "./sleeper.ts";
import type { StreamPage } from "./stream.ts";
import { createStreams, type Following } from "./streams.ts";
import { createTurns } from "./turns.ts";
import type { Waiter } from "./waited.ts";
import { createWatch } from "./watch.ts";

/** How many devices and channels all polls together may wait for, per poll that may be held. */
const PLACES_EACH = 100;

/** How many polls a stop ends before it lets other work have a turn. */
const STOPPED_AT_ONCE = 200;

/** So many come again in one second after a stop: as many as a process that has just started answers without delay. */
const COME_AGAIN_A_SECOND = 1_000;

/** Polls that are asked by themselves at once: enough that they share what they read. */
const WIDTH = 200;

/** How often the device of one poll may turn out to be another than it was a moment ago. */
const STALE_TIMES = 5;

/** What a poll asks for that can be asked together with others. */
export interface Page {
  limit: number;
  view: InboxView;
  /** The validators that it holds. */
  tags: readonly string[];
}

/** The answer to such a poll: null for what it holds. */
export interface Found {
  tag: string;
  json: Uint8Array | null;
}

/** One poll. */
export interface Poll<A> {
  token: string;
  /** What bounds per address count; null is exempt. */
  address: string | null;
  ms: number;
  signal: AbortSignal;
  /** Null where it has to be asked by itself. */
  page: Page | null;
  /** Asks once, from the beginning. @throws what the answer is then. */
  ask(): Promise<A>;
  unchanged(answer: A): boolean;
  /** The same answer as that of `ask`. */
  show(found: Found): A;
}

export interface Held<A> {
  answer: A;
  /** False where it was not held for as long as it asked for, so that whoever asks again at once would ask for ever. */
  granted: boolean;
  /** Seconds after which whoever was not held because of a stop comes again; null: as usual. */
  again: number | null;
  /** Milliseconds for which it only waited. */
  restedMs: number;
}

export interface HoldOptions extends BeatOptions {
  orm: Orm;
  log: Log;
  /** Polls held at once, in this process and for one address. */
  max: number;
  maxPerAddress: number;
  /** Count those of one address and of one device for all processes of the service. */
  leases: Leases;
  /** What carries words to and from the other processes of the database; null where there are none. */
  bus: Bus | null;
  metrics: { held(count: number): void; streams(count: number): void; woken(cause: string): void };
  /**
   * Asks a poll together with others that are asked now, from the beginning: the device is looked for by its token. `stale`: it is
   * not there, or its subscriptions are not what was known of them. `ask`: it has to be asked by itself.
   */
  again(poll: Page & { device: Device }): Promise<Found | "stale" | "ask">;
  readNews: ReadNews;
  settle(channels: string[]): Promise<boolean>;
  tagOf(state: string, page: StreamPage): string;
}

export function createHold({ max, maxPerAddress, leases, metrics, again, tagOf, ...options }: HoldOptions) {
  const kysely = databaseOf(options.orm);
  const watch = createWatch(options);
  const { waited } = watch;
  const devices = createDevices(waited, max);
  const turns = createTurns(WIDTH);
  const held = new Set<Sleeper>();
  const places = createPlaces(max, maxPerAddress);
  let asleep = 0;
  let stopping = false;
  /** How many a stop has sent away, and over how many seconds they come again. */
  let sentAway = 0;
  let spread = 1;

  const find = batchedByPosition((hashes: string[]) => run(kysely, findWaitedFor, { hashes }), IN_BURSTS);

  const streams = createStreams({
    watch,
    devices,
    find,
    tagOf,
    metrics,
    log: options.log,
    beatMs: options.beatMs,
    readSendQueues: options.readSendQueues,
    leases,
  });

  const hasRoom = (address: string | null) =>
    !stopping && places.hasRoom(address) && waited.places() < max * PLACES_EACH;

  /** Takes a place in this process, and one of its address in all of them; null where one of them is missing. */
  async function takePlace(address: string | null): Promise<(() => void) | null> {
    if (!hasRoom(address)) return null;
    const leave = places.take(address);
    const release = address === null ? () => {} : await leases.take("held polls", address, maxPerAddress);
    if (!release || stopping) {
      release?.();
      leave();
      return null;
    }
    return () => {
      leave();
      release();
    };
  }

  function join(device: Device, sleeper: Sleeper): Device {
    devices.join(device, sleeper);
    return device;
  }

  /** Enters a device with its channels; null where it is unknown or gone, or they are too many. */
  async function enter(hash: string, sleeper: Sleeper): Promise<Device | null> {
    const found = await find(hash);
    if (!found || sleeper.ended || found.channels.length >= CHANNELS_READ) return null;
    watch.begin();
    return join(devices.enter(hash, found), sleeper);
  }

  /** So many at a time, and other work between. */
  async function inTurn<A>(ask: () => Promise<A>): Promise<A> {
    await turns.take();
    try {
      return await ask();
    } finally {
      turns.done();
    }
  }

  /** `rest` waits until the poll is woken. @returns false for one that cannot be held. */
  async function hold<A>(poll: Poll<A>, sleeper: Sleeper, rest: () => Promise<void>) {
    const hash = hexHash(poll.token);
    // The order matters, so that nothing is lost: a change after the reading wakes the poll, and a change before it is part of
    // the answer. So it is entered before it is asked, and what it was entered for is looked at by the asking.
    const release = leases.takeOrEvict("device polls", hash, LIMITS.held_polls, () => sleeper.end("newer"));
    const known = poll.page && devices.known(hash);
    let device = known ? join(known, sleeper) : null;
    try {
      for (let stale = 0; stale < STALE_TIMES; ) {
        device ??= await enter(hash, sleeper);
        if (!device) return null;
        sleeper.listen();
        const found = poll.page && !device.testing ? await again({ ...poll.page, device }) : "ask";
        if (found === "stale") {
          devices.leave(device, sleeper);
          devices.forget(device);
          device = null;
          stale++;
          continue;
        }
        let answer: A | null = null;
        if (found === "ask") answer = await inTurn(poll.ask);
        else if (found.json) answer = poll.show(found);
        if (answer !== null && !poll.unchanged(answer)) return { answer, granted: true };
        await rest();
        if (sleeper.ended)
          return { answer: answer ?? poll.show(found as Found), granted: sleeper.ended === "time" };
      }
      return null;
    } finally {
      if (device) devices.leave(device, sleeper);
      release();
    }
  }

  const comeAgain = () => (stopping ? 1 + (sentAway++ % spread) : null);

  async function stop(): Promise<void> {
    stopping = true;
    spread = Math.max(spread, Math.ceil((held.size + streams.size()) / COME_AGAIN_A_SECOND));
    let ended = 0;
    for (const sleeper of held) {
      sleeper.end("stop");
      if (++ended % STOPPED_AT_ONCE === 0) await yieldToLoop();
    }
    await streams.stop(() => comeAgain() ?? 0);
  }

  return {
    async poll<A>(poll: Poll<A>): Promise<Held<A>> {
      const { token, address, ms, signal } = poll;
      let restedMs = 0;
      const pollOnce = async () => {
        const answer = await poll.ask();
        const granted = !poll.unchanged(answer);
        return { answer, granted, again: granted ? null : comeAgain(), restedMs };
      };
      if (!looksLikeToken(DEVICE_PREFIX, token)) return pollOnce();
      const leave = await takePlace(address);
      if (!leave) return pollOnce();
      const sleeper = new Sleeper((cause) => metrics.woken(cause));
      const gone = () => sleeper.end("gone");
      signal.addEventListener("abort", gone);
      if (signal.aborted) gone();
      const timer = setTimeout(() => sleeper.end("time"), ms).unref();
      held.add(sleeper);
      const rest = async () => {
        const since = performance.now();
        metrics.held(++asleep);
        await sleeper.rest();
        metrics.held(--asleep);
        restedMs += performance.now() - since;
      };
      try {
        const answered = await hold(poll, sleeper, rest);
        if (!answered) return await inTurn(pollOnce);
        return { ...answered, again: answered.granted ? null : comeAgain(), restedMs };
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", gone);
        held.delete(sleeper);
        leave();
      }
    },
    /** A poll that wants an answer now gets it in its turn. Null where too many wait already, in all or of its address. */
    once<A>(address: string | null, ask: () => Promise<A>): Promise<A> | null {
      if (!places.hasRoom(address)) return null;
      const leave = places.take(address);
      return inTurn(ask).finally(leave);
    },
    /** Takes the place of a stream; what it returns gives it back. Null where too many wait already, in all or of its address. */
    placeOfStream: async (address: string | null) => (streams.hasRoom() ? takePlace(address) : null),
    /** Begins a stream of a handset whose token is good. Its place is given back when it ends. */
    stream: (following: Following) => streams.open(following),
    /** Has somebody else wait for a channel; `rev`: the revision that is known of it, empty for none. */
    wait(channel: string, waiter: Waiter) {
      watch.begin();
      waited.add(waiter, [{ id: channel, rev: "", dueIn: Number.POSITIVE_INFINITY }]);
      return {
        rev: () => waited.known([channel])[0]?.rev ?? "",
        leave: () => waited.remove(waiter),
      };
    },
    changed: watch.changed,
    stop,
    async close() {
      await stop();
      // Polls that were asked just now still use the database.
      while (held.size > 0) await yieldToLoop();
      devices.close();
      await watch.close();
    },
  };
}

export type Hold = ReturnType<typeof createHold>;
