// Devices that join and leave repeatedly: the cost for the notified account, and the limit.

import { expect, test } from "vitest";
import {
  joinChannel,
  listChannelEvents,
  parseUuid,
  registerHandset,
  waitForSubscriberCount,
} from "../support/handsets.ts";
import { openWorld } from "../support/open_world.ts";
import { World } from "../support/world.ts";

const world = await openWorld();

const leave = (on: World, token: string, handle: string) => on.handset("DELETE", `/subscriptions/${handle}`, token);

// rules#subscriber-events-are-gathered
test("a flood of joins and leaves is reported once a second, with the final count", async () => {
  const pusher = await world.pusher();
  const [first, second] = [await registerHandset(world), await registerHandset(world)];
  const began = performance.now();
  for (let n = 0; n < 40; n++) {
    expect((await joinChannel(world, first.token, pusher.handle)).status).toBe(200);
    expect((await leave(world, first.token, pusher.handle)).status).toBe(204);
  }
  await joinChannel(world, first.token, pusher.handle);
  await joinChannel(world, second.token, pusher.handle);
  await waitForSubscriberCount(world, pusher.id, 2);
  const seconds = (performance.now() - began) / 1000;
  expect(listChannelEvents(world, pusher.id).length).toBeLessThanOrEqual(2 + seconds);
  const { body } = await world.rest("get_pusher", { pusher_id: pusher.id });
  expect(body.subscribers).toBe(2);
});

// rules#subscriber-events-are-gathered
test("pending counts of a process that ended are reported by another one", async () => {
  const own = await World.open();
  const pusher = await own.pusher();
  await own.service.housekeeping.close();
  await own.device(pusher.handle);
  // However slow this machine is: the second one comes too soon after the first.
  await own.sql(
    "update channel_state set subscribers_reported_at = clock_timestamp() + interval '1 second' where pusher_id = ?",
    [parseUuid(pusher.id)],
  );
  await own.device(pusher.handle);
  expect(listChannelEvents(own, pusher.id)).toEqual([{ event: "subscriber.created", count: 1, delta: 1 }]);
  const replica = await own.replica();
  await waitForSubscriberCount(own, pusher.id, 2);
  expect(await own.sql("select pusher_id from channel_state where subscribers_pending")).toEqual([]);
  await replica.close();
  await own.close();
});

// rules#limit-joins
test("one device joins and leaves a channel six times a minute, and what changes nothing counts nothing", async () => {
  const limited = await World.open({ limits: true });
  const [pusher, other] = [await limited.pusher(), await limited.pusher()];
  const { token } = await registerHandset(limited);
  for (let n = 0; n < 3; n++) {
    expect((await joinChannel(limited, token, pusher.handle)).status).toBe(200);
    for (let m = 0; m < 5; m++) expect((await joinChannel(limited, token, pusher.handle)).status).toBe(200);
    expect((await leave(limited, token, pusher.handle)).status).toBe(204);
    for (let m = 0; m < 5; m++) expect((await leave(limited, token, pusher.handle)).status).toBe(204);
  }
  const refused = await joinChannel(limited, token, pusher.handle);
  expect([refused.status, refused.body.error.type]).toEqual([429, "rate_limited"]);
  expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
  expect(refused.headers.get("ratelimit-policy")).toBe('"joins-on-channel";q=6;w=60');
  // Nothing of it stays, another channel can be joined, and the subject in the counter is not a raw id.
  const { body } = await limited.rest("get_pusher", { pusher_id: pusher.id });
  expect(body.subscribers).toBe(0);
  const open = await joinChannel(limited, token, other.handle);
  expect([open.status, open.headers.get("ratelimit-policy")]).toEqual([
    200,
    '"joins-on-channel";q=6;w=60, "joins-of-device";q=120;w=60',
  ]);
  await limited.close();
});

// rules#limit-joins
test("a device and an address have a limit over all channels, imports counted", async () => {
  const limited = await World.open({
    limitMax: { "joins-of-device": 3 },
    settings: { DEVICE_REGISTRATIONS_PER_MINUTE: "1" },
  });
  const pushers = await Promise.all(Array.from({ length: 4 }, () => limited.pusher()));
  const { token } = await registerHandset(limited);
  for (const { handle } of pushers.slice(0, 2)) expect((await joinChannel(limited, token, handle)).status).toBe(200);
  const data = pushers.slice(2, 3).map(({ handle }) => ({ handle }));
  const imported = () => limited.handset("POST", "/devices/me/import", token, { version: 1, data });
  expect((await imported()).body).toMatchObject({ joined: 1 });
  expect((await imported()).body).toMatchObject({ joined: 0, present: 1 });
  expect((await joinChannel(limited, token, pushers[3]!.handle)).status).toBe(429);
  expect((await leave(limited, token, pushers[0]!.handle)).status).toBe(429);
  // Ten for each handset that the address may register.
  const asked = async (device: string, n: number) => {
    const path = `/handset/v1/subscriptions/${pushers[n % 4]!.handle}`;
    const headers = { authorization: `Bearer ${device}` };
    const method = n % 8 < 4 ? "PUT" : "DELETE";
    const request = new Request(`http://localhost${path}`, { method, headers });
    return (await limited.service.app.fetch(request, "203.0.113.7")).status;
  };
  const devices = await Promise.all(Array.from({ length: 6 }, () => registerHandset(limited)));
  const statuses = [];
  for (const one of devices) for (const n of [0, 4]) statuses.push(await asked(one.token, n));
  expect(statuses).toEqual([...Array(5).fill([200, 204]).flat(), 429, 204]);
  await limited.close();
});
