// Channels that programs listen to as to ntfy (docs/rules.md#ntfy-listens): each change of a channel is read once and told to all who
// listen to it, in the order in which it became visible. What cannot be told for certain ends the connection: such a program comes back and
// says what it heard last.

import { randomBytes } from "node:crypto";
import { showId } from "../../model/domain/ids.ts";
import type { Log } from "../../store/context.ts";
import { batched } from "../../store/db/batch.ts";
import type { Orm } from "../../store/db/orm.ts";
import { databaseOf, run } from "../../store/db/statement.ts";
import { type EarNews, earNews, type HeardEntry } from "../../store/queries/ears.ts";
import type { Hold } from "../held/hold.ts";
import { type BeatOptions, createBeat, type Sink } from "../held/outlet.ts";
import { createBacklogs } from "./backlogs.ts";
import { type Before, partsOf, type ReadMessages } from "./heard.ts";
import { type Hearing, Listener, Told } from "./listener.ts";
import { type Addresses, type Message, messageOf } from "./message.ts";

/** So many of a channel's newest alerts are looked at: more are rarely sent in one moment. */
const NEWEST = 32;
/** How often it is looked who may still listen. */
const ROUND_MS = 1_000;

export interface EarsOptions extends Addresses, BeatOptions {
  orm: Orm;
  log: Log;
  hold: Pick<Hold, "wait">;
  settle(channels: string[]): Promise<boolean>;
  now(): Date;
  readMessages: ReadMessages;
}

interface Telling {
  before(): Promise<Before>;
  once: boolean;
  left(): void;
}

class Ear {
  readonly channel: string;
  readonly heardBy = new Set<Listener>();
  rev = "";
  /** The newest alerts by id, each with what it is replaced by; null before it was looked at. */
  head: Map<string, string> | null = null;
  readonly #waits: ReturnType<Hold["wait"]>;
  readonly #look: (ear: Ear) => void;

  constructor(channel: string, hold: Pick<Hold, "wait">, look: (ear: Ear) => void) {
    this.channel = channel;
    this.#look = look;
    this.#waits = hold.wait(channel, this);
  }

  wake(cause: string): void {
    // A word of what was read already.
    if (cause !== "own" && cause !== "instant" && this.#waits.rev() === this.rev) return;
    this.#look(this);
  }

  leave(): void {
    this.#waits.leave();
  }
}

/** What of `list` the `other` lacks. The end of a list is left out where the other one did not reach so far. */
function lacking(list: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): string[] {
  const ids = [...list.keys()];
  const end = other.size < NEWEST ? ids.length : ids.findLastIndex((id) => other.has(id)) + 1;
  return ids.slice(0, end).filter((id) => !other.has(id));
}

/** Of each channel the newest that may still come as news; `all` has the oldest first. */
function newestOf(all: readonly HeardEntry[]): string[] {
  return [...Map.groupBy(all, ({ handle }) => handle).values()].flatMap((of) =>
    of.slice(-NEWEST).map(({ id }) => id),
  );
}

export function createEars({
  orm,
  log,
  hold,
  settle,
  now,
  beatMs,
  readSendQueues,
  readMessages,
  ...addresses
}: EarsOptions) {
  const db = databaseOf(orm);
  const ears = new Map<string, Ear>();
  const listeners = new Set<Listener>();
  let round: NodeJS.Timeout | undefined;

  const about = (event: Message["event"], topic: string, more: Partial<Message> = {}) =>
    new Told({
      id: randomBytes(9).toString("base64url"),
      time: Math.floor(now().getTime() / 1000),
      event,
      topic,
      ...more,
    });

  const backlogs = createBacklogs({ readMessages, readSendQueues });

  const beat = createBeat(
    listeners,
    (listener) => listener.beat(() => about("keepalive", listener.hearing.topic)),
    { beatMs, readSendQueues },
  );

  /** `limit` 0: only who may listen, and whether anything has changed. */
  async function read(asked: readonly Ear[], limit: number): Promise<Map<string, EarNews[]>> {
    const pairs = asked.flatMap(({ channel, heardBy }) =>
      [...heardBy].flatMap(({ hearing: { device } }) => (device === null ? [] : { channel, device })),
    );
    const rows = await run(db, earNews, {
      channels: asked.map(({ channel }) => channel),
      known: limit === 0 ? [] : asked.flatMap(({ head }) => [...(head?.keys() ?? [])]),
      limit,
      pair_channels: pairs.map(({ channel }) => channel),
      pair_devices: pairs.map(({ device }) => device),
    });
    return Map.groupBy(rows, ({ channel }) => channel);
  }

  const look = batched<Ear, void>(
    async (all) => {
      const asked = [...new Set(all)].filter((ear) => ears.get(ear.channel) === ear);
      if (asked.length > 0) {
        let news = await read(asked, NEWEST);
        const due = [...news].filter(([, [first]]) => first && first.due_in <= 0).map(([id]) => id);
        // What came due is told before what was sent after it.
        if (due.length > 0 && (await settle(due))) news = await read(asked, NEWEST);
        for (const ear of asked) hear(ear, news.get(ear.channel) ?? []);
      }
      return all.map(() => undefined);
    },
    { inFlight: 1 },
  );

  const lookSoon = (ear: Ear) =>
    void look(ear).catch((error) => {
      log.warn({ err: error }, "who listens as to ntfy is told of changes later");
      ear.rev = "";
    });

  /** Ends those who may listen no more. */
  function end(ear: Ear, [first]: readonly EarNews[]): void {
    const strangers = new Set(first?.strangers);
    for (const listener of ear.heardBy) {
      const { device } = listener.hearing;
      const isStranger = device === null || strangers.has(`${ear.channel} ${device}`);
      if (!first || (!first.open && isStranger)) listener.end();
    }
  }

  function hear(ear: Ear, rows: readonly EarNews[]): void {
    end(ear, rows);
    const [first] = rows;
    if (!first) return;
    const before = ear.head;
    const head = new Map(
      rows.flatMap(({ newest, sequence }) => (newest === null ? [] : [[newest, sequence ?? ""]])),
    );
    ear.head = head;
    ear.rev = first.rev;
    if (!before) return;
    // More than were looked at: those who listen come back and ask for all.
    if (head.size === NEWEST && ![...head.keys()].some((id) => before.has(id)))
      for (const listener of ear.heardBy) listener.end();
    const standing = new Set(head.values());
    for (const id of lacking(before, head)) {
      const sequence = before.get(id) || showId("alr", id);
      // Where another one stands in its place there is nothing to take away.
      if (!standing.has(sequence)) tell(ear, about("message_delete", first.topic, { sequence_id: sequence }));
    }
    const come = new Set(lacking(head, before));
    for (const row of rows.toReversed())
      if (row.id !== null && come.has(row.id) && row.over !== true)
        tell(ear, new Told(messageOf(row, addresses)));
  }

  function tell(ear: Ear, told: Told): void {
    for (const listener of ear.heardBy) listener.tell(told);
  }

  /** Finds what no word was heard of, and who may listen no more. */
  async function goRound(): Promise<void> {
    const all = [...ears.values()];
    try {
      const news = await read(all, 0);
      for (const ear of all) {
        const rows = news.get(ear.channel) ?? [];
        end(ear, rows);
        const [first] = rows;
        if (first && ear.head && (first.rev !== ear.rev || first.due_in <= 0)) lookSoon(ear);
      }
    } catch (error) {
      log.debug({ err: error }, "it is looked later who may listen as to ntfy");
    }
    round = undefined;
    plan();
  }

  function plan(): void {
    if (ears.size > 0) round ??= setTimeout(() => void goRound(), ROUND_MS).unref();
    beat.begin();
  }

  function earOf(channel: string): Ear {
    const ear = ears.get(channel) ?? new Ear(channel, hold, lookSoon);
    ears.set(channel, ear);
    return ear;
  }

  function leave(listener: Listener, channels: readonly string[]): void {
    listeners.delete(listener);
    for (const channel of channels) {
      const ear = ears.get(channel);
      if (!ear?.heardBy.delete(listener) || ear.heardBy.size > 0) continue;
      ears.delete(channel);
      ear.leave();
    }
  }

  /** Finds the backlog and prepares its listener for news that it has as well. No more of it than its ids stays in memory. */
  async function prepare(listener: Listener, mine: readonly Ear[], before: Telling["before"]) {
    const { all, more } = await before();
    const known = new Set(mine.flatMap(({ head }) => [...(head?.keys() ?? [])]));
    const ahead = newestOf(all).filter((id) => !known.has(id));
    listener.begin(
      new Set(all.map(({ id }) => showId("alr", id))),
      ahead.map((id) => showId("alr", id)),
    );
    return { parts: partsOf(all), more };
  }

  async function begin(listener: Listener, mine: readonly Ear[], { before, once }: Telling): Promise<void> {
    await Promise.all(mine.map((ear) => (ear.head ? undefined : look(ear))));
    // What changes from here on is heard; what was there is read after that.
    listener.write(about("open", listener.hearing.topic));
    const { parts, more } = await prepare(listener, mine, before);
    await backlogs.write(listener, parts);
    // Where there are others, it comes back for them.
    if (once || more) listener.end();
    else listener.follow();
  }

  return {
    /** `before`: reads what it is told first, the oldest first. `once`: that is all. */
    listen(channels: readonly string[], hearing: Hearing, sink: Sink, told: Telling): Listener {
      const listener = new Listener(hearing, sink, () => {
        leave(listener, channels);
        told.left();
      });
      listeners.add(listener);
      const mine = channels.map(earOf);
      for (const ear of mine) ear.heardBy.add(listener);
      plan();
      begin(listener, mine, told).catch((error) => {
        log.debug({ err: error }, "nobody can listen as to ntfy now");
        listener.end();
      });
      return listener;
    },
    stop(): void {
      beat.stop();
      clearTimeout(round);
      for (const listener of listeners) listener.end();
    },
  };
}
