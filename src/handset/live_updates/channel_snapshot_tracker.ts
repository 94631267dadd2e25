// The tracker of channels that streams and ntfy clients follow. It keeps the newest alerts of each, and reports the
// difference after a change. A channel is read once for all followers, one read at a time. They are notified in the
// same turn of the event loop, so a new follower cannot miss a change.

import { setTimeout as pause } from "node:timers/promises";
import type { ChangeHub } from "../../store/changes/change_hub.ts";
import { createBatcher } from "../../store/db/batch_concurrent_calls.ts";
import type { Orm } from "../../store/db/orm.ts";
import { getKysely, runStatement } from "../../store/db/statement.ts";
import type { InboxViewMode, Log } from "../../store/handler_context.ts";
import { type ChannelNewestAlertRow, readChannelsWithNewestAlerts } from "../../store/queries/live_update_reads.ts";

/** The number of newest alerts that are compared. More are rarely sent and withdrawn in one moment. */
export const TRACKED_ALERTS_PER_CHANNEL = 32;
/** Unescaped bytes of an alert whose card is sent on a stream. */
const MAX_BYTES = 8 * 1024;
/** Heads that are kept: about 3 kB each. */
const MAX_HEADS = 50_000;
/** Between two tries to read channels. */
const RETRY_MS = 1_000;

/** An alert that was read, with the state of its channel. */
type AlertWithChannelState = Extract<ChannelNewestAlertRow, { id: string }>;

/** A channel as it was last read. */
interface ChannelSnapshot {
  rev: bigint;
  mark: bigint;
  topic: string;
  isPublic: boolean;
  isSuspended: boolean;
  /**
   * The newest alerts by id, the newest first: when each was sent, in microseconds since 1970, and its
   * `collapse_key`.
   */
  alerts: ReadonlyMap<string, { sent: number; sequence: string }>;
}

/** The events that report all of a change, each without its id; null where they would not. */
export type RenderEvents = (delta: ChannelSnapshotDiff, view: InboxViewMode) => string[] | null;

/** A change of one channel. */
export class ChannelSnapshotDiff {
  readonly previous: ChannelSnapshot;
  readonly current: ChannelSnapshot;
  /** Alerts that came, the oldest first. */
  readonly added: readonly AlertWithChannelState[];
  /** Ids of removed alerts. */
  readonly removed: readonly string[];
  /** When the oldest of all these was sent; infinite for none. */
  readonly oldestSentAt: number;
  /** Devices whose subscriptions are not those that are known: nothing is reported to them. */
  readonly changedDevices: ReadonlySet<string>;
  /** The texts that are written to several streams, by the state that they depend on. */
  readonly renderedBytes = new Map<string, Buffer>();
  readonly #events = new Map<InboxViewMode, string[] | null>();
  readonly #render: RenderEvents;

  constructor(
    before: ChannelSnapshot,
    now: ChannelSnapshot,
    rows: readonly AlertWithChannelState[],
    moved: ReadonlySet<string>,
    render: RenderEvents,
  ) {
    this.previous = before;
    this.current = now;
    const added = new Set(lacking(now, before));
    this.added = rows.filter(({ id }) => added.has(id)).toReversed();
    this.removed = lacking(before, now);
    const times = [[...added].map((id) => now.alerts.get(id)), this.removed.map((id) => before.alerts.get(id))];
    this.oldestSentAt = Math.min(...times.flat().flatMap((alert) => alert?.sent ?? []));
    this.changedDevices = moved;
    this.#render = render;
  }

  /** More alerts came than were looked at. */
  get hasGap(): boolean {
    const { previous, current } = this;
    return (
      current.alerts.size >= TRACKED_ALERTS_PER_CHANNEL &&
      ![...current.alerts.keys()].some((id) => previous.alerts.has(id))
    );
  }

  events(view: InboxViewMode): string[] | null {
    const known = this.#events.get(view);
    if (known !== undefined) return known;
    const events = this.#render(this, view);
    this.#events.set(view, events);
    return events;
  }
}

/** The alerts of `one` that `other` lacks. The end of a list is left out where the other one did not reach so far. */
function lacking({ alerts: one }: ChannelSnapshot, { alerts: other }: ChannelSnapshot): string[] {
  const ids = [...one.keys()];
  const end = other.size < TRACKED_ALERTS_PER_CHANNEL ? ids.length : ids.findLastIndex((id) => other.has(id)) + 1;
  return ids.slice(0, end).filter((id) => !other.has(id));
}

/** The subscribers to the changes of their channels. */
export interface ChannelFollower {
  /** The device that it is for, with the revision of its subscriptions; null for an anonymous listener. */
  readonly device: { readonly id: string; readonly rev: string } | null;
  /** A null delta: the channel was deleted. */
  changed(delta: ChannelSnapshotDiff | null): void;
  /** Something has come due that cannot be written down as sent. */
  due(): void;
}

interface Channel {
  readonly followers: Set<ChannelFollower>;
  head: ChannelSnapshot | null;
  close(): void;
}

interface TrackerOptions {
  orm: Orm;
  log: Log;
  hub: Pick<ChangeHub, "listen">;
  /** Writes down as sent what is due in these channels; false when it could not. */
  publishDue(channels: string[]): Promise<boolean>;
  render: RenderEvents;
}

export function createChannelTracker({ orm, log, hub, publishDue, render }: TrackerOptions) {
  const kysely = getKysely(orm);
  const channels = new Map<string, Channel>();

  const read = createBatcher<string, void>(
    async (ids) => {
      const asked = new Map(
        [...new Set(ids)].flatMap((id) => {
          const channel = channels.get(id);
          return channel ? [[id, channel]] : [];
        }),
      );
      if (asked.size > 0) await readSome(asked);
      return ids.map(() => undefined);
    },
    { inFlight: 1 },
  );

  async function readSome(asked: ReadonlyMap<string, Channel>): Promise<void> {
    let news = await newsOf(asked);
    const due = [...news].flatMap(([id, [first]]) => (first && first.due_in <= 0 ? [id] : []));
    // Due alerts are first marked as sent, which is a change by itself.
    const isSettled = due.length === 0 || (await publishDue(due));
    if (due.length > 0 && isSettled) news = await newsOf(asked);
    for (const [id, channel] of asked) if (channels.get(id) === channel) report(id, channel, news.get(id) ?? []);
    if (!isSettled) for (const id of due) for (const follower of asked.get(id)?.followers ?? []) follower.due();
  }

  async function newsOf(asked: ReadonlyMap<string, Channel>): Promise<Map<string, ChannelNewestAlertRow[]>> {
    const followed = [...asked].filter(([, { head }]) => head !== null);
    // Two followers may know different revisions of one device.
    const devices = new Map<string, { id: string; rev: string }>();
    for (const [, { followers }] of followed)
      for (const { device } of followers) if (device) devices.set(`${device.id} ${device.rev}`, device);
    const rows = await runStatement(kysely, readChannelsWithNewestAlerts, {
      channels: [...asked.keys()],
      told: followed.map(([id]) => id),
      known: followed.flatMap(([, { head }]) => [...(head?.alerts.keys() ?? [])]),
      limit: TRACKED_ALERTS_PER_CHANNEL,
      max_bytes: MAX_BYTES,
      devices: [...devices.values()].map(({ id }) => id),
      device_revs: [...devices.values()].map(({ rev }) => rev),
    });
    return Map.groupBy(rows, ({ channel }) => channel);
  }

  function report(id: string, channel: Channel, rows: readonly ChannelNewestAlertRow[]): void {
    const [first] = rows;
    const { head: before } = channel;
    if (!first) {
      if (before) for (const follower of channel.followers) follower.changed(null);
      return;
    }
    const now = headOf(first, rows);
    channel.head = now;
    if (!before) {
      const seen = { kind: "channel", id, revision: first.rev, dueIn: first.due_in } as const;
      // No revision of a channel reports who may listen to it.
      const audience = { kind: "audience", id, revision: String(first.open) } as const;
      channel.close = hub.listen([seen, audience], () => void refresh(id));
      return;
    }
    if (before.rev === now.rev) return;
    const added = rows.filter((row): row is AlertWithChannelState => row.id !== null);
    const delta = new ChannelSnapshotDiff(before, now, added, new Set(first.moved), render);
    for (const follower of channel.followers) follower.changed(delta);
  }

  /** Tried until it is done: the hub reports a revision once. */
  async function refresh(id: string): Promise<void> {
    for (let isFirst = true; channels.has(id); isFirst = false) {
      try {
        return await read(id);
      } catch (error) {
        if (isFirst) log.debug({ err: error }, "a channel's changes could not be read; retrying");
        await pause(RETRY_MS, undefined, { ref: false });
      }
    }
  }

  function unfollow(ids: readonly string[], follower: ChannelFollower): void {
    for (const id of ids) {
      const channel = channels.get(id);
      if (!channel?.followers.delete(follower) || channel.followers.size > 0) continue;
      channels.delete(id);
      channel.close();
    }
  }

  return {
    hasRoom: () => channels.size < MAX_HEADS,
    /**
     * Resolves once all further changes are reported.
     * @throws the error of the database
     */
    async follow(ids: readonly string[], follower: ChannelFollower): Promise<void> {
      const unread = ids.filter((id) => {
        const channel = channels.get(id) ?? { followers: new Set<ChannelFollower>(), head: null, close: () => {} };
        channels.set(id, channel);
        channel.followers.add(follower);
        return channel.head === null;
      });
      await Promise.all(unread.map((id) => read(id)));
    },
    unfollow,
    /** The channel's state for its followers; null if it is deleted or was never read. */
    snapshot: (id: string): ChannelSnapshot | null => channels.get(id)?.head ?? null,
  };
}

export type ChannelTracker = ReturnType<typeof createChannelTracker>;

function headOf(first: ChannelNewestAlertRow, rows: readonly ChannelNewestAlertRow[]): ChannelSnapshot {
  const alerts = rows.flatMap(({ newest, newest_sent, sequence }) =>
    newest === null ? [] : [[newest, { sent: newest_sent ?? 0, sequence: sequence ?? "" }] as const],
  );
  return {
    rev: BigInt(first.rev),
    mark: BigInt(first.mark),
    topic: first.topic,
    isPublic: first.open,
    isSuspended: first.suspended,
    alerts: new Map(alerts),
  };
}
