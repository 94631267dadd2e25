// One program that listens: what it hears and how, the order in which it is told, and its end when it does not read.

import { LIMITS } from "../../model/limits.ts";
import { type Format, type Message, written } from "./message.ts";

/** Where it is written to. */
export interface Sink {
  waiting(): number;
  write(bytes: Buffer): void;
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
  /** What comes while it is still told what was before; null afterwards. */
  #queue: Told[] | null = [];
  /** Told as something of before, and about to come as news. */
  readonly #ahead = new Set<string>();

  constructor(hearing: Hearing, sink: Sink, left: () => void) {
    this.hearing = hearing;
    this.#sink = sink;
    this.#left = left;
  }

  /** It was told what was before, so nothing comes ahead of that. */
  get begun(): boolean {
    return this.#queue === null;
  }

  tell(told: Told): void {
    if (this.#queue) this.#queue.push(told);
    else if (!this.#ahead.delete(`${told.message.event} ${told.message.id}`)) this.write(told);
  }

  /** `before`: the oldest first, at once, since it has a bound of its own. `isKnown`: it comes as news no more. `last`: that is all. */
  begin(before: readonly Told[], isKnown: (told: Told) => boolean, last: boolean): void {
    for (const told of before) this.#put(told);
    if (last) this.end();
    const said = new Set(before.map(({ message }) => message.id));
    for (const told of before) if (!isKnown(told)) this.#ahead.add(`message ${told.message.id}`);
    const queue = this.#queue ?? [];
    this.#queue = null;
    for (const told of queue) if (!said.has(told.message.id)) this.write(told);
  }

  write(told: Told): void {
    if (this.#sink.waiting() > LIMITS.stream_waiting) this.end(true);
    else this.#put(told);
  }

  #put(told: Told): void {
    const { event } = told.message;
    if (this.ended || (event === "message" && !this.hearing.wants(told.message))) return;
    const bytes = told.in(this.hearing.format);
    if (bytes.length > 0) this.#sink.write(bytes);
  }

  end(now = false): void {
    if (this.ended) return;
    this.ended = true;
    this.#queue = [];
    this.#left();
    this.#sink.end(now);
  }
}
