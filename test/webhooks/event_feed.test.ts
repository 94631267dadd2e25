// The feed of events with transactions that commit in another order than they wrote. Nothing is lost, repeated or
// reordered, while a reader by the order of writing loses something in the same run. Also the cost of an event.

import { beforeEach, expect, test } from "vitest";
import { newUuid } from "../../src/model/domain/type_ids.ts";
import { createOperatorActor } from "../../src/operation/audit_lines.ts";
import { createOrm } from "../../src/store/db/orm.ts";
import { getKysely, runStatement } from "../../src/store/db/statement.ts";
import { noteKeyUse } from "../../src/store/queries/api_keys.ts";
import { insertAudit, insertAuditAndEvents, insertEvents } from "../../src/store/queries/audit_and_events.ts";
import { callConcurrently, pause } from "../support/concurrent_calls.ts";
import { startDatabaseProxy } from "../support/database_proxy.ts";
import { parseUuid, waitForSubscriberCount } from "../support/handsets.ts";
import { startHttpReceiver } from "../support/loopback_receivers.ts";
import { openWorld } from "../support/open_world.ts";
import { waitFor } from "../support/wait.ts";
import type { World } from "../support/world.ts";

let key: string;
let pusher: { id: string; handle: string };
let workspace: string;
const world = await openWorld({ settings: { WEBHOOK_ALLOW_HOSTS: "127.0.0.1" } });
beforeEach(async () => {
  key = await world.foreignKey();
  pusher = await world.pusher({}, key);
  const [row] = await world.sql("select workspace_id from pusher where id = ?", [parseUuid(pusher.id)]);
  workspace = row.workspace_id;
});

const call = async (on: World, tool: string, args: Record<string, unknown> = {}) => {
  const answer = await on.rest(tool, args, key);
  expect(answer.status, `${tool}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
  return answer.body;
};
const alert = (fields: object) => call(world, "create_alert", { pusher_id: pusher.id, title: "Tide", ...fields });
const LATER = "2030-06-01T16:00:00Z";
const published = () => world.events.filter(({ workspaceId }) => workspaceId === workspace);

/** A client of the feed that keeps its place. */
function follower(on: World) {
  const got: any[] = [];
  let after: string | undefined;
  const step = async (limit: number): Promise<boolean> => {
    const { data, meta } = await call(on, "list_events", { limit, ...(after && { after }) });
    got.push(...data);
    after = meta.next_after;
    expect(meta.missed).toBe(false);
    return meta.more;
  };
  return { got, step };
}

/** Its twin, which remembers the last serial number that it saw. */
function naive() {
  const got: string[] = [];
  let last = "0";
  const step = async () => {
    const rows = await world.sql(
      "select serial::text, id from workspace_event where workspace_id = ? and serial > ? order by serial",
      [workspace, last],
    );
    got.push(...rows.map(({ id }: any) => id));
    last = rows.at(-1)?.serial ?? last;
  };
  return { got, step };
}

const HOLD = 20_261_122;
/** Commits take random times, and one of them waits until it is released. */
const SLOW_COMMITS = `
  create function slow_commit() returns trigger language plpgsql as $$
  begin
    if new.body like '%"Held"%' then perform pg_advisory_xact_lock(${HOLD}); end if;
    perform pg_sleep(random() * 0.05);
    return null;
  end $$;
  create constraint trigger slow after insert on workspace_event deferrable initially deferred
    for each row execute function slow_commit()`;

// rules#event-feed-place
test(
  "a client that follows positions gets every event once, with any late commits; one that follows serial numbers " +
    "does not",
  async () => {
    await world.sql(SLOW_COMMITS);
    const replica = await world.replica();
    const holder = createOrm({ databaseUrl: world.settings.DATABASE_URL!, databasePoolSize: 1 });
    const followers = [follower(world), follower(replica), follower(world)];
    const twin = naive();
    let writing = true;
    const readers = followers.map(async ({ step }) => {
      while (writing) {
        await step(1 + Math.floor(Math.random() * 9));
        await pause(Math.random() * 20);
      }
      while (await step(100));
    });
    try {
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const holding = holder.em.fork().transactional(async (em) => {
        await em.execute("select pg_advisory_xact_lock(?)", [HOLD]);
        await held;
      });
      // On a channel of its own: a change waits for a concurrent change of the same channel.
      const quiet = await world.pusher({}, key);
      const late = call(world, "create_alert", { pusher_id: quiet.id, title: "Held", send: true });
      // Other tests have locks on the same server.
      const here = "database = (select oid from pg_database where datname = current_database())";
      const waits = `select from pg_locks where locktype = 'advisory' and not granted and ${here}`;
      await waitFor(async () => expect(await world.sql(waits)).toHaveLength(1));
      await callConcurrently(
        24,
        async (i) => {
          if (i % 3 === 0) return world.device(pusher.handle);
          const { id } = await alert({ send: true, ...(i % 3 === 1 && { send_at: LATER }) });
          if (i % 3 === 1) await call(world, "cancel_alert", { pusher_id: pusher.id, alert_id: id });
          await twin.step();
        },
        6,
      );
      await twin.step();
      await waitForSubscriberCount(world, pusher.id, 8);
      const before = await world.sql("select count(*)::int as n from workspace_event where workspace_id = ?", [
        workspace,
      ]);
      expect(before[0].n).toBe(published().length);
      release();
      await Promise.all([late, holding]);
    } finally {
      writing = false;
      await Promise.all(readers);
      await holder.close(true);
      await replica.close();
      await world.sql("drop trigger slow on workspace_event; drop function slow_commit");
    }
    await twin.step();
    const ids = published().map(({ id }) => id);
    expect(published().filter(({ event }) => event.startsWith("alert"))).toHaveLength(2 * 8 + 8 + 1);
    for (const { got } of followers) {
      expect(new Set(got.map(({ id }) => parseUuid(id)))).toEqual(new Set(ids));
      expect(got.map(({ id }) => id)).toEqual(followers[0]!.got.map(({ id }) => id));
      expect(got).toHaveLength(ids.length);
      // A result comes after its cause.
      const counts = got.filter(({ event }) => event === "subscriber.created").map(({ data }) => data.count);
      expect([counts[0], counts.at(-1)]).toEqual([1, 8]);
      expect(counts).toEqual(counts.toSorted((a, b) => a - b));
      for (const { data } of got.filter(({ event }) => event === "alert.cancelled")) {
        const of = got.filter((one) => one.data.alert_id === data.alert_id).map(({ event }) => event);
        expect(of).toEqual(["alert.scheduled", "alert.cancelled"]);
      }
    }
    const lost = ids.filter((id) => !twin.got.includes(id));
    expect(lost).toContain(published().find(({ data }) => data.title === "Held")!.id);
  },
);

// rules#event-feed
test("the feed contains the bodies of webhooks, byte for byte, under the same ids", async () => {
  const sink = await startHttpReceiver((_request, response) => response.end());
  const events = ["alert.sent", "alert.scheduled", "alert.cancelled", "subscriber.created", "subscriber.deleted"];
  const hook = await call(world, "create_webhook", { url: `http://127.0.0.1:${sink.port}/`, events });
  await call(world, "update_pusher", { pusher_id: pusher.id, is_public: false });
  const invited = await call(world, "create_invite", { pusher_id: pusher.id });
  const joins = async (by: object) => world.handset("PUT", `/subscriptions/${pusher.handle}`, await world.device(), by);
  const { id: alert_id } = await alert({ send: true, send_at: LATER });
  await call(world, "cancel_alert", { pusher_id: pusher.id, alert_id });
  await alert({ send: true, title: 'Grüße 🔔 "\\' });
  for (let n = 0; n < 2; n++) await joins({ invite: invited.code });
  await call(world, "revoke_invite", { pusher_id: pusher.id, invite_id: invited.id, remove_subscribers: true });
  await waitForSubscriberCount(world, pusher.id, 0);
  const events_told = published().filter(({ data }) => data.pusher_id === pusher.id).length;
  await waitFor(() => expect(sink.requests).toHaveLength(events_told));
  const told = sink.requests.map(({ headers, body }) => [headers["x-webhook-event-id"], body.toString()]);
  const { data } = await call(world, "list_events");
  expect(new Map(data.map(({ id, ...event }: any) => [id, JSON.stringify(event)]))).toEqual(new Map(told as any));
  // A delivery is logged once its receiver has answered.
  const log = await waitFor(async () => {
    const deliveries = (await call(world, "list_deliveries", { webhook_id: hook.id })).data;
    const logged = deliveries.map(({ event_id }: any) => event_id);
    expect(new Set(logged)).toEqual(new Set(data.map(({ id }: any) => id)));
    return deliveries;
  });
  const again = { webhook_id: hook.id, delivery_id: log[0].id };
  expect((await call(world, "redeliver", again)).event_id).toBe(log[0].event_id);
  await waitFor(() => expect(sink.requests).toHaveLength(events_told + 1));
  expect(sink.requests[events_told]!.headers["x-webhook-event-id"]).toBe(log[0].event_id);
  sink.close();
});

// rules#event-feed
test("an event exists exactly when its subject does", async () => {
  await world.sql("alter table workspace_event add constraint no_more check (body not like '%Refused%') not valid");
  const before = published().length;
  const refused = await world.rest("create_alert", { pusher_id: pusher.id, title: "Refused", send: true }, key);
  await world.sql("alter table workspace_event drop constraint no_more");
  expect(refused.status).toBe(500);
  expect((await call(world, "list_alerts", { pusher_id: pusher.id })).data).toEqual([]);
  expect([published().length, (await call(world, "list_events")).data]).toEqual([before, []]);
});

test("an event costs no exchange with the database, alone or with a line of the audit log", async () => {
  const proxy = await startDatabaseProxy(world.settings.DATABASE_URL!);
  const orm = createOrm({ databaseUrl: proxy.url, databasePoolSize: 1 });
  const line = { ...createOperatorActor(null), operation: "x", pusher_id: null, subject_id: null, status: null };
  const events = () => ({
    event_ids: [newUuid(), newUuid()],
    event_workspaces: [workspace, workspace],
    event_pushers: [parseUuid(pusher.id), parseUuid(pusher.id)],
    event_bodies: ['{"event":"alert.sent"}', '{"event":"alert.sent"}'],
  });
  const exchanges = async (last: Parameters<typeof runStatement>) => {
    const act = () =>
      getKysely(orm)
        .transaction()
        .execute(async (db) => {
          await runStatement(db, noteKeyUse, { id: newUuid() });
          await runStatement(db, last[1], last[2]);
        });
    const before = proxy.asked();
    await act();
    return proxy.asked() - before;
  };
  const cost = async (last: () => unknown[]) => {
    await exchanges(last() as any);
    return exchanges(last() as any);
  };
  const kysely = getKysely(orm);
  // `begin`, the statement before it, and the last one with `commit`.
  expect(await cost(() => [kysely, insertAudit, { id: newUuid(), ...line }])).toBe(3);
  expect(await cost(() => [kysely, insertEvents, events()])).toBe(3);
  expect(await cost(() => [kysely, insertAuditAndEvents, { id: newUuid(), ...line, ...events() }])).toBe(3);
  await orm.close(true);
  await proxy.close();
});

// rules#event-feed-kept
test("removed events leave the others their positions", async () => {
  for (let n = 0; n < 4; n++) await alert({ title: `Tide ${n}`, send: true });
  const reader = follower(world);
  await reader.step(2);
  await world.sql(
    "update workspace_event set created_at = created_at - interval '8 days' where workspace_id = ? and position = 3",
    [workspace],
  );
  await world.service.housekeeping.round("events");
  await reader.step(10);
  expect(reader.got.map(({ data }) => data.title)).toEqual(["Tide 0", "Tide 1", "Tide 3"]);
});
