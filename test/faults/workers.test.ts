// Several processes on one socket (WORKERS): together they are one service to clients, limits, metrics and signals, and
// one that ends is replaced.

import { readFileSync } from "node:fs";
import { request as ask } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { LIMITS } from "../../src/model/limits.ts";
import { readPostmasterStatus } from "../../src/store/embedded/postgres_process.ts";
import { callConcurrently, pause } from "../support/concurrent_calls.ts";
import { startDatabaseProxy } from "../support/database_proxy.ts";
import { freePort } from "../support/free_port.ts";
import {
  isAlive,
  prepareCluster,
  type RunningServer,
  runProgram,
  startServer,
  temporaryFolder,
} from "../support/processes.ts";
import { lacksLoopbackAddresses } from "../support/requirements.ts";
import { prepareStartedService } from "../support/started_service.ts";
import { readEvents, type StreamEvent } from "../support/stream_handset.ts";
import { waitUntil } from "../support/wait.ts";
import { freshDatabase } from "../support/world.ts";

const WORKERS = 2;
const PEOPLE = 4;

let folder: ReturnType<typeof temporaryFolder>;
let service: RunningServer;
const sockets: Socket[] = [];
beforeAll(async () => {
  folder = temporaryFolder();
  service = await startServer(prepareCluster(join(folder.path, "service")), {
    settings: { WORKERS: String(WORKERS), HOST: "127.0.0.1", MAX_CONNECTIONS_PER_IP: "4" },
  });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await service?.stop();
  folder.remove();
});

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: any;
}

/** A call on a connection of its own, so that each may reach another process. */
function call(
  method: string,
  path: string,
  { token = service.key, body, headers = {}, on = service }: Partial<Call> = {},
): Promise<Answer> {
  const said = body === undefined ? "" : JSON.stringify(body);
  const typed = said ? { "content-type": "application/json", "content-length": Buffer.byteLength(said) } : {};
  return new Promise((resolve, reject) => {
    const asked = ask(on.url + path, {
      method,
      agent: false,
      headers: { authorization: `Bearer ${token}`, ...typed, ...headers },
    });
    asked.on("error", reject);
    asked.on("response", async (response) => {
      let text = "";
      try {
        for await (const chunk of response) text += chunk;
        const json = /json/.test(response.headers["content-type"] ?? "");
        resolve({ status: response.statusCode!, headers: response.headers, body: json ? JSON.parse(text) : text });
      } catch (error) {
        reject(error);
      }
    });
    asked.end(said);
  });
}
interface Call {
  token: string;
  body: unknown;
  headers: Record<string, string>;
  on: RunningServer;
}

let made = 0;
const newChannel = async (on = service): Promise<{ id: string; handle: string }> => {
  const fields = { handle: `channel-${++made}`, name: "One", category: "community", description: "One." };
  const { status, body } = await call("POST", "/api/v1/pushers", { token: on.key, on, body: fields });
  expect([status, body]).toEqual([201, expect.anything()]);
  return body;
};

const FACTS = { platform: "android", app_version: "1.0.0", locale: "en", timezone: "Europe/Lisbon" };

/** A handset that has joined. */
async function newHandset(handle: string, on = service) {
  const device = await call("POST", "/handset/v1/devices", { on, body: FACTS });
  const token: string = device.body.token;
  const joined = await call("PUT", `/handset/v1/subscriptions/${handle}`, { on, token, body: {} });
  expect([200, 201]).toContain(joined.status);
  return token;
}

const send = (pusher: string, title: string, on = service) =>
  call("POST", `/api/v1/pushers/${pusher}/alerts`, { on, token: on.key, body: { title, send: true } });

async function figure(name: string, on = service): Promise<number> {
  const { body } = await call("GET", "/metrics", { on });
  const line = String(body)
    .split("\n")
    .find((text) => text.startsWith(`${name} `));
  return Number(line?.slice(name.length) ?? 0);
}

/** The processes that this one has started and that serve. */
function workersOf({ pid }: RunningServer): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
  return children.filter((child) => readFileSync(`/proc/${child}/cmdline`, "utf8").includes("main.ts\0worker"));
}

/** A stream of a handset, and its events. */
async function follow(token: string, on = service) {
  const gone = new AbortController();
  const response = await fetch(`${on.url}/handset/v1/inbox/stream`, {
    headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" },
    signal: gone.signal,
  });
  expect(response.status).toBe(200);
  const told: StreamEvent[] = [];
  let ended = false;
  void (async () => {
    for await (const event of readEvents(response.body!)) told.push(event);
  })()
    .catch(() => {})
    .finally(() => (ended = true));
  return { told, hasEnded: () => ended, leave: () => gone.abort() };
}

/** A long poll that waits for a change. */
async function hold(token: string, on = service) {
  const { headers } = await call("GET", "/handset/v1/inbox", { token, on });
  return call("GET", "/handset/v1/inbox", {
    token,
    on,
    headers: { "if-none-match": String(headers.etag), prefer: "wait=50" },
  });
}

// rules#held-wakes
test("long polls of one process receive at once a message to another one", async () => {
  expect(workersOf(service)).toHaveLength(WORKERS);
  expect(service.log().match(/"first start"/g)).toHaveLength(1);
  const { id, handle } = await newChannel();
  const handsets = await callConcurrently(PEOPLE, () => newHandset(handle), 1);
  const polls = handsets.map((token) => hold(token));
  await waitUntil(async () => (await figure("belfry_long_polls")) === PEOPLE);
  expect((await send(id, "all hear")).status).toBe(201);
  for (const { status, body } of await Promise.all(polls)) {
    expect(status).toBe(200);
    expect(body.data.map(({ title }: any) => title)).toEqual(["all hear"]);
  }
  expect(await figure('belfry_long_poll_wakeups_total{cause="message"}')).toBeGreaterThan(0);
});

test("so do streams; a worker that ends removes its own, and its metrics stay", async () => {
  const { id, handle } = await newChannel();
  const handsets = await callConcurrently(PEOPLE, () => newHandset(handle), 1);
  const streams: Awaited<ReturnType<typeof follow>>[] = [];
  for (const token of handsets) streams.push(await follow(token));
  expect(await figure("belfry_streams")).toBe(PEOPLE);
  // A stream begins with an event. A busy machine can add one that covers several changes.
  for (const { told } of streams) await waitUntil(() => told.length > 0);
  const before = streams.map(({ told }) => told.length);
  expect((await send(id, "all hear")).status).toBe(201);
  for (const [i, { told }] of streams.entries()) await waitUntil(() => told.length > before[i]!);
  await waitUntil(() => streams.some(({ told }) => told.some(({ data }) => JSON.stringify(data).includes("all hear"))));

  const asked = () => figure('belfry_http_requests_total{surface="api",method="GET",status="200"}');
  const counted = await asked();
  await callConcurrently(12, () => call("GET", "/api/v1/me"), 4);
  expect(await asked()).toBe(counted + 12);
  const [one] = workersOf(service);
  process.kill(one!, "SIGKILL");
  await waitUntil(() => service.log().includes("the replacement worker is ready"));
  expect(await asked()).toBe(counted + 12);
  const left = streams.filter(({ hasEnded }) => !hasEnded());
  expect(left.length).toBeGreaterThan(0);
  expect(left.length).toBeLessThan(PEOPLE);
  expect(await figure("belfry_streams")).toBe(left.length);
  // Jobs that run once in the service continue in the remaining processes.
  const rounds = () => figure('belfry_housekeeping_runs_total{step="due_alerts",outcome="done"}');
  const done = await rounds();
  await waitUntil(async () => (await rounds()) > done);
  for (const { leave } of left) leave();
});

// rules#limit-sends
test("a limit is that of the whole service", async () => {
  const { id } = await newChannel();
  const answers = await callConcurrently(LIMITS.sends + 10, (i) => send(id, `alert ${i}`), 10);
  const passed = answers.filter(({ status }) => status === 201);
  expect(passed).toHaveLength(LIMITS.sends);
  for (const { status, headers } of answers.filter((answer) => !passed.includes(answer))) {
    expect(status).toBe(429);
    expect(headers.ratelimit).toMatch(/^"alert-sends";r=0;t=\d+$/);
  }
});

test.skipIf(lacksLoopbackAddresses())("an address has a limit of connections with all processes together", async () => {
  const { port } = new URL(service.url);
  const open = () => {
    const socket = Object.assign(connect({ port: Number(port), host: "127.0.0.1", localAddress: "127.0.0.2" }), {
      text: "",
    });
    socket.on("data", (chunk) => (socket.text += chunk)).on("error", () => {});
    sockets.push(socket);
    return socket;
  };
  const asks = (socket: Socket & { text: string }) => {
    socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    return waitUntil(() => socket.text.startsWith("HTTP/1.1 200"));
  };
  const mine = [open(), open(), open(), open()];
  for (const socket of mine) await asks(socket);
  const more = open();
  await waitUntil(() => more.text.startsWith("HTTP/1.1 503 Service Unavailable\r\n"));
  mine[0]!.destroy();
  await waitUntil(async () => {
    const another = open();
    another.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    await waitUntil(() => another.text !== "");
    return another.text.startsWith("HTTP/1.1 200");
  });
});

test("killed while clients write, a worker is replaced, and nothing acknowledged is lost or doubled", async () => {
  const { id } = await newChannel();
  const acknowledged: string[] = [];
  let going = true;
  const client = async (name: number) => {
    for (let n = 0; going; n++) {
      const title = `${name}.${n}`;
      // A request without a response is sent again under its key, as clients do.
      for (let answer: Answer | null = null; answer?.status !== 201; ) {
        const headers = { "idempotency-key": title };
        const path = `/api/v1/pushers/${id}/alerts`;
        answer = await call("POST", path, { headers, body: { title } }).catch(() => null);
        expect([201, 409, 503, undefined]).toContain(answer?.status);
      }
      acknowledged.push(title);
      // Enough writes at any moment to be hit, and time for the one that starts.
      await pause(10);
    }
  };
  const clients = Array.from({ length: 8 }, (_, name) => client(name));
  for (let kills = 0; kills < 3; kills++) {
    const from = acknowledged.length;
    await waitUntil(() => acknowledged.length > from + 20);
    const [before, serving] = [service.log(), workersOf(service)];
    process.kill(serving[kills % WORKERS]!, "SIGKILL");
    await waitUntil(() => service.log().slice(before.length).includes("a worker exited; starting a replacement"));
    await waitUntil(() => service.log().slice(before.length).includes("the replacement worker is ready"));
  }
  going = false;
  await Promise.all(clients);
  const kept: string[] = [];
  for (let before: string | null = ""; before !== null; ) {
    const { body } = await call("GET", `/api/v1/pushers/${id}/alerts?limit=100${before && `&before=${before}`}`);
    kept.push(...body.data.map(({ title }: any) => title));
    before = body.meta.next_before;
  }
  // The second end within a minute of the same one is not followed at once.
  expect(service.log()).toMatch(/"waitMs":[1-9]\d*,"msg":"a worker exited/);
  expect(kept.sort()).toEqual(acknowledged.sort());
});

describe("the end", () => {
  let other: RunningServer;
  const begin = async (name: string, settings: Record<string, string> = {}) => {
    other = await startServer(await prepareStartedService(join(folder.path, name)), {
      settings: { WORKERS: String(WORKERS), HOST: "127.0.0.1", ...settings },
    });
    const postmaster = readPostmasterStatus(join(other.dataDir, "postgres"))?.pid;
    return [...workersOf(other), postmaster!];
  };

  test("SIGTERM: waiting clients get a response, every process ends, and the code is 0", async () => {
    // Time enough for a busy machine to see that the service is not ready.
    const processes = await begin("stopped", { SHUTDOWN_DELAY_MS: "3000" });
    expect(processes).toHaveLength(WORKERS + 1);
    const { handle } = await newChannel(other);
    const handsets = await callConcurrently(PEOPLE, () => newHandset(handle, other), 1);
    const streams = [];
    for (const token of handsets) streams.push(await follow(token, other));
    const polls = handsets.map((token) => hold(token, other));
    await waitUntil(async () => (await figure("belfry_long_polls", other)) === PEOPLE);
    const ended = other.stop();
    await waitUntil(async () => (await call("GET", "/readyz", { on: other })).status === 503);
    for (const { status, headers } of await Promise.all(polls)) {
      expect(status).toBe(304);
      expect(Number(headers["retry-after"])).toBeGreaterThan(0);
    }
    for (const { hasEnded } of streams) await waitUntil(hasEnded);
    await ended;
    expect(await other.exited).toBe(0);
    expect(other.log()).toContain("stopped");
    for (const pid of processes) await waitUntil(() => !isAlive(pid));
  });

  test("under a storm of connections no accepted client is reset", async () => {
    await begin("storm", { SHUTDOWN_DELAY_MS: "200", LOG_LEVEL: "warn" });
    const port = Number(new URL(other.url).port);
    const outcomes = { served: 0, lost: 0 };
    const knock = () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(port, "127.0.0.1");
        let [text, error] = ["", ""];
        socket.on("connect", () => socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
        socket.on("data", (chunk) => (text += chunk));
        socket.on("error", ({ code }: NodeJS.ErrnoException) => (error = code ?? ""));
        socket.on("close", () => {
          if (text.startsWith("HTTP/1.1 200")) outcomes.served++;
          else if (error !== "ECONNREFUSED") outcomes.lost++;
          resolve(error !== "ECONNREFUSED");
        });
      });
    const knocking = Array.from({ length: 16 }, async () => {
      while (await knock());
    });
    await waitUntil(() => outcomes.served > 200);
    await other.stop();
    await Promise.all(knocking);
    expect(outcomes).toEqual({ served: expect.any(Number), lost: 0 });
    expect(await other.exited).toBe(0);
  });

  test.each(["SIGKILL", "SIGHUP"] as const)("after %s of the first process no process stays behind", async (signal) => {
    const processes = await begin(signal);
    await other.stop(signal);
    for (const pid of processes) await waitUntil(() => !isAlive(pid));
  });
});

// rules#start-waits
test("by URL: workers wait for the database, come up on an empty one and serve it", async () => {
  const { settings, remove } = await freshDatabase({ empty: true });
  const proxy = await startDatabaseProxy(settings.DATABASE_URL!);
  try {
    proxy.fallSilent();
    const port = await freePort();
    const waits = { DATABASE_URL: proxy.url, DATABASE_CONNECT_TIMEOUT_MS: "1000", WORKERS: String(WORKERS) };
    const starting = startServer(settings.DATA_DIR!, { settings: { ...settings, ...waits }, port });
    const readyz = `http://localhost:${port}/readyz`;
    await waitUntil(async () => (await fetch(readyz).catch(() => null))?.status === 503);
    expect(await (await fetch(readyz)).json()).toMatchObject({ reason: expect.stringContaining("(no response)") });
    proxy.speak();
    const by = await starting;
    for (let i = 0; i < 4; i++) expect((await call("GET", "/readyz", { on: by })).body.status).toBe("ready");
    expect(by.log().match(/Applied \d+ migrations?/g)).toHaveLength(1);
    await by.stop();
    expect(await by.exited).toBe(0);
  } finally {
    await proxy.close();
    await remove();
  }
});

test("shares that leave a worker nothing are refused by name, and so is a worker's failed start", async () => {
  const start = async (settings: Record<string, string>) => {
    const DATA_DIR = join(folder.path, "refused");
    return runProgram(process.execPath, ["src/main.ts"], { DATA_DIR, PORT: String(await freePort()), ...settings });
  };
  const small = await start({ WORKERS: "3", MAX_CONCURRENT_REQUESTS: "2" });
  expect(small.stderr).toBe(
    "belfry: MAX_CONCURRENT_REQUESTS must be at least WORKERS (3), because it is divided among them.\n",
  );
  const SECRET = "x".repeat(32);
  const away = await start({
    WORKERS: "2",
    SECRET,
    DATABASE_URL: inject("database").url.replace(/\/\/[^@]*@/, "//nobody_at_all:secret@"),
  });
  expect(away.stderr).toMatch(
    /^belfry: DATABASE_URL points to a database that cannot be opened \(it rejects .*\)\.\n$/,
  );
  expect([small.code, away.code]).toEqual([1, 1]);
});
