// Real processes: killed at random points while clients send over sockets, stopped by signals, started badly, started
// together. Acknowledged data is complete afterwards; other data is complete or missing.

import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildRestRequest } from "../../src/operation/build_rest_request.ts";
import { type Config, SETTINGS } from "../../src/store/config/all_settings.ts";
import { dataPaths } from "../../src/store/config/data_paths.ts";
import { loadConfig } from "../../src/store/config/load_settings.ts";
import { ConfigError } from "../../src/store/config/setting_types.ts";
import { createOrm, type Orm } from "../../src/store/db/orm.ts";
import { callConcurrently, pause } from "../support/concurrent_calls.ts";
import { expectRecountClean } from "../support/counter_checks.ts";
import { freePort } from "../support/free_port.ts";
import {
  prepareCluster,
  type RunningServer,
  readStart,
  runProgram,
  startServer,
  temporaryFolder,
} from "../support/processes.ts";
import { isMissing } from "../support/requirements.ts";
import { waitUntil } from "../support/wait.ts";
import { findOperation, freshDatabase, timeInSeconds, World } from "../support/world.ts";

const ROUNDS = Number(process.env.BELFRY_TEST_KILL_ROUNDS ?? 1);
const CLIENTS = 24;
/** A real server keeps its limits: thirty sends a minute and channel. */
const CHANNELS = 24;

let folder: ReturnType<typeof temporaryFolder>;
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => folder.remove());

interface Answered {
  status: number;
  body: any;
}

async function send(
  url: string,
  request: { method: string; path: string; headers?: any; body?: string },
  token?: string,
) {
  const { method, path, headers, body } = request;
  const authorization = token ? { authorization: `Bearer ${token}` } : {};
  const response = await fetch(url + path, { method, body, headers: { ...headers, ...authorization } });
  const text = await response.text();
  return { status: response.status, body: text === "" ? null : JSON.parse(text) } as Answered;
}

const callTool = (url: string, key: string, tool: string, args: Record<string, unknown> = {}) =>
  send(url, buildRestRequest(findOperation(tool), args), key);

const callHandset = (url: string, token: string, method: string, path: string, body?: unknown) =>
  send(
    url,
    {
      method,
      path: `/handset/v1${path}`,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    },
    token,
  );

/** The database behind the servers. */
async function withOrm<T>(settings: Record<string, string>, use: (orm: Orm) => Promise<T>): Promise<T> {
  const orm = createOrm({ databaseUrl: settings.DATABASE_URL!, databasePoolSize: 2 });
  try {
    return await use(orm);
  } finally {
    await orm.close(true);
  }
}

const untilReady = (server: RunningServer) =>
  waitUntil(async () => Boolean((await fetch(`${server.url}/readyz`).catch(() => null))?.ok));

describe("on a service", () => {
  let world: World;
  let pushers: string[];
  let device: string;
  let reporters: string[];
  beforeAll(async () => {
    world = await World.open();
    const made = await callConcurrently(CHANNELS, () => world.pusher(), 8);
    pushers = made.map(({ id }) => id);
    device = await world.device(...made.map(({ handle }) => handle));
    reporters = await callConcurrently(20, () => world.device(made[0].handle), 8);
    await world.leave();
  });
  afterAll(() => world.remove());

  const start = (more: Record<string, string> = {}) =>
    startServer(world.settings.DATA_DIR!, { settings: { ...world.settings, LOG_LEVEL: "warn", ...more } });

  /** The possible states of an alert's row, by its title: the last acknowledged one, and the pending one. */
  const expected = new Map<string, Set<string>>();
  /** Creations whose answer was lost, with their arguments. */
  let unanswered: Record<string, unknown>[] = [];
  let titles = 0;
  let acknowledged = 0;

  /** One client: composes, sends, cancels and schedules until the server has ended. */
  async function client(url: string, going: () => boolean): Promise<void> {
    const call = async (tool: string, args: Record<string, unknown>) => {
      const answer = await callTool(url, world.owner, tool, args);
      if (answer.status < 300) acknowledged++;
      // Too late for its own send_at, on a busy machine.
      else if (answer.status === 422 && args.send_at) return answer;
      else if (![409, 429].includes(answer.status)) throw new Error(`${tool}: ${answer.status}`);
      return answer;
    };
    const create = async (fields: Record<string, unknown>, state: string) => {
      const title = `alert ${++titles}`;
      const pusher_id = pushers[titles % CHANNELS]!;
      const args = { pusher_id, title, idempotency_key: title, ...fields };
      unanswered.push(args);
      const { status, body } = await call("create_alert", args);
      unanswered = unanswered.filter((waiting) => waiting !== args);
      if (status !== 201) return null;
      expected.set(title, new Set([state]));
      return { title, path: { pusher_id, alert_id: body.id } };
    };
    const change = async (alert: Awaited<ReturnType<typeof create>>, tool: string, to: string) => {
      if (!alert) return;
      expected.get(alert.title)!.add(to);
      const { status } = await call(tool, alert.path);
      if (status === 200) expected.set(alert.title, new Set([to]));
    };
    for (let n = 0; going(); n++) {
      if (n % 4 === 0) await change(await create({}, "draft"), "send_alert", "sent");
      else if (n % 4 === 1) await change(await create({ send: true }, "sent"), "cancel_alert", "cancelled");
      else if (n % 4 === 2) await create({ send: true, send_at: timeInSeconds(0.5) }, "sent");
      else await create({ send: true }, "sent");
    }
  }

  /** Traffic until the server is killed. Errors of the sockets are what a kill looks like; anything else is a fault. */
  async function trafficUntilKilled(server: RunningServer, calls: number): Promise<void> {
    let going = true;
    const clients = callConcurrently(CLIENTS, async () => {
      try {
        await client(server.url, () => going);
      } catch (error) {
        if (going || !isSocketError(error)) throw error;
      }
    });
    let failed = false;
    clients.catch(() => {
      failed = true;
    });
    const goal = acknowledged + calls;
    await waitUntil(() => acknowledged >= goal || failed);
    await pause(Math.random() * 30);
    going = false;
    await server.stop("SIGKILL");
    await clients;
  }
  const isSocketError = (error: any) => error instanceof TypeError || !!error?.cause?.code;

  /** Every alert of every channel by title, over REST. */
  async function everything(url: string) {
    const rows = new Map<string, any>();
    for (const pusher_id of pushers)
      for (let before: string | null = null, first = true; first || before !== null; first = false) {
        const args = { pusher_id, limit: 100, ...(before === null ? {} : { before }) };
        const { body } = await callTool(url, world.owner, "list_alerts", args);
        for (const row of body.data) {
          expect(rows.has(row.title)).toBe(false);
          rows.set(row.title, row);
        }
        before = body.meta.next_before;
      }
    return rows;
  }

  async function inbox(url: string): Promise<string[]> {
    const ids: string[] = [];
    for (let before: string | null = null, first = true; first || before !== null; first = false) {
      const { body } = await callHandset(url, device, "GET", `/inbox?limit=100${before ? `&before=${before}` : ""}`);
      ids.push(...body.data.map(({ id }: any) => id));
      before = body.meta.next_before;
    }
    return ids;
  }

  async function nothingLost(url: string): Promise<void> {
    await pause(500); // Alerts that were scheduled half a second ahead are due.
    const rows = await everything(url);
    for (const [title, states] of expected) {
      const row = rows.get(title);
      expect({ title, status: row?.status, allowed: [...states] }).toMatchObject({
        status: expect.toSatisfy((status: string) => states.has(status)),
      });
      // From here on the state is known.
      expected.set(title, new Set([row.status]));
    }
    const sent = [...rows.values()].filter(({ status }) => status === "sent").map(({ id }) => id);
    expect((await inbox(url)).toSorted()).toEqual(sent.toSorted());
  }

  test(`killed in ${ROUNDS} rounds while ${CLIENTS} clients send: nothing acknowledged is lost`, async () => {
    const readyAfter: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const begun = performance.now();
      const server = await start();
      await untilReady(server);
      readyAfter.push(Math.round(performance.now() - begun));
      if (round > 0) await nothingLost(server.url);
      // A retry under the same key acts once, whether the first call had acted or not.
      await callConcurrently(
        unanswered.length,
        async (i) => {
          const { status, body } = await callTool(server.url, world.owner, "create_alert", unanswered[i]!);
          // A scheduled one whose time has passed by now was not created the first time.
          if (status === 422) expect(unanswered[i]!.send_at).toBeDefined();
          else if (status !== 429) {
            expect(status).toBe(201);
            // An answer of then; the alert's state is looked up.
            expected.set(body.title, new Set(["draft", "scheduled", "sent"]));
          }
        },
        8,
      );
      unanswered = [];
      await trafficUntilKilled(server, 20 + Math.random() * 200);
    }
    const server = await start();
    await untilReady(server);
    await nothingLost(server.url);
    await server.stop();
    await withOrm(world.settings, expectRecountClean);
    console.log(
      `kill -9: ${ROUNDS} rounds, ${acknowledged} calls acknowledged, ${expected.size} alerts, ` +
        `ready after ${readyAfter.join(", ")} ms`,
    );
    expect(acknowledged).toBeGreaterThan(0);
  });

  test("reports are counted once each although the server is killed and they are repeated", async () => {
    let server = await start();
    const { body: alert } = await callTool(server.url, world.owner, "create_alert", {
      pusher_id: pushers[0],
      title: "Reported",
      send: true,
    });
    expected.set("Reported", new Set(["sent"]));
    const reports = { reports: ["read", "ack"].map((kind) => ({ alert_id: alert.id, kind })) };
    for (let kill = 0; kill < 2; kill++) {
      const done = callConcurrently(
        400,
        (i) => callHandset(server.url, reporters[i % reporters.length]!, "POST", "/reports", reports).catch(() => null),
        32,
      );
      await pause(20 + Math.random() * 60);
      await server.stop("SIGKILL");
      await done;
      server = await start();
    }
    await callConcurrently(
      reporters.length,
      (i) => callHandset(server.url, reporters[i]!, "POST", "/reports", reports),
      16,
    );
    const { body: stats } = await callTool(server.url, world.owner, "get_alert_stats", {
      pusher_id: pushers[0],
      alert_id: alert.id,
    });
    expect(stats.totals).toEqual({ reads: reporters.length, acks: reporters.length });
    await server.stop();
    await withOrm(world.settings, expectRecountClean);
  });

  test("SIGTERM lets requests in flight finish, and the exit code is 0; a second one ends at once", async () => {
    const server = await start();
    const port = Number(new URL(server.url).port);
    const body = (i: number) => JSON.stringify({ title: `slow ${i}`, send: i % 2 === 0 });
    const sockets = await callConcurrently(6, async (i) => {
      const socket = await opened(port);
      socket.write(
        [
          `POST /api/v1/pushers/${pushers[i]}/alerts HTTP/1.1`,
          "Host: 127.0.0.1",
          `Authorization: Bearer ${world.owner}`,
          "Content-Type: application/json",
          `Content-Length: ${body(i).length}`,
          "Expect: 100-continue",
          "\r\n",
        ].join("\r\n"),
      );
      // The server has the request, and waits for its body.
      await new Promise((resolve) => socket.once("data", resolve));
      socket.write(body(i).slice(0, 5));
      return socket;
    });
    const idle = await opened(port);
    process.kill(server.pid, "SIGTERM");
    // A connection that was opened in advance is not waited for; requests that have begun are.
    await new Promise((resolve) => idle.once("close", resolve));
    const answers = await Promise.all(
      sockets.map((socket, i) => {
        const answer = readAll(socket);
        socket.write(body(i).slice(5));
        return answer;
      }),
    );
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    expect(await server.exited).toBe(0);
    await expect(opened(port)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    const next = await start();
    const rows = await everything(next.url);
    for (let i = 0; i < 6; i++) expect(rows.get(`slow ${i}`).status).toBe(i % 2 === 0 ? "sent" : "draft");
    // This one would be waited for.
    const slow = await opened(Number(new URL(next.url).port));
    slow.on("error", () => {});
    slow.write(
      `POST /api/v1/pushers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.owner}\r\nContent-Length: 9\r\n\r\n{`,
    );
    process.kill(next.pid, "SIGTERM");
    // One that follows at once is the same one, passed on by npm.
    const asking = setInterval(() => process.kill(next.pid, "SIGTERM"), 200);
    expect(await next.exited).toBe(1);
    clearInterval(asking);
    slow.destroy();
  });

  test("connections that PostgreSQL ends cost the requests on them and nothing else", async () => {
    const server = await start({ LOG_LEVEL: "fatal" });
    let cut = 0;
    const url = server.url;
    let going = true;
    const failures: number[] = [];
    // A client's call on an ended connection gets a 503 to retry; the client continues.
    const clients = callConcurrently(8, async () => {
      while (going)
        await client(url, () => going).catch((error: Error) => {
          failures.push(Number(/: (\d+)$/.exec(error.message)?.[1] ?? Number.NaN));
        });
    });
    await withOrm(world.settings, async (orm) => {
      const em = orm.em.fork() as SqlEntityManager;
      for (let i = 0; i < 4; i++) {
        await pause(150);
        const ended = await em.execute(
          `select pg_terminate_backend(pid) from pg_stat_activity
             where datname = current_database() and pid <> pg_backend_pid()`,
        );
        cut += ended.length;
      }
    });
    await pause(100);
    going = false;
    await clients;
    expect(cut).toBeGreaterThan(0);
    expect(failures.filter((status) => status !== 503)).toEqual([]);
    // The unanswered ones may or may not exist; the idempotent repeat decides.
    const repeats = await callConcurrently(
      unanswered.length,
      (i) => callTool(url, world.owner, "create_alert", unanswered[i]!),
      4,
    );
    for (const { status, body } of repeats) {
      expect([201, 422, 429]).toContain(status);
      if (status === 201) expected.set(body.title, new Set(["draft", "scheduled", "sent"]));
    }
    unanswered = [];
    await nothingLost(url);
    const ready = await fetch(`${url}/readyz`);
    expect(ready.status).toBe(200);
    process.kill(server.pid, "SIGTERM");
    expect(await server.exited).toBe(0);
    await withOrm(world.settings, expectRecountClean);
  });

  // rules#keys-are-hashed
  test("nothing secret is in the log at trace, nor any key or token in the database", async () => {
    const more = { LOG_LEVEL: "trace", WEBHOOK_ALLOW_HOSTS: "127.0.0.1:9" };
    const server = await start(more);
    const { url } = server;
    const secrets: string[] = [world.owner, device, world.settings.SECRET!];
    const inLogOnly: string[] = [];
    const facts = { platform: "android", app_version: "1", locale: "en", timezone: "UTC" };
    const { body: registered } = await callHandset(url, "", "POST", "/devices", facts);
    secrets.push(registered.token);
    inLogOnly.push(registered.id);
    const { body: closed } = await callTool(url, world.owner, "create_pusher", {
      handle: "closed-channel",
      name: "Closed",
      category: "community",
      description: "d",
      is_public: false,
      idempotency_key: "first",
    });
    const { body: invite } = await callTool(url, world.owner, "create_invite", {
      pusher_id: closed.id,
      idempotency_key: "second",
    });
    inLogOnly.push(invite.code);
    const webhook = {
      url: "http://127.0.0.1:9/hook",
      events: ["alert.sent", "subscriber.created"],
      idempotency_key: "third",
    };
    const { status: hooked, body: hook } = await callTool(url, world.owner, "create_webhook", webhook);
    expect(hooked).toBe(201);
    secrets.push(hook.secret);
    await callHandset(url, registered.token, "GET", `/channels/${closed.handle}?invite=${invite.code}`);
    const joined = await callHandset(url, registered.token, "PUT", `/subscriptions/${closed.handle}`, {
      invite: invite.code,
    });
    expect(joined.status).toBe(200);
    const { body: alert } = await callTool(url, world.owner, "create_alert", {
      pusher_id: closed.id,
      title: "A",
      send: true,
    });
    await callHandset(url, registered.token, "POST", "/reports", { reports: [{ alert_id: alert.id, kind: "read" }] });
    for (const tool of ["list_invites", "list_subscribers", "get_pusher_stats"])
      expect((await callTool(url, world.owner, tool, { pusher_id: closed.id })).status).toBe(200);
    // Refusals, wrong bodies, wrong credentials, both protocols.
    await callTool(url, world.owner, "create_pusher", {
      handle: closed.handle,
      name: "x",
      category: "ai",
      description: "x",
    });
    await callHandset(url, registered.token, "PUT", `/subscriptions/${closed.handle}`, {
      invite: invite.code,
      key: world.owner,
    });
    await send(url, { method: "POST", path: "/api/v1/pushers", body: `{"broken": "${world.owner}` }, world.owner);
    await send(url, { method: "GET", path: `/api/v1/me?key=${world.owner}` }, world.owner);
    await send(url, { method: "GET", path: "/api/v1/me" }, device);
    await send(url, { method: "GET", path: "/handset/v1/inbox" }, world.owner);
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_me", arguments: {} } };
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    await fetch(`${url}/mcp`, {
      method: "POST",
      headers: { ...headers, authorization: `Bearer ${world.owner}` },
      body: JSON.stringify(message),
    });
    // A fault of the database in the middle of a write that carries secrets.
    await withOrm(world.settings, async (orm) => {
      const em = orm.em.fork() as SqlEntityManager;
      await em.execute("alter table device rename to device_away");
      expect((await callHandset(url, "", "POST", "/devices", facts)).status).toBe(500);
      expect((await callHandset(url, registered.token, "GET", "/inbox")).status).toBe(500);
      await em.execute("alter table device_away rename to device");
      await em.execute("alter table invite add constraint refused check (uses < 1) not valid");
      const again = await callHandset(url, device, "PUT", `/subscriptions/${closed.handle}`, { invite: invite.code });
      expect(again.status).toBe(500);
      await em.execute("alter table invite drop constraint refused");
    });
    expect(server.log()).toContain('"level":50');
    await server.stop();
    expect(server.log()).toContain('"path":"/handset/v1/devices"');
    for (const secret of [...secrets, ...inLogOnly]) expect(server.log()).not.toContain(secret);

    const dump = await withOrm(world.settings, async (orm) => {
      const em = orm.em.fork() as SqlEntityManager;
      const tables = await em.execute<{ name: string }[]>(
        "select table_name as name from information_schema.tables where table_schema = 'public'",
      );
      const texts: string[] = [];
      for (const { name } of tables)
        texts.push(
          ...(await em.execute<{ row: string }[]>(`select t::text as row from "${name}" t`)).map(({ row }) => row),
        );
      return texts.join("\n");
    });
    expect(dump).toContain("Closed");
    for (const secret of secrets) {
      expect(dump).not.toContain(secret);
      expect(dump).not.toContain(Buffer.from(secret).toString("hex"));
    }
  });
});

const opened = (port: number) =>
  new Promise<Socket>((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
    socket.on("error", reject);
  });

const readAll = (socket: Socket) =>
  new Promise<string>((resolve) => {
    let text = "";
    socket.on("data", (chunk) => (text += chunk));
    socket.on("close", () => resolve(text));
  });

describe("first start", () => {
  const firstFolder = () => mkdtempSync(join(folder.path, "first-"));
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

  // rules#first-start
  test("prints the location of everything", async () => {
    const dataDir = firstFolder();
    const server = await startServer(dataDir);
    // Everything else is lines of JSON.
    const { log, lines } = readStart(server.log());
    const first = lines.find(({ msg }) => msg === "first start");
    const { credentials, secret } = dataPaths(dataDir);
    const kept = JSON.parse(readFileSync(credentials, "utf8"));
    const { key, url } = kept;
    expect(url).toBe(server.url);
    expect(kept.console).toMatch(/^http:\/\/localhost:\d+\/console\/welcome#[\w-]{43}$/);
    expect(log).toContain(`Console     the link is the value of "console" in ${credentials}\n`);
    expect(log).toContain(`${server.url}/mcp\n`);
    expect(log).toMatch(/claude mcp add .*--header "Authorization: Bearer \$KEY"/);
    expect(first).toMatchObject({ credentials, mcp: `${server.url}/mcp`, level: 30 });
    // The log contains neither.
    expect(server.log()).not.toMatch(/bfk_\w|welcome#/);
    const address = server.url;
    expect(lines.find(({ address }) => address)).toMatchObject({ msg: `Belfry listens on ${address}`, address, url });
    expect([mode(credentials), mode(secret)]).toEqual(["600", "600"]);

    // rules#quiet-probes
    for (const path of ["/healthz", "/readyz", "/metrics", "/nowhere"]) await fetch(server.url + path);
    await waitUntil(() => server.log().includes('"path":"/nowhere"'));
    expect(server.log()).not.toMatch(/"path":"\/(healthz|readyz|metrics)"/);

    // A second process is refused while this one runs, on any port.
    const second = await runProgram(process.execPath, ["src/main.ts"], { DATA_DIR: dataDir, PORT: "0" });
    expect(second.code).toBe(1);
    expect(second.stderr.trim()).toMatch(/^belfry: Another Belfry process is using the data directory /);

    await server.stop("SIGKILL");
    const next = await startServer(dataDir);
    expect(next.log()).not.toContain(key);
    expect((await callTool(next.url, key, "get_me")).status).toBe(200);
    await next.stop();
  });

  test.skipIf(isMissing("curl"))("its shell command works unchanged", async () => {
    const server = await startServer(prepareCluster(firstFolder()));
    const { log } = readStart(server.log());
    const [key, curl] = [/^ .*(KEY=.*)$/m, /^ +(curl .*)$/m].map((line) => line.exec(log)![1]!);
    const { code, json } = await runProgram("bash", ["-c", `${key}; ${curl}`], {});
    expect({ code, json }).toMatchObject({ code: 0, json: { id: expect.stringMatching(/^alr_/), status: "sent" } });
    await server.stop();
  });

  test("killed at any point of the first start, the next one works and its key is known", async () => {
    for (let i = 0; i < ROUNDS; i++) {
      const dataDir = mkdtempSync(join(folder.path, "early-"));
      const port = String(await freePort());
      // Ended by the shell's own child, after a moment that differs from round to round.
      const moment = (0.6 + Math.random() * 1.6).toFixed(2);
      await runProgram("timeout", ["-s", "KILL", moment, process.execPath, "src/main.ts"], {
        DATA_DIR: dataDir,
        PORT: port,
      });
      const server = await startServer(dataDir);
      expect(server.key).toMatch(/^bfk_/);
      expect((await callTool(server.url, server.key, "get_me")).status).toBe(200);
      await server.stop();
      expect(Buffer.byteLength(readFileSync(dataPaths(dataDir).secret, "utf8").trim())).toBeGreaterThanOrEqual(32);
    }
  });

  test("a secret that was cut short is refused, not used", async () => {
    const dataDir = mkdtempSync(join(folder.path, "short-"));
    writeFileSync(dataPaths(dataDir).secret, "");
    const { code, stderr } = await runProgram(process.execPath, ["src/main.ts"], { DATA_DIR: dataDir, PORT: "0" });
    expect(code).toBe(1);
    expect(stderr).toContain("SECRET");
  });

  test("replicas on one empty PostgreSQL database all start, and nothing is written elsewhere", async () => {
    const { settings, remove } = await freshDatabase({ empty: true });
    try {
      const servers = await Promise.all([1, 2].map(() => startServer(settings.DATA_DIR!, { settings })));
      for (const server of servers) {
        expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
        expect(server.log()).not.toMatch(/bfk_|curl/);
      }
      const rows = await withOrm(settings, (orm) =>
        (orm.em.fork() as SqlEntityManager).execute<{ name: string }[]>("select name from migration"),
      );
      expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
      expect(rows.length).toBeGreaterThan(0);
      const { secret, credentials, lock, database } = dataPaths(settings.DATA_DIR!);
      for (const path of [secret, credentials, lock, database]) expect(existsSync(path)).toBe(false);
      await Promise.all(servers.map((server) => server.stop()));
    } finally {
      await remove();
    }
  });
});

describe("settings", () => {
  /** Values that must stop the start, for every setting there is. */
  const BAD: Record<keyof Config, string[]> = {
    host: ["a b", "http://x", "127.0.0.1:80", "[::1]"],
    port: ["-1", "65536", "80a", "8.5", " "],
    dataDir: [],
    databaseUrl: [
      "mysql://x/y",
      "postgres",
      "/tmp/x",
      "postgresql://u@localhost/x?host=/run/postgresql",
      "postgresql://u@a:1,b:x/y",
      "postgresql://u@a,,b/y",
      "postgresql://u@a,b/y?target_session_attrs=standby",
    ],
    databasePoolerMode: ["pgbouncer", "TRANSACTION", "session"],
    databaseListenUrl: ["mysql://x/y", "postgresql://u@localhost/x"],
    databaseReadUrls: ["mysql://x/y", "postgresql://a/b,x", "postgresql://a/b"],
    messageBusUrl: ["http://x", "nats", "kafka://x:1"],
    databasePoolSize: ["1", "501", "many"],
    minFreeDiskMb: ["-1", "1GB"],
    databaseConnectTimeoutMs: ["5", "5s"],
    databaseStatementTimeoutMs: ["-1", "1.5"],
    databaseLockTimeoutMs: ["-1"],
    databaseIdleTransactionTimeoutMs: ["x"],
    databaseKeepaliveIntervalMs: ["x"],
    postgresBin: [],
    postgresSharedBuffersMb: ["7", "32MB"],
    postgresSynchronousCommit: ["off", "1"],
    redisUrl: ["http://127.0.0.1", "redis"],
    redisTimeoutMs: ["0", "5001", "fast"],
    publicUrl: [
      "belfry.example",
      "ftp://x",
      "https://u:p@x",
      "https://x/?q",
      "https://x/#h",
      "https://x/path",
      "https://x/a/",
    ],
    ntfyHost: ["https://x", "x:80", "localhost", "a b"],
    gotifyHost: ["https://x", "x:80", "localhost"],
    channelBaseUrl: ["belfry.example/c", "https://x/?q"],
    secret: ["short", "é".repeat(15)],
    clientMetadataAllowHosts: ["http://x", "a b", "x:99999", "*.example", "[zz]"],
    webhookAllowHosts: ["http://x", "a b", "x:99999", "*.example", "[zz]"],
    webhookDnsServers: ["dns.example", "1.1.1.1:70000", "1.1.1"],
    webPush: ["true", "ON", "1"],
    webPushContact: ["ops@example.org", "http://x", "mailto:a b@c.example", "mailto:", "https://"],
    webPushAllowHosts: ["http://x", "a b", "x:99999", "*.example", "[zz]"],
    trustedProxies: ["proxy.example", "10.0.0.0/33", "1.2.3.4/0", "fd00::/129", "10.0.0.1, x", "all"],
    workers: ["0", "65", "two", "1.5", "AUTO"],
    maxConcurrentRequests: ["0", "many"],
    maxConnectionsPerIp: ["0", "many"],
    longPollLimit: ["-1", "many"],
    longPollLimitPerIp: ["0", "many"],
    shutdownDelayMs: ["-1", "60001", "1s"],
    shutdownTimeoutMs: ["0", "600001", "25s"],
    metricsPublic: ["yes", "1", "TRUE"],
    otelEndpoint: ["127.0.0.1:4318", "grpc://x", "https://u:p@x", "https://x/?q"],
    otelHeaders: ["key", "=x", "a b=c", "a=\u0001", "a=%zz"],
    otelServiceName: ["é", "x".repeat(256)],
    otelTracesRatio: ["1.5", "-1", "half", "1e-1"],
    deviceRegistrationsPerMinute: ["0", "1e3", "-5"],
    pageViewsPerMinute: ["0", "many"],
    auditRetentionDays: ["-1", "a year", "1.5"],
    deviceRetentionDays: ["-1", "1.5", "a year"],
    clientRegistrationsPerMinute: ["0", "1e3", "-5"],
    oauthRedirectSchemes: ["javascript", "https", "my editor", "myeditor:", "data", "file"],
    logLevel: ["verbose", "INFO"],
    smtpUrl: ["http://x", "mail.example"],
    mailFrom: ["nobody", "a@b\nBcc: c@d"],
    assetsS3Endpoint: ["ftp://x", "belfry.example"],
    assetsS3Bucket: ["a b"],
    assetsS3Region: ["a b"],
    assetsS3AccessKeyId: ["a b"],
    assetsS3SecretAccessKey: ["a b"],
    backupTarget: ["s3://", "https://x/y", "s3://a b"],
    backupS3Endpoint: ["ftp://x", "belfry.example"],
    backupS3Region: ["a b"],
    backupS3AccessKeyId: ["a b"],
    backupS3SecretAccessKey: ["a b"],
    oidcIssuer: ["auth.example", "ftp://x", "https://u:p@x", "https://x/?q", "https://x/#h"],
    oidcClientId: ["é", "x".repeat(2001)],
    oidcClientSecret: ["a\u0001"],
    oidcName: ["x".repeat(41), "a\u0001"],
    oidcScopes: ["profile email", "openid é"],
    oidcMemberClaim: ["a b"],
    oidcMembers: ["admins=owner"],
    oidcTrustEmail: ["yes", "1"],
    oidcOnly: ["yes", "true"],
  };
  const rows = Object.entries(BAD).flatMap(([key, values]) =>
    values.map((value) => ({ name: SETTINGS[key as keyof Config].name, value })),
  );

  test("the table covers every setting", () => {
    expect(Object.keys(BAD).sort()).toEqual(Object.keys(SETTINGS).sort());
  });

  // rules#settings-are-checked
  test.each(rows)("$name=$value is refused by its name", ({ name, value }) => {
    const load = () => loadConfig({ [name]: value }, {});
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(new RegExp(`^${name} `));
  });

  const unusable = () => {
    const path = join(mkdtempSync(join(tmpdir(), "belfry-file-")), "file");
    writeFileSync(path, "");
    chmodSync(path, 0o400);
    return path;
  };
  const secret = "x".repeat(32);
  const bad: { name: string; settings: Record<string, string> }[] = [
    { name: "PORT", settings: { PORT: "none" } },
    { name: "DATA_DIR", settings: { DATA_DIR: unusable() } },
    { name: "SECRET", settings: { DATABASE_URL: "postgresql://127.0.0.1:1/x" } },
    // A database that is away is waited for (rules#start-waits).
    {
      name: "DATABASE_LISTEN_URL",
      settings: { DATABASE_URL: "postgresql://127.0.0.1:1/x", DATABASE_POOLER_MODE: "transaction", SECRET: secret },
    },
    { name: "HOST", settings: { HOST: "192.0.2.1" } },
  ];
  test.each(bad)("a process with a bad $name ends with one line that names it", async ({ name, settings }) => {
    const dataDir = mkdtempSync(join(folder.path, "bad-"));
    const { code, stdout, stderr } = await runProgram(process.execPath, ["src/main.ts"], {
      DATA_DIR: dataDir,
      PORT: "0",
      LOG_LEVEL: "warn",
      ...settings,
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(new RegExp(`^belfry: ${name}\\b.*\\n$`));
    expect(stderr).not.toContain("password");
    if ("DATA_DIR" in settings) rmSync(settings.DATA_DIR!, { force: true });
  });
});
