// Optional events for subscribed endpoints: scheduled alerts that became visible, and numbers of acknowledgements. They
// are sent once, over processes and their ends, late instead of lost, and not at all without a subscription.

import { expect, test } from "vitest";
import { parseUuid } from "../support/handsets.ts";
import { openTwoServices } from "../support/two_services.ts";
import { waitFor } from "../support/wait.ts";
import { timeInSeconds, World } from "../support/world.ts";

const HOUR = 3600;
const ASKED = ["alert.visible", "alert.acknowledged"];

const { world, other: replica, sink } = await openTwoServices();

const call = async (tool: string, args: object, on = world) => {
  const { status, body } = await on.rest(tool, args as never);
  expect([tool, status < 300]).toEqual([tool, true]);
  return body;
};
const ids = ({ pusher_id, id }: any) => ({ pusher_id, alert_id: id });
const planned = (pusher: { id: string }, title = "Planned") =>
  call("create_alert", { pusher_id: pusher.id, title, send: true, send_at: timeInSeconds(HOUR) });
/** Its time has come, without a poll. */
const due = ({ id }: { id: string }) =>
  world.sql("update alert set send_at = now() - interval '1 second' where id = ?", [parseUuid(id)]);
const round = async (on: World, job: string) => {
  const { work, batch } = on.service.housekeeping.jobs.find(({ name }) => name === job) as any;
  return work(batch);
};
const tell = async (on = world) => {
  await round(on, "due_alerts");
  return round(on, "pending_alert_events");
};
const told = (pusher: { id: string }, name: string) =>
  world.events.filter(({ event, data }) => event === name && data.pusher_id === pusher.id);
const feed = async (name: string) =>
  (await call("list_events", { limit: 100 })).data.filter((one: any) => one.event === name);
const acknowledge = async (token: string, { id }: { id: string }) =>
  (await world.handset("POST", "/reports", token, { reports: [{ alert_id: id, kind: "ack" }] })).body;

// rules#events-asked-for
test("without a subscription nothing is recorded, sent or written", async () => {
  const pusher = await world.pusher();
  const token = await world.device(pusher.handle);
  const alert = await planned(pusher);
  await due(alert);
  expect((await world.handset("GET", "/inbox", token)).body.data).toHaveLength(1);
  expect(await acknowledge(token, alert)).toEqual({ accepted: 1 });
  expect(await world.sql("select from alert_counter where visible_pending or acks_pending")).toEqual([]);
  expect(await tell()).toBe(0);
  expect(await feed("alert.visible")).toEqual([]);
});

// rules#events-asked-for
test("a scheduled alert is reported once when it becomes visible, for any reader and number of processes", async () => {
  // For all that follow.
  await call("create_webhook", { url: `http://127.0.0.1:${sink.port}/`, events: ASKED });
  const pusher = await world.pusher();
  const token = await world.device(pusher.handle);
  const [shown, left] = [await planned(pusher, "Shown"), await planned(pusher, "Left alone")];
  await due(shown);
  // A phone's poll stores it as sent; the process of the poll emits no event.
  expect((await world.handset("GET", "/inbox", token)).body.data.map(({ id }: any) => id)).toEqual([shown.id]);
  await due(left);
  await Promise.all([tell(), tell(replica), tell(), tell(replica)]);
  await Promise.all([tell(), tell(replica)]);
  const events = told(pusher, "alert.visible");
  expect(events.map(({ data }) => data.title).toSorted()).toEqual(["Left alone", "Shown"]);
  const { sent_at } = await call("get_alert", ids(shown));
  expect(events.find(({ data }) => data.title === "Shown")?.data).toEqual({
    pusher_id: pusher.id,
    alert_id: shown.id,
    title: "Shown",
    priority: "normal",
    send_at: sent_at,
    status: "sent",
    sent_at,
  });
  expect((await feed("alert.visible")).map(({ id }: any) => parseUuid(id)).toSorted()).toEqual(
    events.map(({ id }) => id).toSorted(),
  );
  await waitFor(() => expect(sink.requests.length).toBe(2));
  expect(sink.requests.map(({ headers }) => headers["x-webhook-event"])).toEqual([ASKED[0], ASKED[0]]);
});

// rules#events-asked-for
test(
  "an alert that was moved, withdrawn or sent manually before its time is not reported; nor one withdrawn right " +
    "after",
  async () => {
    const pusher = await world.pusher();
    const [moved, withdrawn, sent, after] = await Promise.all(["a", "b", "c", "d"].map((t) => planned(pusher, t)));
    await call("update_alert", { ...ids(moved), send_at: timeInSeconds(2 * HOUR) });
    await call("cancel_alert", ids(withdrawn));
    await call("send_alert", ids(sent));
    await due(after);
    await call("cancel_alert", ids(after));
    await tell();
    await tell(replica);
    expect(told(pusher, "alert.visible")).toEqual([]);
    expect(await world.sql("select from alert_counter where visible_pending")).toEqual([]);
  },
);

// rules#events-asked-for
test("an alert that came due without a running process is reported late instead of never", async () => {
  const own = await World.open({ settings: { WEBHOOK_ALLOW_HOSTS: "127.0.0.1" } });
  await call("create_webhook", { url: `http://127.0.0.1:${sink.port}/late`, events: ASKED }, own);
  const pusher = await own.pusher();
  const { body: alert } = await own.rest("create_alert", {
    ...{ pusher_id: pusher.id, title: "Late", send: true, send_at: timeInSeconds(HOUR) },
  });
  await own.leave();
  const next = await own.replica();
  await next.sql("update alert set send_at = now() - interval '2 hours' where id = ?", [parseUuid(alert.id)]);
  await tell(next);
  await tell(next);
  expect(own.events.filter(({ event }) => event === "alert.visible").map(({ data }) => data.title)).toEqual(["Late"]);
  await next.close();
  await own.remove();
});

// rules#events-asked-for
test("acknowledgements are counted together, at most once a minute for one alert, without device ids", async () => {
  const pusher = await world.pusher();
  const phones = await Promise.all([1, 2, 3].map(() => world.device(pusher.handle)));
  const alert = await call("create_alert", { pusher_id: pusher.id, title: "Confirm", send: true });
  await acknowledge(phones[0]!, alert);
  await acknowledge(phones[1]!, alert);
  await Promise.all([tell(), tell(replica)]);
  await acknowledge(phones[2]!, alert);
  await acknowledge(phones[2]!, alert);
  expect(await tell()).toBe(0);
  expect(told(pusher, "alert.acknowledged").map(({ data }) => data)).toEqual([
    { pusher_id: pusher.id, alert_id: alert.id, count: 2, delta: 2 },
  ]);
  await world.sql("update alert_counter set acks_reported_at = acks_reported_at - interval '1 minute'");
  await Promise.all([tell(), tell(replica)]);
  expect(
    told(pusher, "alert.acknowledged")
      .map(({ data }) => data)
      .at(-1),
  ).toEqual({ ...{ pusher_id: pusher.id, alert_id: alert.id, count: 3, delta: 1 } });
  // Opening it is not reported to other clients.
  await world.handset("POST", "/reports", await world.device(pusher.handle), {
    reports: [{ alert_id: alert.id, kind: "read" }],
  });
  await world.sql("update alert_counter set acks_reported_at = acks_reported_at - interval '1 minute'");
  await tell();
  expect(told(pusher, "alert.acknowledged")).toHaveLength(2);
});

// rules#events-asked-for
test("the query for pending events reads an index that contains nothing else", async () => {
  const { text } = await import("../../src/store/queries/reports.ts").then((m) => m.lockAlertsWithPendingEvents);
  await world.sql(
    "insert into alert_counter (alert_id, acks) select gen_random_uuid(), 3 from generate_series(1, 20000)",
  );
  await world.sql("analyze alert_counter");
  const plan = await world.sql(`explain ${text.replace(/\$\d(::\w+)?/g, "500")}`);
  expect(JSON.stringify(plan)).toContain("alert_counter_pending");
});
