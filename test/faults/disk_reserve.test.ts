// While less than MIN_FREE_DISK_MB is free on the disk of the embedded database, no request writes. Every entry point
// is tested. Reading, /healthz and stopping continue; /readyz reports the reason.

import { afterAll, beforeAll, expect, test } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import { HANDSET_OPERATIONS } from "../../src/handset/handset_operations.ts";
import { HttpVisitor, signInOwner } from "../support/console_site.ts";
import {
  buildAuthorizeRequest,
  connectAssistant,
  OAUTH,
  registerClient,
  SERVER_ORIGIN,
  sendForm,
  sendOAuthRequest,
} from "../support/oauth_flow.ts";
import { runBelfryShared } from "../support/processes.ts";
import { World } from "../support/world.ts";

const EMBEDDED = { DATABASE_URL: "" };

let before: World;
let world: World;
let pusher: { id: string; handle: string };
let alertId: string;
let device: string;
let cookies: HttpVisitor["cookies"];
let client: { client_id: string };
let tokens: { access_token: string; refresh_token: string };

beforeAll(async () => {
  before = await World.open({ settings: EMBEDDED });
  pusher = await before.pusher();
  alertId = (await before.alert(pusher.id, { send: true })).id;
  device = await before.device(pusher.handle);
  const visitor = await signInOwner(before);
  client = (await registerClient(before)).body;
  tokens = (await connectAssistant(before, visitor, client, { scope: "pushers:read offline_access" })).tokens.body;
  cookies = visitor.cookies;
  // Writes that happen once a day in passing are due.
  await before.sql(
    `update auth.session set "updatedAt" = now() - interval '2 days', "expiresAt" = now() + interval '4 days'`,
  );
  await before.sql("update device set last_seen_at = last_seen_at - interval '2 days'");
  await before.leave();
  world = await before.replica({ ...EMBEDDED, MIN_FREE_DISK_MB: "1000000000" });
});
afterAll(async () => {
  await world?.close();
  await before.remove();
});

const REFUSED = {
  error: {
    type: "server_error",
    code: "disk_full",
    message: expect.stringMatching(/^The server's disk is almost full/),
    param: null,
  },
};

const signedIn = () => {
  const visitor = new HttpVisitor(world, SERVER_ORIGIN);
  for (const [name, value] of cookies) visitor.cookies.set(name, value);
  return visitor;
};

const everyRow = async () => {
  const tables = await world.sql<{ name: string }>(
    "select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables where relname <> 'migration' order " +
      "by 1",
  );
  const rows: Record<string, string> = {};
  for (const { name } of tables)
    rows[name] = (
      await world.sql(`select md5(coalesce(string_agg(t::text, ',' order by t::text), '')) as rows from ${name} t`)
    )[0].rows;
  return rows;
};

test("every kind of change over REST and MCP is 503 with Retry-After, and reading works", async () => {
  const calls: [string, Record<string, unknown>][] = [
    ["create_pusher", { handle: "no-room", name: "N", category: "community", description: "D" }],
    ["update_pusher", { pusher_id: pusher.id, name: "Other" }],
    ["create_alert", { pusher_id: pusher.id, title: "A", send: true }],
    ["cancel_alert", { pusher_id: pusher.id, alert_id: alertId }],
    ["create_invite", { pusher_id: pusher.id }],
  ];
  for (const [tool, args] of calls) {
    const answer = await world.rest(tool, args);
    expect({ ...answer, retry: answer.headers.get("retry-after") }, tool).toMatchObject({
      status: 503,
      body: REFUSED,
      retry: "30",
    });
    expect((await world.mcp(tool, args)).body, tool).toMatchObject(REFUSED);
  }
  for (const tool of ["list_alerts", "get_pusher_stats"])
    expect((await world.rest(tool, { pusher_id: pusher.id })).status).toBe(200);
});

test("handsets: every write is refused, the inbox is not", async () => {
  const facts = { platform: "android", app_version: "1.0.0", locale: "en", timezone: "Europe/Lisbon" };
  const report = { alert_id: alertId, kind: "read" };
  const calls: [string, string, string | null, unknown?][] = [
    ["POST", "/devices", null, facts],
    ["PUT", `/subscriptions/${pusher.handle}`, device, {}],
    ["DELETE", `/subscriptions/${pusher.handle}`, device],
    ["POST", "/reports", device, { reports: [report] }],
    ["DELETE", `/reports?before=${new Date().toISOString()}`, device],
    ["PATCH", "/devices/me", device, { locale: "pt" }],
    ["DELETE", "/devices/me", device],
    ["POST", "/devices/me/import", device, { version: 1, data: [] }],
    ["POST", "/devices/me/transfer", device, {}],
    ["POST", "/devices/me/takeover", device, { code: `bft_${"x".repeat(43)}` }],
    ["PUT", "/devices/me/push", device, { kind: "web_push", endpoint: "https://push.example.org/x" }],
    ["DELETE", "/devices/me/push", device],
    ["PUT", "/devices/me/owner", device, { code: `bfo_${"x".repeat(43)}` }],
    ["DELETE", "/devices/me/owner", device],
  ];
  const writing = HANDSET_OPERATIONS.filter(({ http }) => http.method !== "GET");
  expect(HANDSET_OPERATIONS.filter(({ writes }) => writes !== "nothing")).toEqual(writing);
  expect(calls).toHaveLength(writing.length);
  for (const [method, path, token, body] of calls)
    expect(await world.handset(method, path, token, body), path).toMatchObject({ status: 503, body: REFUSED });
  expect((await world.handset("GET", "/inbox", device)).body.data).toHaveLength(1);
});

test("every form, every upload and the authorization server are refused, each in its own format", async () => {
  const visitor = signedIn();
  const start = (await visitor.get("/console")).headers.get("location")!;
  const workspace = /wsp_\w+/.exec(start)![0];
  const operations = new Set<string>(
    [...OPERATIONS, ...HANDSET_OPERATIONS].map(({ http }) => http.path.replace(/\{(\w+)\}/g, ":$1")),
  );
  const writingRoutes = world.service.app.routes.filter(
    ({ method, route }) =>
      method &&
      !["GET", "HEAD", "OPTIONS"].includes(method) &&
      !operations.has(route!) &&
      // Addresses that only name the right one change nothing (rules#wrong-addresses).
      !/^\/((c\/)?:topic(\/message)?|ingest\/:topic|stream|version|current\/user)?$/.test(route!) &&
      !/^\/(mcp|message|client|application)(\/\*\*)?$/.test(route!) &&
      // They take keys, and are tried below.
      !/^\/(ntfy|gotify)|\/ingest(\/api\/v2\/alerts)?$/.test(route!),
  );
  expect(writingRoutes.length).toBeGreaterThan(20);
  const shapes = new Set<string>();
  for (const { method, route } of writingRoutes) {
    const path = route!.replace(":workspace", workspace).replace(/:\w+/g, "some");
    // Dispatch looks at the shape of a call first.
    const query = path === "/console/assets" ? "?kind=image&name=a.png" : "";
    const headers = {
      origin: SERVER_ORIGIN,
      cookie: [...cookies].map((pair) => pair.join("=")).join("; "),
      "belfry-workspace": workspace,
      "sec-fetch-site": "same-origin",
    };
    const {
      status,
      headers: answered,
      body,
    } = await sendOAuthRequest(world, new Request(SERVER_ORIGIN + path + query, { method, headers }), "198.51.100.9");
    expect({ path, status, retry: answered.get("retry-after") }).toEqual({ path, status: 503, retry: "30" });
    if (path.startsWith(OAUTH)) {
      expect(body).toEqual({ error: "temporarily_unavailable", error_description: REFUSED.error.message });
      shapes.add("oauth");
    } else if (path.startsWith("/console/assets")) {
      expect(body).toMatchObject(REFUSED);
      shapes.add("envelope");
    } else {
      expect(body).toMatch(/The server('|&#39;)s disk is almost full/);
      shapes.add("page");
    }
  }
  expect([...shapes].sort()).toEqual(["envelope", "oauth", "page"]);

  for (const [path, body] of [
    ["/ntfy/some", { code: 50300, http: 503 }],
    ["/api/v1/pushers/some/ingest?from=text", REFUSED],
  ] as const) {
    const sent = { method: "POST", body: "x", headers: { authorization: `Bearer ${world.owner}` } };
    const told = await sendOAuthRequest(world, new Request(SERVER_ORIGIN + path, sent), "198.51.100.9");
    expect({ path, status: told.status, body: told.body }).toMatchObject({ path, status: 503, body });
  }

  // A GET, and yet it would write the code.
  const asked = await visitor.get(buildAuthorizeRequest(client.client_id, { scope: "pushers:read" }).path);
  expect([asked.status, asked.headers.get("retry-after")]).toEqual([503, "30"]);
  const refresh = { grant_type: "refresh_token", refresh_token: tokens.refresh_token, client_id: client.client_id };
  expect((await sendForm(world, `${OAUTH}/token`, refresh)).status).toBe(503);
  const signIn = { email: "owner@example.org", password: "correct horse battery" };
  expect((await new HttpVisitor(world, SERVER_ORIGIN).post("/console/sign-in", signIn)).status).toBe(503);
});

test("pages, files, reads and /healthz work, /readyz gives the reason, and not a row has changed", async () => {
  const rows = await everyRow();
  const visitor = signedIn();
  const start = (await visitor.get("/console")).headers.get("location")!;
  expect((await visitor.get(start)).status).toBe(200);
  expect((await visitor.get("/console/assets")).status).toBe(200);
  expect((await world.rest("list_pushers")).status).toBe(200);
  const { body } = await world.mcp("list_pushers", {}, tokens.access_token);
  expect(body.data).toHaveLength(1);
  // A missing scope is reported, though not stored.
  expect(
    (
      await world.request("POST", "/mcp", {
        token: tokens.access_token,
        headers: { accept: "application/json, text/event-stream" },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "delete_pusher", arguments: { pusher_id: pusher.id } },
        }),
      })
    ).status,
  ).toBe(403);
  expect((await world.handset("GET", "/inbox", device)).status).toBe(200);
  expect((await world.request("GET", "/healthz")).status).toBe(200);
  const ready = await world.request("GET", "/readyz");
  expect(ready).toMatchObject({ status: 503, body: { reason: expect.stringContaining("disk is almost full") } });
  expect(await everyRow()).toEqual(rows);
});

// rules#upgrade-space
test("a start and a command refuse to migrate the database", async () => {
  await world.sql("delete from migration where id = (select max(id) from migration)");
  const { DATA_DIR = "", SECRET = "" } = world.settings;
  await world.leave();
  const settings = { ...EMBEDDED, MIN_FREE_DISK_MB: "1000000000" };
  const message = /DATA_DIR has \d+ MB of free disk space, but upgrading its database requires 1000000000 MB /;
  await expect(before.replica(settings)).rejects.toThrow(message);
  const listed = await runBelfryShared(["keys", "list"], { ...settings, DATA_DIR, SECRET });
  expect(listed).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
});
