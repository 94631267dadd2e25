// Connections that streams are written to, and the check whether their clients take what is written.

import { setImmediate as yieldToLoop } from "node:timers/promises";
import { LIMITS } from "../../model/limits.ts";

/** Bytes that the system has accepted and clients have not taken, by connection. */
export type SendQueues = ReadonlyMap<string, number>;

/** A connection that is written to. */
export interface Sink {
  /** Bytes that the system has not accepted. */
  waiting(): number;
  /** Bytes that the system has accepted and the client has not taken, in a table that was just read. */
  unacknowledged(queues: SendQueues): number;
  /** `taken`: called when the system has accepted them, or the connection has ended. */
  write(bytes: Buffer, taken?: () => void): void;
  /** Writes several pieces as one. `taken` as with `write`. */
  writeAll(pieces: readonly Buffer[], taken: () => void): void;
  /** `now`: what the client has not taken is thrown away, by the system too. */
  end(now: boolean): void;
}

/** How often the connections are checked between two signs of life. */
export const CHECKS_A_BEAT = 4;
/** So many bytes may be on their way in a network without being a sign that the client does not read. */
const ON_THEIR_WAY = LIMITS.ntfy_page;

/** Counts what one client takes. docs/rules.md#stream-bounds */
export class Outlet {
  readonly #sink: Sink;
  #sent = 0;
  #taken = Number.NEGATIVE_INFINITY;
  /** Checks in a row that found nothing taken. */
  #stalled = 0;
  #isBacklog = false;
  /** Something was written, and it was not seen yet that the client took it. */
  isUnconfirmed = false;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  get waiting(): number {
    return this.#sink.waiting();
  }

  write(bytes: Buffer, taken?: () => void): void {
    this.#count(bytes.length);
    this.#sink.write(bytes, taken);
  }

  /** Writes a part of a backlog, all of which the client has to take. */
  writeBacklog(pieces: readonly Buffer[], taken: () => void): void {
    this.#isBacklog = true;
    this.#count(pieces.reduce((sum, { length }) => sum + length, 0));
    this.#sink.writeAll(pieces, taken);
  }

  /** The client has taken so much that more of a backlog can be written. */
  hasRoom(queues: SendQueues): boolean {
    return this.#sink.waiting() + this.#sink.unacknowledged(queues) <= ON_THEIR_WAY;
  }

  /** Called CHECKS_A_BEAT times between two signs of life. True: in so many checks the client took nothing of what waits. */
  check(queues: SendQueues): boolean {
    if (!this.isUnconfirmed) return false;
    const accepted = this.#sink.unacknowledged(queues);
    const counts = this.#isBacklog || accepted > ON_THEIR_WAY;
    const waiting = this.#sink.waiting() + (counts ? accepted : 0);
    if (waiting === 0) {
      this.#confirm();
      return false;
    }
    const taken = this.#sent - waiting;
    this.#stalled = taken > this.#taken ? 0 : this.#stalled + 1;
    this.#taken = Math.max(taken, this.#taken);
    return this.#stalled >= CHECKS_A_BEAT;
  }

  end(now: boolean): void {
    this.#sink.end(now);
  }

  #count(bytes: number): void {
    this.#sent += bytes;
    this.isUnconfirmed = true;
  }

  #confirm(): void {
    this.isUnconfirmed = false;
    this.#isBacklog = false;
    this.#stalled = 0;
    this.#taken = Number.NEGATIVE_INFINITY;
  }
}

/** How many connections are looked at before other work has a turn. */
const AT_ONCE = 200;

/** Does some work for each connection of a set, and lets other work go between. */
export async function eachInTurn<C>(all: ReadonlySet<C>, work: (one: C) => void): Promise<void> {
  let done = 0;
  for (const one of all) {
    work(one);
    if (++done % AT_ONCE === 0) await yieldToLoop();
  }
}

export interface BeatOptions {
  /** Milliseconds between two signs of life. */
  beatMs: number;
  /** Reads what the system has accepted for the connections of this process. */
  readSendQueues(): Promise<SendQueues>;
}

/**
 * Checks the connections of a set, and after some checks has each show that it is alive. The system is asked only while a client may not
 * have taken what was written to it.
 */
export function createBeat<C extends Pick<Outlet, "isUnconfirmed"> & { check(queues: SendQueues): void }>(
  all: ReadonlySet<C>,
  beat: (one: C) => void,
  { beatMs, readSendQueues }: BeatOptions,
) {
  let timer: NodeJS.Timeout | undefined;
  let checks = 0;

  function isAnyUnconfirmed(): boolean {
    for (const { isUnconfirmed } of all) if (isUnconfirmed) return true;
    return false;
  }

  async function tick(): Promise<void> {
    const isBeat = ++checks % CHECKS_A_BEAT === 0;
    if (isAnyUnconfirmed()) {
      const queues = await readSendQueues();
      await eachInTurn(all, (one) => one.check(queues));
    }
    if (isBeat) await eachInTurn(all, beat);
  }

  return {
    begin(): void {
      timer ??= setInterval(() => void tick(), beatMs / CHECKS_A_BEAT).unref();
    },
    stop: () => clearInterval(timer),
  };
}
