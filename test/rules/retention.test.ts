// Alerts are deleted when their channel's retention ends, and not before: announced first, in slices, with every count
// unchanged (rules#retention).

import { expect, test } from "vitest";
import { expectRecountClean } from "../support/counter_checks.ts";
import { parseUuid } from "../support/handsets.ts";
import { openWorld } from "../support/open_world.ts";

const world = await openWorld();

const round = (name = "ended_alerts") => world.service.housekeeping.round(name);
const titles = async (pusher_id: string) =>
  (await world.rest("list_alerts", { pusher_id, limit: 100 })).body.data.map((row: any) => row.title).sort();
const inbox = async (token: string) =>
  (await world.handset("GET", "/inbox", token)).body.data.map((row: any) => row.title).sort();
/** As if it had been set a day and an hour ago. */
const dayLater = () =>
  world
    .sql(`update pusher set retention_starts_at = retention_starts_at - interval '25 hours'`)
    .then(() => world.sql(`update workspace set retention_starts_at = retention_starts_at - interval '25 hours'`));

/** Alerts sent or withdrawn this number of days ago, in their state by now. */
async function past(pusherId: string, title: string, days: number, more: Record<string, string> = {}) {
  const status = more.status ?? "sent";
  const at = `now() - interval '${days} days'`;
  const [row] = await world.sql(
    `insert into alert (id, pusher_id, title, status, sent_at, cancelled_at, expires_at, created_at)
     select gen_random_uuid(), ?, ?, '${status}', ${status === "sent" ? at : "null"},
       ${status === "cancelled" ? `now() - interval '${more.cancelled ?? days} days'` : "null"},
       ${more.expires ? `now() + interval '${more.expires} days'` : "null"}, ${at} returning id`,
    [parseUuid(pusherId), title],
  );
  return row.id as string;
}

async function filled() {
  const channel = await world.pusher();
  const old = await past(channel.id, "old", 40);
  await past(channel.id, "young", 5);
  await past(channel.id, "expired lately", 40, { expires: "-3" });
  await past(channel.id, "still shown", 400, { expires: "3" });
  await past(channel.id, "expired long ago", 90, { expires: "-60" });
  await past(channel.id, "withdrawn", 60, { status: "cancelled" });
  await past(channel.id, "withdrawn lately", 60, { status: "cancelled", cancelled: "2" });
  await past(channel.id, "draft", 90, { status: "draft" });
  await world.alert(channel.id, { title: "planned", send_at: new Date(Date.now() + 86_400_000).toISOString() });
  return { channel, old };
}

const KEPT = ["draft", "expired lately", "planned", "still shown", "withdrawn lately", "young"];

// rules#retention
// rules#retention-told
// rules#retention-counts
test("alerts that ended long enough ago are deleted a day after the announcement, and every count stays", async () => {
  const { channel, old } = await filled();
  const token = await world.device(channel.handle);
  const report = {
    reports: [{ alert_id: (await world.handset("GET", "/inbox", token)).body.data.at(-1).id, kind: "ack" }],
  };
  await world.handset("POST", "/reports", token, report);
  await world.sql(
    `insert into report (alert_id, device_id, kind, reported_at) select ?, n, 1, now() from generate_series(1, 2500) n`,
    [old],
  );
  await world.sql("insert into alert_counter (alert_id, reads) values (?, 2500)", [old]);
  await world.sql(
    "update channel_day set reads = reads + 2500 where pusher_id = ? and day = (now() - interval '40 days')::date",
    [parseUuid(channel.id)],
  );
  const statistics = async () => [
    (await world.rest("get_pusher", { pusher_id: channel.id })).body.alerts_sent,
    (await world.rest("get_pusher_stats", { pusher_id: channel.id, ...lastYear() })).body.totals,
    (await world.rest("get_account_stats", lastYear())).body,
  ];
  const before = await statistics();
  const first = (await world.handset("GET", "/inbox", token)).headers.get("etag");

  const set = await world.rest("update_pusher", { pusher_id: channel.id, retention_days: 30 });
  // Counted by the day of their deletion, these are a day older.
  expect(set.body.note).toMatch(
    /^Alerts are deleted 30 days after they end\. The first deletion, at 2\S+Z, covers 3 of them\./,
  );
  expect(await round()).toBe(0);
  expect(await titles(channel.id)).toHaveLength(9);
  const [line] = (await world.rest("list_audit_events", { pusher_id: channel.id })).body.data;
  expect(line).toMatchObject({ operation: "update_pusher", changed: ["retention_days"] });

  await dayLater();
  expect(await round()).toBe(3);
  expect(await round()).toBe(0);
  expect(await titles(channel.id)).toEqual(KEPT);
  expect(await inbox(token)).toEqual(["expired lately", "still shown", "young"]);
  expect((await world.handset("GET", "/inbox", token)).headers.get("etag")).not.toBe(first);
  expect(await statistics()).toEqual(before);
  await expectRecountClean(world.service.orm);
  // In slices, and stopped in the middle nothing is lost.
  expect(await round("orphaned_reports")).toBe(1000);
  await expectRecountClean(world.service.orm);
  expect(await round("orphaned_reports")).toBe(1000);
  expect(await round("orphaned_reports")).toBeLessThan(1000);
  expect(await world.sql("select from report where alert_id = ?", [old])).toEqual([]);
  expect(await world.sql("select from orphaned_report_alert")).toEqual([]);
});

const lastYear = () => {
  const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
  return { from: day(364), to: day(0) };
};

// rules#retention-told
test("a setting by mistake is undone before anything is deleted", async () => {
  const { channel } = await filled();
  await world.rest("update_pusher", { pusher_id: channel.id, retention_days: 7 });
  const back = await world.rest("update_pusher", { pusher_id: channel.id, retention_days: null });
  expect(back.body.note).toBe("Alerts are kept without a time limit.");
  await dayLater();
  expect(await round()).toBe(0);
  // A shorter retention starts over.
  await world.rest("update_pusher", { pusher_id: channel.id, retention_days: 3000 });
  await dayLater();
  await world.rest("update_pusher", { pusher_id: channel.id, retention_days: 7 });
  expect(await round()).toBe(0);
  expect(await titles(channel.id)).toHaveLength(9);
});

// rules#retention-days
test("the workspace's setting applies to channels without one", async () => {
  const [own, none, ever] = [
    await world.pusher(),
    await world.pusher({ retention_days: 50 }),
    await world.pusher({ retention_days: 0 }),
  ];
  for (const { id } of [own, none, ever]) await past(id, "forty", 40);
  await world.sql("update workspace set retention_days = 30");
  expect(await round()).toBe(0);
  await dayLater();
  await world.service.housekeeping.round("ended_alerts");
  expect(await titles(own.id)).toEqual([]);
  expect(await titles(none.id)).toEqual(["forty"]);
  expect(await titles(ever.id)).toEqual(["forty"]);
  await world.sql("update workspace set retention_days = null");
  const editor = await world.memberKey("editor");
  const refused = await world.rest("update_pusher", { pusher_id: ever.id, retention_days: 7 }, editor);
  expect(refused).toMatchObject({ status: 403 });
});

test("several processes at once remove each alert once, during sends", async () => {
  const replica = await world.replica();
  try {
    const channels = await Promise.all([1, 2, 3].map(() => world.pusher({ retention_days: 7 })));
    for (const { id } of channels)
      await world.sql(
        `insert into alert (id, pusher_id, title, status, sent_at, created_at)
         select gen_random_uuid(), ?, 'x', 'sent', now() - n * interval '1 day', now() - n * interval '1 day' from
           generate_series(1, 400) n`,
        [parseUuid(id)],
      );
    await dayLater();
    let gone = 0;
    const sends = channels.flatMap(({ id }) => [1, 2, 3].map(() => world.alert(id, { send: true })));
    while (gone < 3 * 394) {
      const rounds = [world, replica].map(({ service }) => service.housekeeping.round("ended_alerts"));
      const [one, two] = await Promise.all(rounds);
      gone += (one ?? 0) + (two ?? 0);
    }
    await Promise.all(sends);
    expect(gone).toBe(3 * 394);
    for (const { id } of channels)
      expect((await world.rest("get_pusher", { pusher_id: id })).body.alerts_sent).toBe(403);
    await expectRecountClean(world.service.orm);
  } finally {
    await replica.leave();
  }
});
