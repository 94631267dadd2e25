// The streams of this process (rules#stream): each follows the channels of its device, and reads the device
// again when that may not be what it was. Nothing depends on one: a handset without a stream polls.

import { hashTokenToHex } from "../../identity/auth/bearer_authentication.ts";
import { LIMITS } from "../../model/limits.ts";
import type { ChangeHub } from "../../store/changes/change_hub.ts";
import type { Log } from "../../store/handler_context.ts";
import { type LongPollDevice, MAX_CHANNELS_READ } from "../../store/queries/live_update_reads.ts";
import type { Leases } from "../../store/rate_limits/in_memory_concurrency_limits.ts";
import type { ChannelTracker } from "./channel_snapshot_tracker.ts";
import { type CreateInboxEtag, InboxStream, type StreamPageParams } from "./inbox_stream.ts";
import { forEachYielding, type StreamConnections, type StreamSink } from "./stream_connection.ts";

interface InboxStreamsOptions {
  hub: Pick<ChangeHub, "listen">;
  tracker: ChannelTracker;
  connections: StreamConnections;
  log: Log;
  find(hash: string): Promise<LongPollDevice | undefined>;
  createTag: CreateInboxEtag;
  metrics: { streams(count: number): void; woken(cause: string): void };
  /** Count the streams of one device for all processes of the service. */
  leases: Leases;
}

/** A request for a stream. `last` is the handset's validator. `onEnd` is called once at the end. */
export interface InboxStreamRequest {
  token: string;
  page: StreamPageParams;
  last: string | null;
  sink: StreamSink;
  onEnd(): void;
}

export function createInboxStreams({
  hub,
  tracker,
  connections,
  leases,
  log,
  find,
  createTag,
  metrics,
}: InboxStreamsOptions) {
  const streams = new Set<InboxStream>();
  /** Ends what a stream listens to. */
  const closes = new Map<InboxStream, () => void>();

  function leave(stream: InboxStream): void {
    closes.get(stream)?.();
    closes.delete(stream);
    stream.unfollow();
  }

  /**
   * Has a stream follow what its device follows now. It is notified to look unless `last` is all that there is to
   * see.
   */
  async function follow(stream: InboxStream, hash: string, last: string | null): Promise<void> {
    while (!stream.ended && stream.isStale) {
      leave(stream);
      stream.isStale = false;
      const device = await find(hash);
      if (stream.ended) return;
      if (!device || device.channels.length >= MAX_CHANNELS_READ) return stream.end("unknown");
      const { id, rev, channels } = device;
      stream.device = device;
      const close = hub.listen([{ kind: "device", id, revision: rev }], () => stream.markStale());
      closes.set(stream, () => {
        close();
        tracker.unfollow(channels, stream);
      });
      await tracker.follow(channels, stream);
      if (stream.ended || stream.isStale) continue;
      const marks = channels.map((channel) => tracker.snapshot(channel)?.mark ?? null);
      if (marks.includes(null)) return stream.end("away");
      stream.begin(
        marks.reduce<bigint>((sum, mark) => sum + (mark ?? 0n), 0n),
        last,
      );
    }
  }

  return {
    hasRoom: () => tracker.hasRoom(),
    size: () => streams.size,
    open({ token, page, last, sink, onEnd }: InboxStreamRequest): InboxStream {
      const hash = hashTokenToHex(token);
      let isUnderWay = false;
      /** One that is under way reads the device again by itself. */
      const begin = (held: string | null) => {
        if (isUnderWay) return;
        isUnderWay = true;
        follow(stream, hash, held)
          .catch((error) => {
            log.debug({ err: error }, "the channels of a stream could not be read");
            stream.end("away");
          })
          .finally(() => {
            isUnderWay = false;
            if (stream.isStale && !stream.ended) begin(null);
          });
      };
      const stream = new InboxStream(page, sink, createTag, {
        stale: () => begin(null),
        ended(why) {
          streams.delete(stream);
          connections.remove(stream);
          metrics.streams(streams.size);
          metrics.woken(why);
          leave(stream);
          release();
          onEnd();
        },
      });
      const release = leases.acquireOrEvict("device streams", hash, LIMITS.held_polls, () => stream.end("newer"));
      streams.add(stream);
      connections.add(stream);
      metrics.streams(streams.size);
      begin(last);
      return stream;
    },
    /** `again`: after how many seconds the next one may be opened. */
    stop: (again: () => number) => forEachYielding(streams, (stream) => stream.end("stop", again())),
  };
}
