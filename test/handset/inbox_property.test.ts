// The inbox as handsets live on it: nothing missed, nothing doubled, and no 304 that hides a change. First sequences of
// operations against a small model, then a handset while many write. The handset always has a pending poll, and plain
// polls judge it. Two incomplete validators run in parallel. They must fail, or the test could not detect the fault.

import type { SqlEntityManager } from "@mikro-orm/sql";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { setChannelSuspended } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { LIMITS } from "../../src/model/limits.ts";
import { callConcurrently, pause } from "../support/concurrent_calls.ts";
import { expectRecountClean } from "../support/counter_checks.ts";
import { openWorld } from "../support/open_world.ts";
import { WAIT, waitUntil } from "../support/wait.ts";
import type { Answer, World } from "../support/world.ts";

const ROUNDS = Number(process.env.BELFRY_TEST_ROUNDS ?? 3);

const suspend = (handle: string, suspended: boolean) =>
  setChannelSuspended(world.service.orm.em.fork() as SqlEntityManager, handle, suspended);

const soon = (ms: number) => new Date(Date.now() + ms).toISOString();

/** The identity of an inbox: its alerts, the time when each became visible, and their order. */
const shown = (rows: any[]) => rows.map(({ id, sent_at }) => `${id} ${sent_at}`);

/** A polling handset: keeps the validator and what it last saw. */
class Poller {
  readonly world: World;
  readonly token: string;
  readonly limit: number;
  protected etag: string | null = null;
  held: string[] = [];
  notModified = 0;

  constructor(world: World, token: string, limit = 100) {
    this.world = world;
    this.token = token;
    this.limit = limit;
  }

  /** One conditional request for the first page. True when it was answered by 304. */
  async poll(): Promise<boolean> {
    const answer = await this.ask();
    if (answer.status === 304) this.notModified++;
    else this.take(answer);
    return answer.status === 304;
  }

  protected ask(init: RequestInit & { headers?: Record<string, string> } = {}): Promise<Answer> {
    const headers = { ...(this.etag ? { "if-none-match": this.etag } : {}), ...init.headers };
    const path = `/handset/v1/inbox?limit=${this.limit}`;
    return this.world.request("GET", path, { ...init, token: this.token, headers });
  }

  protected take(answer: Answer): void {
    expect(answer.status).toBe(200);
    this.etag = answer.headers.get("etag");
    this.held = shown(answer.body.data);
  }

  /** Its pending request is aborted. */
  async end(): Promise<void> {}

  /** Walks every page of the inbox as it is now. */
  async walk(limit = this.limit, between?: () => Promise<unknown>): Promise<string[]> {
    const rows: any[] = [];
    for (let before: string | null = null; ; ) {
      const query: string = before === null ? "" : `&before=${before}`;
      const { body } = await this.world.handset("GET", `/inbox?limit=${limit}${query}`, this.token);
      rows.push(...body.data);
      before = body.meta.next_before;
      if (before === null) return shown(rows);
      await between?.();
    }
  }
}

/** A handset that always has a pending poll, and sees only the responses of such polls. */
class Holder extends Poller {
  readonly #gone = new AbortController();
  #holding: Promise<Answer> | null = null;

  #hold(): Promise<Answer> {
    this.#holding ??= this.ask({
      headers: { "if-none-match": this.etag ?? '"none"', prefer: "wait=55" },
      signal: this.#gone.signal,
    });
    return this.#holding;
  }

  /** True when the pending poll has no reason to end, as a plain poll shows; else after all its responses. */
  override async poll(): Promise<boolean> {
    for (let answers = 0; ; answers++) {
      const holding = this.#hold();
      if (this.etag && (await this.ask()).status === 304) {
        if (answers === 0) this.notModified++;
        return answers === 0;
      }
      const answer = await holding;
      this.#holding = null;
      // Its time was over; the next one must return the same.
      if (answer.status !== 304) this.take(answer);
    }
  }

  override async end(): Promise<void> {
    this.#gone.abort();
    await this.#holding;
  }
}

const world = await openWorld();

/** The alerts of a channel may be older than a subscription that began in the test. */
const joinedLongAgo = (handle: string) =>
  world.sql(
    "update subscription set subscribed_at = now() - interval '1 day' where pusher_id = (select id from pusher where " +
      "handle = ?)",
    [handle],
  );

test("pages with ties are walked once each while inserts go on", async () => {
  const pusher = await world.pusher();
  const device = await world.device(pusher.handle);
  const alerts = await callConcurrently(90, () => world.alert(pusher.id, { send: true }), 8);
  const uuid = "(select id from pusher where handle = ?)";
  // Times shared by 1 to 12 alerts, in the past, for both lists.
  await world.sql(
    `update alert a set sent_at = t, created_at = t from (
       select id, now() - interval '1 hour' - (floor(sqrt(row_number() over (order by id) * 1.5)) * interval '1 s') as t
       from alert where pusher_id = ${uuid}) x where a.id = x.id`,
    [pusher.handle],
  );
  await joinedLongAgo(pusher.handle);
  const old = new Set(alerts.map(({ id }) => id));
  for (const limit of [1, 7, 100]) {
    const walked = (await new Poller(world, device).walk(limit, () => world.alert(pusher.id, { send: true }))).map(
      (row) => row.slice(0, row.indexOf(" ")),
    );
    expect(walked.filter((id) => old.has(id))).toHaveLength(old.size);
    expect(new Set(walked).size).toBe(walked.length);

    const listed: string[] = [];
    for (let before: string | null = null, first = true; first || before !== null; first = false) {
      const args = { pusher_id: pusher.id, limit, ...(before === null ? {} : { before }) };
      const { body } = await world.rest("list_alerts", args);
      listed.push(...body.data.map(({ id }: any) => id));
      before = body.meta.next_before;
      await world.alert(pusher.id);
    }
    expect(listed.filter((id) => old.has(id))).toHaveLength(old.size);
    expect(new Set(listed).size).toBe(listed.length);
  }
});

// rules#inbox-pages
test("pages that end at their bytes lose and repeat nothing, also inside of a tie", async () => {
  const pusher = await world.pusher();
  const device = await world.device(pusher.handle);
  // Markup that JSON makes two, three or six times as long, small alerts between, and two that are too large together
  // with anything else.
  const units = ["x", '"', "é", "\u{1f514}", "\\"];
  const lengths = [0, 0, 300_000, 20_000, 0, 90_000, 260_000, 1, 500_000, 40_000];
  const alerts = await callConcurrently(
    40,
    (i) => {
      const length = lengths[i % lengths.length]!;
      const html = length === 0 ? {} : { layout: "document", html: units[i % 5]!.repeat(length) };
      return world.alert(pusher.id, { send: true, title: `Alert ${i}`, ...html });
    },
    4,
  );
  await world.sql(
    `update alert a set sent_at = t from (
       select id, now() - interval '1 hour' - (floor(sqrt(row_number() over (order by id) * 1.5)) * interval '1 s') as t
       from alert where pusher_id = (select id from pusher where handle = ?)) x where a.id = x.id`,
    [pusher.handle],
  );
  await joinedLongAgo(pusher.handle);
  const old = new Set(alerts.map(({ id }) => id));
  let inside = 0;
  for (const limit of [1, 7, 100]) {
    const walked: any[] = [];
    for (let before = ""; ; ) {
      const answer = await world.handset("GET", `/inbox?limit=${limit}${before}`, device);
      const { data, meta } = answer.body;
      expect(data.length).toBeGreaterThan(0);
      if (data.length > 1) expect(Buffer.byteLength(JSON.stringify(answer.body))).toBeLessThanOrEqual(1 << 20);
      walked.push(...data);
      if (meta.next_before === null) break;
      if (meta.next_before.length > 30) inside++;
      before = `&before=${encodeURIComponent(meta.next_before)}`;
      await world.alert(pusher.id, { send: true });
      // A page is cached under its place.
      const again = { "if-none-match": answer.headers.get("etag")! };
      expect((await world.handset("GET", `/inbox?limit=${limit}${before}`, device, undefined, again)).status).toBe(200);
    }
    expect(walked.filter(({ id }) => old.has(id))).toHaveLength(old.size);
    expect(new Set(walked.map(({ id }) => id)).size).toBe(walked.length);
    const instants = walked.map(({ sent_at }) => sent_at);
    expect(instants).toEqual([...instants].sort().reverse());
  }
  // The limit was also reached inside of ties, or this has shown nothing.
  expect(inside).toBeGreaterThan(3);
});

test.each([
  "2026-11-20T14:25:31.123456999999999999999999999999999999999999999Z",
  "2026-11-20T14:25:31.12345600000Z0",
  "2026-13-20T14:25:31.123456000000000000000000000000000000000000000Z",
])("a place that none can be is 422: %s", async (before) => {
  const device = await world.device();
  const { status, body } = await world.handset("GET", `/inbox?before=${before}`, device);
  expect([status, body.error.param]).toEqual([422, "before"]);
});

describe("a handset with plain polls and long polls", () => {
  // rules#inbox-is-state rules#held-inbox
  test("any sequence of operations results in the inbox of a model", async () => {
    const seen = { notModified: 0, due: 0 };
    await fc.assert(
      fc.asyncProperty(fc.commands(COMMANDS, { maxCommands: 30, size: "max" }), async (commands) => {
        const real = new Real(world, suspend, seen);
        await fc
          .asyncModelRun(async () => ({ model: await real.open(), real }), commands)
          .finally(() => real.poller.end());
      }),
      // With any number of rounds and any random choices, one alert comes due and one poll brings nothing.
      { numRuns: ROUNDS * 2, examples: [[[new Create(0, 5), new Create(0, 0), new Create(0, 0)]]] },
    );
    await expectRecountClean(world.service.orm);
    // The run used the branches that matter.
    expect(seen.notModified).toBeGreaterThan(0);
    expect(seen.due).toBeGreaterThan(0);
  });

  // rules#inbox-validator rules#held-inbox
  test("a poller misses nothing and doubles nothing while eight write", async () => {
    const pushers = await callConcurrently(4, () => world.pusher(), 4);
    // Two quiet channels with one old alert each, between which the handset changes at the end.
    const quiet = await callConcurrently(2, () => world.pusher(), 2);
    for (const { id } of quiet) await world.alert(id, { send: true, title: "Old" });
    const token = await world.device(...pushers.map(({ handle }) => handle));
    await world.handset("PUT", `/subscriptions/${quiet[0]!.handle}`, token, {});
    const [{ device_id }] = await world.sql(
      "select device_id::text from subscription s join pusher p on p.id = s.pusher_id where p.handle = ?",
      [quiet[0]!.handle],
    );
    const poller = new Holder(world, token);

    /**
     * The truth at one time, read past the service: the visible alerts, and two incomplete validators. In the sum of
     * revisions, due alerts count with their future values after the poll publishes them.
     */
    async function truth() {
      const [row] = await world.sql(
        `select d.subscriptions_revision::text as subscriptions_revision,
           (select coalesce(sum(c.revision + (select count(*) from alert a where a.pusher_id = c.pusher_id
              and a.status = 'scheduled' and a.visible_at <= now())), 0)::text
            from subscription s join channel_state c using (pusher_id) where s.device_id = d.id) as sum_rev,
           (select coalesce(string_agg(id::text || ' ' || visible_at::text, ',' order by visible_at desc, id desc), '')
            from (
              select a.id, a.visible_at, a.visible_at >= s.subscribed_at or row_number() over (
                partition by a.pusher_id, a.visible_at < s.subscribed_at order by a.visible_at desc, a.id desc) <=
                  ${LIMITS.before_joining} as shown
              from subscription s join channel_state c using (pusher_id) join alert a using (pusher_id)
              where s.device_id = d.id and not c.suspended and a.visible_at <= now()) a where shown) as rows,
           (select count(*)::text || '.' || coalesce(max(a.visible_at)::text, '')
            from subscription s join channel_state c using (pusher_id) join alert a using (pusher_id)
            where s.device_id = d.id and not c.suspended and a.visible_at <= now()) as count_max
         from device d where d.id = ?::bigint`,
        [device_id],
      );
      return row as { subscriptions_revision: string; sum_rev: string; rows: string; count_max: string };
    }

    const figures = { polls: 0, decided: 0, notModified: 0, wrong: 0, countMaxWrong: 0, sumRevWrong: 0 };
    let last: Awaited<ReturnType<typeof truth>> | null = null;
    let heldRows = "";
    /** A poll between two reads; if these are equal, nothing happened in between, and the response can be judged. */
    async function judgedPoll() {
      const before = await truth();
      const unchanged = await poller.poll();
      const after = await truth();
      figures.polls++;
      const still = JSON.stringify(before) === JSON.stringify(after);
      if (unchanged) figures.notModified++;
      if (still) {
        figures.decided++;
        if (unchanged && heldRows !== "?" && heldRows !== before.rows) figures.wrong++;
        if (last && last.rows !== before.rows) {
          if (last.count_max === before.count_max) figures.countMaxWrong++;
          if (last.sum_rev === before.sum_rev) figures.sumRevWrong++;
        }
        last = before;
      }
      // The handset's state is known exactly when its body was read in a quiet moment.
      if (!unchanged) heldRows = still ? before.rows : "?";
    }

    let writing = true;
    let running = 0;
    /** While it is there, no further step begins. */
    let still: Promise<void> | null = null;
    /**
     * With eight writers, two readings hardly ever agree. So now and then all of them wait while one poll is judged.
     */
    async function judgedInStillness() {
      const { promise, resolve } = Promise.withResolvers<void>();
      still = promise;
      await waitUntil(() => running === 0);
      await judgedPoll();
      still = null;
      resolve();
    }
    const any = <T>(list: T[]): T => list[Math.floor(Math.random() * list.length)]!;
    const live: { pusher_id: string; alert_id: string }[] = [];
    const remember = ({ body }: any) =>
      body?.id?.startsWith("alr_") && live.push({ pusher_id: body.pusher_id, alert_id: body.id });
    const STEPS: (() => Promise<unknown>)[] = [
      async () => remember(await world.rest("create_alert", { pusher_id: any(pushers).id, title: "Now", send: true })),
      async () => {
        const { body } = await world.rest("create_alert", { pusher_id: any(pushers).id, title: "Draft" });
        await pause(Math.random() * 10);
        remember(await world.rest("send_alert", { pusher_id: body.pusher_id, alert_id: body.id }));
      },
      async () =>
        remember(
          await world.rest("create_alert", {
            pusher_id: any(pushers).id,
            title: "Soon",
            send: true,
            send_at: soon(40 + Math.random() * 300),
          }),
        ),
      async () => live.length && world.rest("cancel_alert", any(live)),
      async () => live.length && world.rest("update_alert", { ...any(live), send_at: soon(30 + Math.random() * 200) }),
      async () => {
        const pusher_id = any(pushers).id;
        await world.rest("update_pusher", { pusher_id, status: "paused" });
        await pause(Math.random() * 15);
        await world.rest("update_pusher", { pusher_id, status: "active" });
      },
      async () => {
        const { handle } = any(pushers);
        await suspend(handle, true);
        await pause(Math.random() * 15);
        await suspend(handle, false);
      },
      async () => {
        const path = `/subscriptions/${any(pushers).handle}`;
        await world.handset("DELETE", path, token);
        await pause(Math.random() * 15);
        const { status } = await world.handset("PUT", path, token, {});
        expect([200, 404]).toContain(status);
      },
    ];
    const weights = [0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7];
    let steps = 0;
    const writers = callConcurrently(8, async () => {
      while (writing) {
        await still;
        running++;
        await STEPS[any(weights)]!().finally(() => running--);
        steps++;
        await pause(20 + Math.random() * 60);
      }
    });
    // As long as it takes to judge enough of them, and some time in any case.
    const until = Date.now() + 400 * ROUNDS;
    const end = Date.now() + WAIT.timeout;
    // The embedded database answers without leaving the turn of the event loop: timers need one now and then.
    for (let i = 1; Date.now() < until || (figures.decided <= 10 && Date.now() < end); i++) {
      await (i % 3 === 0 ? judgedInStillness() : judgedPoll());
      await pause(1);
    }
    writing = false;
    await writers;
    // Coming back to a channel that was suspended at that moment is 404, so a join may have been lost on the way.
    for (const { handle } of pushers)
      expect((await world.handset("PUT", `/subscriptions/${handle}`, token, {})).status).toBe(200);

    // Quiet now, one change at a time: a scheduled alert comes due, and the handset changes channels.
    for (let i = 0; i < 3; i++) {
      for (let ahead = 2000, judged = false; !judged; ahead *= 2) {
        const due = Date.now() + ahead;
        const alert = { title: "Due", send: true, send_at: new Date(due).toISOString() };
        const { status } = await world.rest("create_alert", { pusher_id: pushers[0]!.id, ...alert });
        await judgedPoll();
        // A busy machine may need longer than that for both, which has shown nothing then.
        judged = status === 201 && Date.now() < due;
        await pause(Math.max(0, due - Date.now()) + 30);
      }
      await judgedPoll();
      const [from, to] = i % 2 ? [quiet[1]!, quiet[0]!] : [quiet[0]!, quiet[1]!];
      await world.handset("PUT", `/subscriptions/${to.handle}`, token, {});
      await world.handset("DELETE", `/subscriptions/${from.handle}`, token);
      await judgedPoll();
      await judgedPoll();
    }

    // Let everything that was moved ahead come due; then the handset, the owner's lists and the pages agree.
    await pause(350);
    await judgedPoll();
    const walked = await poller.walk(7);
    expect(new Set(walked).size).toBe(walked.length);
    const joined = new Map<string, string>();
    const own = await world.handset("GET", "/subscriptions?limit=100", token);
    for (const { handle, subscription } of own.body.data) joined.set(handle, subscription.subscribed_at);
    const mine = [...pushers, quiet[1]!];
    const owner: string[] = [];
    for (const { id, handle } of mine) {
      const sent: any[] = [];
      for (let before: string | null = null, first = true; first || before !== null; first = false) {
        const args = { pusher_id: id, status: "sent", limit: 100, ...(before === null ? {} : { before }) };
        const { body } = await world.rest("list_alerts", args);
        sent.push(...body.data);
        before = body.meta.next_before;
      }
      // rules#before-joining
      const isSince = ({ sent_at }: any) => sent_at >= joined.get(handle)!;
      const newestFirst = (a: any, b: any) => (`${b.sent_at} ${b.id}` > `${a.sent_at} ${a.id}` ? 1 : -1);
      const past = sent.filter((row) => !isSince(row)).sort(newestFirst);
      owner.push(...shown([...sent.filter(isSince), ...past.slice(0, LIMITS.before_joining)]));
    }
    expect(walked.toSorted()).toEqual(owner.toSorted());
    expect(poller.held).toEqual(walked.slice(0, poller.held.length));
    await poller.end();
    await expectRecountClean(world.service.orm);

    console.log(`inbox: ${JSON.stringify({ ...figures, steps, alerts: walked.length })}`);
    expect(figures.wrong).toBe(0);
    expect(figures.notModified).toBeGreaterThan(0);
    expect(figures.decided).toBeGreaterThan(10);
    // The twins: count and newest time alone, and the sum of revisions without the handset's own.
    expect(figures.countMaxWrong).toBeGreaterThan(0);
    expect(figures.sumRevWrong).toBeGreaterThan(0);
  });
});

// ---- the model ----------------------------------------------------------------------------------------------------

type Status = "draft" | "scheduled" | "sent" | "cancelled" | "deleted";

interface ModelAlert {
  id: string;
  pusher: number;
  status: Status;
  /** Milliseconds; of a scheduled alert. */
  sendAt: number | null;
}

interface Model {
  alerts: ModelAlert[];
  channels: { status: "active" | "paused" | "suspended"; joined: boolean }[];
}

/** One handset on three channels of a live service. */
class Real {
  readonly world: World;
  readonly suspend: (handle: string, suspended: boolean) => Promise<unknown>;
  readonly seen: { notModified: number; due: number };
  pushers: any[] = [];
  poller!: Poller;

  constructor(world: World, suspend: Real["suspend"], seen: Real["seen"]) {
    this.world = world;
    this.suspend = suspend;
    this.seen = seen;
  }

  async open(): Promise<Model> {
    this.pushers = [await this.world.pusher(), await this.world.pusher(), await this.world.pusher()];
    this.poller = new Holder(this.world, await this.world.device(this.pushers[0].handle, this.pushers[1].handle));
    return { alerts: [], channels: [0, 1, 2].map((i) => ({ status: "active" as const, joined: i < 2 })) };
  }

  path(alert: ModelAlert) {
    return { pusher_id: this.pushers[alert.pusher].id, alert_id: alert.id };
  }
}

/** Alerts come due this far ahead while the sequence runs. Those closer than twice that are awaited. */
let soonMs = 500;

/**
 * Schedules at a time, which `at` returns. A time that passed before the service saw it is refused as it should be,
 * nothing has changed, and it is tried again further ahead.
 */
async function inTime(at: () => number | null, ask: (sendAt: number | null) => Promise<Answer>) {
  for (;;) {
    const sendAt = at();
    const answer = await ask(sendAt);
    const late = sendAt !== null && Date.now() >= sendAt && answer.status === 422;
    if (!late || answer.body.error.param !== "send_at") return { sendAt, ...answer };
    soonMs *= 2;
  }
}

/** Waits until no scheduled alert is about to come due, so that the model knows which of them have. */
async function settle(model: Model, real: Real): Promise<void> {
  for (const alert of model.alerts) {
    if (alert.status !== "scheduled" || alert.sendAt! > Date.now() + 2 * soonMs) continue;
    await pause(Math.max(0, alert.sendAt! - Date.now() + 3));
    alert.status = "sent";
    real.seen.due++;
  }
}

abstract class Step implements fc.AsyncCommand<Model, Real> {
  readonly channel: number;
  readonly pick: number;
  constructor(channel: number, pick: number) {
    this.channel = channel;
    this.pick = pick;
  }
  check(_model: Readonly<Model>): boolean {
    return true;
  }
  abstract act(model: Model, real: Real): Promise<void>;

  async run(model: Model, real: Real): Promise<void> {
    // Half of the steps let a pending alert come due while the handset has a validator.
    await real.poller.poll();
    await settle(model, real);
    await this.act(model, real);
    if (model.alerts.some(({ status, sendAt }) => status === "scheduled" && sendAt! < Date.now() + 2 * soonMs)) return;
    if (await real.poller.poll()) real.seen.notModified++;
    const want = model.alerts
      .filter(({ status, pusher }) => {
        const { joined, status: channel } = model.channels[pusher]!;
        return status === "sent" && joined && channel !== "suspended";
      })
      .map(({ id }) => id);
    const have = real.poller.held.map((row) => row.slice(0, row.indexOf(" ")));
    expect(have.toSorted()).toEqual(want.toSorted());
    expect(real.poller.held).toEqual(await real.poller.walk(2));
  }

  any(model: Model): ModelAlert | undefined {
    const present = model.alerts.filter(({ status }) => status !== "deleted");
    return present[this.pick % Math.max(1, present.length)];
  }

  toString() {
    return `${this.constructor.name}(${this.channel}, ${this.pick})`;
  }
}

class Create extends Step {
  async act(model: Model, real: Real) {
    const active = model.channels[this.channel]!.status === "active";
    const pusher_id = real.pushers[this.channel].id;
    const kind = (["draft", "sent", "scheduled"] as const)[this.pick % 3]!;
    const { sendAt, status, body } = await inTime(
      () => (kind === "scheduled" ? Date.now() + (this.pick % 2 ? soonMs : 3_600_000) : null),
      (sendAt) =>
        real.world.rest("create_alert", {
          pusher_id,
          title: "A",
          send: kind !== "draft",
          ...(sendAt === null ? {} : { send_at: new Date(sendAt).toISOString() }),
        }),
    );
    expect(status).toBe(active || kind === "draft" ? 201 : 409);
    if (status === 201) model.alerts.push({ id: body.id, pusher: this.channel, status: kind, sendAt });
  }
}

class Send extends Step {
  async act(model: Model, real: Real) {
    const alert = this.any(model);
    if (!alert) return;
    const active = model.channels[alert.pusher]!.status === "active";
    const { status } = await real.world.rest("send_alert", real.path(alert));
    expect(status).toBe(active && alert.status !== "cancelled" ? 200 : 409);
    if (status === 200) alert.status = "sent";
  }
}

class Cancel extends Step {
  async act(model: Model, real: Real) {
    const alert = this.any(model);
    if (!alert) return;
    const { status } = await real.world.rest("cancel_alert", real.path(alert));
    expect(status).toBe(alert.status === "draft" ? 409 : 200);
    if (status === 200) alert.status = "cancelled";
  }
}

class Delete extends Step {
  async act(model: Model, real: Real) {
    const alert = this.any(model);
    if (!alert) return;
    const { status } = await real.world.rest("delete_alert", real.path(alert));
    expect(status).toBe(alert.status === "sent" ? 409 : 204);
    if (status === 204) alert.status = "deleted";
  }
}

/** Moves a scheduled alert, or returns it to draft. */
class Move extends Step {
  async act(model: Model, real: Real) {
    const alert = this.any(model);
    if (!alert) return;
    const { sendAt, status } = await inTime(
      () => (this.pick % 3 === 0 ? null : Date.now() + (this.pick % 3 === 1 ? soonMs : 7_200_000)),
      (sendAt) => {
        const send_at = sendAt === null ? null : new Date(sendAt).toISOString();
        return real.world.rest("update_alert", { ...real.path(alert), send_at });
      },
    );
    expect(status).toBe(alert.status === "draft" || alert.status === "scheduled" ? 200 : 409);
    if (status !== 200) return;
    if (alert.status === "scheduled" && sendAt === null) alert.status = "draft";
    alert.sendAt = sendAt;
  }
}

class Join extends Step {
  async act(model: Model, real: Real) {
    const channel = model.channels[this.channel]!;
    const path = `/subscriptions/${real.pushers[this.channel].handle}`;
    const { status } = await real.world.handset("PUT", path, real.poller.token, this.pick % 2 ? { muted: true } : {});
    expect(status).toBe(channel.status === "suspended" ? 404 : 200);
    if (status === 200) channel.joined = true;
  }
}

class Leave extends Step {
  async act(model: Model, real: Real) {
    const path = `/subscriptions/${real.pushers[this.channel].handle}`;
    expect((await real.world.handset("DELETE", path, real.poller.token)).status).toBe(204);
    model.channels[this.channel]!.joined = false;
  }
}

class PauseOrResume extends Step {
  async act(model: Model, real: Real) {
    const channel = model.channels[this.channel]!;
    const wanted = this.pick % 2 ? "paused" : "active";
    const args = { pusher_id: real.pushers[this.channel].id, status: wanted };
    const { status } = await real.world.rest("update_pusher", args);
    expect(status).toBe(channel.status === "suspended" ? 403 : 200);
    if (status === 200) channel.status = wanted;
  }
}

class SuspendOrRestore extends Step {
  async act(model: Model, real: Real) {
    const channel = model.channels[this.channel]!;
    const suspended = this.pick % 2 === 1;
    await real.suspend(real.pushers[this.channel].handle, suspended);
    if (suspended) channel.status = "suspended";
    else if (channel.status === "suspended") channel.status = "active";
  }
}

const step = (Kind: new (channel: number, pick: number) => Step) =>
  fc.tuple(fc.nat(2), fc.nat(11)).map(([channel, pick]) => new Kind(channel, pick));

const COMMANDS = [Create, Create, Create, Send, Cancel, Delete, Move, Join, Leave, PauseOrResume, SuspendOrRestore].map(
  step,
);
