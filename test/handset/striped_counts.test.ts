// Reports that meet another statement on their channel wait for nobody: they are counted aside, every figure is the sum, and nothing
// counts twice. Somebody who holds a channel's first row of counts stands for the other statement.

import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseOf } from "../../src/store/db/statement.ts";
import { takesStripe } from "../../src/store/queries/reports.ts";
import { alertAt } from "../cases/given.ts";
import { uuidOf } from "../support/handsets.ts";
import { expectRecountClean } from "../support/recount.ts";
import { httpSink } from "../support/sinks.ts";
import { World } from "../support/world.ts";

const CHOICES = ["Yes", "No"];

let world: World;
let other: World;
let sink: Awaited<ReturnType<typeof httpSink>>;
beforeAll(async () => {
  const settings = { WEBHOOK_ALLOW_HOSTS: "127.0.0.1" };
  world = await World.open({ settings });
  other = await world.replica(settings);
  for (const one of [world, other]) await one.service.housekeeping.close();
  sink = await httpSink((_request, response) => response.end());
});
afterAll(async () => {
  sink.close();
  await other?.close();
  await world?.close();
});

const report = async (token: string, { id }: { id: string }, reports: object[], on = world) =>
  (await on.handset("POST", "/reports", token, { reports: reports.map((one) => ({ alert_id: id, ...one })) }))
    .body;
const READ = { kind: "read" };
const ACK = { kind: "ack" };
const chooses = (choice: string) => ({ kind: "reply", choice });
const stats = async (alert: any) => (await world.rest("get_alert_stats", alertAt(alert))).body;

async function asked(phones: number) {
  const channel = await world.pusher();
  const tokens = await Promise.all(Array.from({ length: phones }, () => world.device(channel.handle)));
  const actions = [{ type: "reply", label: "Come?", choices: CHOICES }];
  return { channel, tokens, alert: await world.alert(channel.id, { actions, send: true }) };
}

/** While `work` runs somebody else counts in the first row of a channel. */
const beside = (channel: { id: string }, work: () => Promise<unknown>) =>
  databaseOf(world.service.orm)
    .transaction()
    .execute(async (db) => {
      await sql`select ${sql.raw(takesStripe(`'${uuidOf(channel.id)}'::uuid`, "0"))}`.execute(db);
      await work();
    });

const rowsOf = (table: string, column: string, id: string) =>
  world.sql<any>(`select reads::int, acks::int from ${table} where ${column} = ?`, [uuidOf(id)]);

// docs/rules.md#reports-at-once
test("what meets another statement is counted aside, and every figure is the sum", async () => {
  const { channel, alert, tokens } = await asked(4);
  const [one, two, three, four] = tokens as [string, string, string, string];
  expect(await report(one, alert, [READ, ACK, chooses("Yes")])).toEqual({ accepted: 3 });
  await beside(channel, async () => {
    expect(await report(two, alert, [READ, ACK])).toEqual({ accepted: 2 });
    expect(await report(three, alert, [READ, chooses("Yes")])).toEqual({ accepted: 2 });
    // Nothing of a repeat counts, and what was chosen before is taken back, wherever either was counted.
    expect(await report(one, alert, [READ, ACK, chooses("No")], other)).toEqual({ accepted: 3 });
  });
  expect(await rowsOf("alert_counter", "alert_id", alert.id)).toEqual([{ reads: 1, acks: 1 }]);
  expect(await rowsOf("alert_counter_stripe", "alert_id", alert.id)).toEqual([{ reads: 2, acks: 1 }]);
  expect(await rowsOf("channel_day_stripe", "pusher_id", channel.id)).toEqual([{ reads: 2, acks: 1 }]);
  expect(await report(three, alert, [chooses("No")])).toEqual({ accepted: 1 });
  expect(await report(four, alert, [READ], other)).toEqual({ accepted: 1 });
  expect(await stats(alert)).toMatchObject({
    totals: { reads: 4, acks: 2 },
    replies: [
      { choice: "Yes", count: 0 },
      { choice: "No", count: 2 },
    ],
  });
  const { totals, buckets } = (await world.rest("get_pusher_stats", { pusher_id: channel.id })).body;
  expect(totals).toMatchObject({ reads: 4, acks: 2, alerts_sent: 1 });
  expect(buckets.at(-1)).toMatchObject({ reads: 4, acks: 2 });
  expect((await world.rest("wait_for_replies", alertAt(alert, { seconds: 0 }))).body).toMatchObject({
    total: 2,
    seen: "0.2",
  });
  await expectRecountClean(world.service.orm);
  await world.rest("cancel_alert", alertAt(alert));
  await world.rest("delete_alert", alertAt(alert));
  expect(await rowsOf("alert_counter_stripe", "alert_id", alert.id)).toEqual([]);
  await expectRecountClean(world.service.orm);
});

// docs/rules.md#reports-at-once
test("however many count at once, each phone counts once", async () => {
  const { channel, alert, tokens } = await asked(12);
  await beside(channel, () =>
    Promise.all(
      tokens.flatMap((token, i) => [
        report(token, alert, [READ], i % 2 ? world : other),
        report(token, alert, [READ, ACK, chooses(CHOICES[i % 2]!)], i % 2 ? other : world),
      ]),
    ),
  );
  await Promise.all(
    tokens.flatMap((token) => [report(token, alert, [ACK]), report(token, alert, [READ], other)]),
  );
  expect(await stats(alert)).toMatchObject({
    totals: { reads: 12, acks: 12 },
    replies: [{ count: 6 }, { count: 6 }],
  });
  await expectRecountClean(world.service.orm);
});

// docs/rules.md#events-asked-for
test("who asks to be told is told all that was counted, before it asked and aside", async () => {
  const { channel, alert, tokens } = await asked(3);
  const [one, two, three] = tokens as [string, string, string];
  await beside(channel, () => report(one, alert, [ACK]));
  await world.rest("create_webhook", {
    url: `http://127.0.0.1:${sink.port}/`,
    events: ["alert.acknowledged"],
  });
  await beside(channel, () => report(two, alert, [READ, ACK]));
  const tell = () => {
    const { work, batch } = world.service.housekeeping.jobs.find(
      ({ name }) => name === "untold_alerts",
    ) as any;
    return work(batch);
  };
  await tell();
  const told = () =>
    world.events.filter(({ event, data }) => event === "alert.acknowledged" && data.alert_id === alert.id);
  expect(told().map(({ data }) => data)).toMatchObject([{ count: 2, delta: 2 }]);
  expect(await rowsOf("alert_counter_stripe", "alert_id", alert.id)).toEqual([{ reads: 0, acks: 1 }]);
  await report(three, alert, [ACK]);
  await world.sql("update alert_counter set told_at = told_at - interval '1 minute'");
  await tell();
  expect(told().at(-1)?.data).toMatchObject({ count: 3, delta: 1 });
  await expectRecountClean(world.service.orm);
});
