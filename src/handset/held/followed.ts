// The channels that streams follow: what each was when it was last told of, and what has changed since. One reading is under way at
// a time, and what it finds is told before anybody else has a turn, so nobody begins to follow between a reading and its telling.

import type { InboxView } from "../../store/context.ts";
import { batched } from "../../store/db/batch.ts";

/** A channel as it was read: its revision, the mark of that, and its newest alerts. */
export interface Head {
  rev: bigint;
  mark: bigint;
  ids: readonly string[];
  /** When each of them was sent, in microseconds since 1970. */
  sent: readonly number[];
}

export interface ReadChannel {
  head: Head;
  /** When the oldest alert that came or is gone was sent; infinite for none. */
  oldest: number;
  /** Milliseconds until something comes due in it. */
  dueIn: number;
  /** Events that tell what has changed, each without its id; null where that cannot be said. */
  say: ((view: InboxView) => string[]) | null;
}

/**
 * Reads channels, each with the head that is known of it, and which of the devices that follow them (with the revision that
 * is known of each) are not what they were. One that is gone is in no answer.
 */
export type ReadNews = (
  heads: ReadonlyMap<string, Head | null>,
  devices: ReadonlyMap<string, string>,
) => Promise<{ channels: Map<string, ReadChannel>; moved: ReadonlySet<string> }>;

/** What is told to those that follow a channel. */
export interface Said {
  /** By how much the sum of the marks grows. */
  by: bigint;
  say: ReadChannel["say"];
  oldest: number;
  /** Devices to which it is not told: they are asked anew what they follow. */
  moved: ReadonlySet<string>;
}

interface FollowedDeps {
  read: ReadNews;
  /** Who follows these channels: devices and the revision that is known of each. */
  standing(ids: readonly string[]): ReadonlyMap<string, string>;
  /** Null: nothing has changed since it was last told. */
  tell(id: string, found: ReadChannel, said: Said | null): void;
}

/** Heads that are kept: about 2 kB each. */
const MAX_HEADS = 50_000;

export function createFollowed({ read, standing, tell }: FollowedDeps) {
  const followed = new Map<string, { uses: number; head: Head | null }>();

  async function readSome(ids: readonly string[], devices: ReadonlyMap<string, string>): Promise<void> {
    if (ids.length === 0) return;
    const heads = new Map(ids.map((id) => [id, followed.get(id)?.head ?? null]));
    const { channels, moved } = await read(heads, devices);
    for (const [id, found] of channels) {
      const one = followed.get(id);
      if (!one) continue;
      const { head } = one;
      one.head = found.head;
      const changed = head !== null && head.rev !== found.head.rev;
      tell(
        id,
        found,
        changed ? { by: found.head.mark - head.mark, say: found.say, oldest: found.oldest, moved } : null,
      );
    }
  }

  const look = batched<string, void>(
    async (ids) => {
      const all = [...new Set(ids)].filter((id) => followed.has(id));
      // Of those that nobody followed before there is nothing to tell, so their alerts are not read.
      const [known, fresh] = [true, false].map((is) =>
        all.filter((id) => (followed.get(id)?.head !== null) === is),
      ) as [string[], string[]];
      await readSome(known, standing(known));
      await readSome(fresh, new Map());
      return ids.map(() => undefined);
    },
    { inFlight: 1 },
  );

  return {
    has: (id: string) => followed.has(id),
    hasRoom: () => followed.size < MAX_HEADS,
    look,
    async use(ids: readonly string[]): Promise<void> {
      for (const id of ids) {
        const one = followed.get(id) ?? { uses: 0, head: null };
        one.uses++;
        followed.set(id, one);
      }
      await Promise.all(ids.map((id) => (followed.get(id)?.head ? undefined : look(id))));
    },
    release(ids: readonly string[]): void {
      for (const id of ids) {
        const one = followed.get(id);
        if (one && --one.uses === 0) followed.delete(id);
      }
    },
    /** The sum of the marks of what was last told of these; null where one was never read. */
    sumOf(ids: readonly string[]): bigint | null {
      let sum = 0n;
      for (const id of ids) {
        const head = followed.get(id)?.head;
        if (!head) return null;
        sum += head.mark;
      }
      return sum;
    },
  };
}
