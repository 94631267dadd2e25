// Results of simultaneous calls on two services of one database. There is one winner where only one is possible, and
// every state is legal. Counters equal a recount of the rows, and no call is a server error. Each service has several
// calls under way, so calls of one process also race.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { checkDatabaseConsistency } from "../../src/identity/operator/consistency_checks.ts";
import { parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import { createOrm } from "../../src/store/db/orm.ts";
import { callConcurrently, countStatuses, pause } from "../support/concurrent_calls.ts";
import { expectRecountClean, findWrongCounts } from "../support/counter_checks.ts";
import { WAIT, waitFor } from "../support/wait.ts";
import { type Answer, createHandle, timeInSeconds, World } from "../support/world.ts";

const ROUNDS = Number(process.env.BELFRY_TEST_ROUNDS ?? 3);

const channel = (handle: string) => ({ handle, name: "A", category: "community", description: "d" });

describe("two services", () => {
  let world: World;
  const worlds: World[] = [];
  /** Calls go to the services in turn. */
  const worldAt = (i: number) => worlds[i % worlds.length]!;
  /** The service of a call that races with one of `worldAt(i)`: the same service in every other pair of rounds. */
  const second = (i: number) => worldAt(i + (i >> 1));

  beforeAll(async () => {
    world = await World.open();
    worlds.push(world, await world.replica());
  });
  afterEach(() => expectRecountClean(world.service.orm));
  afterAll(async () => {
    for (const each of worlds.reverse()) await each.close();
  });

  const eventsOf = (alertId: string) =>
    world.events.filter(({ data }) => data.alert_id === alertId).map(({ event }) => event);
  const read = async (alert: any) =>
    (await world.rest("get_alert", { pusher_id: alert.pusher_id, alert_id: alert.id })).body;
  const ids = (alert: any) => ({ pusher_id: alert.pusher_id, alert_id: alert.id });
  /** Two calls begun in either order, a moment apart at most. */
  async function race(i: number, first: () => Promise<Answer>, second: () => Promise<Answer>) {
    const late = async (call: () => Promise<Answer>, ms: number) => (await pause(ms)) ?? call();
    const gap = (i % 4) * 2;
    return i % 2 ? Promise.all([first(), late(second, gap)]) : Promise.all([late(first, gap), second()]);
  }

  test("of 200 simultaneous claims of one handle one gets it", async () => {
    const keys = [
      world.owner,
      await world.memberKey("editor"),
      await world.memberKey("admin"),
      await world.foreignKey(),
    ];
    const handle = createHandle();
    const answers = await callConcurrently(200, (i) =>
      worldAt(i).rest("create_pusher", channel(handle), keys[i % keys.length]!),
    );
    expect(countStatuses(answers)).toEqual({ 201: 1, 409: 199 });
  });

  test("claims with deletes mixed in: never two holders, never a refusal while it is free", async () => {
    const handle = createHandle();
    const keys = [world.owner, await world.memberKey("admin"), await world.memberKey("admin")];
    const lives: { created: [number, number]; deleted: [number, number] }[] = [];
    const refusals: [number, number][] = [];
    let tick = 0;
    const answers: Answer[] = [];
    await callConcurrently(24, async (i) => {
      for (let round = 0; round < ROUNDS; round++) {
        const begun = tick++;
        const claim = await worldAt(i + round).rest("create_pusher", channel(handle), keys[i % keys.length]!);
        const known = tick++;
        answers.push(claim);
        if (claim.status !== 201) {
          refusals.push([begun, known]);
          continue;
        }
        const life = { created: [begun, known], deleted: [Infinity, Infinity] } as (typeof lives)[number];
        lives.push(life);
        await pause(i % 5);
        const deleting = tick++;
        const gone = await worldAt(i).rest("delete_pusher", { pusher_id: claim.body.id }, keys[i % keys.length]!);
        expect(gone.status).toBe(204);
        life.deleted = [deleting, tick++];
      }
    });
    expect(Object.keys(countStatuses(answers)).sort()).toEqual(["201", "409"]);
    // Certainly owned: from the response of the claim to the begin of the delete. No two of these may overlap.
    const held = lives.map(({ created, deleted }) => [created[1], deleted[0]]).sort((a, b) => a[0]! - b[0]!);
    for (let i = 1; i < held.length; i++) expect(held[i]![0]).toBeGreaterThan(held[i - 1]![1]!);
    // Possibly owned: from the begin of the claim to the response of the delete. A refusal must touch one of these.
    for (const [begun, known] of refusals)
      expect(lives.some(({ created, deleted }) => created[0] < known && begun < deleted[1])).toBe(true);
  });

  test("an edit by a key that may only write is judged by what a schedule left", async () => {
    const pusher = await world.pusher();
    const key = await world.key({ scopes: "alerts:write" });
    for (let i = 0; i < ROUNDS * 2; i++) {
      const draft = await world.alert(pusher.id, { title: "As reviewed", send_at: timeInSeconds(3600) });
      const [scheduled, edited] = await race(
        i,
        () => worldAt(i).rest("schedule_alert", ids(draft)),
        () => second(i).rest("update_alert", { ...ids(draft), title: "Changed" }, key),
      );
      expect(scheduled.status).toBe(200);
      expect([200, 403]).toContain(edited.status);
      const title = edited.status === 200 ? "Changed" : "As reviewed";
      expect(await read(draft)).toMatchObject({ status: "scheduled", title });
      // The planned data that receivers got equals the published data.
      expect(world.events.filter(({ data }) => data.alert_id === draft.id)).toMatchObject([
        { event: "alert.scheduled", data: { title } },
      ]);
    }
  });

  test("100 simultaneous sends of one draft publish it once", async () => {
    for (let round = 0; round < 2; round++) {
      const pusher = await world.pusher();
      const draft = await world.alert(pusher.id);
      const answers = await callConcurrently(100, (i) => worldAt(i).rest("send_alert", ids(draft)));
      expect(countStatuses(answers)).toEqual({ 200: 100 });
      expect(new Set(answers.map(({ body }) => body.sent_at)).size).toBe(1);
      expect(eventsOf(draft.id)).toEqual(["alert.sent"]);
      const { body } = await world.rest("get_pusher", { pusher_id: pusher.id });
      expect(body.alerts_sent).toBe(1);
    }
  });

  test("send against cancel of a scheduled alert", async () => {
    const pusher = await world.pusher();
    for (let i = 0; i < ROUNDS * 2; i++) {
      const alert = await world.alert(pusher.id, { send: true, send_at: timeInSeconds(600) });
      const [sent, cancelled] = await race(
        i,
        () => worldAt(i).rest("send_alert", ids(alert)),
        () => second(i).rest("cancel_alert", ids(alert)),
      );
      expect(cancelled!.status).toBe(200);
      const after = await read(alert);
      expect(after.status).toBe("cancelled");
      const wasSent = sent!.status === 200;
      if (!wasSent) expect(sent!.status).toBe(409);
      expect(after.sent_at).toBe(wasSent ? sent!.body.sent_at : null);
      // Each is reported after its own commit, by the service that made it, in no guaranteed order.
      expect(eventsOf(alert.id).sort()).toEqual(
        wasSent ? ["alert.cancelled", "alert.scheduled", "alert.sent"] : ["alert.cancelled", "alert.scheduled"],
      );
    }
  });

  test("send against delete of a draft", async () => {
    const pusher = await world.pusher();
    for (let i = 0; i < ROUNDS * 2; i++) {
      const draft = await world.alert(pusher.id);
      const [sent, deleted] = await race(
        i,
        () => worldAt(i).rest("send_alert", ids(draft)),
        () => second(i).rest("delete_alert", ids(draft)),
      );
      expect([
        [200, 409],
        [404, 204],
      ]).toContainEqual([sent!.status, deleted!.status]);
      const after = await world.rest("get_alert", ids(draft));
      expect(after.status).toBe(sent!.status);
      expect(eventsOf(draft.id)).toEqual(sent!.status === 200 ? ["alert.sent"] : []);
    }
  });

  test("edit against send: the edit is in what was sent, or refused", async () => {
    const pusher = await world.pusher();
    for (let i = 0; i < ROUNDS * 2; i++) {
      const draft = await world.alert(pusher.id, { title: "Before" });
      const [edited, sent] = await race(
        i,
        () => worldAt(i).rest("update_alert", { ...ids(draft), title: "After" }),
        () => second(i).rest("send_alert", ids(draft)),
      );
      expect(sent!.status).toBe(200);
      expect([200, 409]).toContain(edited!.status);
      const title = edited!.status === 200 ? "After" : "Before";
      expect((await read(draft)).title).toBe(title);
      expect(sent!.body.title).toBe(title);
    }
  });

  test("after a pause was answered nothing is sent any more", async () => {
    for (let round = 0; round < ROUNDS / 2; round++) {
      const pusher = await world.pusher();
      const drafts = await callConcurrently(12, () => world.alert(pusher.id), 4);
      let paused = false;
      const late: Answer[] = [];
      const early: Answer[] = [];
      const [answer] = await Promise.all([
        pause(round).then(async () => {
          const done = await worldAt(round).rest("update_pusher", { pusher_id: pusher.id, status: "paused" });
          paused = true;
          return done;
        }),
        callConcurrently(
          24,
          async (i) => {
            const list = paused ? late : early;
            const draft = drafts[i % drafts.length]!;
            list.push(
              i % 3 === 0
                ? await worldAt(i).rest("create_alert", { pusher_id: pusher.id, title: "Now", send: true })
                : await worldAt(i).rest("send_alert", ids(draft)),
            );
          },
          3,
        ),
      ]);
      expect(answer.status).toBe(200);
      late.push(await worldAt(round + 1).rest("create_alert", { pusher_id: pusher.id, title: "No", send: true }));
      expect(countStatuses(late)).toEqual({ 409: late.length });
      for (const { status } of early) expect([200, 201, 409]).toContain(status);
      const { body } = await world.rest("list_alerts", { pusher_id: pusher.id, status: "sent" });
      const sent = new Set([...early].filter(({ status }) => status < 300).map(({ body: { id } }) => id));
      expect(new Set(body.data.map(({ id }: any) => id))).toEqual(sent);
    }
  });

  test("a channel is deleted during joins and new alerts: completely, or kept with its subscriber", async () => {
    for (let i = 0; i < ROUNDS * 2; i++) {
      const pusher = await world.pusher();
      const device = await world.device();
      const [gone, joined, made] = await Promise.all([
        pause(i % 3).then(() => worldAt(i).rest("delete_pusher", { pusher_id: pusher.id })),
        pause(i % 2).then(() => second(i).handset("PUT", `/subscriptions/${pusher.handle}`, device, {})),
        pause((i >> 1) % 3).then(() =>
          worldAt(i).rest("create_alert", { pusher_id: pusher.id, title: "Hello", send: true }),
        ),
      ]);
      expect([
        [204, 404],
        [409, 200],
      ]).toContainEqual([gone.status, joined.status]);
      expect([201, 404]).toContain(made.status);
      if (gone.status === 409) expect(made.status).toBe(201);
      const inbox = await world.handset("GET", "/inbox", device);
      expect(inbox.body.data).toHaveLength(gone.status === 409 ? 1 : 0);
      const left = await world.sql("select 1 from alert where pusher_id = ?", [parseIdOrNull("psh", pusher.id)]);
      expect(left).toHaveLength(gone.status === 409 ? 1 : 0);
    }
  });

  async function privateChannel(maxUses: number) {
    const pusher = await world.pusher({ is_public: false });
    const code = `code-of-${pusher.handle}`;
    await world.sql("insert into invite (id, pusher_id, code, max_uses) values (gen_random_uuid(), ?, ?, ?)", [
      parseIdOrNull("psh", pusher.id),
      code,
      maxUses,
    ]);
    const uses = async () => (await world.sql("select uses from invite where code = ?", [code]))[0].uses;
    const join = (i: number, token: string) =>
      worldAt(i).handset("PUT", `/subscriptions/${pusher.handle}`, token, { invite: code });
    return { pusher, uses, join };
  }

  test.each([1, 5])("of 100 devices on an invite for %i exactly that number join", async (maxUses) => {
    const { pusher, uses, join } = await privateChannel(maxUses);
    const devices = await callConcurrently(100, () => world.device(), 16);
    const answers = await callConcurrently(100, (i) => join(i, devices[i]!));
    expect(countStatuses(answers)).toEqual({ 200: maxUses, 404: 100 - maxUses });
    expect(await uses()).toBe(maxUses);
    const { body } = await world.rest("get_pusher", { pusher_id: pusher.id });
    expect(body.subscribers).toBe(maxUses);
    const refused = answers.findIndex(({ status }) => status === 404);
    expect((await world.handset("GET", `/channels/${pusher.handle}`, devices[refused]!)).status).toBe(404);
  });

  test("one device that joins several times at once uses one place", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { pusher, uses, join } = await privateChannel(1);
      const device = await world.device();
      expect(countStatuses(await callConcurrently(4, (i) => join(i, device)))).toEqual({ 200: 4 });
      expect(await uses()).toBe(1);
      const mine = world.events.filter(
        ({ event, data }) => event === "subscriber.created" && data.pusher_id === pusher.id,
      );
      expect(mine).toHaveLength(1);
    }
  });

  test("joins, leaves and mutes of few devices in any order keep the breakdown", async () => {
    const pushers = await callConcurrently(3, () => world.pusher(), 3);
    const devices = await callConcurrently(6, () => world.device(), 6);
    const answers = await callConcurrently(
      180,
      (i) => {
        const path = `/subscriptions/${pushers[i % 3]!.handle}`;
        const token = devices[(i * 7) % 6]!;
        if (i % 4 === 0) return worldAt(i).handset("DELETE", path, token);
        return worldAt(i).handset("PUT", path, token, i % 4 === 1 ? {} : { muted: i % 4 === 2 });
      },
      32,
    );
    expect(Object.keys(countStatuses(answers)).sort()).toEqual(["200", "204"]);
  });

  test("64 repeats of one idempotency key make one row and equal answers", async () => {
    const pusher = await world.pusher();
    const args = { pusher_id: pusher.id, title: "Once", send: true, idempotency_key: `key-${pusher.handle}` };
    const answers = await callConcurrently(64, (i) => worldAt(i).rest("create_alert", args));
    expect(countStatuses(answers)).toEqual({ 201: 64 });
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(eventsOf(answers[0]!.body.id)).toEqual(["alert.sent"]);
    const { body } = await world.rest("list_alerts", { pusher_id: pusher.id });
    expect(body.data).toHaveLength(1);
  });

  // The first keeps its key in its own statement, the second before it begins.
  test.each([
    ["create_alert", { title: "Daily" }],
    ["create_invite", {}],
  ])("a key of %s is new again after its day, for one of 32 at once", async (tool, fields) => {
    const pusher = await world.pusher({ is_public: false });
    const args = { pusher_id: pusher.id, ...fields, idempotency_key: `daily-${pusher.handle}` };
    const first = await world.rest(tool, args);
    await world.sql("update idempotency_record set created_at = created_at - interval '25 hours'");
    const answers = await callConcurrently(32, (i) => worldAt(i).rest(tool, args));
    expect(countStatuses(answers)).toEqual({ 201: 32 });
    const [id, ...more] = new Set(answers.map(({ body }) => body.id));
    expect(more).toEqual([]);
    expect(id).not.toBe(first.body.id);
  });

  /** The rows of a table and those aside. */
  const counted = async (table: string, column: string, id: string | null) => {
    const rows = [table, `${table}_stripe`].map((of) => `select reads, acks from ${of} where ${column} = ?`);
    const sums = `select sum(reads)::int as reads, sum(acks)::int as acks from (${rows.join(" union all ")}) parts`;
    return (await world.sql(sums, [id, id]))[0];
  };

  // rules#reports
  test("200 devices that report read and ack three times each count 200 and 200", async () => {
    const pusher = await world.pusher();
    const alert = await world.alert(pusher.id, { send: true });
    const devices = await callConcurrently(200, () => world.device(pusher.handle), 32);
    const reports = [
      { alert_id: alert.id, kind: "read" },
      { alert_id: alert.id, kind: "ack" },
    ];
    const answers = await callConcurrently(
      600,
      (i) => worldAt(i).handset("POST", "/reports", devices[(i * 13) % 200]!, { reports }),
      64,
    );
    expect(countStatuses(answers)).toEqual({ 200: 600 });
    const totals = async () => ({
      alert: await counted("alert_counter", "alert_id", parseIdOrNull("alr", alert.id)),
      days: await counted("channel_day", "pusher_id", parseIdOrNull("psh", pusher.id)),
    });
    const exact = { alert: { reads: 200, acks: 200 }, days: { reads: 200, acks: 200 } };
    expect(await totals()).toEqual(exact);
    // Pruning forgets when, never that: a repeat afterwards counts nothing.
    await callConcurrently(
      200,
      (i) => worldAt(i).handset("DELETE", `/reports?before=${encodeURIComponent(timeInSeconds(5))}`, devices[i]!),
      32,
    );
    await callConcurrently(200, (i) => worldAt(i).handset("POST", "/reports", devices[i]!, { reports }), 64);
    expect(await totals()).toEqual(exact);
  });

  test("reports against leaving, cancelling and deleting: each report is answered", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const pusher = await world.pusher();
      const bystander = await world.pusher();
      const alert = await world.alert(pusher.id, { send: true });
      const other = await world.alert(bystander.id, { send: true });
      const devices = await callConcurrently(6, () => world.device(pusher.handle, bystander.handle), 6);
      const reports = [
        { alert_id: alert.id, kind: "read" },
        { alert_id: other.id, kind: "ack" },
      ];
      const [answers] = await Promise.all([
        callConcurrently(60, (i) => worldAt(i).handset("POST", "/reports", devices[i % 6]!, { reports }), 16),
        (async () => {
          await worldAt(round).rest("cancel_alert", ids(alert));
          await worldAt(round).rest("delete_alert", ids(alert));
          await callConcurrently(6, (i) =>
            worldAt(i).handset("DELETE", `/subscriptions/${pusher.handle}`, devices[i]!),
          );
          expect((await worldAt(round).rest("delete_pusher", { pusher_id: pusher.id })).status).toBe(204);
        })(),
      ]);
      expect(countStatuses(answers)).toEqual({ 200: 60 });
      expect(await counted("alert_counter", "alert_id", parseIdOrNull("alr", other.id))).toEqual({ reads: 0, acks: 6 });
    }
  });

  test("a channel that is deleted while its reports wait fails no report", async () => {
    const [pusher, other] = [await world.pusher(), await world.pusher()];
    const alert = await world.alert(pusher.id, { send: true });
    const kept = await world.alert(other.id, { send: true });
    const device = await world.device(pusher.handle, other.handle);
    const [{ device_id }] = await world.sql("select device_id::text from subscription where pusher_id = ?", [
      parseIdOrNull("psh", pusher.id),
    ]);
    // Another transaction locks the very row that the report is about to write.
    const holder = world.service.orm.em.fork() as SqlEntityManager;
    await holder.begin();
    await holder.execute("insert into report (alert_id, device_id, kind) values (?, ?, 1)", [
      parseIdOrNull("alr", alert.id),
      device_id,
    ] as never);
    const reports = [alert, kept].map(({ id }) => ({ alert_id: id, kind: "read" }));
    const waiting = worldAt(1).handset("POST", "/reports", device, { reports });
    const waits = async () =>
      (
        await world.sql(
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        )
      ).length;
    await expect.poll(waits, WAIT).toBe(1);
    await worldAt(0).handset("DELETE", `/subscriptions/${pusher.handle}`, device);
    // The reports lock their alerts, so the deletion waits for them and removes them too.
    const deleted = worldAt(0).rest("delete_pusher", { pusher_id: pusher.id });
    await expect.poll(waits, WAIT).toBe(2);
    await holder.rollback();
    expect(await waiting).toMatchObject({ status: 200, body: { accepted: 2 } });
    expect((await deleted).status).toBe(204);
  });

  // rules#filtered-lists
  test("a list filtered by status shows that status while alerts come due", async () => {
    const pusher = await world.pusher();
    // Each is far enough ahead of its own creation.
    await callConcurrently(40, () => world.alert(pusher.id, { send: true, send_at: timeInSeconds(2) }), 8);
    const counts: Record<string, number> = {};
    do
      for (const status of ["scheduled", "sent"]) {
        const { body } = await world.rest("list_alerts", { pusher_id: pusher.id, status, limit: 100 });
        expect(body.data.filter((row: any) => row.status !== status)).toEqual([]);
        counts[status] = body.data.length;
      }
    while (counts.sent !== 40);
  });

  test("a scheduled alert that comes due while a change waits is sent: never twice, edited or deleted", async () => {
    const pusher = await world.pusher();
    const alerts: any[] = [];
    const dueAt = timeInSeconds(4);
    for (let i = 0; i < 3; i++) alerts.push(await world.alert(pusher.id, { send: true, send_at: dueAt }));
    const holder = world.service.orm.em.fork() as SqlEntityManager;
    await holder.begin();
    await holder.execute("select 1 from channel_state where pusher_id = ? for update", [
      parseIdOrNull("psh", pusher.id),
    ] as never);
    const waiting = Promise.all([
      worldAt(1).rest("send_alert", ids(alerts[0])),
      worldAt(1).rest("update_alert", { ...ids(alerts[1]), title: "Too late" }),
      worldAt(1).rest("delete_alert", ids(alerts[2])),
    ]);
    await pause(Date.parse(dueAt) - Date.now() + 30);
    await holder.rollback();
    const [sent, edited, deleted] = await waiting;
    expect([sent.status, edited.status, deleted.status]).toEqual([200, 409, 409]);
    expect(sent.body.sent_at).toBe(alerts[0].send_at);
    expect(sent.body.status).toBe("sent");
    for (const alert of alerts) expect(eventsOf(alert.id)).toEqual(["alert.scheduled"]);
  });

  test("a connection that PostgreSQL ends is not lost to the pool", async () => {
    const pusher = await world.pusher();
    // From outside of the services' pools.
    const admin = createOrm({ databaseUrl: world.settings.DATABASE_URL! });
    const em = admin.em.fork() as SqlEntityManager;
    let cutting = true;
    const failed: Answer[] = [];
    const clients = callConcurrently(16, async (i) => {
      while (cutting) {
        const answer = await worldAt(i).rest("create_alert", { pusher_id: pusher.id, title: "Cut", send: i % 2 === 0 });
        if (answer.status !== 201) failed.push(answer);
      }
    });
    // Far more often than a pool has places.
    for (let i = 0; i < 12; i++) {
      await pause(30);
      await em.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> " +
          "pg_backend_pid()",
      );
    }
    cutting = false;
    await clients;
    await admin.close(true);
    // Only a commit with an unknown outcome is not retried.
    for (const { status, body } of failed) expect(`${status} ${body.error.type}`).toBe("503 server_error");
    for (const { service } of worlds) {
      const pool = await (service.orm.em.getConnection() as any).getNativeClient();
      // Other processes are notified of changes a moment after the responses.
      await waitFor(() => expect(pool.totalCount - pool.idleCount).toBe(0));
    }
    expect(
      countStatuses(await callConcurrently(32, (i) => worldAt(i).rest("get_pusher", { pusher_id: pusher.id }))),
    ).toEqual({ 200: 32 });
  });

  test("the recount sees what is wrong", async () => {
    const pusher = await world.pusher();
    const alert = await world.alert(pusher.id, { send: true });
    const device = await world.device(pusher.handle);
    await world.handset("POST", "/reports", device, { reports: [{ alert_id: alert.id, kind: "read" }] });
    const uuid = parseIdOrNull("psh", pusher.id);
    const em = world.service.orm.em.fork() as SqlEntityManager;
    const wrong = async (sql: string, parameters: unknown[]) => {
      await em.begin();
      try {
        await em.execute(sql, parameters as never);
        const { checks } = await checkDatabaseConsistency(em);
        return checks.filter((check) => check.wrong > 0);
      } finally {
        await em.rollback();
      }
    };
    const column = (table: string, name: string) =>
      wrong(`update ${table} set ${name} = ${name} + 1 where pusher_id = ?`, [uuid]);
    const one = (name: string) => [{ name, wrong: 1 }];
    expect(await column("channel_state", "published")).toEqual(one("channel_state.published"));
    expect(await column("channel_state", "subscribers")).toEqual(one("channel_state.subscribers"));
    expect(await column("channel_day", "published")).toEqual(one("channel_day.published"));
    expect(await column("subscriber_breakdown", "muted_count")).toEqual(one("subscriber_breakdown"));
    expect(await wrong("update channel_day set reads = 0 where pusher_id = ?", [uuid])).toEqual(
      one("channel_day.reports"),
    );
    expect(await wrong("update channel_state set active = false where pusher_id = ?", [uuid])).toEqual(
      one("channel_state.status"),
    );
    expect(
      await wrong("update alert_counter set acks = 1 where alert_id = ?", [parseIdOrNull("alr", alert.id)]),
    ).toContainEqual({ name: "alert_counter", wrong: 1 });
    expect(await wrong("update alert set cancelled_at = now() where pusher_id = ?", [uuid])).toEqual(
      one("alert.whole"),
    );
    expect(await findWrongCounts(world.service.orm)).toEqual({});
  });
});
