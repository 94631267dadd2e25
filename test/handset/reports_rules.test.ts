// Which reports count: only those on what the device can see at that moment.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { suspend } from "../support/handsets.ts";
import { inSeconds, World } from "../support/world.ts";

describe("reports", () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open();
  });
  afterAll(() => world?.close());

  const report = async (token: string, alert: { id: string }) =>
    (await world.handset("POST", "/reports", token, { reports: [{ alert_id: alert.id, kind: "read" }] }))
      .body;
  const reads = async (channel: { id: string }, alert: { id: string }) =>
    (await world.rest("get_alert_stats", { pusher_id: channel.id, alert_id: alert.id })).body.totals.reads;

  test("on a suspended channel they are skipped, and count again when it is restored", async () => {
    const channel = await world.pusher();
    const alert = await world.alert(channel.id, { send: true });
    const device = await world.device(channel.handle);
    await suspend(world, channel.handle);
    expect(await report(device, alert)).toEqual({ accepted: 0 });
    await suspend(world, channel.handle, false);
    expect(await reads(channel, alert)).toBe(0);
    expect(await report(device, alert)).toEqual({ accepted: 1 });
    expect(await reads(channel, alert)).toBe(1);
  });

  // docs/rules.md#reports-need-sight
  test("on what is not visible yet, or to a stranger, they are skipped", async () => {
    const channel = await world.pusher();
    const device = await world.device(channel.handle);
    const scheduled = await world.alert(channel.id, { send: true, send_at: inSeconds(600) });
    const draft = await world.alert(channel.id);
    for (const alert of [scheduled, draft]) {
      expect(await report(device, alert)).toEqual({ accepted: 0 });
      expect(await reads(channel, alert)).toBe(0);
    }
    const sent = await world.alert(channel.id, { send: true });
    expect(await report(await world.device(), sent)).toEqual({ accepted: 0 });
    expect(await reads(channel, sent)).toBe(0);
  });
});
