// One stream: what it asks for, where it is written to, and how it ends. What a slow reader leaves lying is bounded; then the stream
// ends, and its handset polls.

import { LIMITS } from "../../model/limits.ts";
import type { InboxView } from "../../store/context.ts";
import type { Device } from "./devices.ts";
import type { Said } from "./followed.ts";

/** Where a stream is written to: a connection of its own. */
export interface Sink {
  /** Bytes that its reader has not taken. */
  readonly writableLength: number;
  write(bytes: Uint8Array): unknown;
  end(bytes: Uint8Array): unknown;
  /** Ends it once all is written. */
  destroySoon(): unknown;
  destroy(): unknown;
}

/** Which first page the ids are the validators of. */
export interface StreamPage {
  limit: number;
  view: InboxView;
}

/** Why it ends: the device is gone or has a newer one, its reader is slow or gone, the service stops or cannot tell. */
export type StreamEnd = "unknown" | "newer" | "slow" | "gone" | "stop" | "away";

const LOOK = Buffer.from("event: look\ndata: {}\n\n");

export class Stream {
  readonly page: StreamPage;
  readonly key: string;
  device: Device | null = null;
  /** The channels that it follows. */
  follows: readonly string[] = [];
  ended = false;
  entering = false;
  /** Its device was found to be another than it was, and has not been looked at since. */
  moved = true;
  #sent = 0;
  /** Bytes that the reader had taken at the last sign of life; null where nothing waited for it then. */
  #taken: number | null = null;
  readonly #sink: Sink;
  readonly #tagOf: (state: string, page: StreamPage) => string;
  readonly #hears: { moved(): void; ended(why: StreamEnd): void };

  constructor(
    page: StreamPage,
    sink: Sink,
    tagOf: (state: string, page: StreamPage) => string,
    hears: { moved(): void; ended(why: StreamEnd): void },
  ) {
    this.page = page;
    this.key = `${page.view}${page.limit}`;
    this.#sink = sink;
    this.#tagOf = tagOf;
    this.#hears = hears;
  }

  tagOf(state: string): string {
    return this.#tagOf(state, this.page);
  }

  /**
   * A change as it is written to all that ask for this page: each event says from which validator to which it leads. One that cannot be
   * said is something to look at.
   */
  bytesOf(said: Said, before: string, after: string): Buffer {
    const events = said.say?.(this.page.view);
    if (!events) return LOOK;
    const last = this.tagOf(after);
    let from = this.tagOf(before);
    const text = events.map((event, i) => {
      // Between them lies no state that anybody is answered.
      const id = i + 1 === events.length ? last : `${last.slice(0, -1)}.${i + 1}"`;
      const whole = `${event}from: ${from}\nid: ${id}\n\n`;
      from = id;
      return whole;
    });
    return Buffer.from(text.join(""));
  }

  look(): void {
    this.write(LOOK);
  }

  move(): void {
    if (this.moved) return;
    this.moved = true;
    this.#hears.moved();
  }

  write(bytes: Uint8Array): void {
    if (this.ended) return;
    if (this.#sink.writableLength + bytes.length > LIMITS.stream_waiting) return void this.end("slow");
    this.#sent += bytes.length;
    this.#sink.write(bytes);
  }

  /** A sign of life, unless something else waits to be read. A reader that took nothing since the last one is slow. */
  beat(bytes: Uint8Array): void {
    const { writableLength: waiting } = this.#sink;
    const taken = this.#sent - waiting;
    if (waiting > 0 && this.#taken !== null && taken <= this.#taken) return void this.end("slow");
    this.#taken = waiting > 0 ? taken : null;
    if (waiting === 0) this.write(bytes);
  }

  /** `again`: seconds after which it is opened anew. */
  end(why: StreamEnd, again?: number): void {
    if (this.ended) return;
    this.ended = true;
    this.#hears.ended(why);
    if (why === "slow" || why === "gone" || this.#sink.writableLength > 0) this.#sink.destroy();
    else {
      const retry = again === undefined ? "" : `retry: ${again * 1000}\n`;
      this.#sink.end(Buffer.from(`${retry}event: ended\ndata: ${JSON.stringify({ reason: why })}\n\n`));
      this.#sink.destroySoon();
    }
  }
}
