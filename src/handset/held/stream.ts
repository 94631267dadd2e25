// One stream: what it asks for, where it is written to, and how it ends. What a slow reader leaves lying is bounded; then the stream
// ends, and its handset polls.

import { LIMITS } from "../../model/limits.ts";
import type { InboxView } from "../../store/context.ts";
import type { Said } from "./followed.ts";
import { Outlet, type SendQueues, type Sink } from "./outlet.ts";

/** Which first page the ids are the validators of. */
export interface StreamPage {
  limit: number;
  view: InboxView;
}

/** Why it ends: the device is gone or has a newer one, its reader is slow or gone, the service stops or cannot tell. */
export type StreamEnd = "unknown" | "newer" | "slow" | "gone" | "stop" | "away";

const LOOK = Buffer.from("event: look\ndata: {}\n\n");

/** @template Device the registered device that a stream belongs to */
export class Stream<Device = unknown> {
  readonly page: StreamPage;
  readonly key: string;
  device: Device | null = null;
  /** The channels that it follows. */
  follows: readonly string[] = [];
  ended = false;
  entering = false;
  /** Its device was found to be another than it was, and has not been looked at since. */
  moved = true;
  readonly #outlet: Outlet;
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
    this.#outlet = new Outlet(sink);
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

  write(bytes: Buffer): void {
    if (this.ended) return;
    if (this.#outlet.waiting + bytes.length > LIMITS.stream_waiting) return void this.end("slow");
    this.#outlet.write(bytes);
  }

  /** Something was written, and it was not seen yet that the reader took it. */
  get isUnconfirmed(): boolean {
    return this.#outlet.isUnconfirmed;
  }

  /** A reader that took nothing since the last sign of life is slow. */
  check(queues: SendQueues): void {
    if (this.#outlet.check(queues)) this.end("slow");
  }

  /** A sign of life, unless something else waits to be read. */
  beat(bytes: Buffer): void {
    if (!this.isUnconfirmed) this.write(bytes);
  }

  /** `again`: seconds after which it is opened anew. */
  end(why: StreamEnd, again?: number): void {
    if (this.ended) return;
    this.ended = true;
    this.#hears.ended(why);
    if (why === "slow" || why === "gone" || this.#outlet.waiting > 0) return void this.#outlet.end(true);
    const retry = again === undefined ? "" : `retry: ${again * 1000}\n`;
    this.#outlet.write(Buffer.from(`${retry}event: ended\ndata: ${JSON.stringify({ reason: why })}\n\n`));
    this.#outlet.end(false);
  }
}
