// A clock that steps. An alert that a handset was shown stays until it is cancelled, on every replica. No validator
// represents two inboxes. The database's clock is the test's (support/database_clock.ts); the statements are the
// service's own.

import type { SqlEntityManager } from "@mikro-orm/sql";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callConcurrently, countStatuses } from "../support/concurrent_calls.ts";
import { expectRecountClean } from "../support/counter_checks.ts";
import { type MovedClock, moveClock } from "../support/database_clock.ts";
import { parseUuid } from "../support/handsets.ts";
import { waitFor } from "../support/wait.ts";
import { World } from "../support/world.ts";

const ROUNDS = Number(process.env.BELFRY_TEST_ROUNDS ?? 3);
const HOUR = 3600;

let world: World;
let clock: MovedClock;
/** Two services on one database, both by the moved clock. */
const replicas: World[] = [];

beforeAll(async () => {
  world = await World.open({ settings: { WEB_PUSH: "off" } });
  clock = await moveClock(world);
  replicas.push(await world.replica(), await world.replica());
});
afterAll(async () => {
  for (const replica of [...replicas].reverse()) await replica.leave();
  await world?.close();
});

/** A channel with a handset. The process's own clock never moves, so every planned time is in its future. */
async function channel() {
  await clock.set(0);
  const pusher = await world.pusher();
  const token = await world.device(pusher.handle);
  const plan = (hours: number, title = "Planned") =>
    replicas[0]!.alert(pusher.id, { title, send: true, send_at: clock.at(hours * HOUR) });
  return { pusher, token, plan };
}

async function poll(replica: World, token: string, etag?: string) {
  const headers: Record<string, string> = etag === undefined ? {} : { "if-none-match": etag };
  const answer = await replica.handset("GET", "/inbox", token, undefined, headers);
  const rows: any[] = answer.body?.data ?? [];
  return {
    status: answer.status,
    etag: answer.headers.get("etag")!,
    ids: rows.map(({ id }) => id as string),
    rows: JSON.stringify(rows),
  };
}

const ids = (alert: any) => ({ pusher_id: alert.pusher_id, alert_id: alert.id });

describe("a step back", () => {
  // rules#shown-stays-sent
  test("removes nothing from handsets, owners and counts, on any replica", async () => {
    const { pusher, token, plan } = await channel();
    const [due, later] = [await plan(1, "Due"), await plan(9, "Later")];
    await clock.set(2 * HOUR);
    const sent = await replicas[0]!.alert(pusher.id, { title: "Sent", send: true });
    expect(sent.sent_at).toBe(clock.at(2 * HOUR));
    const before = world.acts.length;
    const shown = await poll(replicas[0]!, token);
    expect(shown.ids).toEqual([sent.id, due.id]);

    await clock.set(0);
    for (const replica of replicas) {
      expect((await poll(replica, token, shown.etag)).status).toBe(304);
      expect((await poll(replica, token)).ids).toEqual(shown.ids);
      const { body } = await replica.rest("get_alert", ids(due));
      expect(body).toMatchObject({ status: "sent", sent_at: due.send_at, send_at: due.send_at });
      expect(body.updated_at).toBe(due.updated_at);
      const listed = async (status: string) =>
        (await replica.rest("list_alerts", { pusher_id: pusher.id, status })).body.data.map(({ id }: any) => id);
      expect((await listed("sent")).toSorted()).toEqual([due.id, sent.id].toSorted());
      expect(await listed("scheduled")).toEqual([later.id]);
      expect((await replica.rest("get_pusher", { pusher_id: pusher.id })).body.alerts_sent).toBe(2);
      const reports = [sent, due, later].map(({ id }) => ({ alert_id: id, kind: "ack" }));
      expect((await replica.handset("POST", "/reports", token, { reports })).body.accepted).toBe(2);
      expect((await replica.rest("update_alert", { ...ids(due), title: "No" })).status).toBe(409);
      expect((await replica.rest("delete_alert", ids(due))).status).toBe(409);
    }
    // Nothing happened, so no event is sent.
    expect(world.acts.slice(before)).toEqual([]);
    expect((await replicas[1]!.rest("cancel_alert", ids(due))).body).toMatchObject({ sent_at: due.send_at });
    expect((await poll(replicas[0]!, token, shown.etag)).ids).toEqual([sent.id]);
    await expectRecountClean(world.service.orm);
  });

  test.each<[string, (alert: any) => Promise<unknown>]>([
    ["read", (alert) => replicas[0]!.rest("get_alert", ids(alert))],
    ["listed", ({ pusher_id }) => replicas[0]!.rest("list_alerts", { pusher_id, status: "sent" })],
    ["listed of the account", () => replicas[0]!.rest("list_account_alerts", { status: "sent" })],
    ["sent again", (alert) => replicas[0]!.rest("send_alert", ids(alert))],
    ["left to the housekeeping", () => replicas[0]!.service.housekeeping.round("due_alerts")],
  ])("leaves an unpolled alert as sent, once it was %s", async (_, look) => {
    const { token, plan } = await channel();
    const alert = await plan(1);
    await clock.set(2 * HOUR);
    await look(alert);
    await clock.set(0);
    expect((await replicas[1]!.rest("get_alert", ids(alert))).body.status).toBe("sent");
    expect((await poll(replicas[1]!, token)).ids).toEqual([alert.id]);
  });

  test("leaves an unseen alert as planned", async () => {
    const { token, plan } = await channel();
    const alert = await plan(1);
    await clock.set(2 * HOUR);
    await clock.set(0);
    expect((await poll(replicas[0]!, token)).ids).toEqual([]);
    expect((await replicas[1]!.rest("update_alert", { ...ids(alert), title: "Other" })).status).toBe(200);
    expect((await replicas[1]!.rest("delete_alert", ids(alert))).status).toBe(204);
  });
});

// ---- any sequence ---------------------------------------------------------------------------------------------------

interface ModelAlert {
  row: any;
  channel: number;
  status: "scheduled" | "sent" | "cancelled" | "deleted";
  hour: number;
}

type Op = { op: string; replica: number; pick: number; hour: number };

test("any sequence of plans, sends, polls and steps results in the inbox of a model, and one tag for it", async () => {
  // Left alone, it would publish due alerts at some moment that the model does not know.
  for (const { service } of [world, ...replicas]) await service.housekeeping.close();
  const seen = { backInSight: 0, notModified: 0 };
  const operation = fc.record({
    op: fc.constantFrom(
      "plan",
      "plan",
      "send",
      "step",
      "step",
      "step",
      "poll",
      "poll",
      "cancel",
      "move",
      "delete",
      "read",
    ),
    replica: fc.nat(1),
    pick: fc.nat(20),
    hour: fc.integer({ min: 1, max: 6 }),
  });
  const known = (op: string, hour = 1): Op => ({ op, replica: 0, pick: 0, hour });
  // A sent alert is in sight after the clock stepped back, and an unchanged inbox is a 304.
  const example = [known("plan", 3), known("step", 4), known("poll"), known("step", 1), known("poll"), known("poll")];
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 10, maxLength: 40, size: "max" }), (ops) => run(ops, seen)),
    { numRuns: ROUNDS * 4, examples: [[example]] },
  );
  expect(seen.backInSight).toBeGreaterThan(0);
  expect(seen.notModified).toBeGreaterThan(0);
  await expectRecountClean(world.service.orm);
});

/** One handset on two channels, one on the first alone; the clock stops between two steps. */
async function run(ops: Op[], seen: { backInSight: number; notModified: number }): Promise<void> {
  const channels = [await channel(), await channel()];
  const both = await world.device(...channels.map(({ pusher }) => pusher.handle));
  const handsets = [
    { token: both, channels: [0, 1], held: "", etag: undefined as string | undefined },
    { token: channels[0]!.token, channels: [0], held: "", etag: undefined as string | undefined },
  ];
  const tags = new Map<string, string>();
  const alerts: ModelAlert[] = [];
  let hour = 0;
  let revision = 0;
  const isDue = (alert: ModelAlert) => alert.status === "scheduled" && alert.hour <= hour;
  const settle = (of: number[]) => {
    for (const alert of alerts) if (of.includes(alert.channel) && isDue(alert)) alert.status = "sent";
  };
  const readRevision = async () => {
    const found = await world.sql("select sum(revision)::int as revision from channel_state where pusher_id = any(?)", [
      `{${channels.map(({ pusher }) => parseUuid(pusher.id)).join(",")}}`,
    ]);
    return found[0].revision as number;
  };

  for (const { op, replica: d, pick, hour: h } of ops) {
    const replica = replicas[d]!;
    const alive = alerts.filter(({ status }) => status !== "deleted");
    const alert = alive[pick % Math.max(1, alive.length)];
    if (op === "step") {
      hour = h;
      await clock.set(h * HOUR);
    } else if (op === "plan" || op === "send") {
      const of = pick % 2;
      const row = await replica.alert(channels[of]!.pusher.id, {
        send: true,
        ...(op === "plan" ? { send_at: clock.at(h * HOUR) } : {}),
      });
      alerts.push({ row, channel: of, status: op === "plan" ? "scheduled" : "sent", hour: op === "plan" ? h : hour });
    } else if (op === "poll") {
      const handset = handsets[pick % 2]!;
      settle(handset.channels);
      const want = alerts.filter((a) => a.status === "sent" && handset.channels.includes(a.channel));
      if (want.some((a) => a.hour > hour)) seen.backInSight++;
      const conditional = await poll(replica, handset.token, handset.etag);
      const whole = await poll(replicas[1 - d]!, handset.token);
      expect(whole.ids.toSorted()).toEqual(want.map(({ row }) => row.id).toSorted());
      // A 304 hides nothing, and equal tags mean equal rows.
      if (conditional.status === 304) {
        seen.notModified++;
        expect(whole.rows).toBe(handset.held);
      } else expect(conditional.etag).toBe(whole.etag);
      expect(tags.get(whole.etag) ?? whole.rows).toBe(whole.rows);
      tags.set(whole.etag, whole.rows);
      Object.assign(handset, { held: whole.rows, etag: whole.etag });
    } else if (alert && op === "read") {
      settle([alert.channel].filter(() => isDue(alert)));
      expect((await replica.rest("get_alert", ids(alert.row))).body.status).toBe(alert.status);
    } else if (alert && op === "cancel") {
      settle([alert.channel].filter(() => isDue(alert)));
      expect((await replica.rest("cancel_alert", ids(alert.row))).status).toBe(200);
      alert.status = "cancelled";
    } else if (alert && op === "move") {
      const free = alert.status === "scheduled" && !isDue(alert);
      const args = { ...ids(alert.row), title: `At ${h}`, send_at: clock.at(h * HOUR) };
      expect((await replica.rest("update_alert", args)).status).toBe(free ? 200 : 409);
      if (free) alert.hour = h;
    } else if (alert && op === "delete") {
      const free = alert.status === "cancelled" || (alert.status === "scheduled" && !isDue(alert));
      expect((await replica.rest("delete_alert", ids(alert.row))).status).toBe(free ? 204 : 409);
      if (free) alert.status = "deleted";
    }
    const now = await readRevision();
    expect(now).toBeGreaterThanOrEqual(revision);
    revision = now;
  }
}

// ---- at once --------------------------------------------------------------------------------------------------------

test("handsets that poll as an alert comes due publish it once, during changes of it", async () => {
  for (let round = 0; round < ROUNDS / 4; round++) {
    const made = [await channel(), await channel()];
    const tokens = await callConcurrently(40, () => world.device(...made.map(({ pusher }) => pusher.handle)), 8);
    const alerts = await callConcurrently(12, (i) => made[i % 2]!.plan(1, `Alert ${i}`), 4);
    const revs = () =>
      world.sql("select revision::int from channel_state where pusher_id = any(?) order by 1", [
        `{${made.map(({ pusher }) => parseUuid(pusher.id)).join(",")}}`,
      ]);
    const replica = (i: number) => replicas[i % 2]!;
    const shown = new Set<string>();
    const verbs = ["cancel_alert", "delete_alert", "send_alert", "update_alert"];
    const [polls, changes] = await Promise.all([
      callConcurrently(
        300,
        async (i) => {
          const answer = await replica(i).handset("GET", "/inbox", tokens[i % 40]!);
          for (const { id } of answer.body.data) shown.add(id);
          return answer;
        },
        100,
      ),
      callConcurrently(
        24,
        (i) => replica(i).rest(verbs[i % 4]!, { ...ids(alerts[i % 12]), ...(i % 4 === 3 ? { title: "T" } : {}) }),
        4,
      ),
      clock.set(HOUR),
    ]);
    expect(countStatuses(polls)).toEqual({ 200: 300 });
    countStatuses(changes);
    await clock.set(0);
    for (const id of shown) {
      const alert = alerts.find((candidate) => candidate.id === id);
      expect((await replica(round).rest("get_alert", ids(alert))).body.status).toMatch(/^(sent|cancelled)$/);
    }
    // Once sent and once cancelled at most: nothing is published twice.
    for (const { revision } of await revs()) expect(revision).toBeLessThanOrEqual(2 * 6);
    await expectRecountClean(world.service.orm);
  }
});

describe("where it cannot be written down", () => {
  /** Blocks the query for due alerts until it is released. */
  async function held(pusher: any) {
    const holder = world.service.orm.em.fork() as SqlEntityManager;
    await holder.begin();
    await holder.execute("select 1 from channel_state where pusher_id = ? for update", [parseUuid(pusher.id)] as never);
    return () => holder.rollback();
  }

  test("a due alert is shown all the same, with a tag of its own, and published later", async () => {
    const { pusher, token, plan } = await channel();
    const [one, two] = [await plan(1, "One"), await plan(3, "Two")];
    const nothing = await poll(replicas[0]!, token);
    await clock.set(2 * HOUR);
    const letGo = await held(pusher);
    const shown = await poll(replicas[0]!, token, nothing.etag);
    expect([shown.status, shown.ids]).toEqual([200, [one.id]]);
    expect((await poll(replicas[0]!, token, shown.etag)).status).toBe(304);
    await clock.set(4 * HOUR);
    const more = await poll(replicas[0]!, token, shown.etag);
    expect([more.status, more.ids]).toEqual([200, [two.id, one.id]]);
    await letGo();
    await waitFor(async () => {
      await poll(replicas[0]!, token);
      const rows = await world.sql("select status from alert where pusher_id = ?", [parseUuid(pusher.id)]);
      expect(rows).toEqual([{ status: "sent" }, { status: "sent" }]);
    });
    await clock.set(0);
    expect((await poll(replicas[1]!, token)).ids).toEqual(more.ids);
  });

  test("the tag of one unpublished alert is never the tag of another", async () => {
    const { pusher, token, plan } = await channel();
    const [one, two] = [await plan(1, "One"), await plan(2, "Two")];
    await world.sql(`create function refuse() returns trigger language plpgsql as $$
      begin if new.status = 'sent' then raise exception 'no'; end if; return new; end $$`);
    await world.sql("create trigger refuse before update on alert for each row execute function refuse()");
    try {
      await clock.set(HOUR);
      const first = await poll(replicas[0]!, token);
      expect(first.ids).toEqual([one.id]);
      // Never published, so a step back removes it; then it is moved, and the other one comes due in its place.
      await clock.set(0);
      await replicas[0]!.rest("update_alert", { ...ids(one), send_at: clock.at(9 * HOUR) });
      await clock.set(2 * HOUR);
      const second = await poll(replicas[0]!, token, first.etag);
      expect([second.status, second.ids]).toEqual([200, [two.id]]);
      // The same alert with another text is another one.
      await clock.set(0);
      await replicas[0]!.rest("update_alert", { ...ids(two), title: "Other words" });
      await clock.set(2 * HOUR);
      expect((await poll(replicas[0]!, token, second.etag)).rows).toContain("Other words");
    } finally {
      await world.sql("drop trigger refuse on alert");
    }
    await expectRecountClean(world.service.orm);
    expect(pusher.id).toBeTruthy();
  });
});
