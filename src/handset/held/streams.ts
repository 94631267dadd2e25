// The streams of this process (rules#stream): each follows the channels of its device, and reads the device
// again when that may not be what it was. Nothing depends on one: a handset without a stream polls.

import { hexHash } from "../../identity/auth/tokens.ts";
import { LIMITS } from "../../model/limits.ts";
import type { ChangeHub } from "../../store/changes/hub.ts";
import type { Log } from "../../store/context.ts";
import { CHANNELS_READ, type FoundDevice } from "../../store/queries/held.ts";
import type { Leases } from "../../store/rate_limits/places.ts";
import type { ChannelTracker } from "./channel_tracker.ts";
import { type Connections, eachInTurn, type Sink } from "./connection.ts";
import { Stream, type StreamPage, type TagOf } from "./stream.ts";

export interface StreamsOptions {
  hub: Pick<ChangeHub, "listen">;
  tracker: ChannelTracker;
  connections: Connections;
  log: Log;
  find(hash: string): Promise<FoundDevice | undefined>;
  tagOf: TagOf;
  metrics: { streams(count: number): void; woken(cause: string): void };
  /** Count the streams of one device for all processes of the service. */
  leases: Leases;
}

/** `last`: the validator that the handset holds. `left`: called once, when it has ended. */
export interface Following {
  token: string;
  page: StreamPage;
  last: string | null;
  sink: Sink;
  left(): void;
}

export function createStreams({ hub, tracker, connections, leases, log, find, tagOf, metrics }: StreamsOptions) {
  const streams = new Set<Stream>();
  /** Ends what a stream listens to. */
  const closes = new Map<Stream, () => void>();

  function leave(stream: Stream): void {
    closes.get(stream)?.();
    closes.delete(stream);
    stream.leave();
  }

  /**
   * Has a stream follow what its device follows now. It is notified to look unless `last` is all that there is to
   * see.
   */
  async function follow(stream: Stream, hash: string, last: string | null): Promise<void> {
    while (!stream.ended && stream.isStale) {
      leave(stream);
      stream.isStale = false;
      const device = await find(hash);
      if (stream.ended) return;
      if (!device || device.channels.length >= CHANNELS_READ) return stream.end("unknown");
      const { id, rev, channels } = device;
      stream.device = device;
      const close = hub.listen([{ kind: "device", id, revision: rev }], () => stream.stale());
      closes.set(stream, () => {
        close();
        tracker.unfollow(channels, stream);
      });
      await tracker.follow(channels, stream);
      if (stream.ended || stream.isStale) continue;
      const marks = channels.map((channel) => tracker.head(channel)?.mark ?? null);
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
    open({ token, page, last, sink, left }: Following): Stream {
      const hash = hexHash(token);
      let isUnderWay = false;
      /** One that is under way reads the device again by itself. */
      const begin = (held: string | null) => {
        if (isUnderWay) return;
        isUnderWay = true;
        follow(stream, hash, held)
          .catch((error) => {
            log.debug({ err: error }, "a stream cannot be told of its channels");
            stream.end("away");
          })
          .finally(() => {
            isUnderWay = false;
            if (stream.isStale && !stream.ended) begin(null);
          });
      };
      const stream = new Stream(page, sink, tagOf, {
        stale: () => begin(null),
        ended(why) {
          streams.delete(stream);
          connections.remove(stream);
          metrics.streams(streams.size);
          metrics.woken(why);
          leave(stream);
          release();
          left();
        },
      });
      const release = leases.takeOrEvict("device streams", hash, LIMITS.held_polls, () => stream.end("newer"));
      streams.add(stream);
      connections.add(stream);
      metrics.streams(streams.size);
      begin(last);
      return stream;
    },
    /** `again`: after how many seconds the next one may be opened. */
    stop: (again: () => number) => eachInTurn(streams, (stream) => stream.end("stop", again())),
  };
}
