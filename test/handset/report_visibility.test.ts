// The reports that count: only those on alerts that the device can see at that moment.

import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import { getKysely } from "../../src/store/db/statement.ts";
import { suspend } from "../support/handsets.ts";
import { openWorld } from "../support/open_world.ts";
import { waitUntil } from "../support/wait.ts";
import { timeInSeconds } from "../support/world.ts";

const world = await openWorld();

describe("reports", () => {
  const report = async (token: string, alert: { id: string }) =>
    (await world.handset("POST", "/reports", token, { reports: [{ alert_id: alert.id, kind: "read" }] })).body;
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

  test("statements that hang block no other report", async () => {
    const channel = await world.pusher();
    const device = await world.device(channel.handle);
    const [first, second, free] = [
      await world.alert(channel.id, { send: true }),
      await world.alert(channel.id, { send: true }),
      await world.alert(channel.id, { send: true }),
    ];
    const hung: Promise<unknown>[] = [];
    await getKysely(world.service.orm)
      .transaction()
      .execute(async (db) => {
        for (const { id } of [first, second]) {
          await sql`select from alert where id = ${parseIdOrNull("alr", id)} for update`.execute(db);
          hung.push(report(device, { id }));
          const waiting =
            "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
          await waitUntil(async () => (await world.sql(waiting)).length === hung.length);
        }
        expect(await report(device, free)).toEqual({ accepted: 1 });
      });
    expect(await Promise.all(hung)).toEqual([{ accepted: 1 }, { accepted: 1 }]);
  });

  // rules#reports-need-sight
  test("on what is not visible yet, or to a stranger, they are skipped", async () => {
    const channel = await world.pusher();
    const device = await world.device(channel.handle);
    const scheduled = await world.alert(channel.id, { send: true, send_at: timeInSeconds(600) });
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
