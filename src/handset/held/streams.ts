// The streams of this process (docs/rules.md#stream): each follows the channels of its device, is told what changes in them, and is
// asked anew when its device is not what it was. Nothing depends on one: whoever has none polls.

import { hexHash } from "../../identity/auth/tokens.ts";
import { LIMITS } from "../../model/limits.ts";
import type { Log } from "../../store/context.ts";
import { CHANNELS_READ } from "../../store/queries/held.ts";
import type { Leases } from "../../store/rate_limits/places.ts";
import type { Device, Devices, FoundDevice } from "./devices.ts";
import { type BeatOptions, createBeat, eachInTurn, type Sink } from "./outlet.ts";
import { Stream, type StreamEnd, type StreamPage } from "./stream.ts";
import type { Watch } from "./watch.ts";

const BEAT = Buffer.from(":\n\n");
export interface StreamsOptions extends BeatOptions {
  watch: Watch;
  devices: Devices;
  log: Log;
  find(hash: string): Promise<FoundDevice | undefined>;
  tagOf(state: string, page: StreamPage): string;
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

export function createStreams({
  watch,
  devices,
  leases,
  log,
  find,
  tagOf,
  metrics,
  ...beating
}: StreamsOptions) {
  const streams = new Set<Stream<Device>>();

  const beat = createBeat(streams, (stream) => stream.beat(BEAT), beating);

  function leave(stream: Stream<Device>): void {
    const { device, follows } = stream;
    watch.followed.release(follows);
    stream.follows = [];
    stream.device = null;
    if (!device) return;
    device.alike.streams.delete(stream);
    devices.leave(device, stream);
  }

  /** Enters a device with its channels. False where it is gone. */
  async function enter(stream: Stream<Device>, hash: string): Promise<boolean> {
    const found = await find(hash);
    if (stream.ended) return true;
    if (!found || found.channels.length >= CHANNELS_READ) return false;
    watch.begin();
    const device = devices.enter(hash, found);
    stream.device = device;
    stream.follows = device.channels;
    devices.join(device, stream);
    await watch.followed.use(device.channels);
    return true;
  }

  /** Has a stream follow what its device follows now. It is told to look unless `last` is all that there is to see. */
  async function stand(stream: Stream<Device>, hash: string, last: string | null): Promise<void> {
    while (!stream.ended && stream.moved) {
      leave(stream);
      // What changes from here on is heard.
      stream.moved = false;
      if (!(await enter(stream, hash))) return stream.end("unknown");
      const alike = stream.device?.alike;
      if (stream.ended || stream.moved || !alike) continue;
      const sum = watch.followed.sumOf(alike.channels);
      if (sum === null) return stream.end("away");
      if (alike.streams.size === 0) alike.sum = sum;
      alike.streams.add(stream);
      if (last !== stream.tagOf(`${alike.epoch}.${alike.sum}`)) stream.look();
    }
  }

  function begin(stream: Stream<Device>, hash: string, last: string | null): void {
    // Who is being entered goes round once more by itself.
    if (stream.entering) return;
    stream.entering = true;
    stand(stream, hash, last)
      .catch((error) => {
        log.debug({ err: error }, "a stream cannot be told of its channels");
        stream.end("away");
      })
      .finally(() => {
        stream.entering = false;
      });
  }

  return {
    hasRoom: () => watch.followed.hasRoom(),
    open({ token, page, last, sink, left }: Following): Stream<Device> {
      const hash = hexHash(token);
      const stream: Stream<Device> = new Stream<Device>(page, sink, tagOf, {
        moved: () => begin(stream, hash, null),
        ended(why: StreamEnd) {
          streams.delete(stream);
          metrics.streams(streams.size);
          metrics.woken(why);
          leave(stream);
          release();
          left();
        },
      });
      const release = leases.takeOrEvict("device streams", hash, LIMITS.held_polls, () =>
        stream.end("newer"),
      );
      streams.add(stream);
      metrics.streams(streams.size);
      beat.begin();
      begin(stream, hash, last);
      return stream;
    },
    /** `again`: after how many seconds the next one may be opened. */
    async stop(again: () => number): Promise<void> {
      beat.stop();
      await eachInTurn(streams, (stream) => stream.end("stop", again()));
    },
    size: () => streams.size,
  };
}
