// Concurrent new alerts are sent to the database in one exchange. Each has an outcome of its own, and no call waits for
// another one's query.

import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { assertDefined } from "../../src/model/assert.ts";
import { serializeEvent } from "../../src/model/domain/domain_events.ts";
import { newUuid, parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import { ALERT_FIELDS } from "../../src/model/fields/alert.ts";
import { getBlankValues } from "../../src/model/fields/field_table.ts";
import { createOperatorActor } from "../../src/operation/audit_lines.ts";
import { NO_IDEMPOTENCY_KEY_SQL_PARAMETERS } from "../../src/operation/idempotency.ts";
import { createWriteBatcher } from "../../src/store/db/batch_concurrent_calls.ts";
import { createOrm, type Orm } from "../../src/store/db/orm.ts";
import { getKysely, runStatement } from "../../src/store/db/statement.ts";
import { CREATE_STATEMENT_VARIANTS } from "../../src/store/queries/create_and_publish_alerts.ts";
import { countStatuses } from "../support/concurrent_calls.ts";
import { expectRecountClean } from "../support/counter_checks.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../support/database_proxy.ts";
import { waitUntil } from "../support/wait.ts";
import { timeInSeconds, World } from "../support/world.ts";

let world: World;
let proxy: DatabaseProxy;
/** A service that speaks with the database through the proxy. */
let near: World;
let orm: Orm;
beforeAll(async () => {
  world = await World.open();
  proxy = await startDatabaseProxy(world.settings.DATABASE_URL!);
  near = await world.replica({ DATABASE_URL: proxy.url });
  orm = createOrm({ databaseUrl: world.settings.DATABASE_URL!, databasePoolSize: 2 });
});
afterAll(async () => {
  await orm.close(true);
  await near.close();
  await proxy.close();
  await world.close();
});

const uuidOf = (id: string) => parseIdOrNull(id.startsWith("psh") ? "psh" : "alr", id)!;

/** The waiters of a lock. */
const WAITING = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

/** The number of exchanges with the database in the meantime. */
async function exchanges(work: () => Promise<unknown>, through = proxy): Promise<number> {
  const before = through.asked();
  await work();
  return through.asked() - before;
}

/** The stored data of an alert that is not visible. */
const draft = (channel: string, id: string, status = "draft") => ({
  ...getBlankValues(ALERT_FIELDS),
  ...createOperatorActor(null),
  workspace_id: parseIdOrNull("wsp", world.workspace.id)!,
  pusher_ids: null,
  pusher_id: uuidOf(channel),
  id,
  title: "Tide",
  words: ["tide"],
  status,
  operation: "create_alert",
  subject_id: null,
  count: null,
  changed: null,
  audit_id: newUuid(),
  event_id: null,
  event_body: null,
  ...NO_IDEMPOTENCY_KEY_SQL_PARAMETERS,
});

test("a new alert is one exchange, with its line in the log and its event", async () => {
  const { id } = await world.pusher();
  // A server of its own: the service behind the other one sends periodic queries.
  const alone = await startDatabaseProxy(world.settings.DATABASE_URL!);
  const through = createOrm({ databaseUrl: alone.url, databasePoolSize: 1 });
  const create = () => createWriteBatcher(getKysely(through))(CREATE_STATEMENT_VARIANTS, draft(id, newUuid()));
  await create();
  expect(await exchanges(create, alone)).toBe(1);
  await through.close(true);
  await alone.close();
});

test("with an idempotency key and markup, a new alert is two exchanges: the caller, and all writes", async () => {
  const { id } = await world.pusher();
  let n = 0;
  // The same title within a minute would look up the first alert for a note.
  const create = (more: object) =>
    near.rest("create_alert", { pusher_id: id, title: `Tide ${n++}`, send: true, ...more });
  const kinds = [{}, { idempotency_key: "" }, { html: "<b>Tide</b>" }, { idempotency_key: "", html: "<b>Tide</b>" }];
  const counts = kinds.map(() => Number.POSITIVE_INFINITY);
  // A connection that has not prepared the statement yet does so first, and the service's own queries may come between.
  for (const [i, kind] of kinds.entries())
    for (let tries = 0; tries < 20 && counts[i]! > 2; tries++) {
      const more = "idempotency_key" in kind ? { ...kind, idempotency_key: `${id} ${n++}` } : kind;
      counts[i] = Math.min(counts[i]!, await exchanges(async () => countStatuses([await create(more)])));
    }
  expect(counts).toEqual([2, 2, 2, 2]);
});

test("a call under a key returns the stored result, and its repeat the same, of any kind", async () => {
  const { id } = await world.pusher({ requested_perms: ["notify", "sound"] });
  const every = {
    body: "b\u200b",
    html: "<p onclick='x()'>☂ 😀</p>",
    priority: "urgent",
    sound: "siren",
    vibrate: "sos",
    tts_text: "Flood",
    lat: 53.5,
    lon: -0,
    radius_km: 0.25,
    actions: [{ label: "Open", url: "https://example.org/", type: "open_url" }],
    expires_at: "2099-01-01T02:00:00.5+02:00",
  };
  for (const how of [{}, { send: true }, { send: true, send_at: timeInSeconds(3600) }]) {
    const args = { pusher_id: id, title: "Tide", ...every, ...how, idempotency_key: newUuid() };
    const { status, body } = await world.rest("create_alert", args);
    expect(status).toBe(201);
    expect(body.notes.map(({ capability }: { capability: string }) => capability)).not.toContain("sound");
    const stored = await world.rest("get_alert", { pusher_id: id, alert_id: body.id });
    expect(stored.body).toMatchObject(body);
    await world.rest("update_pusher", { pusher_id: id, requested_perms: [] });
    expect(JSON.stringify((await world.rest("create_alert", args)).body)).toBe(JSON.stringify(body));
    await world.rest("update_pusher", { pusher_id: id, requested_perms: ["notify", "sound"] });
  }
});

test("a repeat is answered where the first call would be refused now, and takes nothing of the limit", async () => {
  const limited = await World.open({ limits: true, limitMax: { "alert-sends": 2 } });
  const { id } = await limited.pusher();
  const send = (key: string, title = "Tide") =>
    limited.rest("create_alert", { pusher_id: id, title, send: true, idempotency_key: key });
  const many = await Promise.all(Array.from({ length: 12 }, () => send("one")));
  expect(countStatuses(many)).toEqual({ 201: 12 });
  expect(new Set(many.map(({ body }) => body.id)).size).toBe(1);
  expect((await send("two")).status).toBe(201);
  expect((await send("three")).status).toBe(429);
  expect((await send("two")).status).toBe(201);
  expect((await send("two", "Ebb")).status).toBe(422);
  await limited.rest("update_pusher", { pusher_id: id, status: "paused" });
  expect((await send("one")).body).toEqual(many[0]!.body);
  expect((await send("four")).status).toBe(409);
  await limited.rest("update_pusher", { pusher_id: id, status: "active" });
  await limited.close();
});

test("of one statement's items with one key one is written, and a key counts by its own call", async () => {
  const { id } = await world.pusher();
  const under = (key: string) => ({ ...draft(id, newUuid()), key_of: "somebody", key, key_hash: "", key_answer: "" });
  const items = ["b", "a", "b", "a"].map((key, i) => ({ ...under(key), position: i + 1 }));
  const create = async (some: typeof items) =>
    (await runStatement(getKysely(orm), CREATE_STATEMENT_VARIANTS.single, { items: some }))
      .sort((a, b) => a.position - b.position)
      .map(({ id: made, repeated }) => [made !== null, repeated]);
  expect(await create(items)).toEqual([
    [true, false],
    [true, false],
    [false, true],
    [false, true],
  ]);
  expect(
    await create([
      { ...under("a"), position: 1 },
      { ...under("c"), position: 2 },
    ]),
  ).toEqual([
    [false, true],
    [true, false],
  ]);
  await world.sql("update idempotency_record set created_at = created_at - interval '25 hours' where key = 'a'");
  expect(await create([{ ...under("a"), position: 1 }])).toEqual([[true, false]]);
});

test("of many that are written at once the row of their channel changes once, and counts them all", async () => {
  const { id } = await world.pusher();
  const sends = [timeInSeconds(7200), null, timeInSeconds(3600), null].map((send_at, i) => ({
    ...draft(id, newUuid(), send_at ? "scheduled" : "sent"),
    send_at,
    position: i + 1,
  }));
  const changed = await getKysely(orm)
    .transaction()
    .execute(async (db) => {
      expect(await runStatement(db, CREATE_STATEMENT_VARIANTS.single, { items: sends })).toHaveLength(4);
      const count = sql<{ n: number }>`
        select n_tup_upd::int as n from pg_stat_xact_user_tables where relname = 'channel_state'`;
      return (await count.execute(db)).rows[0]!.n;
    });
  expect(changed).toBe(1);
  const [state] = await world.sql(
    "select published::int, next_due_at = ?::timestamptz as soonest from channel_state where pusher_id = ?",
    [sends[2]!.send_at, uuidOf(id)],
  );
  expect(state).toEqual({ published: 4, soonest: true });
  await expectRecountClean(world.service.orm);
});

test("of those that come together each has its own outcome, its line in the log and its event", async () => {
  const [open, paused, foreign] = [
    await world.pusher(),
    await world.pusher(),
    await world.pusher({}, await world.foreignKey()),
  ];
  await world.rest("update_pusher", { pusher_id: paused.id, status: "paused" });
  const bound = await world.key({ pusher: open.id });
  const before = world.acts.length;
  const calls = [
    { pusher_id: open.id, send: true },
    { pusher_id: open.id, send: true, send_at: timeInSeconds(3600) },
    { pusher_id: open.id },
    { pusher_id: paused.id, send: true },
    { pusher_id: paused.id },
    { pusher_id: foreign.id, send: true },
  ];
  const answers = async (key?: string) =>
    Promise.all(calls.map((call) => near.rest("create_alert", { title: "Tide", ...call }, key)));
  let both: Awaited<ReturnType<typeof answers>>[] = [];
  const count = await exchanges(async () => {
    both = await Promise.all([...Array.from({ length: 5 }, () => answers()), answers(bound)]);
  });
  for (const some of both.slice(0, 5)) expect(some.map(({ status }) => status)).toEqual([201, 201, 201, 409, 201, 404]);
  expect(both[5]!.map(({ status }) => status)).toEqual([201, 201, 201, 404, 404, 404]);
  // Each by itself: seventy at least.
  expect(count).toBeLessThan(36);
  const made = both.flat().filter(({ status }) => status === 201);
  const lines = await world.sql(
    `select subject_id, status from audit_event
     where operation = 'create_alert' and subject_id in (select jsonb_array_elements_text(?::jsonb))`,
    [JSON.stringify(made.map(({ body }) => body.id))],
  );
  expect(lines).toHaveLength(made.length);
  for (const { body } of made) expect(lines).toContainEqual({ subject_id: body.id, status: body.status });
  const events = world.acts.slice(before);
  expect(events.map(({ data }) => data.alert_id).sort()).toEqual(
    made
      .filter(({ body }) => body.status !== "draft")
      .map(({ body }) => body.id)
      .sort(),
  );
  await expectRecountClean(world.service.orm);
});

test("its event is stored as it is sent, byte for byte", async () => {
  const { id } = await world.pusher();
  const title = '"sent_at":null}} \\ ☂ \u2028';
  const fields = { title, send: true, expires_at: timeInSeconds(7200), priority: "urgent" };
  const sent = await world.alert(id, fields);
  const planned = await world.alert(id, { ...fields, send_at: timeInSeconds(3600) });
  for (const alert of [sent, planned]) {
    const told = world.acts.find(({ data }) => data.alert_id === alert.id)!;
    expect(told.data.sent_at).toBe(alert.sent_at);
    const [kept] = await world.sql("select body from workspace_event where id = ?", [told.id]);
    expect(kept.body).toBe(serializeEvent(told));
  }
});

test("a call that waits for a channel blocks no other", async () => {
  const [held, free] = [await world.pusher(), await world.pusher()];
  const ended: string[] = [];
  const send = async ({ id }: { id: string }) => {
    const answer = await world.rest("create_alert", { pusher_id: id, title: "Tide", send: true });
    ended.push(id);
    return answer;
  };
  let waiting: Promise<unknown> = Promise.resolve();
  await getKysely(orm)
    .transaction()
    .execute(async (db) => {
      await sql`select from channel_state where pusher_id = ${uuidOf(held.id)} for update`.execute(db);
      waiting = send(held);
      countStatuses(await Promise.all([send(free), send(free)]));
      expect(ended).toEqual([free.id, free.id]);
    });
  await waiting;
  expect(ended).toEqual([free.id, free.id, held.id]);
});

test("a call that waits together with a slow one waits no longer than others do", async () => {
  const both = (await Promise.all([world.pusher(), world.pusher()])).map(({ id }) => id);
  const [long, short] = both.sort((a, b) => (uuidOf(a) < uuidOf(b) ? -1 : 1)) as [string, string];
  const ended: string[] = [];
  const create = async (id: string) => {
    countStatuses([await world.rest("create_alert", { pusher_id: id, title: "Tide" })]);
    ended.push(id);
  };
  const hold = (id: string) => sql`select from channel_state where pusher_id = ${uuidOf(id)} for update`;
  let waiting: Promise<unknown>[] = [];
  const transaction = () => getKysely(orm).transaction();
  await transaction().execute(async (db) => {
    await hold(long).execute(db);
    await transaction().execute(async (other) => {
      await hold(short).execute(other);
      waiting = [create(long), create(short)];
      await waitUntil(async () => (await world.sql(WAITING)).length > 0);
    });
    await waiting[1];
    expect(ended).toEqual([short]);
  });
  await Promise.all(waiting);
});

test("of each process one statement waits for a channel, not one for each call", async () => {
  const { id } = await world.pusher();
  const both = [1, 2].map(() => createOrm({ databaseUrl: proxy.url, databasePoolSize: 20 }));
  const round = async () => {
    let made: Promise<{ id: string | null }[]> = Promise.resolve([]);
    return exchanges(async () => {
      const before = proxy.asked();
      await getKysely(orm)
        .transaction()
        .execute(async (db) => {
          await sql`select from channel_state where pusher_id = ${uuidOf(id)} for update`.execute(db);
          made = Promise.all(
            both.flatMap((each) => {
              const create = createWriteBatcher(getKysely(each));
              return Array.from({ length: 20 }, async () =>
                assertDefined(await create(CREATE_STATEMENT_VARIANTS, draft(id, newUuid())), "its channel is there"),
              );
            }),
          );
          await waitUntil(() => proxy.asked() >= before + 4);
        });
      for (const row of await made) expect(row.id).not.toBeNull();
    });
  };
  // A machine that is slow enough lets the channel go too late: then they are written one by one, as they should be.
  const counts: number[] = [];
  while (counts.length < 10 && !counts.includes(4)) counts.push(await round());
  expect(counts).toContain(4);
  await Promise.all(both.map((each) => each.close(true)));
});

test("a refusal of one by the database does not undo the others, and nothing is done twice", async () => {
  const { id } = await world.pusher();
  const { id: there } = await world.alert(id);
  const together = createWriteBatcher(getKysely(orm));
  const [first, second] = [newUuid(), newUuid()];
  const drafts = [draft(id, first), draft(id, newUuid(), "odd"), draft(id, uuidOf(there)), draft(id, second)];
  const outcomes = await Promise.allSettled(drafts.map((each) => together(CREATE_STATEMENT_VARIANTS, each)));
  expect(outcomes.map((of) => (of.status === "fulfilled" ? of.value?.id : of.reason.code))).toEqual([
    first,
    "23514",
    "23505",
    second,
  ]);
});

test("an answer that is lost with its connection costs nothing, and nothing is written twice", async () => {
  const { id } = await world.pusher();
  const before = world.acts.length;
  const send = () => near.rest("create_alert", { pusher_id: id, title: "Tide", send: true });
  countStatuses([await send()]);
  proxy.loseAnswerTo("create_alerts");
  const answers = await Promise.all([send(), send(), send()]);
  expect(countStatuses(answers)).toEqual({ 201: 3 });
  const written = async (table: string) =>
    (await world.sql(`select id from ${table} where pusher_id = ?`, [uuidOf(id)])).length;
  expect(await written("alert")).toBe(4);
  expect(await written("workspace_event")).toBe(4);
  expect(world.acts.slice(before)).toHaveLength(4);
  const under = (idempotency_key: string) =>
    near.rest("create_alert", { pusher_id: id, title: "Tide", send: true, idempotency_key });
  proxy.loseAnswerTo("create_alerts");
  const kept = await Promise.all([under("lost"), under("lost too")]);
  expect(countStatuses(kept)).toEqual({ 201: 2 });
  expect(await written("alert")).toBe(6);
  expect(world.acts.slice(before)).toHaveLength(6);
  expect((await under("lost")).body).toEqual(kept[0]!.body);
  for (const { body } of answers) expect(body.sent_at).not.toBeNull();
  await expectRecountClean(world.service.orm);
});

test("calls that name a foreign channel take nothing of what it may send", async () => {
  const limited = await World.open({ limits: true, limitMax: { "alert-sends": 1 } });
  const { id } = await limited.pusher();
  const stranger = await limited.foreignKey();
  const send = (key?: string) => limited.rest("create_alert", { pusher_id: id, title: "Tide", send: true }, key);
  const answers = await Promise.all([send(stranger), send(stranger), send(), send(stranger)]);
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 201, 404]);
  await limited.close();
});
