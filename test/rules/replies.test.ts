// Replies of phones to an alert's question. Each counts once, by its last choice, for any number of concurrent changes
// through any process. Counts are reported to waiting calls and to webhooks, and no owner learns who replied.

import { expect, test } from "vitest";
import { LIMITS } from "../../src/model/limits.ts";
import { alertArguments, parseUuid } from "../cases/fixtures.ts";
import { expectRecountClean } from "../support/counter_checks.ts";
import { openTwoServices } from "../support/two_services.ts";
import { timeInSeconds } from "../support/world.ts";

const CHOICES = ["I take it", "Not me", "Later"];
const QUESTION = { type: "reply", label: "Who goes?", choices: CHOICES };

const { world, other, sink } = await openTwoServices();

const call = async (tool: string, args: object, on = world) => {
  const { status, body } = await on.rest(tool, args as never);
  expect([tool, status < 300]).toEqual([tool, true]);
  return body;
};
const reply = async (token: string, alert_id: string, choice: string, on = world) =>
  (await on.handset("POST", "/reports", token, { reports: [{ alert_id, kind: "reply", choice }] })).body.accepted;
const counted = async (alert: any) =>
  (await call("get_alert_stats", alertArguments(alert))).replies.map(({ count }: { count: number }) => count);
const waitFor = (alert: any, more = {}, on = world) => call("wait_for_replies", alertArguments(alert, more), on);

async function asked(fields = {}, phones = 3) {
  const pusher = await world.pusher();
  const tokens = await Promise.all(Array.from({ length: phones }, () => world.device(pusher.handle)));
  const alert = await call("create_alert", {
    ...{ pusher_id: pusher.id, title: "Shift", actions: [QUESTION], send: true },
    ...fields,
  });
  return { pusher, tokens, alert };
}

// rules#replies
test("each phone counts once, by its last choice; what is not offered is skipped; the shape is checked", async () => {
  const { alert, tokens } = await asked();
  const [one, two] = tokens as [string, string];
  expect(await reply(one, alert.id, "I take it")).toBe(1);
  expect(await reply(one, alert.id, "I take it")).toBe(1);
  expect(await reply(two, alert.id, "Later")).toBe(1);
  expect(await counted(alert)).toEqual([1, 0, 1]);
  expect(await reply(one, alert.id, "Not me")).toBe(1);
  expect(await counted(alert)).toEqual([0, 1, 1]);
  // An option that is not offered is not a reply, and the previous one stays. A stranger's counts nothing.
  expect(await reply(one, alert.id, "Perhaps")).toBe(0);
  expect(await reply(await world.device(), alert.id, "Later")).toBe(0);
  // Within one batch the last counts.
  const batch = ["I take it", "Later", "I take it"].map((choice) => ({ alert_id: alert.id, kind: "reply", choice }));
  await world.handset("POST", "/reports", two, { reports: [{ alert_id: alert.id, kind: "ack" }, ...batch] });
  expect(await counted(alert)).toEqual([1, 1, 0]);
  // The time of a reply is deleted; its choice still counts once.
  await world.handset("DELETE", `/reports?before=${encodeURIComponent(timeInSeconds(60))}`, one);
  await reply(one, alert.id, "Later");
  const { totals, replies, buckets } = await call("get_alert_stats", alertArguments(alert));
  expect([totals, replies.map(({ count }: any) => count)]).toEqual([{ reads: 0, acks: 1 }, [1, 0, 1]]);
  expect(buckets.map(({ acks }: any) => acks)).toEqual([1]);
  for (const row of [{ kind: "reply" }, { kind: "ack", choice: "Later" }]) {
    const answer = await world.handset("POST", "/reports", one, { reports: [{ alert_id: alert.id, ...row }] });
    expect([answer.status, answer.body.error.param]).toEqual([422, "reports.0.choice"]);
  }
});

// rules#replies
test("no reply is accepted once the alert is over or withdrawn, or without a question", async () => {
  const { alert, tokens } = await asked({ expires_at: timeInSeconds(3600) });
  await reply(tokens[0]!, alert.id, "Later");
  await world.sql("update alert set expires_at = clock_timestamp() where id = ?", [parseUuid(alert.id)]);
  expect(await reply(tokens[0]!, alert.id, "Not me")).toBe(0);
  expect(await waitFor(alert)).toMatchObject({ open: false, total: 1, seen: "0.0.1" });
  const withdrawn = await asked();
  await call("cancel_alert", alertArguments(withdrawn.alert));
  expect(await reply(withdrawn.tokens[0]!, withdrawn.alert.id, "Later")).toBe(0);
  const plain = await asked({ actions: [] });
  expect(await reply(plain.tokens[0]!, plain.alert.id, "Later")).toBe(0);
  expect(await waitFor(plain.alert)).toMatchObject({ question: null, replies: [], open: false });
});

// rules#replies
test("minds that change at once, through two processes, leave exact counts", async () => {
  const { alert, tokens } = await asked({}, 8);
  const last = new Map<string, string>();
  for (let round = 0; round < 12; round++)
    await Promise.all(
      tokens.flatMap((token, i) => {
        const choice = CHOICES[(i * 7 + round * round) % 3]!;
        last.set(token, choice);
        // The same phone through both, at the same moment.
        return [reply(token, alert.id, choice), reply(token, alert.id, choice, other)];
      }),
    );
  const wanted = CHOICES.map((choice) => [...last.values()].filter((one) => one === choice).length);
  expect(await counted(alert)).toEqual(wanted);
  await Promise.all(
    Array.from({ length: 60 }, (_, i) => reply(tokens[i % 8]!, alert.id, CHOICES[i % 3]!, i % 2 === 0 ? world : other)),
  );
  expect((await counted(alert)).reduce((sum: number, n: number) => sum + n)).toBe(8);
  await expectRecountClean(world.service.orm);
});

// rules#replies-wait
test("a waiting call is answered by a reply, through any process, and by nothing else", async () => {
  const { alert, tokens } = await asked();
  let answered = false;
  const first = waitFor(alert).finally(() => {
    answered = true;
  });
  const elsewhere = waitFor(alert, {}, other);
  expect(await waitFor(alert, { seconds: 0 })).toMatchObject({ total: 0, open: true, seen: "0.0.0" });
  await world.handset("POST", "/reports", tokens[1]!, { reports: [{ alert_id: alert.id, kind: "ack" }] });
  // As long as the waiting calls are looked after once.
  await waitFor(alert, { seconds: 2 });
  expect(answered).toBe(false);
  await reply(tokens[0]!, alert.id, "Not me");
  for (const answer of await Promise.all([first, elsewhere]))
    expect(answer).toMatchObject({
      ...{ question: "Who goes?", total: 1, open: true, seen: "0.1.0" },
      replies: CHOICES.map((choice) => ({ choice, count: choice === "Not me" ? 1 : 0 })),
    });
  // Another mind is another answer, though as many answered.
  const next = waitFor(alert, { seen: "0.1.0" });
  await reply(tokens[0]!, alert.id, "Later", other);
  expect(await next).toMatchObject({ total: 1, seen: "0.0.1" });
  const over = waitFor(alert, { seen: "0.0.1" });
  await call("cancel_alert", alertArguments(alert));
  expect(await over).toMatchObject({ open: false, total: 1 });
});

// rules#replies-wait
test("a credential has as many calls waiting as for reviews, and one more is answered at once", async () => {
  const { alert, tokens } = await asked();
  let answered = 0;
  const calls = Array.from({ length: LIMITS.review_waits + 1 }, () =>
    waitFor(alert).then((answer) => {
      answered++;
      return answer;
    }),
  );
  expect(await Promise.race(calls)).toMatchObject({ total: 0 });
  expect(answered).toBe(1);
  await reply(tokens[0]!, alert.id, "Later");
  expect((await Promise.all(calls)).filter(({ total }) => total === 1)).toHaveLength(LIMITS.review_waits);
});

// rules#event-replied
test("webhooks receive the counts, at most once a second for one alert, and the last state always", async () => {
  const { alert, tokens, pusher } = await asked();
  const told = () => world.events.filter(({ event, data }) => event === "alert.replied" && data.alert_id === alert.id);
  const tell = (on = world) => {
    const { work, batch } = on.service.housekeeping.jobs.find(({ name }) => name === "pending_alert_events") as any;
    return work(batch);
  };
  await reply(tokens[2]!, alert.id, "Later");
  await tell();
  expect(told()).toEqual([]);
  await call("create_webhook", { url: `http://127.0.0.1:${sink.port}/replied`, events: ["alert.replied"] });
  await reply(tokens[0]!, alert.id, "I take it");
  await Promise.all([tell(), tell(other)]);
  await reply(tokens[0]!, alert.id, "Not me");
  await reply(tokens[1]!, alert.id, "Not me");
  await world.sql("update alert_counter set replies_reported_at = clock_timestamp() + interval '1 hour'");
  expect(await tell()).toBe(0);
  await world.sql("update alert_counter set replies_reported_at = clock_timestamp() - interval '1 second'");
  await Promise.all([tell(), tell(other)]);
  await tell();
  const choices = (...counts: number[]) => CHOICES.map((choice, i) => ({ choice, count: counts[i] }));
  expect(told().map(({ data }) => data)).toEqual([
    { pusher_id: pusher.id, alert_id: alert.id, count: 2, choices: choices(1, 0, 1) },
    { pusher_id: pusher.id, alert_id: alert.id, count: 3, choices: choices(0, 2, 1) },
  ]);
});
