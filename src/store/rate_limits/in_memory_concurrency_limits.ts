// Limits how many of something there may be at once, in all and for one subject, so that no subject can take all of it.
// Knows neither what is counted nor who the subject is.

import { setImmediate as yieldToLoop } from "node:timers/promises";
import pLimit from "p-limit";

interface ConcurrencySlots {
  /** Reports if one more may begin. A null subject is limited by the total only. */
  hasRoom(subject: string | null): boolean;
  /** Acquires one, even above the limit. The returned function releases it, once. */
  acquire(subject: string | null): () => void;
}

export function createSlots(max: number, maxEach: number): ConcurrencySlots {
  const bySubject = new Map<string, number>();
  let taken = 0;

  const count = (subject: string | null, by: 1 | -1) => {
    taken += by;
    if (subject === null) return;
    const now = (bySubject.get(subject) ?? 0) + by;
    if (now > 0) bySubject.set(subject, now);
    else bySubject.delete(subject);
  };

  return {
    hasRoom: (subject) => taken < max && (subject === null || (bySubject.get(subject) ?? 0) < maxEach),
    acquire(subject) {
      count(subject, 1);
      let given = false;
      return () => {
        if (!given) count(subject, -1);
        given = true;
      };
    },
  };
}

/**
 * Creates a function that runs calls in order. No more than `max` run at once. A waiting call starts in a later turn
 * of the event loop, so other requests are served first. With p-limit alone it would start in the same turn.
 */
export function createConcurrencyQueue(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  const limit = pLimit(max);
  return (work) =>
    limit.activeCount < max
      ? limit(work)
      : limit(async () => {
          await yieldToLoop();
          return work();
        });
}

/** Places of single subjects, counted for all processes of a service together. */
export interface Leases {
  /**
   * Acquires one of `max` slots of a kind. The returned function releases it, once; null if the subject has no free
   * slot.
   */
  acquire(kind: LeaseKind, subject: string, max: number): Promise<(() => void) | null>;
  /**
   * Takes a place at once. Where the subject has more than `max` of the kind then, its oldest place is lost and the
   * `end` of that one is called. The returned function releases the place, once.
   */
  acquireOrEvict(kind: EvictingLeaseKind, subject: string, max: number, end: () => void): () => void;
}

/** Long polls and streams of an address, calls of a credential that wait for a review or for replies. */
export type LeaseKind = "held polls" | "review waits";

/** Long polls and streams of one device. */
export type EvictingLeaseKind = "device polls" | "device streams";

/** Leases that are counted in this process. */
export function createInMemoryConcurrencyLeases(): Leases {
  const places = new Map<LeaseKind, ConcurrencySlots>();
  /** The functions that end its slots, by kind and subject, the oldest first. */
  const evictable = new Map<string, Set<() => void>>();
  return {
    async acquire(kind, subject, max) {
      const ofKind = places.get(kind) ?? createSlots(Number.POSITIVE_INFINITY, max);
      places.set(kind, ofKind);
      return ofKind.hasRoom(subject) ? ofKind.acquire(subject) : null;
    },
    acquireOrEvict(kind, subject, max, end) {
      const key = `${kind} ${subject}`;
      const ends = evictable.get(key) ?? new Set();
      evictable.set(key, ends);
      const own = () => end();
      ends.add(own);
      const [oldest] = ends;
      if (oldest && ends.size > max) {
        ends.delete(oldest);
        oldest();
      }
      return () => {
        ends.delete(own);
        if (ends.size === 0 && evictable.get(key) === ends) evictable.delete(key);
      };
    },
  };
}
