// The change hub by itself: a listener is called for each revision but the one that it has seen, whenever that came
// about.

import { getEventListeners } from "node:events";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import {
  type ChannelSnapshotDiff,
  createChannelTracker,
} from "../../src/handset/live_updates/channel_snapshot_tracker.ts";
import { createAlertWaits } from "../../src/operation/alert_waits.ts";
import { type ChangeHub, createChangeHub } from "../../src/store/changes/change_hub.ts";
import type { SeenRevision } from "../../src/store/changes/change_hub_types.ts";
import { getKysely, runStatement } from "../../src/store/db/statement.ts";
import { findChangedRevisions } from "../../src/store/queries/changed_revisions.ts";
import { createInMemoryConcurrencyLeases } from "../../src/store/rate_limits/in_memory_concurrency_limits.ts";
import { joinChannel, parseUuid, registerHandset } from "../support/handsets.ts";
import { runTicksUntil, waitFor } from "../support/wait.ts";
import { timeInSeconds, World } from "../support/world.ts";

let world: World;
let hub: ChangeHub;
const closes: (() => void)[] = [];
beforeAll(async () => {
  world = await World.open();
  const { orm, log } = world.service;
  // No process notifies it of a commit.
  hub = createChangeHub({ orm, log, bus: null });
});
afterEach(() => {
  for (const close of closes.splice(0)) close();
  expect(hub.subjectCount()).toBe(0);
});
afterAll(async () => {
  await hub?.close();
  await world?.close();
});

/** A subject of each kind, how its revision is read, and a change of it. */
async function subjects() {
  const pusher = await world.pusher();
  const alert = await world.alert(pusher.id, { title: "First" });
  const { id: device } = await registerHandset(world);
  const [channel, draft] = [parseUuid(pusher.id), parseUuid(alert.id)];
  const read = async (text: string, id: string) => (await world.sql(text, [id]))[0]?.revision ?? "";
  return {
    channel: {
      seen: { kind: "channel", id: channel },
      read: () => read("select revision::text from channel_state where pusher_id = ?::uuid", channel),
      change: () => world.alert(pusher.id, { title: "Sent", send: true }),
    },
    device: {
      seen: { kind: "device", id: device },
      read: () => read("select subscriptions_revision::text as revision from device where id = ?::bigint", device),
      change: () =>
        world.sql("update device set subscriptions_revision = subscriptions_revision + 1 where id = ?::bigint", [
          device,
        ]),
    },
    audience: {
      seen: { kind: "audience", id: channel },
      read: () => read("select is_public::text as revision from pusher where id = ?::uuid", channel),
      change: () => world.sql("update pusher set is_public = not is_public where id = ?::uuid", [channel]),
    },
    alert: {
      seen: { kind: "alert", id: draft, channel },
      read: () => read("select updated_at || ' 0.0.0.0' as revision from alert where id = ?::uuid", draft),
      change: () => world.sql("update alert set updated_at = now() where id = ?::uuid", [draft]),
    },
  } as const;
}

const KINDS = ["channel", "device", "audience", "alert"] as const;

/** Listens with this revision, and keeps those that it is called with. */
function listen(seen: Omit<SeenRevision, "revision">, revision: string): string[] {
  const heard: string[] = [];
  closes.push(hub.listen([{ ...seen, revision }], (_, now) => heard.push(now)));
  return heard;
}

// rules#held-wakes
test.each(KINDS)("%s: a change before or after the listener began is reported, and no other", async (kind) => {
  const all = await subjects();
  const { seen, read, change } = all[kind];
  const first = await read();
  const early = listen(seen, first);
  await change();
  const second = await read();
  expect(second).not.toBe(first);
  // Read before the change, and listening only after it.
  const late = listen(seen, first);
  const current = listen(seen, second);
  for (const heard of [early, late]) await waitFor(() => expect(heard).toEqual([second]));
  // The hub knows of the change, and this listener does not.
  const latest = listen(seen, first);
  await waitFor(() => expect(latest).toEqual([second]));
  for (const other of KINDS) if (other !== kind) await all[other].change();
  await change();
  const third = await read();
  for (const heard of [early, late]) await waitFor(() => expect(heard.at(-1)).toBe(third));
  await waitFor(() => expect(current).toContain(third));
  expect(current).not.toContain(second);
  expect(early[0]).toBe(second);
});

test("any deleted subject has the empty revision, and an ended subscriber receives nothing", async () => {
  const { channel, audience } = await subjects();
  const heard = [listen(channel.seen, await channel.read()), listen(audience.seen, await audience.read())];
  const ended = listen(channel.seen, await channel.read());
  closes.pop()?.();
  await world.sql("delete from pusher where id = ?::uuid", [channel.seen.id]);
  for (const one of heard) await waitFor(() => expect(one).toEqual([""]));
  expect(ended).toEqual([]);
});

// rules#review-wait
test("a change of a channel is looked for in the alerts of it, without the round", async () => {
  const { alert, channel } = await subjects();
  const heard = listen(alert.seen, await alert.read());
  await alert.change();
  hub.changed([channel.seen.id]);
  await runTicksUntil(() => heard.length > 0);
  expect(heard).toEqual([await alert.read()]);
});

// rules#held-wakes
test("a plan, and the end of a plan, is found without a message", async () => {
  const pusher = await world.pusher();
  const [channels, read] = [
    [parseUuid(pusher.id)],
    "select revision::text as rev from channel_state where pusher_id = ?::uuid",
  ];
  const none = { devices: [], device_revs: [], audiences: [], audience_revs: [], alerts: [], alert_revs: [] };
  /** The query of a round. `isPlanned`: whether planned alerts are known. */
  const found = async (isPlanned: boolean) => {
    const [{ rev }] = (await world.sql<{ rev: string }>(read, channels)) as [{ rev: string }];
    const known = { channels, channel_revs: [rev], channel_planned: [isPlanned] };
    const rows = await runStatement(getKysely(world.service.orm), findChangedRevisions, {
      ...none,
      ...known,
      planned: false,
    });
    return rows.map(({ due_in }) => Number.isFinite(due_in));
  };
  expect([await found(false), await found(true)]).toEqual([[], [false]]);
  const alert = await world.alert(pusher.id, { title: "Due", send: true, send_at: timeInSeconds(3600) });
  expect([await found(false), await found(true)]).toEqual([[true], []]);
  await world.rest("cancel_alert", { pusher_id: pusher.id, alert_id: alert.id });
  expect([await found(false), await found(true)]).toEqual([[], [false]]);
});

// rules#stream-standing
test("a follower that knows an older revision of its device is named, independent of its other followers", async () => {
  const { orm, log } = world.service;
  const pusher = await world.pusher();
  const { id, token } = await registerHandset(world);
  await joinChannel(world, token, pusher.handle);
  const [device] = await world.sql("select subscriptions_revision::text as rev from device where id = ?::bigint", [id]);
  const tracker = createChannelTracker({ orm, log, hub, publishDue: async () => true, render: () => null });
  const deltas: ChannelSnapshotDiff[] = [];
  const follower = (rev: string) => ({
    device: { id, rev },
    changed: (delta: ChannelSnapshotDiff | null) => void (delta && deltas.push(delta)),
    due: () => {},
  });
  const followers = [follower("0"), follower(device.rev)];
  for (const one of followers) await tracker.follow([parseUuid(pusher.id)], one);
  await world.alert(pusher.id, { title: "Sent", send: true });
  await waitFor(() => expect(deltas).toHaveLength(2));
  expect(deltas.map(({ changedDevices }) => [...changedDevices])).toEqual([[id], [id]]);
  for (const one of followers) tracker.unfollow([parseUuid(pusher.id)], one);
});

// rules#review-wait
test("a wait leaves nothing behind", async () => {
  const { alert } = await subjects();
  const any = vi.spyOn(AbortSignal, "any");
  const waits = createAlertWaits({ hub, max: 10, leases: createInMemoryConcurrencyLeases() });
  const wait = { alertId: alert.seen.id, pusherId: alert.seen.channel, version: "", subject: "someone" };
  await waits.untilChanged({ ...wait, ms: 60_000, signal: new AbortController().signal });
  const signals = any.mock.results.map(({ value }) => value);
  any.mockRestore();
  expect(signals).toHaveLength(1);
  // Node keeps such a signal for as long as it has a listener.
  expect(getEventListeners(signals[0], "abort")).toEqual([]);
});
