// Reports that must not be counted: on a channel that its handsets no longer see, and in calls that the database rolled
// back.

import { describe, expect, test } from "vitest";
import { joinNewHandset, suspend } from "../support/handsets.ts";
import { openWorld } from "../support/open_world.ts";

const world = await openWorld({ limits: true, limitMax: { "alert-sends": 1 } });
// Fails at the commit, after the handler has done everything: permanently, or once so that a retry succeeds.
for (const sql of [
  "create sequence failures",
  `create function fail_at_commit() returns trigger language plpgsql as $$
   begin
     if new.title = 'Fails' then raise exception 'the disk is full'; end if;
     if nextval('failures') = 1 then raise exception 'try again' using errcode = '40001'; end if;
     return null;
   end $$`,
  `create constraint trigger fail_at_commit after update on alert deferrable initially deferred for each row
   when (new.title in ('Fails', 'Fails once')) execute function fail_at_commit()`,
])
  await world.sql(sql);

describe("on a service", () => {
  const send = (alert: any) => world.rest("send_alert", { pusher_id: alert.pusher_id, alert_id: alert.id });

  test("a send that the database undid gives its place under the limit back", async () => {
    const { id } = await world.pusher();
    const fails = await world.alert(id, { title: "Fails" });
    for (let i = 0; i < 2; i++) expect((await send(fails)).status).toBe(500);
    // The one send of this minute is still there, and only that one.
    expect((await send(await world.alert(id))).status).toBe(200);
    expect((await send(await world.alert(id))).status).toBe(429);
  });

  test("a send that is tried again counts once", async () => {
    const { id } = await world.pusher();
    const once = await world.alert(id, { title: "Fails once" });
    expect((await send(once)).status).toBe(200);
    const [{ last_value }] = (await world.sql("select last_value::int from failures")) as any;
    expect(last_value).toBe(2);
    expect((await send(await world.alert(id))).status).toBe(429);
  });

  test("reports on a suspended channel are skipped, and counted once it is restored", async () => {
    const pusher = await world.pusher();
    const { token } = await joinNewHandset(world, pusher.handle);
    const alert = await world.alert(pusher.id, { send: true });
    const report = () =>
      world.handset("POST", "/reports", token, {
        reports: (["read", "ack"] as const).map((kind) => ({ alert_id: alert.id, kind })),
      });
    const totals = async () =>
      (await world.rest("get_alert_stats", { pusher_id: pusher.id, alert_id: alert.id })).body.totals;
    await suspend(world, pusher.handle);
    const skipped = await report();
    expect([skipped.status, skipped.body]).toEqual([200, { accepted: 0 }]);
    expect(await totals()).toEqual({ reads: 0, acks: 0 });
    await suspend(world, pusher.handle, false);
    expect(await totals()).toEqual({ reads: 0, acks: 0 });
    expect((await report()).body).toEqual({ accepted: 2 });
    expect(await totals()).toEqual({ reads: 1, acks: 1 });
  });
});
