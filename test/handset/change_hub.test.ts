// The change hub by itself: a listener is called for each revision but the one that it has seen, whenever that came about.

import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type ChangeHub, createChangeHub, type Seen } from "../../src/store/changes/hub.ts";
import { registered, uuidOf } from "../support/handsets.ts";
import { turnUntil, waitFor } from "../support/wait.ts";
import { World } from "../support/world.ts";

let world: World;
let hub: ChangeHub;
const closes: (() => void)[] = [];
beforeAll(async () => {
  world = await World.open();
  const { orm, log } = world.service;
  // No process tells it of a commit.
  hub = createChangeHub({ orm, log, bus: null });
});
afterEach(() => {
  for (const close of closes.splice(0)) close();
  expect(hub.size()).toBe(0);
});
afterAll(async () => {
  await hub?.close();
  await world?.close();
});

/** A subject of each kind, how its revision is read, and a change of it. */
async function subjects() {
  const pusher = await world.pusher();
  const alert = await world.alert(pusher.id, { title: "First" });
  const { id: device } = await registered(world);
  const [channel, draft] = [uuidOf(pusher.id), uuidOf(alert.id)];
  const read = async (text: string, id: string) => (await world.sql(text, [id]))[0]?.revision ?? "";
  return {
    channel: {
      seen: { kind: "channel", id: channel },
      read: () => read("select rev::text as revision from channel_state where pusher_id = ?::uuid", channel),
      change: () => world.alert(pusher.id, { title: "Sent", send: true }),
    },
    device: {
      seen: { kind: "device", id: device },
      read: () => read("select subs_rev::text as revision from device where id = ?::bigint", device),
      change: () => world.sql("update device set subs_rev = subs_rev + 1 where id = ?::bigint", [device]),
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
function listen(seen: Omit<Seen, "revision">, revision: string): string[] {
  const heard: string[] = [];
  closes.push(hub.listen([{ ...seen, revision }], (_, now) => heard.push(now)));
  return heard;
}

// docs/rules.md#held-wakes
test.each(KINDS)(
  "%s: a change before or after the listener began is reported, and no other",
  async (kind) => {
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
  },
);

test("whatever is deleted has the empty revision, and who has ended hears nothing", async () => {
  const { channel, audience } = await subjects();
  const heard = [listen(channel.seen, await channel.read()), listen(audience.seen, await audience.read())];
  const ended = listen(channel.seen, await channel.read());
  closes.pop()?.();
  await world.sql("delete from pusher where id = ?::uuid", [channel.seen.id]);
  for (const one of heard) await waitFor(() => expect(one).toEqual([""]));
  expect(ended).toEqual([]);
});

// docs/rules.md#review-wait
test("a change of a channel is looked for in the alerts of it, without the round", async () => {
  const { alert, channel } = await subjects();
  const heard = listen(alert.seen, await alert.read());
  await alert.change();
  hub.changed([channel.seen.id]);
  await turnUntil(() => heard.length > 0);
  expect(heard).toEqual([await alert.read()]);
});
