// Sends of drafts go to the database in one exchange, with those of the same moment: each has an outcome of its own.

import { afterAll, beforeAll, expect, test } from "vitest";
import { serializeEvent } from "../../src/model/domain/domain_events.ts";
import { formatId, newUuid } from "../../src/model/domain/type_ids.ts";
import { countStatuses } from "../support/concurrent_calls.ts";
import { expectRecountClean } from "../support/counter_checks.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../support/database_proxy.ts";
import { timeInSeconds, World } from "../support/world.ts";

let world: World;
let proxy: DatabaseProxy;
/** A service that speaks with the database through the proxy. */
let near: World;
beforeAll(async () => {
  world = await World.open();
  proxy = await startDatabaseProxy(world.settings.DATABASE_URL!);
  near = await world.replica({ DATABASE_URL: proxy.url });
});
afterAll(async () => {
  await near.close();
  await proxy.close();
  await world.close();
});

type Path = { pusher_id: string; alert_id: string };

const pathOf = (alert: { pusher_id: string; id: string }): Path => ({ pusher_id: alert.pusher_id, alert_id: alert.id });
const send = (path: Path, rest: object = {}) => near.rest("send_alert", { ...path, ...rest });
const linesOf = ({ alert_id }: Path) =>
  world.sql("select id from audit_event where operation = 'send_alert' and subject_id = ?", [alert_id]);
const eventsOf = ({ alert_id }: Path) =>
  world.acts.filter(({ event, data }) => event === "alert.sent" && data.alert_id === alert_id);

test("a send is two exchanges: who calls, and all that it does", async () => {
  const { id } = await world.pusher();
  const counts: number[] = [];
  for (let i = 0; i < 10 && !counts.includes(2); i++) {
    const path = pathOf(await world.alert(id));
    const before = proxy.asked();
    countStatuses([await send(path)]);
    // The service's own queries may come between.
    counts.push(proxy.asked() - before);
  }
  expect(Math.min(...counts)).toBe(2);
});

test("of those that come together each has its own outcome, its line in the log and its event", async () => {
  const [open, paused] = [await world.pusher(), await world.pusher()];
  const foreignKey = await world.foreignKey();
  const foreign = await world.pusher({}, foreignKey);
  const make = async () => {
    const draft = pathOf(await world.alert(open.id));
    const planned = pathOf(await world.alert(open.id, { send: true, send_at: timeInSeconds(3600) }));
    const sent = pathOf(await world.alert(open.id, { send: true }));
    const gone = pathOf(await world.alert(open.id, { send: true }));
    countStatuses([await world.rest("cancel_alert", gone)]);
    const over = pathOf(await world.alert(open.id, { expires_at: timeInSeconds(3600) }));
    const other = pathOf(await world.alert(open.id));
    const resting = pathOf(await world.alert(paused.id));
    const missing = { pusher_id: open.id, alert_id: formatId("alr", newUuid()) };
    return { draft, planned, sent, gone, over, other, resting, missing };
  };
  const lots = await Promise.all([make(), make(), make(), make()]);
  await world.rest("update_pusher", { pusher_id: paused.id, status: "paused" });
  await world.sql(
    "update alert set expires_at = now() - interval '1 minute' where status = 'draft' and expires_at > now()",
  );
  const strange = { pusher_id: foreign.id, alert_id: formatId("alr", newUuid()) };
  const before = proxy.asked();
  const answers = await Promise.all(
    lots.map(({ draft, planned, sent, gone, over, other, resting, missing }) =>
      Promise.all([
        send(draft),
        send(planned),
        send(sent),
        send(gone),
        send(over),
        send(other, { expected_updated_at: "2026-01-01T00:00:00.000000Z" }),
        send(resting),
        send(missing),
        send(strange),
      ]),
    ),
  );
  // Each by itself: 36 sends, and as many key look-ups.
  expect(proxy.asked() - before).toBeLessThan(36);
  for (const lot of answers)
    expect(lot.map(({ status }) => status)).toEqual([200, 200, 200, 409, 422, 409, 409, 404, 404]);
  for (const { draft, planned, sent, gone, over, other, resting } of lots) {
    for (const path of [draft, planned]) {
      expect(eventsOf(path)).toHaveLength(1);
      expect(await linesOf(path)).toHaveLength(1);
    }
    expect(await linesOf(sent)).toHaveLength(1);
    for (const path of [gone, over, other, resting]) expect(await linesOf(path)).toHaveLength(0);
    for (const path of [over, other, resting]) expect((await world.rest("get_alert", path)).body.status).toBe("draft");
  }
  await expectRecountClean(world.service.orm);
});

test("of many sends of one alert one publishes it, and the others find it sent", async () => {
  const limited = await World.open({ limits: true, limitMax: { "alert-sends": 2 } });
  const { id } = await limited.pusher();
  const [first, second, third] = [await limited.alert(id), await limited.alert(id), await limited.alert(id)].map(
    pathOf,
  ) as [Path, Path, Path];
  const many = (path: Path, n: number) =>
    Promise.all(Array.from({ length: n }, () => limited.rest("send_alert", path)));
  // Two calls at once take the rest of the limit; the second one's share is refunded.
  expect(countStatuses(await many(first, 2))).toEqual({ 200: 2 });
  expect(countStatuses(await many(second, 1))).toEqual({ 200: 1 });
  expect(countStatuses(await many(third, 1))).toEqual({ 429: 1 });
  // Nothing is left to take, and sent alerts stay sent; errors of a call are reported first.
  expect(countStatuses(await many(first, 3))).toEqual({ 200: 3 });
  expect(countStatuses(await many({ ...first, alert_id: formatId("alr", newUuid()) }, 1))).toEqual({ 404: 1 });
  expect(limited.acts.filter(({ event }) => event === "alert.sent")).toHaveLength(2);
  expect(await limited.sql("select id from workspace_event where body like '%alert.sent%'")).toHaveLength(2);
  await expectRecountClean(limited.service.orm);
  await limited.close();
});

test("its event is stored as it is sent, byte for byte", async () => {
  const { id } = await world.pusher();
  const title = '"sent_at":null}} \\ ☂ \u2028 /';
  for (const fields of [{}, { send: true, send_at: timeInSeconds(3600) }]) {
    const path = pathOf(await world.alert(id, { ...fields, title, priority: "urgent" }));
    const { body } = await send(path);
    const [told] = near.acts.filter(({ event, data }) => event === "alert.sent" && data.alert_id === path.alert_id);
    expect(told!.data.sent_at).toBe(body.sent_at);
    const [kept] = await world.sql("select body from workspace_event where id = ?", [told!.id]);
    expect(kept.body).toBe(serializeEvent(told!));
  }
});

test("a response that is lost with its connection costs nothing, and nothing is done or reported twice", async () => {
  const { id } = await world.pusher();
  const paths = [await world.alert(id), await world.alert(id), await world.alert(id)].map(pathOf);
  countStatuses([await send(pathOf(await world.alert(id)))]);
  proxy.loseAnswerTo("publish_alerts");
  expect(countStatuses(await Promise.all(paths.map((path) => send(path))))).toEqual({ 200: 3 });
  for (const path of paths) {
    expect(await linesOf(path)).toHaveLength(1);
    expect(eventsOf(path)).toHaveLength(1);
  }
  await expectRecountClean(world.service.orm);
});

test("a response that is lost with its connection causes no conflict for a send of an expected version", async () => {
  const { id } = await world.pusher();
  const alert = await world.alert(id);
  const path = pathOf(alert);
  countStatuses([await send(pathOf(await world.alert(id)))]);
  proxy.loseAnswerTo("publish_alerts");
  const { status, body } = await send(path, { expected_updated_at: alert.updated_at });
  expect(status, JSON.stringify(body)).toBe(200);
  expect(await linesOf(path)).toHaveLength(1);
  expect(eventsOf(path)).toHaveLength(1);
});
