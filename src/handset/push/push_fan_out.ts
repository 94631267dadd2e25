// The fan-out of push notifications to the devices of a changed channel. Simultaneous changes cause one notification,
// and a channel notifies a device at most once a second. Devices are read in pages, and the channels alternate, so no
// channel blocks another. This module does not depend on HTTP.

import pLimit from "p-limit";
import type { PushUrgency } from "./push_sender.ts";

/** Changes within this time cause one notification. */
const GATHER_MS = 100;
/** From one round over a channel's devices to the next at least. */
const ROUND_MS = 1_000;
/** The number of pages that are read at once, to leave the database to requests. */
const READERS = 2;
/** Endpoints in one page: what is sealed in them is opened in one go, which others wait for. */
export const PUSH_ENDPOINTS_PER_PAGE = 250;
/** Subscriptions that are looked at for them: most may have none. */
export const FAN_OUT_SUBSCRIPTIONS_PER_PAGE = 2_500;
const MAX_CHANNELS = 10_000;

interface PushFanOutOptions {
  /** Passes on the devices of one page after a device; returns the last one, null at the end. */
  pushPage(channel: string, after: string, urgency: PushUrgency): Promise<string | null>;
  waitForRoom(): Promise<void>;
  /**
   * Called for a channel without notifications: too many were queued, or its devices could not be read. Must not throw.
   */
  onDropped(error: unknown): void;
}

export function createPushFanOut({ pushPage, waitForRoom, onDropped }: PushFanOutOptions) {
  /** Channels that wait or are read, with what is new since the round under way; null: nothing. */
  const fresh = new Map<string, PushUrgency | null>();
  const limit = pLimit(READERS);
  const running = new Set<Promise<void>>();
  /** Ends each rest early. */
  const resting = new Set<() => void>();
  let closed = false;

  const rest = (ms: number) =>
    new Promise<void>((resolve) => {
      if (closed) return resolve();
      const end = () => {
        clearTimeout(timer);
        resting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms).unref();
      resting.add(end);
    });

  async function serve(channel: string): Promise<void> {
    try {
      await rest(GATHER_MS);
      for (let urgency = fresh.get(channel); urgency && !closed; urgency = fresh.get(channel)) {
        fresh.set(channel, null);
        const began = performance.now();
        await round(channel, urgency);
        await rest(Math.max(0, ROUND_MS - (performance.now() - began)));
      }
    } catch (error) {
      if (!closed) onDropped(error);
    } finally {
      fresh.delete(channel);
    }
  }

  async function round(channel: string, urgency: PushUrgency): Promise<void> {
    for (let after: string | null = "-1"; after !== null && !closed; ) {
      await waitForRoom();
      const from: string = after;
      after = await limit(async () => (closed ? null : pushPage(channel, from, urgency)));
    }
  }

  return {
    /** Something is new in this channel. Neither throws nor blocks. */
    wake(channel: string, urgency: PushUrgency) {
      const before = fresh.get(channel);
      if (closed) return;
      if (before === undefined && fresh.size >= MAX_CHANNELS) return onDropped(new Error("too many channels"));
      fresh.set(channel, before === "high" ? before : urgency);
      if (before !== undefined) return;
      const served: Promise<void> = serve(channel).finally(() => running.delete(served));
      running.add(served);
    },
    async close(): Promise<void> {
      closed = true;
      for (const end of resting) end();
      await Promise.all(running);
    },
  };
}

export type PushFanOut = ReturnType<typeof createPushFanOut>;
