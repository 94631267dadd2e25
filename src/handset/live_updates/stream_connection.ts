// Connections that streams are written to, and the check whether their clients take what is written.

import { setImmediate as yieldToLoop } from "node:timers/promises";
import { LIMITS } from "../../model/limits.ts";

/** Bytes that the system has accepted and clients have not taken, by connection. */
export type SendQueueBytesByConnection = ReadonlyMap<string, number>;

/** The socket of a connection. */
export interface StreamSink {
  /** Bytes that the system has not accepted. */
  pendingBytes(): number;
  /** Bytes that the system has accepted and the client has not taken, in a table that was just read. */
  unacknowledgedBytes(queues: SendQueueBytesByConnection): number;
  write(bytes: Buffer): void;
  /** Sends the client a ping, where the protocol has one. False: earlier pings have no response. */
  ping?(): boolean;
  /** Writes several pieces as one. `taken`: called when the system has accepted them, or the connection has ended. */
  writeAll(pieces: readonly Buffer[], taken: () => void): void;
  /** `now`: what the client has not taken is thrown away, by the system too. */
  end(now: boolean): void;
}

/** The number of checks between two heartbeats. */
export const STREAM_CHECKS_PER_HEARTBEAT = 4;
/** Bytes that may be in transit, even if the client reads. */
const ON_THEIR_WAY = LIMITS.ntfy_page;

/** A connection that is written to until it ends. It counts what its client takes: rules#stream-bounds */
export abstract class StreamConnection<Reason> {
  ended = false;
  /** Something was written, and it was not seen yet that the client took it. */
  isUnconfirmed = false;
  readonly #sink: StreamSink;
  #sent = 0;
  #taken = Number.NEGATIVE_INFINITY;
  /** Checks in a row that found nothing taken. */
  #stalled = 0;
  #isBacklog = false;

  constructor(sink: StreamSink) {
    this.#sink = sink;
  }

  abstract end(why: Reason | "slow"): void;

  /** A sign of life, unless something else waits to be read. */
  abstract sendHeartbeat(): void;

  /** Ends the connection of a client that does not return a ping, also where a proxy reads for it. */
  ping(): void {
    if (!this.ended && this.#sink.ping?.() === false) this.end("slow");
  }

  get hasWaiting(): boolean {
    return this.#sink.pendingBytes() > 0;
  }

  /** Ends the connection instead where its client has left too much. */
  write(bytes: Buffer): void {
    if (this.ended || bytes.length === 0) return;
    if (this.#sink.pendingBytes() > LIMITS.stream_waiting) return void this.end("slow");
    this.#count(bytes.length);
    this.#sink.write(bytes);
  }

  /** Writes a part of a backlog, all of which the client has to take. Resolves when the system has accepted it. */
  async writeBacklog(pieces: readonly Buffer[]): Promise<void> {
    if (this.ended || pieces.length === 0) return;
    this.#isBacklog = true;
    this.#count(pieces.reduce((sum, { length }) => sum + length, 0));
    await new Promise<void>((resolve) => this.#sink.writeAll(pieces, resolve));
  }

  /** True if the client has read enough for more of the backlog, or the connection has ended. */
  hasRoom(queues: SendQueueBytesByConnection): boolean {
    return this.ended || this.#sink.pendingBytes() + this.#sink.unacknowledgedBytes(queues) <= ON_THEIR_WAY;
  }

  /** All bytes that were written so far. */
  get sentBytes(): number {
    return this.#sent;
  }

  /**
   * Called STREAM_CHECKS_PER_HEARTBEAT times between two heartbeats. A client that read nothing in that many
   * checks is slow.
   * @param sentBefore `sentBytes` before the table was read: the table says nothing about later bytes
   */
  check(queues: SendQueueBytesByConnection, sentBefore = this.#sent): void {
    if (!this.isUnconfirmed) return;
    const accepted = this.#sink.unacknowledgedBytes(queues);
    const counts = this.#isBacklog || accepted > ON_THEIR_WAY;
    const waiting = this.#sink.pendingBytes() + (counts ? accepted : 0);
    const taken = this.#sent - waiting;
    this.#stalled = waiting === 0 || taken > this.#taken ? 0 : this.#stalled + 1;
    this.#taken = Math.max(taken, this.#taken);
    if (this.#stalled >= STREAM_CHECKS_PER_HEARTBEAT) this.end("slow");
    if (waiting > 0 || this.#sent > sentBefore) return;
    this.isUnconfirmed = this.#isBacklog = false;
    this.#taken = Number.NEGATIVE_INFINITY;
  }

  /** Closes the socket. `now`: without what waits. `last`: written before. */
  protected close(now: boolean, last?: Buffer): void {
    this.ended = true;
    if (last && !now) this.#sink.write(last);
    this.#sink.end(now);
  }

  #count(bytes: number): void {
    this.#sent += bytes;
    this.isUnconfirmed = true;
  }
}

/** The number of connections that are checked before other work runs. */
const AT_ONCE = 200;

/** Does some work for each of a set, and lets other work go between. */
export async function forEachYielding<C>(all: Iterable<C>, work: (one: C) => void): Promise<void> {
  let done = 0;
  for (const one of all) {
    work(one);
    if (++done % AT_ONCE === 0) await yieldToLoop();
  }
}

export interface StreamConnectionsOptions {
  /** Milliseconds between two signs of life. */
  heartbeatMs: number;
  /** Reads what the system has accepted for the connections of this process. */
  readSendQueues(): Promise<SendQueueBytesByConnection>;
}

/**
 * Creates the connections of this process, with their checks and heartbeats. The system is queried only if a client may
 * not have read all data.
 */
export function createStreamConnections({ heartbeatMs, readSendQueues }: StreamConnectionsOptions) {
  const all = new Set<StreamConnection<never>>();
  let timer: NodeJS.Timeout | undefined;
  let checks = 0;

  async function check(): Promise<void> {
    const isBeat = ++checks % STREAM_CHECKS_PER_HEARTBEAT === 0;
    const unconfirmed = [...all].filter(({ isUnconfirmed }) => isUnconfirmed);
    if (unconfirmed.length > 0) {
      const sent = new Map(unconfirmed.map((one) => [one, one.sentBytes]));
      const queues = await readSendQueues();
      await forEachYielding(sent, ([one, sentBefore]) => one.check(queues, sentBefore));
    }
    if (!isBeat) return;
    await forEachYielding(all, (one) => {
      one.ping();
      one.sendHeartbeat();
    });
  }

  return {
    add(one: StreamConnection<never>): void {
      all.add(one);
      timer ??= setInterval(() => void check(), heartbeatMs / STREAM_CHECKS_PER_HEARTBEAT).unref();
    },
    remove: (one: StreamConnection<never>): void => void all.delete(one),
    close: (): void => clearInterval(timer),
  };
}

export type StreamConnections = ReturnType<typeof createStreamConnections>;
