// One program that listens: which messages it gets and in which form, the order in which it gets them, and when its
// connection ends. rules#ntfy-listens

import { LIMITS } from "../../model/limits.ts";
import type { Delta, Follower } from "../held/channel_tracker.ts";
import { Connection, type Sink } from "../held/connection.ts";
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
  device: Follower["device"];
  wants(message: Message): boolean;
}

interface ListenerOptions {
  messagesOf(delta: Delta): readonly Told[];
  keepalive(topic: string): Told;
  /** Called once, when it has ended. */
  left(): void;
}

export class Listener extends Connection<"over" | "gone"> implements Follower {
  readonly #hearing: Hearing;
  readonly #options: ListenerOptions;
  /** News that arrives before the backlog is written; null afterwards. */
  #queue: Told[] | null = [];
  #queued = 0;
  /** Told as something of before, and about to come as news. */
  readonly #ahead = new Set<string>();

  constructor(hearing: Hearing, sink: Sink, options: ListenerOptions) {
    super(sink);
    this.#hearing = hearing;
    this.#options = options;
  }

  get device(): Follower["device"] {
    return this.#hearing.device;
  }

  /** What cannot be reported for certain ends the connection: the program comes back and says what it heard last. */
  changed(delta: Delta | null): void {
    const isCertain =
      delta &&
      !delta.now.isSuspended &&
      delta.now.isPublic === delta.before.isPublic &&
      !delta.hasGap &&
      !(this.device && delta.moved.has(this.device.id));
    if (!isCertain) return void this.end("over");
    for (const told of this.#options.messagesOf(delta)) this.tell(told);
  }

  /** Messages report what was sent, which a due alert is not yet. */
  due(): void {}

  /** News. While the backlog is being written it waits in memory, within the limit of a slow reader. */
  tell(told: Told): void {
    if (this.#ahead.delete(keyOf(told.message.id, told.message.event))) return;
    if (!this.#queue) return void this.put(told);
    this.#queue.push(told);
    this.#queued += told.in(this.#hearing.format).length;
    if (this.#queued > LIMITS.stream_waiting) this.end("slow");
  }

  /** `ahead`: ids of the backlog that come as news as well. `said`: all of its ids. */
  begin(said: ReadonlySet<string>, ahead: readonly string[]): void {
    this.#queue = this.#queue?.filter(({ message }) => !said.has(message.id)) ?? null;
    for (const id of ahead) this.#ahead.add(keyOf(id, "message"));
  }

  /** Writes one part of the backlog. `taken` resolves when the system has accepted it, or the connection has ended. */
  page(messages: readonly Told[]): { bytes: number; taken: Promise<void> } {
    const { wants, format } = this.#hearing;
    const pieces = messages
      .filter(({ message }) => wants(message))
      .map((told) => told.in(format))
      .filter(({ length }) => length > 0);
    return { bytes: pieces.reduce((sum, { length }) => sum + length, 0), taken: this.writeBacklog(pieces) };
  }

  /** The backlog is written: from now on news is written as it comes. */
  follow(): void {
    const queue = this.#queue ?? [];
    this.#queue = null;
    for (const told of queue) this.put(told);
  }

  put(told: Told): void {
    const { wants, format } = this.#hearing;
    if (told.message.event !== "message" || wants(told.message)) this.write(told.in(format));
  }

  beat(): void {
    if (!this.isUnconfirmed && !this.#queue) this.put(this.#options.keepalive(this.#hearing.topic));
  }

  end(why: "over" | "gone" | "slow"): void {
    if (this.ended) return;
    this.#queue = [];
    this.close(why !== "over");
    this.#options.left();
  }
}

const keyOf = (id: string, event: Message["event"]) => `${event} ${id}`;
