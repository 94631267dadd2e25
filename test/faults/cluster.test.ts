// Several processes on one database behind the nginx of docs/how-to/https.md. Redis carries their change notifications
// and shared limits. To clients they are one service, for any responding process, while one is killed and another one
// stopped. BELFRY_TEST_PROCESSES=9 sets their number. Each printed line has the results.

import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LIMITS } from "../../src/model/limits.ts";
import { callConcurrently } from "../support/concurrent_calls.ts";
import { freePort } from "../support/free_port.ts";
import { type RunningServer, startServer, temporaryFolder } from "../support/processes.ts";
import { startProxy } from "../support/proxies.ts";
import { joinWithPush } from "../support/push_handsets.ts";
import { startPushService } from "../support/push_service.ts";
import { type RedisServer, startRedis } from "../support/redis_server.ts";
import { isMissing } from "../support/requirements.ts";
import { readEvents, StreamHandset } from "../support/stream_handset.ts";
import { waitFor, waitUntil } from "../support/wait.ts";
import { World } from "../support/world.ts";

const PROCESSES = Number(process.env.BELFRY_TEST_PROCESSES ?? 3);

const cannot = [isMissing("nginx"), isMissing("redis-server")].includes(true);
describe.skipIf(cannot)(`${PROCESSES} processes`, () => {
  const folder = temporaryFolder();
  const replicas: RunningServer[] = [];
  let ports: number[];
  let proxy: ChildProcess;
  let all: string;
  let redis: RedisServer;
  let push: Awaited<ReturnType<typeof startPushService>>;
  /** Only to look at the database, and to make what is there before. */
  let world: World;

  const start = async (i: number) => {
    const settings = {
      ...world.settings,
      REDIS_URL: redis.url,
      MESSAGE_BUS_URL: redis.url,
      // A call that waits longer on a busy machine would be let through, and counted afterwards.
      REDIS_TIMEOUT_MS: "5000",
      // As little as a process can do with.
      DATABASE_POOL_SIZE: "2",
      SHUTDOWN_DELAY_MS: "1000",
      WEB_PUSH: "on",
      WEB_PUSH_CONTACT: "mailto:ops@example.org",
      WEB_PUSH_ALLOW_HOSTS: push.host,
    };
    replicas[i] = await startServer(join(folder.path, String(i)), { port: ports[i], settings });
    await waitFor(async () => expect((await fetch(`${replicas[i]!.url}/readyz`)).status).toBe(200));
  };
  beforeAll(async () => {
    push = await startPushService();
    world = await World.open({
      settings: { WEB_PUSH: "on", WEB_PUSH_CONTACT: "mailto:ops@example.org", WEB_PUSH_ALLOW_HOSTS: push.host },
    });
    redis = await startRedis(await freePort());
    ports = await Promise.all(Array.from({ length: PROCESSES }, freePort));
    // Two at a time, as the machine has cores.
    await callConcurrently(PROCESSES, start, 2);
    const port = await freePort();
    proxy = startProxy("nginx", port, ports, join(folder.path, "nginx"));
    all = `http://127.0.0.1:${port}`;
    await waitUntil(async () => (await fetch(`${all}/healthz`).catch(() => null))?.status === 200);
  });
  afterAll(async () => {
    proxy?.kill("SIGTERM");
    await Promise.all(replicas.map((replica) => replica.stop("SIGKILL")));
    await redis?.kill();
    push?.close();
    await world?.close();
    folder.remove();
  });

  async function call(
    at: string,
    method: string,
    path: string,
    {
      token = world.owner,
      body,
      headers = {},
    }: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
  ) {
    const typed: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
    const answer = await fetch(at + path, {
      method,
      body: body === undefined ? null : JSON.stringify(body),
      headers: { authorization: `Bearer ${token}`, ...typed, ...headers },
    });
    const text = await answer.text();
    // nginx's own error response is a page.
    const answered = /json/.test(answer.headers.get("content-type") ?? "") ? JSON.parse(text) : null;
    return { status: answer.status, headers: answer.headers, body: answered };
  }
  const send = (channel: { id: string }, title: string, headers = {}) =>
    call(all, "POST", `/api/v1/pushers/${channel.id}/alerts`, { headers, body: { title, send: true } });
  const figures = async (name: string) =>
    Promise.all(
      replicas.map(async ({ url }) => {
        const text = await (await fetch(`${url}/metrics`)).text();
        return Number(new RegExp(`^${name.replace(/[{}"]/g, "\\$&")} (\\d+)$`, "m").exec(text)?.[1] ?? 0);
      }),
    );
  const sum = async (name: string) => (await figures(name)).reduce((one, other) => one + other, 0);

  // rules#held-wakes
  test("long polls and streams in every process receive a message to one of them", async () => {
    const channel = await world.pusher();
    const waits: Promise<number>[] = [];
    const gone = new AbortController();
    let sentAt = 0;
    const holdAt = async (url: string, handle: string, title: string) => {
      const token = await world.device(handle);
      const { headers } = await call(url, "GET", "/handset/v1/inbox", { token });
      const conditional = { "if-none-match": headers.get("etag")!, prefer: "wait=50" };
      return {
        answer: call(url, "GET", "/handset/v1/inbox", { token, headers: conditional }).then(({ body }) => {
          expect(body.data[0].title).toBe(title);
          return performance.now() - sentAt;
        }),
      };
    };
    for (const { url } of replicas) {
      waits.push((await holdAt(url, channel.handle, "all hear")).answer);
      const following = await world.device(channel.handle);
      const stream = await fetch(`${url}/handset/v1/inbox/stream`, {
        headers: { authorization: `Bearer ${following}` },
        signal: gone.signal,
      });
      waits.push(
        (async () => {
          for await (const { event, data } of readEvents(stream.body!)) {
            // Uncertain outcomes are read back.
            const page = event === "look" ? await call(url, "GET", "/handset/v1/inbox", { token: following }) : null;
            if (JSON.stringify(page?.body ?? data).includes("all hear")) return performance.now() - sentAt;
          }
          throw new Error("a stream ended");
        })(),
      );
    }
    await waitUntil(async () => (await sum("belfry_long_polls")) === PROCESSES);
    await waitUntil(async () => (await figures("belfry_streams")).every((count) => count === 1));
    sentAt = performance.now();
    expect((await send(channel, "all hear")).status).toBe(201);
    const answered = performance.now() - sentAt;
    const took = await Promise.all(waits);
    gone.abort();
    // Where a stream also follows the channel, the stream's read wakes polls.
    const another = await world.pusher();
    await waitUntil(async () => {
      if (PROCESSES === 1) return true;
      const held = await Promise.all(replicas.map(({ url }) => holdAt(url, another.handle, "told")));
      await waitUntil(async () => (await sum("belfry_long_polls")) === PROCESSES);
      await send(another, "told");
      await Promise.all(held.map(({ answer }) => answer));
      return (await sum('belfry_long_poll_wakeups_total{cause="message"}')) > 0;
    });
    console.log(
      `${PROCESSES} processes: the send was answered after ${Math.round(
        answered,
      )} ms, the last of ${took.length} had it after ${Math.round(Math.max(...took))}`,
    );
  });

  // rules#limit-sends
  test("a limit is exact, on any process", async () => {
    const channel = await world.pusher();
    const answers = await callConcurrently(LIMITS.sends + 15, (i) => send(channel, `alert ${i}`), 15);
    const counts = Map.groupBy(answers, ({ status }) => status);
    expect([counts.get(201)?.length, counts.get(429)?.length]).toEqual([LIMITS.sends, 15]);
  });

  // rules#error-unauthorized
  test("an end in one process applies to all others: keys, and streams of removed devices", async () => {
    const key = await world.key();
    for (const { url } of replicas) expect((await call(url, "GET", "/api/v1/me", { token: key })).status).toBe(200);
    await world.sql(
      "update api_key set revoked_at = now() where id = (select id from api_key order by created_at desc, id desc " +
        "limit 1)",
    );
    const from = performance.now();
    for (const { url } of replicas)
      await waitUntil(async () => (await call(url, "GET", "/api/v1/me", { token: key })).status === 401);
    const keys = performance.now() - from;

    const channel = await world.pusher();
    const ended: Promise<void>[] = [];
    const tokens: string[] = [];
    for (const { url } of replicas) {
      const token = await world.device(channel.handle);
      tokens.push(token);
      const stream = await fetch(`${url}/handset/v1/inbox/stream`, { headers: { authorization: `Bearer ${token}` } });
      ended.push(
        (async () => {
          for await (const _ of readEvents(stream.body!));
        })().catch(() => {}),
      );
    }
    await waitUntil(async () => (await figures("belfry_streams")).every((count) => count === 1));
    const since = performance.now();
    for (const token of tokens)
      expect((await call(all, "DELETE", "/handset/v1/devices/me", { token })).status).toBeLessThan(300);
    await Promise.all(ended);
    console.log(
      `${PROCESSES} processes: a key was refused by all after ${Math.round(keys)} ms, all streams of ended handsets ` +
        `closed after ${Math.round(performance.now() - since)}`,
    );
  });

  // rules#push-wakes
  test(
    "one is killed and one stopped under load: each acknowledged alert exists once, and each push notification is " +
      "sent once at most",
    async () => {
      const channels = await Promise.all(Array.from({ length: 8 }, () => world.pusher()));
      const token = await world.device(...channels.map(({ handle }) => handle));
      const quiet = await world.pusher();
      await joinWithPush(world, quiet.handle, push.endpoint("woken"));
      const follower = new StreamHandset({
        token,
        urls: [all],
        query: "?limit=100",
        poll: (headers) => call(all, "GET", "/handset/v1/inbox?limit=100", { token, headers }),
      });
      const acknowledged: string[] = [];
      let last = performance.now();
      let away = 0;
      const lost = new Map<string, number>();
      let rounds = 0;
      const client = async (channel: { id: string }, name: number) => {
        for (let n = 0; n < LIMITS.sends - 2; n++) {
          const title = `${name}.${n}`;
          // A request without a response is sent again under its key, as clients do.
          for (let status = 0; status !== 201; ) {
            status = await send(channel, title, { "idempotency-key": title }).then(
              (answer) => answer.status,
              () => 0,
            );
            if (status !== 201) lost.set(String(status), (lost.get(String(status)) ?? 0) + 1);
            expect([201, 409, 502, 503, 0]).toContain(status);
          }
          away = Math.max(away, performance.now() - last);
          last = performance.now();
          acknowledged.push(title);
          rounds++;
        }
      };
      const clients = Promise.all(channels.map(client));
      await waitUntil(() => rounds > 20);
      await replicas[0]!.stop("SIGKILL");
      if (PROCESSES === 1) await start(0);
      await waitUntil(() => rounds > 60);
      const other = PROCESSES - 1;
      const stopping = replicas[other]!.stop().then(() => start(other));
      await waitUntil(() => rounds > 100);
      await stopping;
      if (PROCESSES > 1) await start(0);
      await clients;
      const rows = await world.sql(
        `select title, count(*)::int as times from alert where pusher_id in (select id from pusher where handle =
        any(string_to_array(?, ' '))) group by title`,
        [channels.map(({ handle }) => handle).join(" ")],
      );
      expect(rows.filter(({ times }) => times !== 1)).toEqual([]);
      expect(rows.map(({ title }) => title).sort()).toEqual([...acknowledged].sort());
      await follower.lastLook();
      const { body } = await call(all, "GET", "/handset/v1/inbox?limit=100", { token });
      // It keeps more of the received alerts than a page has.
      const shown = follower.shown
        .split("\n")
        .slice(0, 100)
        .map((row) => JSON.parse(row).title);
      expect(shown).toEqual(body.data.map(({ title }: any) => title));
      await follower.end();
      // Each to another process, one after the other: a push service may fold what comes at once.
      for (let i = 1; i <= PROCESSES + 1; i++) {
        expect((await send(quiet, `wake ${i}`)).status).toBe(201);
        await waitUntil(() => push.count("woken") >= i);
        expect(push.count("woken")).toBe(i);
      }
      console.log(
        `${PROCESSES} processes: ${acknowledged.length} alerts acknowledged, none lost or doubled, the longest time ` +
          `without one ${Math.round(away)} ms; repeated after ${JSON.stringify([...lost])}`,
      );
    },
  );
});
