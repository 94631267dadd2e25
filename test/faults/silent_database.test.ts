// PostgreSQL by URL that accepts connections without responding, or falls silent on open ones. Every call gets an error
// within its time limit. The process itself responds, stops on request, and recovers by itself.

import { readFileSync } from "node:fs";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { findDatabaseUnavailableCode } from "../../src/store/db/database_unavailable_errors.ts";
import { createOrm } from "../../src/store/db/orm.ts";
import { signInOwner } from "../support/console_site.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../support/database_proxy.ts";
import { freePort } from "../support/free_port.ts";
import { OAUTH, SERVER_ORIGIN, USUAL_CLIENT } from "../support/oauth_flow.ts";
import { type RunningServer, runProgram, startServer, temporaryFolder } from "../support/processes.ts";
import { skipForReason } from "../support/requirements.ts";
import { waitFor } from "../support/wait.ts";
import { World } from "../support/world.ts";

const [CONNECT_MS, STATEMENT_MS] = [2_000, 1_000];
/** The extra time of a statement before a silent server is given up, and the delay of a busy machine. */
const [MARGIN_MS, SLACK_MS] = [2_000, 60_000];

const folder = temporaryFolder();
let world: World;
let proxy: DatabaseProxy;
let settings: Record<string, string>;
let pusher: { id: string; handle: string };
let device: string;
let cookie: string;
let server: RunningServer;

beforeAll(async () => {
  world = await World.open();
  pusher = await world.pusher();
  device = await world.device(pusher.handle);
  cookie = [...(await signInOwner(world)).cookies].map((pair) => pair.join("=")).join("; ");
  proxy = await startDatabaseProxy(world.settings.DATABASE_URL!);
  settings = {
    ...world.settings,
    DATABASE_URL: proxy.url,
    DATABASE_CONNECT_TIMEOUT_MS: String(CONNECT_MS),
    DATABASE_STATEMENT_TIMEOUT_MS: String(STATEMENT_MS),
    DATABASE_POOL_SIZE: "6",
    LOG_LEVEL: "error",
    // The console's forms and cookies are of this origin.
    PUBLIC_URL: SERVER_ORIGIN,
  };
  server = await startServer(settings.DATA_DIR!, { settings });
});
afterEach(() => proxy.speak());
afterAll(async () => {
  folder.remove();
  await proxy.close();
  await world.close();
});

const JSON_BODY = { "content-type": "application/json" };
const FORM_BODY = { "content-type": "application/x-www-form-urlencoded" };

/** One request for each entry point that uses the database, with the shape of its refusals. */
function calls(): { at: string; shape: "envelope" | "oauth" | "page"; init: RequestInit }[] {
  const key = { authorization: `Bearer ${world.owner}` };
  const handset = { authorization: `Bearer ${device}` };
  const facts = { platform: "android", app_version: "1.0.0", locale: "en", timezone: "UTC" };
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_pushers", arguments: {} } };
  const code = {
    grant_type: "authorization_code",
    code: "c",
    redirect_uri: SERVER_ORIGIN,
    code_verifier: "v".repeat(43),
    client_id: "x",
  };
  const post = (headers: object, body: unknown): RequestInit => ({
    method: "POST",
    headers: { ...headers } as Record<string, string>,
    body: body instanceof URLSearchParams ? body.toString() : JSON.stringify(body),
  });
  return [
    { at: "/api/v1/pushers", shape: "envelope", init: { headers: key } },
    {
      at: `/api/v1/pushers/${pusher.id}/alerts`,
      shape: "envelope",
      init: post({ ...key, ...JSON_BODY }, { title: "A" }),
    },
    {
      at: "/mcp",
      shape: "envelope",
      init: post({ ...key, ...JSON_BODY, accept: "application/json, text/event-stream" }, message),
    },
    { at: "/handset/v1/inbox", shape: "envelope", init: { headers: handset } },
    { at: "/handset/v1/devices", shape: "envelope", init: post(JSON_BODY, facts) },
    { at: "/console/assets", shape: "envelope", init: { headers: { cookie } } },
    { at: `${OAUTH}/register`, shape: "oauth", init: post(JSON_BODY, USUAL_CLIENT) },
    { at: `${OAUTH}/token`, shape: "oauth", init: post(FORM_BODY, new URLSearchParams(code)) },
    { at: "/api/auth/jwks", shape: "oauth", init: {} },
    { at: "/console", shape: "page", init: { headers: { cookie } } },
    { at: `${OAUTH}/authorize?client_id=x&response_type=code`, shape: "page", init: { headers: { cookie } } },
  ];
}

async function everyCallIsToldSo(boundMs: number): Promise<void> {
  await Promise.all(
    calls().map(async ({ at, shape, init }) => {
      const begun = performance.now();
      const answer = await fetch(server.url + at, { redirect: "manual", ...init });
      const text = await answer.text();
      const took = performance.now() - begun;
      expect({ at, status: answer.status, retry: answer.headers.get("retry-after") }, text).toEqual({
        at,
        status: 503,
        retry: "2",
      });
      if (shape === "envelope")
        expect(JSON.parse(text)).toEqual({
          error: {
            type: "server_error",
            code: "database_unavailable",
            message: expect.stringMatching(/^The database is not available/),
            param: null,
          },
        });
      else if (shape === "oauth") expect(JSON.parse(text)).toMatchObject({ error: "temporarily_unavailable" });
      else expect(answer.headers.get("content-type")).toContain("text/html");
      expect(took, at).toBeLessThan(boundMs + SLACK_MS);
    }),
  );
}

const status = async (path: string) => (await fetch(server.url + path)).status;
const untilReady = () => waitFor(async () => expect(await status("/readyz")).toBe(200));

test("silent on open connections: every call is 503 within its limit, /healthz is not, and it recovers", async () => {
  await untilReady();
  // The pool has connections that will be silent.
  await Promise.all(calls().map(({ at, init }) => fetch(server.url + at, { redirect: "manual", ...init })));
  expect(proxy.count()).toBeGreaterThan(0);
  proxy.fallSilent();
  const told = everyCallIsToldSo(CONNECT_MS + STATEMENT_MS + MARGIN_MS);
  const begun = performance.now();
  expect(await status("/healthz")).toBe(200);
  expect(performance.now() - begun).toBeLessThan(SLACK_MS);
  // Its last check is valid for a moment.
  await waitFor(async () => expect(await status("/readyz")).toBe(503));
  await told;
  // From here on no new connections are accepted either.
  await everyCallIsToldSo(CONNECT_MS);
  expect(await status("/readyz")).toBe(503);
  proxy.speak();
  await untilReady();
  for (const { at, init } of calls())
    expect((await fetch(server.url + at, { redirect: "manual", ...init })).status, at).toBeLessThan(500);
});

/** A call in the middle of a statement that is not answered, met by SIGTERM. */
async function stopInTheMiddle() {
  await untilReady();
  proxy.fallSilent();
  const { at, init } = calls()[0]!;
  const waiting = fetch(server.url + at, init).catch(() => null);
  await waitFor(() => expect(proxy.swallowed()).toBeGreaterThan(0));
  const begun = performance.now();
  process.kill(server.pid, "SIGTERM");
  return { waiting, took: () => performance.now() - begun };
}

test("SIGTERM stops it in this state, within the deadline", async () => {
  const { waiting, took } = await stopInTheMiddle();
  expect((await waiting)?.status).toBe(503);
  expect(await server.exited).toBe(0);
  expect(took()).toBeLessThan(60_000);
});

test("/readyz does not wait for as long as a call may", async () => {
  // The call may need a new connection, so that has the same limit.
  const slow = { ...settings, DATABASE_CONNECT_TIMEOUT_MS: "120000", DATABASE_STATEMENT_TIMEOUT_MS: "120000" };
  server = await startServer(settings.DATA_DIR!, { settings: slow });
  await untilReady();
  proxy.fallSilent();
  const { at, init } = calls()[0]!;
  const call = fetch(server.url + at, init).then(
    () => "a call",
    () => "a call",
  );
  const ready = waitFor(async () => expect(await status("/readyz")).toBe(503));
  expect(await Promise.race([call, ready.then(() => "/readyz")])).toBe("/readyz");
  await server.stop("SIGKILL");
  await call;
});

test("longer waits end at the deadline, and a second signal ends at once", async () => {
  const bounds = { DATABASE_CONNECT_TIMEOUT_MS: "60000", DATABASE_STATEMENT_TIMEOUT_MS: "60000" };
  const slow = { ...settings, ...bounds, SHUTDOWN_TIMEOUT_MS: "1500" };
  server = await startServer(settings.DATA_DIR!, { settings: slow });
  const first = await stopInTheMiddle();
  expect(await server.exited).toBe(1);
  expect(first.took()).toBeGreaterThan(1_400);
  expect(server.log()).toContain("shutdown timed out");
  expect(await first.waiting).toBeNull();

  proxy.speak();
  server = await startServer(settings.DATA_DIR!, { settings: { ...slow, SHUTDOWN_TIMEOUT_MS: "600000" } });
  const second = await stopInTheMiddle();
  await waitFor(async () => expect(await fetch(server.url).catch(() => null)).toBeNull());
  // One that follows at once is the same one, passed on by npm.
  const asking = setInterval(() => process.kill(server.pid, "SIGTERM"), 200);
  expect(await server.exited).toBe(1);
  clearInterval(asking);
  expect(server.log()).not.toContain("shutdown timed out");
  expect(await second.waiting).toBeNull();
});

// rules#start-waits
test("a start waits for such a database, answers probes, and serves once it answers", async () => {
  proxy.fallSilent();
  const port = await freePort();
  const starting = startServer(settings.DATA_DIR!, { settings: { ...settings, LOG_LEVEL: "info" }, port });
  const url = `http://localhost:${port}`;
  const reason = "DATABASE_URL points to a database that cannot be opened (no response).";
  await waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(503));
  expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: "not ready", reason });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const refused = await fetch(`${url}/api/v1/me`);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, expect.stringMatching(/^\d+$/)]);
  expect(await refused.json()).toMatchObject({ error: { code: "database_unavailable" } });
  proxy.speak();
  const late = await starting;
  expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: "ready" });
  expect(late.log()).toContain(`${reason} Startup will be retried until the database responds.`);
  await late.stop();
});

test("a start on a database that refuses its user is one line that names the fix", async () => {
  const DATABASE_URL = world.settings.DATABASE_URL!.replace(/\/\/[^@]*@/, "//nobody_at_all:secret@");
  const { code, stderr } = await runProgram(process.execPath, ["src/main.ts"], {
    ...settings,
    PORT: "0",
    DATABASE_URL,
  });
  expect(code).toBe(1);
  expect(stderr).toBe(
    "belfry: DATABASE_URL points to a database that cannot be opened (it rejects the user name or password).\n",
  );
});

test("a transaction in which nothing happens is ended by the database, and others get its locks", async () => {
  const databaseUrl = world.settings.DATABASE_URL!;
  await world.sql("create table held (one int)");
  const orm = createOrm({ databaseUrl, databasePoolSize: 2, databaseIdleTransactionTimeoutMs: 300 });
  try {
    const idle = orm.em.fork() as SqlEntityManager;
    await idle.begin();
    await idle.execute("lock table held in access exclusive mode");
    // Waits for the lock for as long as that takes.
    expect(await world.sql("select one from held")).toEqual([]);
    const said = await idle.execute("select 1").catch((error) => error);
    expect(findDatabaseUnavailableCode(said)).not.toBeNull();
    await idle.rollback().catch(() => {});
    expect(await orm.em.fork().execute("select 1 as one")).toEqual([{ one: 1 }]);
  } finally {
    await orm.close(true);
  }
});

test("sockets check whether the other side still exists", async ({ skip }) => {
  skip(skipForReason(process.platform === "linux" ? null : "only Linux shows the timers of sockets"));
  /** The timer of each of our connections to a port: 02 is the keepalive timer. */
  const timers = () =>
    readFileSync("/proc/net/tcp", "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , remote, state]) => remote?.endsWith(port) && state === "01")
      .map((fields) => fields[5]!.slice(0, 2));
  const port = `:${proxy.port.toString(16).toUpperCase().padStart(4, "0")}`;
  for (const [databaseKeepaliveIntervalMs, timer] of [
    [10_000, "02"],
    [0, "00"],
  ] as const) {
    const orm = createOrm({ databaseUrl: proxy.url, databasePoolSize: 2, databaseKeepaliveIntervalMs });
    await orm.em.fork().execute("select 1");
    await waitFor(() => expect(timers()).toEqual([timer]));
    await orm.close(true);
    await waitFor(() => expect(timers()).toEqual([]));
  }
});
