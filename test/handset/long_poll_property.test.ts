// The inbox by long polls, on two processes that repeatedly lose each other's messages. Every handset receives every
// change by a wakeup, not by the end of its time. Twin implementations leave a part out. They must be seen to lose a
// change, or the tests could not see a loss.

import { afterAll, beforeAll, expect, test } from "vitest";
import { createChannelTracker } from "../../src/handset/live_updates/channel_snapshot_tracker.ts";
import { createLongPolling } from "../../src/handset/live_updates/long_polling.ts";
import { createStreamConnections } from "../../src/handset/live_updates/stream_connection.ts";
import { LIMITS } from "../../src/model/limits.ts";
import { openBus } from "../../src/store/bus/open_bus.ts";
import { createChangeHub } from "../../src/store/changes/change_hub.ts";
import { createInMemoryConcurrencyLeases } from "../../src/store/rate_limits/in_memory_concurrency_limits.ts";
import { callConcurrently, pause } from "../support/concurrent_calls.ts";
import { expectRecountClean } from "../support/counter_checks.ts";
import { parseUuid, suspend } from "../support/handsets.ts";
import { countPollWakeups } from "../support/long_polls.ts";
import { waitFor } from "../support/wait.ts";
import { type Answer, timeInSeconds, World } from "../support/world.ts";

const ROUNDS = Number(process.env.BELFRY_TEST_ROUNDS ?? 5);

/** The time of a poll that must be woken. A change that is not received by then is lost. */
const POLL_MS = 120_000;
/** And one that has missed something already. */
const SHORT_POLL_MS = 2_000;

let world: World;
let other: World;
beforeAll(async () => {
  world = await World.open();
  other = await world.replica();
});
afterAll(async () => {
  await other?.leave();
  await world?.close();
});

const any = <T>(list: T[]): T => list[Math.floor(Math.random() * list.length)]!;
const LISTENERS = `from pg_stat_activity where datname = current_database() and query = 'listen belfry_changed'`;

/** A handset that always has a pending poll, on either process by turns. */
class Follower {
  readonly token: string;
  readonly deviceId: string;
  shown = "";
  #following = true;
  readonly #gone = new AbortController();
  readonly done: Promise<void>;

  constructor(token: string, deviceId: string) {
    this.token = token;
    this.deviceId = deviceId;
    this.done = this.#follow();
  }

  async #follow(): Promise<void> {
    let etag = '"none"';
    while (this.#following) {
      const answer = await any([world, other]).request("GET", "/handset/v1/inbox?limit=100", {
        token: this.token,
        headers: { "if-none-match": etag, prefer: "wait=55" },
        signal: this.#gone.signal,
      });
      if (answer.status === 304) continue;
      expect(answer.status).toBe(200);
      etag = answer.headers.get("etag")!;
      this.shown = answer.body.data.map(({ id, title }: any) => `${parseUuid(id)} ${title}`).join("\n");
    }
  }

  /** Its expected inbox, read past the service. */
  async truth(): Promise<string> {
    const rows = await world.sql(
      `select shown from (
         select a.id::text || ' ' || a.title as shown, a.id, a.visible_at, a.visible_at < s.subscribed_at as
           before_joining,
           row_number() over (partition by a.pusher_id, a.visible_at < s.subscribed_at
             order by a.visible_at desc, a.id desc) as place
         from subscription s join channel_state c using (pusher_id) join alert a using (pusher_id)
         where s.device_id = ?::bigint and not c.suspended and a.visible_at <= now()) alerts
       where not before_joining or place <= ${LIMITS.before_joining}
       order by visible_at desc, id desc limit 100`,
      [this.deviceId],
    );
    return rows.map(({ shown }) => shown).join("\n");
  }

  async end(): Promise<void> {
    this.#following = false;
    this.#gone.abort();
    await this.done;
  }
}

// rules#held-wakes rules#inbox-is-state
test("followers on two processes miss nothing while eight write and those who listen are killed", async () => {
  const pushers = await callConcurrently(5, () => world.pusher(), 5);
  const followers = await callConcurrently(
    12,
    async () => {
      const facts = { platform: "cli", app_version: "1", locale: "en", timezone: "UTC" };
      const { body } = await world.handset("POST", "/devices", null, facts);
      for (const { handle } of pushers)
        if (Math.random() < 0.6) await world.handset("PUT", `/subscriptions/${handle}`, body.token, {});
      return new Follower(body.token, body.id);
    },
    4,
  );
  // The twin uses messages alone: it never receives a send while it is not listening.
  const pool = await world.service.orm.driver.getConnection().getNativeClient();
  const sent = new Set<string>();
  const heard = new Set<string>();
  let ended = false;
  const twin = (async () => {
    while (!ended) {
      const client = new pool.Client(pool.options);
      const lost = new Promise<void>((resolve) => client.on("error", () => resolve()));
      client.on("notification", ({ payload = "" }: { payload?: string }) => heard.add(payload));
      await client.connect();
      await client.query("listen belfry_changed");
      await Promise.race([lost, waitFor(() => expect(ended).toBe(true))]);
      await client.end().catch(() => {});
      await pause(30);
    }
  })();
  const killer = (async () => {
    while (!ended) {
      await world.sql(`select pg_terminate_backend(pid) ${LISTENERS}`);
      await pause(100 + Math.random() * 200);
    }
  })();

  const live: { pusher_id: string; alert_id: string }[] = [];
  const here = () => any([world, other]);
  const create = async (fields: object) => {
    const { body } = await here().rest("create_alert", { pusher_id: any(pushers).id, send: true, ...fields });
    if (body?.id?.startsWith("alr_")) live.push({ pusher_id: body.pusher_id, alert_id: body.id });
  };
  const STEPS: (() => Promise<unknown>)[] = [
    () => create({ title: `Now ${live.length}` }),
    () => create({ title: `Soon ${live.length}`, send_at: timeInSeconds(0.1 + Math.random()) }),
    async () => live.length && here().rest("cancel_alert", any(live)),
    async () => {
      const { handle } = any(pushers);
      await suspend(world, handle);
      await pause(Math.random() * 15);
      await suspend(world, handle, false);
    },
    async () => {
      const path = `/subscriptions/${any(pushers).handle}`;
      const { token } = any(followers);
      await here()
        .handset(any(["PUT", "DELETE"]), path, token, undefined)
        .catch(() => {});
    },
    async () => {
      const { handle } = any(pushers);
      await here().handset("PUT", `/subscriptions/${handle}`, any(followers).token, {});
    },
    () => world.sql("update alert set title = title || '!' where id = ?::uuid", [parseUuid(any(live).alert_id)]),
  ];
  await create({ title: "First" });
  const until = Date.now() + 600 * ROUNDS;
  let steps = 0;
  await callConcurrently(8, async () => {
    while (Date.now() < until) {
      await any(STEPS)();
      steps++;
      await pause(10 + Math.random() * 60);
    }
  });
  // Messages for the twin to miss, one for each send, while followers receive all.
  for (let i = 0; i < 40; i++) {
    const origin = i.toString(16).padStart(8, "0");
    sent.add(origin);
    await world.sql("select pg_notify('belfry_changed', ?)", [origin]);
    await pause(15);
  }
  const late = (await countPollWakeups(world, "time")) + (await countPollWakeups(other, "time"));
  for (const follower of followers) await waitFor(async () => expect(follower.shown).toBe(await follower.truth()));
  // No handset was only saved by the end of a poll's time.
  expect((await countPollWakeups(world, "time")) + (await countPollWakeups(other, "time"))).toBe(late);
  ended = true;
  await Promise.all([killer, twin, ...followers.map((follower) => follower.end())]);
  await expectRecountClean(world.service.orm);
  const missed = [...sent].filter((word) => !heard.has(word)).length;
  const causes = await Promise.all(
    ["local", "message", "scan", "reconnect", "timer"].map(async (cause) => [
      cause,
      (await countPollWakeups(world, cause)) + (await countPollWakeups(other, cause)),
    ]),
  );
  console.log(`held: ${JSON.stringify({ steps, alerts: live.length, missed, ...Object.fromEntries(causes) })}`);
  expect(missed).toBeGreaterThan(0);
});

// rules#held-inbox
test("a poll that is registered before the read misses no send, one after it does", async () => {
  const metrics = { held: () => {}, streams: () => {}, woken: () => {} };
  const { orm, log } = world.service;
  const none = () => Promise.reject(new Error("this server has no streams, and each poll sends a request of its own"));
  const hub = createChangeHub({ orm, log, bus: await openBus({ messageBusUrl: null }, { orm, log }) });
  const tracker = createChannelTracker({ orm, log, hub, publishDue: none, render: () => null });
  const connections = createStreamConnections({ heartbeatMs: 20_000, readSendQueues: async () => new Map() });
  const bounds = { max: 1000, maxPerAddress: 1000, leases: createInMemoryConcurrencyLeases() };
  const hold = createLongPolling({
    ...{ orm, log, hub, tracker, connections, ...bounds, metrics, seen: { note: () => {} } },
    ...{ publishDue: none, createTag: () => "", readPage: none },
  });
  const missed = { entered: 0, late: 0, together: 0 };
  /** `late`: what was read before it was entered has to do, and before the send. */
  async function trial(kind: keyof typeof missed): Promise<void> {
    const pusher = await world.pusher();
    const token = await world.device(pusher.handle);
    const ask = (etag: string) => world.handset("GET", "/inbox?limit=1", token, undefined, { "if-none-match": etag });
    const etag = (await ask('""')).headers.get("etag")!;
    let first = kind === "late" ? await ask(etag) : null;
    const sending = pause(Math.random() * 15).then(() => world.alert(pusher.id, { send: true }));
    if (kind === "late") await sending;
    const byItself = () =>
      hold.poll<Answer>({
        token,
        address: null,
        ms: kind === "late" ? SHORT_POLL_MS : POLL_MS,
        signal: new AbortController().signal,
        page: null,
        async readInbox() {
          const answer = first ?? (await ask(etag));
          first = null;
          return answer;
        },
        isUnchanged: ({ status }) => status === 304,
        toAnswer: () => {
          throw new Error("each of these sends a request of its own");
        },
      });
    // As the service does it: the first of these polls enters the handset, the second finds it entered.
    const together = async () => {
      const poll = (tag: string) =>
        other.request("GET", "/handset/v1/inbox?limit=1", {
          token,
          headers: { "if-none-match": tag, prefer: `wait=${POLL_MS / 1000}` },
        });
      const { headers } = await poll('"none"');
      const begun = headers.get("etag")!;
      return { answer: begun === etag ? await poll(etag) : { status: 200 } };
    };
    const [{ answer }] = await Promise.all([kind === "together" ? together() : byItself(), sending]);
    if (answer.status === 304) missed[kind]++;
  }
  const kinds = ["entered", "late", "together"] as const;
  await callConcurrently(90, (i) => trial(kinds[i % 3]!), 30);
  await hold.close();
  await hub.close();
  console.log(`entered: ${JSON.stringify(missed)}`);
  expect(missed.entered).toBe(0);
  expect(missed.together).toBe(0);
  expect(missed.late).toBeGreaterThan(0);
});
