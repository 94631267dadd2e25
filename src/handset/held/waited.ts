// What the held polls of this process wait for: by id, the revision that is known of it and who waits. Asks nobody, and
// wakes those whose revision has become another one, or whose instant has come.

import type { Said } from "./followed.ts";

/** What is known of a channel or a device. `rev`: empty when it is gone. */
export interface Known {
  id: string;
  rev: string;
  /** Milliseconds until something comes due in the channel. */
  dueIn: number;
}

export interface Waiter {
  wake(cause: string): void;
  /** What has changed in a channel, or null: there is something to look at. For those that have streams. */
  tell?(said: Said | null): void;
  /** Devices of its streams, with the revision that is known of each. */
  standing?(into: Map<string, string>): void;
}

interface Entry {
  id: string;
  rev: string;
  waiters: Set<Waiter>;
  /** Something will come due in it. */
  planned: boolean;
  /** Rings then, if that is near. */
  alarm: NodeJS.Timeout | undefined;
}

/** An instant that is further away is set by a later round: far more than the time between two, however slow they are. */
const NEAR_MS = 60_000;

/** `due`: the instant of an id has come, as far as this process can tell; whether it has, the database knows. */
export function createWaited(due: (id: string) => void) {
  const entries = new Map<string, Entry>();
  const placesOf = new Map<Waiter, Entry[]>();
  let places = 0;
  let planned = 0;

  const plan = (entry: Entry, now: boolean) => {
    if (entry.planned !== now) planned += now ? 1 : -1;
    entry.planned = now;
  };

  const arm = (entry: Entry, dueIn: number) => {
    plan(entry, Number.isFinite(dueIn));
    clearTimeout(entry.alarm);
    entry.alarm = undefined;
    // What is due already was announced. If it stays due, the next round announces it again.
    if (dueIn > 0 && dueIn <= NEAR_MS)
      entry.alarm = setTimeout(() => due(entry.id), Math.ceil(dueIn) + 1).unref();
  };

  return {
    /** When several polls wait, the revision that was known first is kept. An older one wakes once too often at worst. */
    add(waiter: Waiter, list: readonly Known[]): void {
      const mine = list.map(({ id, rev, dueIn }) => {
        let entry = entries.get(id);
        if (!entry) {
          entry = { id, rev, waiters: new Set(), planned: false, alarm: undefined };
          entries.set(id, entry);
          arm(entry, dueIn);
        }
        entry.waiters.add(waiter);
        return entry;
      });
      placesOf.set(waiter, mine);
      places += mine.length;
    },

    remove(waiter: Waiter): void {
      const mine = placesOf.get(waiter) ?? [];
      placesOf.delete(waiter);
      places -= mine.length;
      for (const entry of mine) {
        entry.waiters.delete(waiter);
        if (entry.waiters.size > 0) continue;
        clearTimeout(entry.alarm);
        plan(entry, false);
        entries.delete(entry.id);
      }
    },

    has: (id: string) => entries.has(id),
    places: () => places,

    /** Something will come due in one of them: then looking is needed though nothing changes. */
    planned: () => planned > 0,

    /** The revisions known of these, or of all; what nobody waits for is left out. */
    known(ids: Iterable<string> = entries.keys()): { id: string; rev: string }[] {
      return [...ids].flatMap((id) => entries.get(id) ?? []);
    },

    /** Whoever waits for it asks again, whatever its revision is. */
    wake(id: string, cause: string): void {
      for (const waiter of entries.get(id)?.waiters ?? []) waiter.wake(cause);
    },

    /** Who waits for it and has streams is told. */
    tell(id: string, said: Said | null): void {
      for (const waiter of entries.get(id)?.waiters ?? []) waiter.tell?.(said);
    },

    standing(ids: readonly string[]): Map<string, string> {
      const found = new Map<string, string>();
      for (const id of ids) for (const waiter of entries.get(id)?.waiters ?? []) waiter.standing?.(found);
      return found;
    },

    /** What the database says now. */
    told({ id, rev, dueIn }: Known, cause: string): void {
      const entry = entries.get(id);
      if (!entry) return;
      const changed = entry.rev !== rev;
      entry.rev = rev;
      arm(entry, dueIn);
      if (!changed && dueIn > 0) return;
      for (const waiter of entry.waiters) waiter.wake(changed ? cause : "instant");
    },
  };
}

export type Waited = ReturnType<typeof createWaited>;
