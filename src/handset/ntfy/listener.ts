// One program that listens: what it hears and how, the order in which it is told, and its end when it does not read.

import { LIMITS } from "../../model/limits.ts";
import { type Format, type Message, written } from "./message.ts";

/** Bytes that the system has accepted and clients have not taken, by connection. */
export type SendQueues = ReadonlyMap<string, number>;

/** Where it is written to. */
export interface Sink {
  /** Bytes that the client has not taken. */
  waiting(): number;
  /** Bytes that the system has accepted and the client has not taken, in a table that was just read. */
  unacknowledged(queues: SendQueues): number;
  /** `taken`: called when the client has taken them, or the connection has ended. */
  write(bytes: Buffer, taken?: () => void): void;
  /** `now`: without a farewell. */
  end(now: boolean): void;
}

/** A message, written once for all who hear it in one format. */
export class Told {
  readonly message: Message;
  readonly #written = new Map<Format, Buffer>();

  constructor(message: Message) {
    this.message = message;
  }

  in(format: Format): Buffer {
    const bytes = this.#written.get(format) ?? Buffer.from(written(this.message, format));
    this.#written.set(format, bytes);
    return bytes;
  }
}

/** Who hears what. */
export interface Hearing {
  /** As it was asked for: handles with commas between. */
  topic: string;
  format: Format;
  /** The device that may hear more than everybody; null: nobody in particular. */
  device: string | null;
  wants(message: Message): boolean;
}

export class Listener {
  readonly hearing: Hearing;
  ended = false;
  readonly #sink: Sink;
  readonly #left: () => void;
  /** News that arrives before the backlog is written; null afterwards. */
  #queue: Told[] | null = [];
  #queued = 0;
  /** Told as something of before, and about to come as news. */
  readonly #ahead = new Set<string>();
  #sent = 0;
  /** Bytes that the client had taken at the last sign of life; null where nothing waited for it then. */
  #taken: number | null = null;
  /** A backlog was written, and it was not seen yet that the client took all of it. */
  isUnconfirmed = false;

  constructor(hearing: Hearing, sink: Sink, left: () => void) {
    this.hearing = hearing;
    this.#sink = sink;
    this.#left = left;
  }

  /** News. While the backlog is being written it waits in memory, within the limit of a slow reader. */
  tell(told: Told): void {
    if (this.#ahead.delete(keyOf(told.message.id, told.message.event))) return;
    if (!this.#queue) return void this.write(told);
    this.#queue.push(told);
    this.#queued += told.in(this.hearing.format).length;
    if (this.#queued > LIMITS.stream_waiting) this.end(true);
  }

  /** `ahead`: ids of the backlog that come as news as well. `said`: all of its ids. */
  begin(said: ReadonlySet<string>, ahead: readonly string[]): void {
    this.#queue = this.#queue?.filter(({ message }) => !said.has(message.id)) ?? null;
    for (const id of ahead) this.#ahead.add(keyOf(id, "message"));
  }

  /** Writes one part of the backlog. Resolves when the client has taken it, or the connection has ended. */
  page(messages: readonly Told[]): { bytes: number; taken: Promise<void> } {
    const { wants, format } = this.hearing;
    const text = messages.filter(({ message }) => wants(message)).map((told) => told.in(format));
    const { promise, resolve } = Promise.withResolvers<void>();
    const bytes = text.reduce((sum, { length }) => sum + length, 0);
    this.isUnconfirmed ||= bytes > 0;
    if (this.ended || bytes === 0) resolve();
    // One message of a WebSocket is one frame.
    else if (format === "ws")
      for (const [i, one] of text.entries()) this.#put(one, i === text.length - 1 ? resolve : undefined);
    else this.#put(Buffer.concat(text), resolve);
    return { bytes, taken: promise };
  }

  /** The backlog is written: from now on news is written as it comes. */
  follow(): void {
    const queue = this.#queue ?? [];
    this.#queue = null;
    for (const told of queue) this.write(told);
  }

  write(told: Told): void {
    const { event } = told.message;
    if (this.ended || (event === "message" && !this.hearing.wants(told.message))) return;
    if (this.#sink.waiting() > LIMITS.stream_waiting) return void this.end(true);
    const bytes = told.in(this.hearing.format);
    if (bytes.length > 0) this.#put(bytes);
  }

  /** A sign of life, where nothing else is to be read. A client that took nothing since the last one is ended. */
  beat(keepalive: () => Told, queues: SendQueues | null): void {
    const accepted = queues && this.isUnconfirmed ? this.#sink.unacknowledged(queues) : 0;
    const waiting = this.#sink.waiting() + accepted;
    const taken = this.#sent - waiting;
    if (waiting > 0 && this.#taken !== null && taken <= this.#taken) return void this.end(true);
    this.#taken = waiting > 0 ? taken : null;
    if (waiting === 0 && queues) this.isUnconfirmed = false;
    if (waiting === 0 && !this.#queue) this.write(keepalive());
  }

  #put(bytes: Buffer, taken?: () => void): void {
    this.#sent += bytes.length;
    this.#sink.write(bytes, taken);
  }

  end(now = false): void {
    if (this.ended) return;
    this.ended = true;
    this.#queue = [];
    this.#left();
    this.#sink.end(now);
  }
}

const keyOf = (id: string, event: Message["event"]) => `${event} ${id}`;
