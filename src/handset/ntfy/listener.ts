// One program that listens: what it hears and how, the order in which it is told, and its end when it does not read.

import { LIMITS } from "../../model/limits.ts";
import { Outlet, type SendQueues, type Sink } from "../held/outlet.ts";
import { type Format, type Message, written } from "./message.ts";

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
  readonly #outlet: Outlet;
  readonly #left: () => void;
  /** News that arrives before the backlog is written; null afterwards. */
  #queue: Told[] | null = [];
  #queued = 0;
  /** Told as something of before, and about to come as news. */
  readonly #ahead = new Set<string>();
  constructor(hearing: Hearing, sink: Sink, left: () => void) {
    this.hearing = hearing;
    this.#outlet = new Outlet(sink);
    this.#left = left;
  }

  /** Something was written, and it was not seen yet that the client took it. */
  get isUnconfirmed(): boolean {
    return this.#outlet.isUnconfirmed;
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

  /** Writes one part of the backlog. Resolves when the system has accepted it, or the connection has ended. */
  page(messages: readonly Told[]): { bytes: number; taken: Promise<void> } {
    const { wants, format } = this.hearing;
    const pieces = messages
      .filter(({ message }) => wants(message))
      .map((told) => told.in(format))
      .filter(({ length }) => length > 0);
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.ended || pieces.length === 0) resolve();
    else this.#outlet.writeBacklog(pieces, resolve);
    return { bytes: pieces.reduce((sum, { length }) => sum + length, 0), taken: promise };
  }

  /** The client has taken so much that the next part can be written, or the connection has ended. */
  hasRoom(queues: SendQueues): boolean {
    return this.ended || this.#outlet.hasRoom(queues);
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
    if (this.#outlet.waiting > LIMITS.stream_waiting) return void this.end(true);
    const bytes = told.in(this.hearing.format);
    if (bytes.length > 0) this.#outlet.write(bytes);
  }

  /** Ends the connection when its client took nothing since the last sign of life. */
  check(queues: SendQueues): void {
    if (this.#outlet.check(queues)) this.end(true);
  }

  /** A sign of life, where nothing else is to be read. */
  beat(keepalive: () => Told): void {
    if (!this.isUnconfirmed && !this.#queue) this.write(keepalive());
  }

  end(now = false): void {
    if (this.ended) return;
    this.ended = true;
    this.#queue = [];
    this.#left();
    this.#outlet.end(now);
  }
}

const keyOf = (id: string, event: Message["event"]) => `${event} ${id}`;
