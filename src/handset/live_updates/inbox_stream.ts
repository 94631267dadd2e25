// One stream of an inbox: its request, the state of its handset, and its end. A client that reads too slowly loses the
// stream, and polls. rules#stream

import type { InboxViewMode } from "../../store/handler_context.ts";
import type { LongPollDevice } from "../../store/queries/live_update_reads.ts";
import type { ChannelFollower, ChannelSnapshotDiff } from "./channel_snapshot_tracker.ts";
import { StreamConnection, type StreamSink } from "./stream_connection.ts";

/** The first page whose validators the ids are. */
export interface StreamPageParams {
  limit: number;
  view: InboxViewMode;
}

/**
 * The reason for the end: the device is deleted or has a newer stream, its client is slow or disconnected, the service
 * stops or cannot read.
 */
type StreamEndReason = "unknown" | "newer" | "slow" | "gone" | "stop" | "away";

const BEAT = Buffer.from(":\n\n");
const LOOK = Buffer.from("event: look\ndata: {}\n\n");

export type CreateInboxEtag = (state: string, page: StreamPageParams) => string;

export class InboxStream extends StreamConnection<StreamEndReason> implements ChannelFollower {
  /** Null while it is not known, and nothing is reported to it. */
  device: LongPollDevice | null = null;
  /** Its device may not be what it was, and has not been read since. */
  isStale = true;
  readonly #page: StreamPageParams;
  readonly #createTag: CreateInboxEtag;
  readonly #notify: { stale(): void; ended(why: StreamEndReason): void };
  /** The sum of the marks of its channels, as it was last reported. */
  #sum: bigint | null = null;

  constructor(
    page: StreamPageParams,
    sink: StreamSink,
    tagOf: CreateInboxEtag,
    notify: { stale(): void; ended(why: StreamEndReason): void },
  ) {
    super(sink);
    this.#page = page;
    this.#createTag = tagOf;
    this.#notify = notify;
  }

  /**
   * Starts reporting changes of the device's channels, whose marks have this sum.
   * @param last the validator of the handset
   */
  begin(sum: bigint, last: string | null): void {
    this.#sum = sum;
    if (last !== this.#tag(sum)) this.requestResync();
  }

  unfollow(): void {
    this.device = null;
    this.#sum = null;
  }

  changed(delta: ChannelSnapshotDiff | null): void {
    if (!delta || !this.device || this.#sum === null) return;
    const before = this.#sum;
    this.#sum += delta.current.mark - delta.previous.mark;
    if (delta.changedDevices.has(this.device.id)) return void this.markStale();
    // Its card of an alert from before it joined is another one.
    if (delta.oldestSentAt < this.device.newest) return void this.requestResync();
    const { limit, view } = this.#page;
    const key = `${view}${limit} ${this.device.epoch}.${before}`;
    const bytes = delta.renderedBytes.get(key) ?? this.#bytesOf(delta, before, this.#sum);
    delta.renderedBytes.set(key, bytes);
    this.write(bytes);
  }

  due(): void {
    if (this.#sum !== null) this.requestResync();
  }

  requestResync(): void {
    this.write(LOOK);
  }

  markStale(): void {
    if (this.isStale) return;
    this.isStale = true;
    this.#notify.stale();
  }

  sendHeartbeat(): void {
    if (!this.isUnconfirmed) this.write(BEAT);
  }

  /** @param again seconds until the client reconnects */
  end(why: StreamEndReason, again?: number): void {
    if (this.ended) return;
    const retry = again === undefined ? "" : `retry: ${again * 1000}\n`;
    const last = Buffer.from(`${retry}event: ended\ndata: ${JSON.stringify({ reason: why })}\n\n`);
    this.close(why === "slow" || why === "gone" || this.hasWaiting, last);
    this.#notify.ended(why);
  }

  #tag(sum: bigint): string {
    return this.#createTag(`${this.device?.epoch}.${sum}`, this.#page);
  }

  /**
   * Returns a change for all streams of this page: each event has the validators before and after it. An uncertain
   * change becomes a request to poll.
   */
  #bytesOf(delta: ChannelSnapshotDiff, before: bigint, now: bigint): Buffer {
    const events = delta.events(this.#page.view);
    if (!events) return LOOK;
    const last = this.#tag(now);
    let from = this.#tag(before);
    const text = events.map((event, i) => {
      // No poll returns a state between the two.
      const id = i + 1 === events.length ? last : `${last.slice(0, -1)}.${i + 1}"`;
      const whole = `${event}from: ${from}\nid: ${id}\n\n`;
      from = id;
      return whole;
    });
    return Buffer.from(text.join(""));
  }
}
