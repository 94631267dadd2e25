// The devices whose polls are held, and those that were a moment ago: each is entered for itself and for its channels, and
// stays so until its next poll, which is then entered before anything is read of it. Devices with the same channels wait as one.

import type { Sleeper } from "./sleeper.ts";
import type { Known, Waited, Waiter } from "./waited.ts";

/** A device stays entered for so long without a poll. */
const LINGER_MS = 5_000;

/** What is read of a device before it is entered. */
export interface FoundDevice {
  id: string;
  rev: string;
  /** Only the ordinary way knows what it is shown. */
  testing: boolean;
  sum: string;
  channels: string[];
  channel_revs: string[];
  due_in: number[];
}

/** Devices with the same channels. */
class Alike implements Waiter {
  readonly devices = new Set<Device>();
  readonly key: string;
  readonly channels: readonly string[];

  constructor(key: string, channels: readonly string[]) {
    this.key = key;
    this.channels = channels;
  }

  wake(cause: string): void {
    for (const device of this.devices) device.wake(cause);
  }
}

export class Device implements Waiter {
  readonly hash: string;
  readonly id: string;
  readonly rev: string;
  readonly testing: boolean;
  sum: string;
  readonly alike: Alike;
  /** The oldest first. */
  readonly polls = new Set<Sleeper>();

  constructor(hash: string, { id, rev, testing, sum }: FoundDevice, alike: Alike) {
    this.hash = hash;
    this.id = id;
    this.rev = rev;
    this.testing = testing;
    this.sum = sum;
    this.alike = alike;
  }

  get channels(): readonly string[] {
    return this.alike.channels;
  }

  wake(cause: string): void {
    for (const poll of this.polls) poll.wake(cause);
  }
}

export interface Devices {
  /** As it was entered; it may have changed since. */
  known(hash: string): Device | undefined;
  /** Enters it, or finds the one that is known and no older. */
  enter(hash: string, found: FoundDevice): Device;
  join(device: Device, poll: Sleeper): void;
  leave(device: Device, poll: Sleeper): void;
  /** It is not what it was: the next poll finds it anew, and those that it has are told for as long as they wait. */
  forget(device: Device): void;
  close(): void;
}

/** `max`: so many are entered at once; beyond, who has no poll leaves at once. */
export function createDevices(waited: Waited, max: number): Devices {
  const byHash = new Map<string, Device>();
  const byChannels = new Map<string, Alike>();
  /** Those without a poll, and when the last one left; the longest first. */
  const idle = new Map<Device, number>();
  let timer: NodeJS.Timeout | undefined;

  function alikeOf({ channels, channel_revs, due_in }: FoundDevice): Alike {
    const key = channels.join();
    const known = byChannels.get(key);
    // An older revision that is kept for them wakes once too often at worst.
    if (known) return known;
    const alike = new Alike(key, channels);
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
    known: (hash) => byHash.get(hash),
    enter(hash, found) {
      const known = byHash.get(hash);
      if (known?.rev === found.rev) return known;
      if (known) this.forget(known);
      const alike = alikeOf(found);
      const device = new Device(hash, found, alike);
      byHash.set(hash, device);
      alike.devices.add(device);
      waited.add(device, [{ id: device.id, rev: device.rev, dueIn: Number.POSITIVE_INFINITY }]);
      return device;
    },
    join(device, poll) {
      idle.delete(device);
      device.polls.add(poll);
    },
    leave(device, poll) {
      if (!device.polls.delete(poll) || device.polls.size > 0) return;
      if (byHash.get(device.hash) !== device || byHash.size > max) return remove(device);
      idle.set(device, performance.now());
      plan();
    },
    forget(device) {
      if (byHash.get(device.hash) === device) byHash.delete(device.hash);
      if (device.polls.size === 0) remove(device);
    },
    close() {
      clearTimeout(timer);
      for (const device of idle.keys()) remove(device);
    },
  };
}
