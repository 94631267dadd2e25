// Holds a poll. It is asked again whenever something that it depends on may have changed, and answered when its answer has
// become another one or its time is over (docs/rules.md#held-inbox). Each time it is an ordinary poll from its beginning,
// credential included. Nothing is kept in between, and no connection to the database.

import { setImmediate as breath } from "node:timers/promises";
import { DEVICE_PREFIX, hashToken, looksLikeToken } from "../auth/tokens.ts";
import type { Log } from "../context.ts";
import { batchedByPosition } from "../db/batch.ts";
import type { Orm } from "../db/orm.ts";
import { databaseOf, run } from "../db/statement.ts";
import { CHANNELS_READ, findWaitedFor } from "../queries/held.ts";
import { createDoor } from "./door.ts";
import { Sleeper } from "./sleeper.ts";
import { createWatch } from "./watch.ts";

/** How many devices and channels all polls together may wait for, per poll that may be held. */
const PLACES_EACH = 100;

/** How many polls a stop ends before it lets other work have a turn. */
const STOPPED_AT_ONCE = 200;

/** Polls of one device: a few pages or programs may share its token. */
const PER_DEVICE = 4;

/** One poll. */
export interface Poll<A> {
  token: string;
  /** What bounds per address count; null is exempt. */
  address: string | null;
  /** How long it may be held. */
  ms: number;
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
  /** Asks once, from the beginning. @throws what the answer is then. */
  ask(): Promise<A>;
  unchanged(answer: A): boolean;
  /** Told while it only waits. */
  aside(waiting: Promise<void>): Promise<void>;
}

export interface Held<A> {
  answer: A;
  /** False where it was not held for as long as it asked for, so that whoever asks again at once would ask for ever. */
  granted: boolean;
}

export interface Hold {
  poll<A>(poll: Poll<A>): Promise<Held<A>>;
  /** What was committed has changed some channels and devices, and may have changed others. */
  changed(surely: ReadonlySet<string>, perhaps: readonly string[]): void;
  /** From now on nothing is held; what is held is answered. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export interface HoldOptions {
  orm: Orm;
  log: Log;
  /** Polls held at once, in this process and for one address. */
  max: number;
  maxPerAddress: number;
  /** Further processes may work on the same database. */
  others: boolean;
  figures: { held(count: number): void; woken(cause: string): void };
}

export function createHold({ orm, log, max, maxPerAddress, others, figures }: HoldOptions): Hold {
  const kysely = databaseOf(orm);
  const watch = createWatch({ orm, log, others });
  const { waited } = watch;
  const door = createDoor();
  const held = new Set<Sleeper>();
  const byDevice = new Map<string, Set<Sleeper>>();
  const byAddress = new Map<string, number>();
  let asleep = 0;
  let stopping = false;

  const find = batchedByPosition((hashes: string[]) => run(kysely, findWaitedFor, { hashes }));

  const count = (address: string | null, by: 1 | -1) => {
    if (address === null) return;
    const now = (byAddress.get(address) ?? 0) + by;
    if (now > 0) byAddress.set(address, now);
    else byAddress.delete(address);
  };

  const hasRoom = (address: string | null) =>
    !stopping &&
    held.size < max &&
    waited.places() < max * PLACES_EACH &&
    (address === null || (byAddress.get(address) ?? 0) < maxPerAddress);

  /** A device has a few polls at a time; one more ends the oldest. */
  function enter(sleeper: Sleeper, device: string): void {
    const polls = byDevice.get(device) ?? new Set();
    byDevice.set(device, polls.add(sleeper));
    sleeper.device = device;
    const [oldest] = polls;
    if (polls.size <= PER_DEVICE) return;
    leave(oldest!);
    oldest!.end("newer");
  }

  function leave(sleeper: Sleeper): void {
    const polls = byDevice.get(sleeper.device);
    if (polls?.delete(sleeper) && polls.size === 0) byDevice.delete(sleeper.device);
  }

  /** Waits for the device and its channels; false where they are too many. */
  async function wait(sleeper: Sleeper, token: string): Promise<boolean> {
    const found = await find(hashToken(token).toString("hex"));
    // An unknown device, or one that has gone, is refused by the answer that follows.
    if (!found || sleeper.ended) return true;
    if (found.channels.length >= CHANNELS_READ) return false;
    enter(sleeper, found.id);
    const { id, rev, channel_revs, due_in } = found;
    const channels = found.channels.map((id, i) => ({ id, rev: channel_revs[i]!, dueIn: due_in[i]! }));
    waited.add(sleeper, [{ id, rev, dueIn: Number.POSITIVE_INFINITY }, ...channels]);
    watch.begin();
    return true;
  }

  async function stop(): Promise<void> {
    stopping = true;
    let ended = 0;
    for (const sleeper of held) {
      sleeper.end("stop");
      if (++ended % STOPPED_AT_ONCE === 0) await breath();
    }
  }

  return {
    async poll<A>({ token, address, ms, signal, ask, unchanged, aside }: Poll<A>): Promise<Held<A>> {
      const once = async () => {
        const answer = await ask();
        return { answer, granted: !unchanged(answer) };
      };
      if (!hasRoom(address) || !looksLikeToken(DEVICE_PREFIX, token)) return once();
      const sleeper = new Sleeper((cause) => figures.woken(cause));
      const gone = () => sleeper.end("gone");
      signal.addEventListener("abort", gone);
      if (signal.aborted) gone();
      const timer = setTimeout(() => sleeper.end("time"), ms).unref();
      held.add(sleeper);
      count(address, 1);
      let inTurn = false;
      /** Waits for its turn to ask. */
      const turn = async () => {
        await door.ask();
        inTurn = true;
      };
      /** Its turn to ask is over; waits for its turn to be answered. */
      const answered = async (answer: A, granted: boolean) => {
        if (inTurn) door.asked();
        inTurn = false;
        await door.leave();
        return { answer, granted };
      };
      try {
        const queued = door.ask();
        if (queued) await aside(queued);
        inTurn = true;
        // The order matters, so that nothing is lost: a change after this reading wakes the poll, and a change before it is
        // part of the next answer.
        if (!(await wait(sleeper, token))) return await once();
        for (;;) {
          sleeper.listen();
          const answer = await ask();
          if (!unchanged(answer)) return await answered(answer, true);
          door.asked();
          inTurn = false;
          figures.held(++asleep);
          await aside(
            sleeper.rest().then(async () => {
              figures.held(--asleep);
              if (!sleeper.ended) await turn();
            }),
          );
          // A poll that was woken is asked once more, even if its time has ended meanwhile.
          if (!inTurn || sleeper.ended === "gone") return await answered(answer, sleeper.ended === "time");
        }
      } finally {
        if (inTurn) door.asked();
        clearTimeout(timer);
        signal.removeEventListener("abort", gone);
        waited.remove(sleeper);
        leave(sleeper);
        held.delete(sleeper);
        count(address, -1);
      }
    },
    changed: (surely, perhaps) => watch.changed(surely, perhaps),
    stop,
    async close() {
      await stop();
      // Polls that were asked just now still use the database.
      while (held.size > 0) await breath();
      await watch.close();
    },
  };
}
