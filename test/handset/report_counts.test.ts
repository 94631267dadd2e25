// Counts of reports: exact for any number of concurrent ones over two services, with rows of version 0.2.0 in its own
// counters.

import { sql } from "kysely";
import { expect, test } from "vitest";
import { getKysely } from "../../src/store/db/statement.ts";
import { alertArguments } from "../cases/fixtures.ts";
import { expectRecountClean } from "../support/counter_checks.ts";
import { parseUuid } from "../support/handsets.ts";
import { openTwoServices } from "../support/two_services.ts";
import { waitFor } from "../support/wait.ts";

const CHOICES = ["Yes", "No"];

const { world, other, sink } = await openTwoServices();

const report = async (token: string, { id }: { id: string }, reports: object[], on = world) =>
  (await on.handset("POST", "/reports", token, { reports: reports.map((one) => ({ alert_id: id, ...one })) })).body;
const READ = { kind: "read" };
const ACK = { kind: "ack" };
const chooses = (choice: string) => ({ kind: "reply", choice });
const stats = async (alert: any) => (await world.rest("get_alert_stats", alertArguments(alert))).body;

async function asked(phones: number) {
  const channel = await world.pusher();
  const tokens = await Promise.all(Array.from({ length: phones }, () => world.device(channel.handle)));
  const actions = [{ type: "reply", label: "Come?", choices: CHOICES }];
  return { channel, tokens, alert: await world.alert(channel.id, { actions, send: true }) };
}

/** Counts of an alert and its channel's day are aside, as 0.2.0 left them where two of its statements met. */
async function setAside(channel: { id: string }, alert: { id: string }): Promise<void> {
  const ids = [parseUuid(alert.id)];
  await world.sql(
    "insert into alert_counter_stripe select alert_id, 3, reads, acks, replies from alert_counter where alert_id = ?",
    ids,
  );
  await world.sql("update alert_counter set reads = 0, acks = 0, replies = '{0,0,0,0}' where alert_id = ?", ids);
  const of = [parseUuid(channel.id)];
  await world.sql(
    "insert into channel_day_stripe select pusher_id, day, 3, reads, acks from channel_day where pusher_id = ?",
    of,
  );
  await world.sql("update channel_day set reads = 0, acks = 0 where pusher_id = ?", of);
}

/** While `work` runs another transaction locks the counter of an alert. */
const beside = (alert: { id: string }, work: () => Promise<unknown>) =>
  getKysely(world.service.orm)
    .transaction()
    .execute(async (db) => {
      await sql`select from alert_counter where alert_id = ${parseUuid(alert.id)}::uuid for update`.execute(db);
      await work();
    });

// rules#reports-at-once
test("every count is the sum with an older version's separate counts", async () => {
  const { channel, alert, tokens } = await asked(4);
  const [one, two, three, four] = tokens as [string, string, string, string];
  expect(await report(one, alert, [READ, ACK, chooses("Yes")])).toEqual({ accepted: 3 });
  expect(await report(two, alert, [READ, ACK])).toEqual({ accepted: 2 });
  expect(await report(three, alert, [READ, chooses("Yes")])).toEqual({ accepted: 2 });
  await setAside(channel, alert);
  // A repeat counts nothing, and an earlier choice is subtracted, wherever it was counted.
  expect(await report(one, alert, [READ, ACK, chooses("No")], other)).toEqual({ accepted: 3 });
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
  expect((await world.rest("wait_for_replies", alertArguments(alert, { seconds: 0 }))).body).toMatchObject({
    total: 2,
    seen: "0.2",
  });
  await expectRecountClean(world.service.orm);
  await world.rest("cancel_alert", alertArguments(alert));
  await world.rest("delete_alert", alertArguments(alert));
  expect(await world.sql("select from alert_counter_stripe where alert_id = ?", [parseUuid(alert.id)])).toEqual([]);
  await expectRecountClean(world.service.orm);
});

// rules#reports-at-once
test("for any number of reports at once, each phone counts once", async () => {
  const { alert, tokens } = await asked(12);
  await report(tokens[0]!, alert, [READ]);
  const all: Promise<unknown>[] = [];
  await beside(alert, async () => {
    all.push(
      ...tokens.flatMap((token, i) => [
        report(token, alert, [READ], i % 2 ? world : other),
        report(token, alert, [READ, ACK, chooses(CHOICES[i % 2]!)], i % 2 ? other : world),
      ]),
    );
    await waitFor(async () =>
      expect(
        await world.sql("select from pg_locks where not granted and locktype in ('transactionid', 'tuple')"),
      ).not.toEqual([]),
    );
  });
  await Promise.all(all);
  await Promise.all(tokens.flatMap((token) => [report(token, alert, [ACK]), report(token, alert, [READ], other)]));
  expect(await stats(alert)).toMatchObject({ totals: { reads: 12, acks: 12 }, replies: [{ count: 6 }, { count: 6 }] });
  await expectRecountClean(world.service.orm);
});

// rules#events-asked-for
test("a new subscriber of the event gets all counts, including earlier and separate ones", async () => {
  const { channel, alert, tokens } = await asked(3);
  const [one, two, three] = tokens as [string, string, string];
  await report(one, alert, [ACK]);
  await setAside(channel, alert);
  await world.rest("create_webhook", { url: `http://127.0.0.1:${sink.port}/`, events: ["alert.acknowledged"] });
  await report(two, alert, [READ, ACK]);
  const tell = () => {
    const { work, batch } = world.service.housekeeping.jobs.find(({ name }) => name === "pending_alert_events") as any;
    return work(batch);
  };
  await tell();
  const told = () =>
    world.events.filter(({ event, data }) => event === "alert.acknowledged" && data.alert_id === alert.id);
  expect(told().map(({ data }) => data)).toMatchObject([{ count: 2, delta: 2 }]);
  await report(three, alert, [ACK]);
  await world.sql("update alert_counter set acks_reported_at = acks_reported_at - interval '1 minute'");
  await tell();
  expect(told().at(-1)?.data).toMatchObject({ count: 3, delta: 1 });
  await expectRecountClean(world.service.orm);
});
