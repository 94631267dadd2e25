// Long polls. A long poll listens to its device and the device's channels. After each change it is an ordinary poll,
// including authentication. It repeats until the response differs or the time is over (rules#held-inbox). It keeps no
// response and no database connection in between.

import { setImmediate as yieldToLoop } from "node:timers/promises";
import { DEVICE_TOKEN_PREFIX, hashTokenToHex, looksLikeToken } from "../../identity/auth/bearer_authentication.ts";
import { LIMITS } from "../../model/limits.ts";
import type { ChangeHub } from "../../store/changes/change_hub.ts";
import type { SeenRevision } from "../../store/changes/change_hub_types.ts";
import { BURST_BATCH_OPTIONS, createPositionedRowBatcher } from "../../store/db/batch_concurrent_calls.ts";
import type { Orm } from "../../store/db/orm.ts";
import { getKysely, runStatement } from "../../store/db/statement.ts";
import type { InboxViewMode, Log } from "../../store/handler_context.ts";
import {
  findLongPollDevicesByTokenHash,
  type LongPollDevice,
  MAX_CHANNELS_READ,
} from "../../store/queries/live_update_reads.ts";
import {
  createConcurrencyQueue,
  createSlots,
  type Leases,
} from "../../store/rate_limits/in_memory_concurrency_limits.ts";
import type { ChannelTracker } from "./channel_snapshot_tracker.ts";
import type { CreateInboxEtag, StreamPageParams } from "./inbox_stream.ts";
import { createInboxStreams, type InboxStreamRequest } from "./inbox_streams.ts";
import type { StreamConnections } from "./stream_connection.ts";

/** The number of devices and channels that all polls may watch, for each allowed long poll. */
const SUBJECTS_EACH = 100;

/** Devices in one statement: few enough that other work has its turn between. */
const DEVICES_TOGETHER = 250;

/** The number of polls that a stop ends before other work runs. */
const STOPPED_AT_ONCE = 200;

/** The number of clients that return in each second after a stop: as many as a new process answers without delay. */
const COME_AGAIN_A_SECOND = 1_000;

/** Polls that are answered at once: enough that they share what they read. */
const WIDTH = 200;

/** The response to a poll: null if the client has the current one. */
interface PageWithEtag {
  tag: string;
  json: Uint8Array | null;
}

/** One poll. */
interface LongPollRequest<A> {
  token: string;
  /** The address for limits; null if exempt. */
  address: string | null;
  ms: number;
  signal: AbortSignal;
  /** A first page with the client's validators; null if only `ask` can answer. */
  page: (StreamPageParams & { tags: readonly string[] }) | null;
  /** Runs the whole poll once. @throws its error */
  readInbox(): Promise<A>;
  isUnchanged(answer: A): boolean;
  /** The same result as that of `ask`. */
  toAnswer(found: PageWithEtag): A;
}

interface LongPollResult<A> {
  answer: A;
  /** False if it ended early, so that a client that repeats at once does not loop. */
  granted: boolean;
  /** The delay in seconds until a client returns after a stop; null: as usual. */
  again: number | null;
  /** Milliseconds for which it only waited. */
  restedMs: number;
}

interface LongPollingOptions {
  orm: Orm;
  log: Log;
  hub: Pick<ChangeHub, "listen" | "subjectCount">;
  tracker: ChannelTracker;
  connections: StreamConnections;
  /** The limit of long polls, in this process and for one address. */
  max: number;
  maxPerAddress: number;
  /** Count those of one address and of one device for all processes of the service. */
  leases: Leases;
  metrics: { held(count: number): void; streams(count: number): void; woken(cause: string): void };
  /** Writes down that a device is here. */
  seen: { note(device: string): void };
  publishDue(channels: string[]): Promise<boolean>;
  createTag: CreateInboxEtag;
  /** A first page as others have it; null where it has to be read alone. */
  readPage(device: string, asked: { limit: number; view: InboxViewMode; tag: string }): Promise<Uint8Array | null>;
}

/** Why a poll ends: its time is over, the same device polls again, its client has left, the service stops. */
type End = "time" | "newer" | "gone" | "stop";

/** A long poll. */
class HeldPoll {
  ended: End | null = null;
  #wake: (() => void) | null = null;
  readonly #onWake: (cause: string) => void;

  constructor(woken: (cause: string) => void) {
    this.#onWake = woken;
  }

  wake(cause: string): void {
    if (!this.#wake) return;
    this.#onWake(cause);
    this.#wake();
    this.#wake = null;
  }

  end(why: End): void {
    this.ended ??= why;
    this.wake(why);
  }

  /** Resolves when it is woken or has ended. `listen` begins what wakes it and returns what ends that. */
  async waitForWake(listen: () => () => void): Promise<void> {
    if (this.ended) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const close = listen();
    await promise;
    close();
  }
}

export function createLongPolling(options: LongPollingOptions) {
  const { hub, max, maxPerAddress, leases, metrics, seen, publishDue, createTag, readPage } = options;
  const kysely = getKysely(options.orm);
  /** Limits the polls that run at once, with other work in between. */
  const inTurn = createConcurrencyQueue(WIDTH);
  const held = new Set<HeldPoll>();
  const places = createSlots(max, maxPerAddress);
  let asleep = 0;
  let stopping = false;
  /** The number of polls that a stop has ended, and the time in which they return. */
  let sentAway = 0;
  let spread = 1;

  const find = createPositionedRowBatcher(
    (hashes: string[]) => runStatement(kysely, findLongPollDevicesByTokenHash, { hashes }),
    { ...BURST_BATCH_OPTIONS, max: DEVICES_TOGETHER },
  );
  const streams = createInboxStreams({ ...options, find });

  /** Takes a place in this process, and one of its address in all of them; null where one of them is missing. */
  async function takePlace(address: string | null): Promise<(() => void) | null> {
    if (stopping || !places.hasRoom(address) || hub.subjectCount() >= max * SUBJECTS_EACH) return null;
    const leave = places.acquire(address);
    const release = address === null ? () => {} : await leases.acquire("held polls", address, maxPerAddress);
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

  /** The response to a poll of a device as it was just read. */
  async function answerOf<A>(
    { page, readInbox, toAnswer }: LongPollRequest<A>,
    device: LongPollDevice,
    isDue: boolean,
  ): Promise<A> {
    // Only the handler knows what is shown of a test, and of what is due and cannot be written down as sent.
    if (!page || device.testing || isDue) return inTurn(readInbox);
    const { limit, view, tags } = page;
    const tag = createTag(`${device.epoch}.${device.sum}`, page);
    if (tags.includes(tag)) return toAnswer({ tag, json: null });
    const shared = await readPage(device.id, { limit, view, tag });
    return shared ? toAnswer({ tag, json: shared }) : inTurn(readInbox);
  }

  /** Null if long polling is not possible: the device is unknown or deleted, or has too many channels. */
  async function hold<A>(poll: LongPollRequest<A>, one: HeldPoll, rest: (listen: () => () => void) => Promise<void>) {
    const hash = hashTokenToHex(poll.token);
    const release = leases.acquireOrEvict("device polls", hash, LIMITS.held_polls, () => one.end("newer"));
    try {
      for (let maySettle = true; ; ) {
        const device = await find(hash);
        if (!device || device.channels.length >= MAX_CHANNELS_READ) return null;
        if (device.unseen) seen.note(device.id);
        const due = device.channels.filter((_, i) => (device.due_in[i] ?? 0) <= 0);
        if (due.length > 0 && maySettle) {
          maySettle = false;
          if (await publishDue(due)) continue;
        }
        const answer = await answerOf(poll, device, due.length > 0);
        if (!poll.isUnchanged(answer)) return { answer, granted: true };
        await rest(() => hub.listen(subjectsOf(device), (cause) => one.wake(cause)));
        if (one.ended) return { answer, granted: one.ended === "time" };
        maySettle = true;
      }
    } finally {
      release();
    }
  }

  const comeAgain = () => (stopping ? 1 + (sentAway++ % spread) : null);

  async function stop(): Promise<void> {
    stopping = true;
    spread = Math.max(spread, Math.ceil((held.size + streams.size()) / COME_AGAIN_A_SECOND));
    let ended = 0;
    for (const one of held) {
      one.end("stop");
      if (++ended % STOPPED_AT_ONCE === 0) await yieldToLoop();
    }
    await streams.stop(() => comeAgain() ?? 0);
  }

  return {
    async poll<A>(poll: LongPollRequest<A>): Promise<LongPollResult<A>> {
      const { token, address, ms, signal } = poll;
      let restedMs = 0;
      const pollOnce = async () => {
        const answer = await poll.readInbox();
        const granted = !poll.isUnchanged(answer);
        return { answer, granted, again: granted ? null : comeAgain(), restedMs };
      };
      if (!looksLikeToken(DEVICE_TOKEN_PREFIX, token)) return pollOnce();
      const leave = await takePlace(address);
      if (!leave) return pollOnce();
      const one = new HeldPoll((cause) => metrics.woken(cause));
      const onAbort = () => one.end("gone");
      signal.addEventListener("abort", onAbort);
      if (signal.aborted) onAbort();
      const timer = setTimeout(() => one.end("time"), ms).unref();
      held.add(one);
      const rest = async (listen: () => () => void) => {
        const since = performance.now();
        metrics.held(++asleep);
        await one.waitForWake(listen);
        metrics.held(--asleep);
        restedMs += performance.now() - since;
      };
      try {
        const answered = await hold(poll, one, rest);
        if (!answered) return await inTurn(pollOnce);
        return { ...answered, again: answered.granted ? null : comeAgain(), restedMs };
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        held.delete(one);
        leave();
      }
    },
    /** A poll without a wait runs in its turn. Null if too many wait already, in all or of its address. */
    pollNow<A>(address: string | null, ask: () => Promise<A>): Promise<A> | null {
      if (!places.hasRoom(address)) return null;
      const leave = places.acquire(address);
      return inTurn(ask).finally(leave);
    },
    /**
     * Takes the place of a stream; what it returns gives it back. Null where too many wait already, in all or of its
     * address.
     */
    acquireStreamSlot: async (address: string | null) => (streams.hasRoom() ? takePlace(address) : null),
    /** Opens a stream of an authenticated handset, and releases its slot at the end. */
    stream: (following: InboxStreamRequest) => streams.open(following),
    stop,
    async close() {
      await stop();
      // Polls that just started still use the database.
      while (held.size > 0) await yieldToLoop();
    },
  };
}

export type LongPolling = ReturnType<typeof createLongPolling>;

/** A device and its channels, as they were found. */
function subjectsOf({ id, rev, channels, channel_revs, due_in }: LongPollDevice): SeenRevision[] {
  const ofChannel = (channel: string, i: number): SeenRevision => ({
    kind: "channel",
    id: channel,
    revision: channel_revs[i] ?? "",
    dueIn: due_in[i],
  });
  return [{ kind: "device", id, revision: rev }, ...channels.map(ofChannel)];
}
