// How the held polls of this process come to know that something changed: after a commit of its own, by another process's
// word, at a channel's next instant, and in any case by looking once a second, which alone would be enough.
// docs/rules.md#held-wakes

import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Bus } from "../../store/bus/bus.ts";
import type { Log } from "../../store/context.ts";
import { batched } from "../../store/db/batch.ts";
import type { Orm } from "../../store/db/orm.ts";
import { databaseOf, run } from "../../store/db/statement.ts";
import { findChanged, snapshot } from "../../store/queries/held.ts";
import { createFollowed, type ReadNews } from "./followed.ts";
import { createWaited } from "./waited.ts";

/** PostgreSQL takes less than 8,000 bytes; an id has at most 36. */
const IDS_IN_ONE = 200;

/** A channel's uuid or a device's number. */
const ID = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{1,19})$/;
const ORIGIN = /^[0-9a-f]{8}$/;

export const isChannel = (id: string): boolean => id.includes("-");

/**
 * What one process says to the others after a commit: ids that may have changed, and who says it. It carries nothing secret, and whoever
 * may write to the database, or to what carries it, is trusted; it is read with care all the same, and can only ever cause a look.
 */
export function writeWords(origin: string, ids: Iterable<string>): string[] {
  const all = [...ids];
  const words: string[] = [];
  for (let at = 0; at < all.length; at += IDS_IN_ONE)
    words.push([origin, ...all.slice(at, at + IDS_IN_ONE)].join(" "));
  return words;
}

/** The ids of what another process said; none of one's own words, nor of what is no such word. */
export function readWords(own: string, payload: string): string[] {
  const [origin = "", ...ids] = payload.split(" ");
  if (!ORIGIN.test(origin) || origin === own || ids.length > IDS_IN_ONE) return [];
  return ids.filter((id) => ID.test(id));
}

/** From the end of one round of looking to the next: longer where two in a row took more than a tenth of that. */
const ROUND_MS = 1_000;
const LONGEST_ROUND_MS = 2_000;
/** Messages to other processes are collected, and sent at most so often. */
const WORDS_MS = 5;

export interface WatchOptions {
  orm: Orm;
  log: Log;
  /** What carries words to and from the other processes of the database; null where there are none. */
  bus: Bus | null;
  readNews: ReadNews;
  /** Writes down as sent what is due in these channels; false when it could not. */
  settle(channels: string[]): Promise<boolean>;
}

export function createWatch({ orm, log, bus, readNews, settle }: WatchOptions) {
  const kysely = databaseOf(orm);
  const origin = randomBytes(4).toString("hex");
  const waited = createWaited((id) => look([id], "instant"));
  const followed = createFollowed({
    read: readNews,
    standing: (ids) => waited.standing(ids),
    tell(id, { head, dueIn }, said) {
      if (said) waited.tell(id, said);
      for (const device of said?.moved ?? []) waited.wake(device, "told");
      waited.told({ id, rev: String(head.rev), dueIn }, said ? "own" : "round");
      if (dueIn <= 0) void cameDue(id);
    },
  });
  let listens = false;
  let round: NodeJS.Timeout | undefined;
  let failing = false;
  let closed = false;

  async function ask(
    known: { id: string; rev: string }[],
    causeOf: (id: string) => string,
  ): Promise<boolean> {
    const [channels, devices] = [
      known.filter(({ id }) => isChannel(id)),
      known.filter(({ id }) => !isChannel(id)),
    ];
    try {
      const rows = await run(kysely, findChanged, {
        channels: channels.map(({ id }) => id),
        channel_revs: channels.map(({ rev }) => rev),
        devices: devices.map(({ id }) => id),
        device_revs: devices.map(({ rev }) => rev),
      });
      failing = false;
      for (const { id, rev, due_in } of rows) {
        waited.told({ id, rev: rev ?? "", dueIn: due_in }, causeOf(id));
        if (followed.has(id)) void follow(id);
      }
      return true;
    } catch (error) {
      // The next round finds what this one would have; a poll that ends meanwhile asks for itself.
      failed(error);
      return false;
    }
  }

  function failed(error: unknown): void {
    if (!failing && !closed)
      log.warn({ err: error }, "held polls cannot be told of changes; it is tried again");
    failing = true;
  }

  /** Tells the streams of a channel what has changed in it: tried until it is done, since a round looks no more at what it knows. */
  async function follow(id: string): Promise<void> {
    while (followed.has(id) && !closed) {
      try {
        return await followed.look(id);
      } catch (error) {
        failed(error);
        await pause(ROUND_MS, undefined, { ref: false });
      }
    }
  }

  /** What is due in a channel is settled, which is a change of it. Where that fails, polls are shown it all the same. */
  async function cameDue(id: string): Promise<void> {
    if (!followed.has(id) || closed) return;
    if (await settle([id])) await follow(id);
    else waited.tell(id, null);
  }

  /** Looks that begin at the same moment share one statement. */
  const lookAt = batched<{ id: string; cause: string }, void>(async (items) => {
    const causes = new Map(items.map(({ id, cause }) => [id, cause]));
    const known = waited.known([...causes.keys()].filter((id) => !followed.has(id)));
    for (const id of causes.keys()) if (followed.has(id)) void follow(id);
    if (known.length > 0 && !closed) await ask(known, (id) => causes.get(id) ?? "");
    return items.map(() => undefined);
  });
  const look = (ids: readonly string[], cause: string) => {
    for (const id of ids) {
      if (!waited.has(id)) continue;
      void lookAt({ id, cause });
      // What the device itself did, muting for one, no revision tells.
      if (!isChannel(id)) waited.tell(id, null);
    }
  };

  /** What was seen before everything was last looked at. */
  let lookedAt = "";
  let knownEpoch = "";
  /** What the round before took, in milliseconds. */
  let lastTook = 0;

  /** Looks at everything, unless nothing at all has changed in the database since that was done. */
  async function lookAtAll(cause: string): Promise<void> {
    clearTimeout(round);
    round = undefined;
    const began = performance.now();
    if (waited.places() === 0 || closed) return;
    const { seen, epoch } = await see();
    if (epoch !== knownEpoch && epoch !== "") {
      if (knownEpoch !== "") for (const { id } of waited.known()) waited.wake(id, cause);
      knownEpoch = epoch;
    }
    if (seen === "" || seen !== lookedAt || waited.planned()) {
      lookedAt = "";
      if (await ask(waited.known(), () => cause)) lookedAt = seen;
    }
    const took = performance.now() - began;
    // One that was slow tells of a moment that is over.
    plan(Math.min(LONGEST_ROUND_MS, Math.max(ROUND_MS, 10 * Math.min(took, lastTook))));
    lastTook = took;
  }

  /** Empty when the database does not say. */
  async function see(): Promise<{ seen: string; epoch: string }> {
    const [row] = await run(kysely, snapshot, {}).catch(() => []);
    return row ?? { seen: "", epoch: "" };
  }

  const plan = (ms: number) => {
    if (!closed) round ??= setTimeout(() => void lookAtAll("round"), ms).unref();
  };

  let unsaid = new Set<string>();
  let saying: Promise<void> | null = null;
  /** A process that misses the message finds the change by its own look. */
  async function say(): Promise<void> {
    while (unsaid.size > 0 && !closed) {
      const payloads = writeWords(origin, unsaid);
      unsaid = new Set();
      await bus?.say(payloads);
      await pause(WORDS_MS);
    }
  }

  return {
    waited,
    followed,
    begin(): void {
      plan(ROUND_MS);
      if (listens || closed) return;
      listens = true;
      bus?.listen({
        heard: (word) => look(readWords(origin, word), "told"),
        again: () => void lookAtAll("again"),
      });
    },
    /** A transaction of this process that is committed has changed some channels and devices, and may have changed others. */
    changed(surely: ReadonlySet<string>, perhaps: readonly string[]): void {
      const ids = [...surely, ...perhaps.filter((id) => !surely.has(id))];
      for (const id of surely) waited.wake(id, "own");
      // Those that wait from now on are told of what comes after this revision.
      look(ids, "own");
      if (!bus || closed) return;
      for (const id of ids) unsaid.add(id);
      saying ??= say().finally(() => {
        saying = null;
      });
    },
    async close() {
      closed = true;
      clearTimeout(round);
      await saying;
      await bus?.close();
    },
  };
}

export type Watch = ReturnType<typeof createWatch>;
