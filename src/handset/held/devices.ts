// The devices whose polls are held, and those that were a moment ago: each is entered for itself and for its channels, and
// stays so until its next poll, which is then entered before anything is read of it. Devices with the same channels wait as one.

import type { Said } from "./followed.ts";
import type { Sleeper } from "./sleeper.ts";
import { Stream } from "./stream.ts";
import type { Known, Waited, Waiter } from "./waited.ts";

/** A device stays entered for so long without a poll. */
const LINGER_MS = 5_000;

/** What is read of a device before it is entered. */
export interface FoundDevice {
  id: string;
  rev: string;
  /** Only the ordinary way knows what it is shown. */
  testing: boolean;
  epoch: string;
  leaves: string;
  sum: string;
  channels: string[];
  channel_revs: string[];
  due_in: number[];
  since: number[];
}

/** Devices with the same channels. */
class Alike implements Waiter {
  readonly devices = new Set<Device>();
  readonly streams = new Set<Stream<Device>>();
  /** Of the channels' marks, as the streams were told. */
  sum = 0n;
  readonly key: string;
  readonly channels: readonly string[];
  readonly epoch: string;

  constructor(key: string, { channels, epoch }: FoundDevice) {
    this.key = key;
    this.channels = channels;
    this.epoch = epoch;
  }

  wake(cause: string): void {
    for (const device of this.devices) device.wakePolls(cause);
  }

  /** One buffer for all that ask for the same page. */
  tell(said: Said | null): void {
    const before = `${this.epoch}.${this.sum}`;
    this.sum += said?.by ?? 0n;
    const written = new Map<string, Buffer>();
    for (const stream of this.streams) {
      if (!said) stream.look();
      if (!said || !stream.device || said.moved.has(stream.device.id)) continue;
      // Its card of an alert from before it joined is another one.
      if (said.oldest < stream.device.newest) {
        stream.look();
        continue;
      }
      const bytes = written.get(stream.key) ?? stream.bytesOf(said, before, `${this.epoch}.${this.sum}`);
      written.set(stream.key, bytes);
      stream.write(bytes);
    }
  }

  standing(into: Map<string, string>): void {
    for (const { device } of this.streams) if (device) into.set(device.id, device.rev);
  }
}

export class Device implements Waiter {
  readonly hash: string;
  readonly id: string;
  readonly rev: string;
  readonly testing: boolean;
  readonly leaves: string;
  /** When it joined each of its channels, and the latest of these times, in microseconds since 1970. */
  readonly since: readonly number[];
  readonly newest: number;
  sum: string;
  readonly alike: Alike;
  /** The oldest first. */
  readonly polls = new Set<Sleeper>();
  /** The oldest first. */
  readonly streams = new Set<Stream<Device>>();

  constructor(hash: string, { id, rev, testing, leaves, sum, since }: FoundDevice, alike: Alike) {
    this.hash = hash;
    this.id = id;
    this.rev = rev;
    this.testing = testing;
    this.leaves = leaves;
    this.since = since;
    this.newest = Math.max(0, ...since);
    this.sum = sum;
    this.alike = alike;
  }

  get channels(): readonly string[] {
    return this.alike.channels;
  }

  get isIdle(): boolean {
    return this.polls.size + this.streams.size === 0;
  }

  wakePolls(cause: string): void {
    for (const poll of this.polls) poll.wake(cause);
  }

  /** It is not what it was. */
  wake(cause: string): void {
    this.wakePolls(cause);
    for (const stream of this.streams) stream.move();
  }

  tell(said: Said | null): void {
    for (const stream of this.streams) if (said === null) stream.look();
  }
}

/** `max`: so many are entered at once; beyond, who has no poll leaves at once. */
export function createDevices(waited: Waited, max: number) {
  const byHash = new Map<string, Device>();
  const byChannels = new Map<string, Alike>();
  /** Those without a poll, and when the last one left; the longest first. */
  const idle = new Map<Device, number>();
  let timer: NodeJS.Timeout | undefined;

  function alikeOf(found: FoundDevice): Alike {
    const { channels, channel_revs, due_in, epoch } = found;
    const key = `${epoch} ${channels.join()}`;
    const known = byChannels.get(key);
    // An older revision that is kept for them wakes once too often at worst.
    if (known) return known;
    const alike = new Alike(key, found);
    byChannels.set(key, alike);
    const list: Known[] = channels.map((id, i) => ({
      id,
      rev: channel_revs[i] ?? "",
      dueIn: due_in[i] ?? 0,
    }));
    waited.add(alike, list);
    return alike;
  }

  function remove(device: Device): void {
    idle.delete(device);
    if (byHash.get(device.hash) === device) byHash.delete(device.hash);
    waited.remove(device);
    const { alike } = device;
    alike.devices.delete(device);
    if (alike.devices.size > 0) return;
    byChannels.delete(alike.key);
    waited.remove(alike);
  }

  function sweep(): void {
    timer = undefined;
    const before = performance.now() - LINGER_MS;
    for (const [device, since] of idle) {
      if (since > before) break;
      remove(device);
    }
    plan();
  }
  const plan = () => {
    if (idle.size > 0) timer ??= setTimeout(sweep, LINGER_MS).unref();
  };

  return {
    /** As it was entered; it may have changed since. */
    known: (hash: string) => byHash.get(hash),
    /** Enters it, or finds the one that is known and no older. */
    enter(hash: string, found: FoundDevice): Device {
      const known = byHash.get(hash);
      if (known?.rev === found.rev && known.alike.epoch === found.epoch) return known;
      if (known) this.forget(known);
      const alike = alikeOf(found);
      const device = new Device(hash, found, alike);
      byHash.set(hash, device);
      alike.devices.add(device);
      waited.add(device, [{ id: device.id, rev: device.rev, dueIn: Number.POSITIVE_INFINITY }]);
      return device;
    },
    join(device: Device, poll: Sleeper | Stream<Device>): void {
      idle.delete(device);
      if (poll instanceof Stream) device.streams.add(poll);
      else device.polls.add(poll);
    },
    leave(device: Device, poll: Sleeper | Stream<Device>) {
      const left = poll instanceof Stream ? device.streams.delete(poll) : device.polls.delete(poll);
      if (!left || !device.isIdle) return;
      if (byHash.get(device.hash) !== device || byHash.size > max) return remove(device);
      idle.set(device, performance.now());
      plan();
    },
    /** It is not what it was: the next poll finds it anew, and those that it has are told for as long as they wait. */
    forget(device: Device): void {
      if (byHash.get(device.hash) === device) byHash.delete(device.hash);
      if (device.isIdle) remove(device);
    },
    close(): void {
      clearTimeout(timer);
      for (const device of idle.keys()) remove(device);
    },
  };
}

export type Devices = ReturnType<typeof createDevices>;
