// Manual deliveries, and the log of all: the request to the receiver, its signature, and counting.

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { signatureProblem } from "../../examples/webhooks/verify.ts";
import { formatId, newUuid } from "../../src/model/domain/type_ids.ts";
import { getKysely, runStatement } from "../../src/store/db/statement.ts";
import { recordDelivery } from "../../src/store/queries/webhooks.ts";
import { parseUuid } from "../support/handsets.ts";
import { startHttpReceiver } from "../support/loopback_receivers.ts";
import { waitFor } from "../support/wait.ts";
import { World } from "../support/world.ts";

let world: World;
let key: string;
let pusher: { id: string };
let hook: { id: string; secret: string };
let status: number;
let sink: Awaited<ReturnType<typeof startHttpReceiver>>;
beforeAll(async () => {
  world = await World.open({ settings: { WEBHOOK_ALLOW_HOSTS: "127.0.0.1" } });
  sink = await startHttpReceiver((_request, response) => {
    response.statusCode = status;
    response.end("a receiver's response is not stored");
  });
});
afterAll(async () => {
  sink?.close();
  await world?.close();
});
beforeEach(async () => {
  status = 200;
  sink.requests.length = 0;
  key = await world.foreignKey();
  pusher = await world.pusher({}, key);
  hook = await call("create_webhook", { url: `http://127.0.0.1:${sink.port}/`, events: ["alert.sent"] });
});

const call = async (tool: string, args: Record<string, unknown> = {}) => {
  const answer = await world.rest(tool, args, key);
  expect(answer.status, `${tool}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
  return answer.body;
};
const at = () => ({ webhook_id: hook.id });
const log = async (): Promise<any[]> => (await call("list_deliveries", at())).data;
const endpoint = async () => (await call("list_webhooks")).data[0];
const send = () => call("create_alert", { pusher_id: pusher.id, title: "The quay floods", send: true });
/** Waits until this number of deliveries is over. */
const over = (count: number) =>
  waitFor(async () => {
    const done = (await log()).filter(({ ok }) => ok !== null);
    expect(done).toHaveLength(count);
    return done;
  });
const fits = (n: number, secret: string) => {
  const { headers, body } = sink.requests[n]!;
  return signatureProblem(headers["x-webhook-signature"], body, secret) === null;
};
const elements = (n: number) => String(sink.requests[n]!.headers["x-webhook-signature"]).match(/v1=/g)!.length;

// rules#webhook-log
test("every delivery is in the log under the id that its receiver got", async () => {
  await send();
  await over(1);
  status = 503;
  await send();
  const [failed, done] = await over(2);
  expect(done).toMatchObject({ event: "alert.sent", ok: true, status: 200, failure: null });
  expect(failed).toMatchObject({ event: "alert.sent", ok: false, status: 503, failure: "status" });
  expect(sink.requests.map(({ headers }) => headers["x-webhook-id"])).toEqual([done.id, failed.id]);
  expect(JSON.stringify(await world.sql("select * from webhook_delivery"))).not.toContain("is not kept");
});

// rules#webhook-log
test("a delivery names its alert, also once the alert is deleted, and other events name none", async () => {
  const alert = await send();
  const [first] = await over(1);
  await call("redeliver", { ...at(), delivery_id: first.id });
  await over(2);
  await call("test_webhook", at());
  await over(3);
  await call("delete_pusher", { pusher_id: pusher.id });
  const named = (await log()).map(({ event, alert_id, title, redelivery_of }) => [
    ...[event, alert_id, title, redelivery_of],
  ]);
  expect(named).toEqual([
    ["webhook.test", null, null, null],
    ["alert.sent", alert.id, alert.title, first.id],
    ["alert.sent", alert.id, alert.title, null],
  ]);
  const { data } = (await world.mcp("list_deliveries", at(), key)).body;
  expect(data.map((row: any) => row.alert_id ?? null)).toEqual([null, alert.id, alert.id]);
});

// rules#webhook-by-hand
test("an endpoint is disabled, tried, enabled, and gets what it missed by hand", async () => {
  status = 500;
  await world.sql("update webhook_endpoint set failure_count = 19 where id = ?", [parseUuid(hook.id)]);
  await send();
  const [missed] = await over(1);
  expect(await endpoint()).toMatchObject({ disabled: true, failure_count: 20 });
  expect((await world.rest("redeliver", { ...at(), delivery_id: missed.id }, key)).status).toBe(409);

  status = 200;
  await call("test_webhook", at());
  await over(2);
  const tried = JSON.parse(sink.requests[1]!.body.toString());
  expect(tried).toMatchObject({ event: "webhook.test", data: { webhook_id: hook.id } });
  expect(sink.requests[1]!.headers["x-webhook-event"]).toBe("webhook.test");
  // A success does not wake it up; a person does.
  expect(await endpoint()).toMatchObject({ disabled: true, failure_count: 20 });
  expect(await call("enable_webhook", at())).toMatchObject({ disabled: false, failure_count: 0 });

  const again = await call("redeliver", { ...at(), delivery_id: missed.id });
  const [newest] = await over(3);
  expect(newest).toMatchObject({ id: again.id, ok: true, redelivery_of: missed.id });
  expect(sink.requests[2]!.body.toString()).toBe(sink.requests[0]!.body.toString());
  expect(sink.requests[2]!.headers["x-webhook-id"]).toBe(again.id);
  expect(fits(2, hook.secret)).toBe(true);
});

// rules#webhook-by-hand
test("a manual delivery counts like any other, and is not retried", async () => {
  status = 500;
  await call("test_webhook", at());
  await over(1);
  expect(await endpoint()).toMatchObject({ failure_count: 1, last_status: 500 });
  await send();
  await over(2);
  expect(sink.requests).toHaveLength(2);
  status = 200;
  await call("test_webhook", at());
  await over(3);
  expect(await endpoint()).toMatchObject({ failure_count: 0 });
  const once = { ...at(), idempotency_key: "one test" };
  expect(await call("test_webhook", once)).toEqual(await call("test_webhook", once));
  await over(4);
  expect(sink.requests).toHaveLength(4);
});

// rules#webhook-log
test("a restricted member sees tests and the deliveries of its channels", async () => {
  const other = await world.pusher({ name: "Other" }, key);
  for (const [channel, count] of [pusher, other, pusher].map((channel, n) => [channel, n + 1] as const)) {
    await call("create_alert", { pusher_id: channel.id, title: `Of ${channel.id}`, send: true });
    await over(count);
  }
  await call("test_webhook", at());
  const [tried, last, foreign, first] = await over(4);
  await world.sql(
    "update member set pusher_ids = ?::uuid[] where id = (select member_id from webhook_endpoint where id = ?)",
    [`{${parseUuid(pusher.id)}}`, parseUuid(hook.id)],
  );
  expect((await log()).map(({ id }) => id)).toEqual([tried.id, last.id, first.id]);
  // The page is filled after the filter, and its end is the end of the list.
  const page = await call("list_deliveries", { ...at(), limit: 2 });
  const next = await call("list_deliveries", { ...at(), limit: 2, before: page.meta.next_before });
  expect([page, next].map(({ data }) => data.map(({ id }: any) => id))).toEqual([[tried.id, last.id], [first.id]]);
  expect(next.meta.next_before).toBeNull();
  const missing = formatId("dlv", newUuid());
  const refusals = [foreign.id, missing].map((delivery_id) => world.rest("redeliver", { ...at(), delivery_id }, key));
  for (const { status, body } of await Promise.all(refusals))
    expect([status, body.error.code]).toEqual([404, "delivery_not_found"]);
  await call("redeliver", { ...at(), delivery_id: first.id });
  await call("redeliver", { ...at(), delivery_id: tried.id });
  await over(5);
  expect(sink.requests).toHaveLength(6);
});

// rules#webhook-paused
test("a result of a paused endpoint stops waiting events, and tests are still sent", async () => {
  await world.sql("update webhook_endpoint set paused_at = now() where id = ?", [parseUuid(hook.id)]);
  await call("test_webhook", at());
  await over(1);
  const [row] = await runStatement(getKysely(world.service.orm), recordDelivery, {
    ...{ id: parseUuid(hook.id), ok: true, status: 200, delivery_id: newUuid(), event_id: newUuid() },
    ...{ event: "alert.sent", body: "{}", failure: null, duration_ms: 1, kept: 200, disabling: 20 },
  });
  expect(row).toEqual({ enabled: false });
  expect(await endpoint()).toMatchObject({ disabled: false, failure_count: 0 });
});

// rules#webhook-rotated
test("for a day both secrets fit, then the new one alone", async () => {
  const { secret } = await call("rotate_webhook_secret", at());
  await send();
  await over(1);
  expect([fits(0, secret), fits(0, hook.secret), elements(0)]).toEqual([true, true, 2]);
  const third = (await call("rotate_webhook_secret", at())).secret;
  await call("test_webhook", at());
  await over(2);
  expect([fits(1, third), fits(1, secret), fits(1, hook.secret)]).toEqual([true, true, false]);
  await world.sql("update webhook_endpoint set previous_secret_until = now() where id = ?", [parseUuid(hook.id)]);
  await send();
  await over(3);
  expect([fits(2, third), fits(2, secret), elements(2)]).toEqual([true, false, 1]);
  expect((await endpoint()).previous_secret_until).toBeNull();
  const [row] = await world.sql("select previous_secret from webhook_endpoint where id = ?", [parseUuid(hook.id)]);
  expect(row.previous_secret).toBeNull();
});

// rules#webhook-log
test("the log keeps the newest 200, for seven days", async () => {
  const rows = (count: number, age: string) =>
    world.sql(
      `insert into webhook_delivery (id, endpoint_id, event, body, ok, created_at)
       select gen_random_uuid(), ?, 'alert.sent', '{}', true, now() - interval '${age}' from generate_series(1,
         ${count})`,
      [parseUuid(hook.id)],
    );
  const count = async () =>
    (await world.sql("select from webhook_delivery where endpoint_id = ?", [parseUuid(hook.id)])).length;
  await rows(210, "1 hour");
  await send();
  await waitFor(async () => expect(await count()).toBe(200));
  expect((await log())[0]).toMatchObject({ status: 200 });
  await rows(3, "8 days");
  expect(await world.service.housekeeping.round("webhook_deliveries")).toBe(3);
  await call("delete_webhook", at());
  expect(await count()).toBe(0);
});
