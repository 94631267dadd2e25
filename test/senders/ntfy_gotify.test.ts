// Requests of programs for ntfy, for Gotify and for neither. The results are the alert, the response in their own
// format, and the text of the sender's page. The programs themselves are run in real_programs.test.ts.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SAMPLE_PAYLOADS } from "../../src/api/ingest/formats/sample_payloads.ts";
import { toGotifyNumber } from "../../src/api/ingest/gotify.ts";
import { decodeHeader } from "../../src/api/ingest/message_text.ts";
import { parseNtfyDelay } from "../../src/api/ingest/ntfy_delay.ts";
import { LIMITS } from "../../src/model/limits.ts";
import { signInOwner } from "../support/console_site.ts";
import { World } from "../support/world.ts";

const HOST = "http://alerts.example.org";
const AT_ROOT = { ntfy: "ntfy.example.org", gotify: "gotify.example.org" };

let world: World;
let handle: string;
let channel: { id: string; handle: string };
/** A key of the channel alone, to publish and to compose. */
let bound: string;
let composing: string;
const lines: string[] = [];

beforeAll(async () => {
  world = await World.open({
    settings: { PUBLIC_URL: HOST, NTFY_HOST: AT_ROOT.ntfy, GOTIFY_HOST: AT_ROOT.gotify, LOG_LEVEL: "trace" },
    logTo: { write: (line: string) => void lines.push(line) },
  });
  channel = await world.pusher();
  handle = channel.handle;
  bound = await world.key({ scopes: "alerts:write,alerts:send", pusher: channel.id });
  composing = await world.key({ scopes: "alerts:write", pusher: channel.id });
});
afterAll(() => world?.close());

interface Sent {
  path?: string;
  host?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: RequestInit["body"];
  /** Null sends none. */
  token?: string | null;
}

async function send({ path = `/ntfy/${handle}`, host, method = "POST", headers = {}, body, token = bound }: Sent) {
  const answer = await world.service.app.fetch(
    new Request(`${host ? `http://${host}` : HOST}${path}`, {
      method,
      headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
      body: body ?? null,
      duplex: "half",
    } as RequestInit),
    "198.51.100.7",
  );
  const text = await answer.text();
  const notes = answer.headers.get("belfry-notes");
  return { status: answer.status, body: JSON.parse(text), notes, headers: answer.headers };
}

const alertOf = async (id: string) => (await world.rest("get_alert", { pusher_id: channel.id, alert_id: id })).body;
const getRequestLog = async (key: string) =>
  (
    await world.sql(
      "select requests from sender_log l join api_key k on k.id = l.key_id where k.hash = sha256(?::bytea)",
      [key],
    )
  )[0]?.requests ?? [];
const countAlerts = async () => Number((await world.sql("select count(*) as n from alert"))[0].n);

// rules#sender-formats
describe("a message of ntfy is an alert", () => {
  const AUTH = () => Buffer.from(`Bearer ${bound}`).toString("base64url");
  const rows: [name: string, sent: () => Sent, alert: Record<string, unknown>, note?: RegExp][] = [
    [
      "a text",
      () => ({ body: "Backup done" }),
      { title: "Backup done", body: null, priority: "normal", status: "sent" },
    ],
    ["put", () => ({ method: "PUT", body: "Put" }), { title: "Put" }],
    ["lines", () => ({ body: "First\nsecond\r\nthird" }), { title: "First", body: "second\nthird" }],
    ["nothing", () => ({}), { title: "triggered" }],
    ["a title", () => ({ body: "b", headers: { "x-title": "T" } }), { title: "T", body: "b" }],
    [
      "short forms",
      () => ({ body: "b", headers: { t: "T", p: "4", ta: "warning" } }),
      { title: "⚠️ T", priority: "important" },
    ],
    ["named priorities", () => ({ body: "b", headers: { prio: "urgent" } }), { priority: "urgent" }],
    [
      "a low priority",
      () => ({ body: "b", headers: { priority: "min" } }),
      { priority: "normal", sound: "silent", vibrate: "none" },
      /priority 1 or 2/,
    ],
    ["encoded words", () => ({ body: "b", headers: { title: "=?UTF-8?B?w6TDtsO8?=" } }), { title: "äöü" }],
    ["raw UTF-8", () => ({ body: "b", headers: { title: Buffer.from("äöü").toString("latin1") } }), { title: "äöü" }],
    ["tags", () => ({ body: "b", headers: { tags: "tada,backup,x y" } }), { title: "🎉 b", body: "Tags: backup, x y" }],
    [
      "the query",
      () => ({ path: `/ntfy/${handle}?title=Q&p=5&click=https://example.org/q`, body: "b" }),
      { title: "Q", priority: "urgent", source_url: "https://example.org/q" },
    ],
    [
      "get",
      () => ({ method: "GET", path: `/ntfy/${handle}/trigger?message=one%5Cntwo&t=T` }),
      { title: "T", body: "one\ntwo" },
    ],
    ["auth in the query", () => ({ token: null, path: `/ntfy/${handle}?auth=${AUTH()}`, body: "b" }), { title: "b" }],
    [
      "basic",
      () => ({ token: null, headers: { authorization: `Basic ${btoa(`me:${bound}`)}` }, body: "b" }),
      { title: "b" },
    ],
    [
      "a picture",
      () => ({ body: "b", headers: { attach: "https://example.org/a.jpg" } }),
      { image_url: "https://example.org/a.jpg" },
    ],
    [
      "a picture alone",
      () => ({ headers: { attach: "https://example.org/yard.jpg?x=1" } }),
      { title: "You received a file: yard.jpg", image_url: "https://example.org/yard.jpg?x=1" },
    ],
    [
      "another file alone, by its name",
      () => ({ headers: { attach: "https://example.org/1", filename: "app.apk" } }),
      { title: "You received a file: app.apk" },
    ],
    [
      "a link in Markdown without a title",
      () => ({ body: "see [the log](https://example.org/) now", headers: { md: "1" } }),
      { title: "see the log now", layout: "html" },
    ],
    [
      "Grafana's webhook by the template of that name",
      () => ({
        path: `/ntfy/${handle}?template=grafana`,
        body: JSON.stringify(SAMPLE_PAYLOADS.grafana.body),
        headers: { tags: "tada" },
      }),
      { title: expect.stringMatching(/^🎉 .*DiskFull|^🎉 The disk/), body: expect.stringContaining("97% full") },
    ],
    [
      "Alertmanager's webhook by the template of that name",
      () => ({
        path: `/ntfy/${handle}?template=alertmanager`,
        body: JSON.stringify(SAMPLE_PAYLOADS.alertmanager.body),
      }),
      { priority: "urgent", collapse_key: expect.any(String) },
    ],
    [
      "a template of another name",
      () => ({ path: `/ntfy/${handle}?template=constructor`, body: '{"a":1}' }),
      { title: '{"a":1}' },
      /^Only the named templates grafana/,
    ],
    [
      "another file",
      () => ({ body: "b", headers: { attach: "https://example.org/a.zip" } }),
      { actions: [{ type: "open_url", label: "Open the attachment", url: "https://example.org/a.zip" }] },
    ],
    [
      "buttons",
      () => ({
        body: "b",
        headers: {
          actions: 'view, "Open, now", https://example.org/1, clear=true; http, Close, https://example.org/2',
        },
      }),
      { actions: [{ type: "open_url", label: "Open, now", url: "https://example.org/1" }] },
      /Buttons can only open https links/,
    ],
    [
      "markdown",
      () => ({ body: "a **b**<script>1</script>", headers: { md: "1" } }),
      {
        title: expect.stringMatching(/^a b/),
        body: "a b",
        layout: "html",
        html: expect.stringMatching(/^<p>a <strong>b<\/strong>(?!.*script)/),
      },
    ],
    [
      "markdown without marks",
      () => ({ body: "plain", headers: { markdown: "yes" } }),
      { title: "plain", layout: "text", html: null },
    ],
    [
      "Markdown that would take long",
      () => ({ body: "> ".repeat(1900), headers: { md: "1" } }),
      { html: null },
      /too complex/,
    ],
    [
      "Markdown that is longer than the parser takes",
      () => ({ body: `**b**${" x".repeat(LIMITS.markdown / 2)}`, headers: { md: "1" } }),
      { html: null, layout: "text" },
      /too long/,
    ],
    [
      "Markdown with a list in each item of a list",
      () => ({ body: "1. ".repeat(1300), headers: { md: "1" } }),
      { html: null },
      /too complex/,
    ],
    ["a delay", () => ({ body: "b", headers: { in: "30m" } }), { status: "scheduled" }],
    ["a sequence", () => ({ body: "b", headers: { "x-sequence-id": "disk-1" } }), { collapse_key: "disk-1" }],
    [
      "parts without a counterpart",
      () => ({
        body: "b",
        headers: {
          icon: "https://e.org/i.png",
          cache: "no",
          firebase: "no",
          email: "a@b.c",
          call: "yes",
          up: "1",
          click: "http://plain",
        },
      }),
      { source_url: null },
      /^(?=.*Icon)(?=.*Cache)(?=.*Firebase)(?=.*Email)(?=.*Call)(?=.*UnifiedPush)(?=.*Click)/,
    ],
    [
      "a long line",
      () => ({ body: "x".repeat(200) }),
      { title: `${"x".repeat(119)}…`, body: "x".repeat(200) },
      /title is longer than/,
    ],
    [
      "control characters",
      () => ({ body: "a\u0000b\u001b[31mc" }),
      { title: "ab[31mc", body: null },
      /Control characters/,
    ],
    [
      "JSON at the root",
      () => ({
        path: "/ntfy",
        body: JSON.stringify({
          topic: handle,
          message: "m",
          title: "J",
          priority: 4,
          tags: ["skull"],
          delay: "10s",
          actions: [{ action: "view", label: "L", url: "https://example.org" }],
        }),
      }),
      {
        title: "💀 J",
        body: "m",
        priority: "important",
        status: "scheduled",
        actions: [{ type: "open_url", label: "L", url: "https://example.org" }],
      },
    ],
    [
      "JSON at a host of its own",
      () => ({
        host: AT_ROOT.ntfy,
        path: "/",
        body: JSON.stringify({ topic: handle, message: "m" }),
        headers: { "x-priority": "high" },
      }),
      { title: "m", priority: "important" },
    ],
    ["a text at a host of its own", () => ({ host: AT_ROOT.ntfy, path: `/${handle}`, body: "m" }), { title: "m" }],
  ];
  test.each(rows)("%s", async (_name, sent, alert, note) => {
    const { status, body, notes } = await send(sent());
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { event: "message", topic: handle, time: expect.any(Number) },
    });
    expect(await alertOf(body.id)).toMatchObject(alert);
    if (note) expect(notes).toMatch(note);
    else expect(notes).toBeNull();
  });

  test("the response has ntfy's fields, and those with default values are left out", async () => {
    const { body } = await send({
      body: "m",
      headers: { title: "T", priority: "5", tags: "tada,x", click: "https://e.org/" },
    });
    const { id, time, ...rest } = body;
    expect(rest).toEqual({
      event: "message",
      topic: handle,
      title: "T",
      message: "m",
      priority: 5,
      tags: ["tada", "x"],
      click: "https://e.org/",
      belfry: { state: "sent", said: "Published." },
    });
  });
});

// rules#sender-format-errors
describe("a refusal is ntfy's own", () => {
  const many = () => Buffer.alloc(10_000_000, "x");
  const rows: [name: string, sent: () => Sent, code: number, http: number][] = [
    ["nobody", () => ({ token: null, body: "b" }), 40101, 401],
    ["a wrong key", () => ({ token: `${bound.slice(0, -1)}_`, body: "b" }), 40101, 401],
    ["no channel", () => ({ path: "/ntfy/nowhere", body: "b" }), 40401, 404],
    ["a key without alerts:write", () => ({ token: reading, body: "b" }), 40301, 403],
    ["a delay", () => ({ body: "b", headers: { delay: "some day" } }), 40004, 400],
    ["a past", () => ({ body: "b", headers: { at: "1" } }), 40004, 400],
    ["ten megabytes", () => ({ body: many() }), 41301, 413],
    ["deep JSON", () => ({ path: "/ntfy", body: `${"[".repeat(5000)}${"]".repeat(5000)}` }), 40024, 400],
    [
      "many values",
      () => ({ path: "/ntfy", body: `{"topic":"${handle}","x":{"y":[${"1,".repeat(25_000)}1]}}` }),
      40024,
      400,
    ],
    ["broken JSON", () => ({ path: "/ntfy", body: `{"topic":` }), 40024, 400],
    ["no object", () => ({ path: "/ntfy", body: "[1]" }), 40024, 400],
    ["no topic", () => ({ path: "/ntfy", body: `{"message":"x"}` }), 40009, 400],
    ["a topic like a path", () => ({ path: "/ntfy", body: `{"topic":"../x","message":"x"}` }), 40009, 400],
    ["another method", () => ({ method: "PATCH", body: "b" }), 40401, 404],
    ["nothing at its host", () => ({ host: AT_ROOT.ntfy, path: "/console/sign-in", method: "GET" }), 40401, 404],
  ];
  let reading: string;
  beforeAll(async () => {
    reading = await world.key({ scopes: "alerts:read", pusher: channel.id });
  });
  test.each(rows)("%s", async (_name, sent, code, http) => {
    const before = await countAlerts();
    const { status, body } = await send(sent());
    expect({ status, body }).toEqual({
      status: http,
      body: { code, http, error: expect.stringMatching(/\.$/), link: expect.any(String) },
    });
    expect(await countAlerts()).toBe(before);
  });

  test("line ends in values end in no header and no second alert", async () => {
    const { status, body, headers } = await send({
      path: `/ntfy/${handle}?title=a%0d%0ax-evil:%201&tags=%0d%0a,qqqq`,
      body: "m",
    });
    expect(status).toBe(200);
    expect(headers.get("x-evil")).toBeNull();
    expect((await alertOf(body.id)).title).toBe("a x-evil: 1");
  });
});

test("health and the look at a topic are ntfy's", async () => {
  const look = (path: string, token: string | null) => send({ method: "GET", path, token });
  expect(await look("/ntfy/v1/health", null)).toMatchObject({ status: 200, body: { healthy: true } });
  expect(await look(`/ntfy/${handle}/auth`, bound)).toMatchObject({ status: 200, body: { success: true } });
  // A public channel is open to every subscriber.
  expect(await look(`/ntfy/${handle}/auth`, null)).toMatchObject({ status: 200, body: { success: true } });
  expect(await look("/ntfy/nowhere/auth", null)).toMatchObject({ status: 401, body: { code: 40101 } });
  expect(await look("/ntfy/nowhere/auth", bound)).toMatchObject({ status: 403, body: { code: 40301 } });
});

// rules#ntfy-any-origin
describe("scripts of other sites publish and listen as with ntfy", () => {
  const places: [host: string | undefined, path: () => string][] = [
    [undefined, () => `/ntfy/${handle}`],
    [undefined, () => "/ntfy"],
    [undefined, () => `/ntfy/${handle}/publish`],
    [undefined, () => `/ntfy/${handle}/json`],
    [undefined, () => "/ntfy/a/b/c/d"],
    [AT_ROOT.ntfy, () => `/${handle}`],
    [AT_ROOT.ntfy, () => "/"],
    [AT_ROOT.ntfy, () => "/a/b/c/d"],
  ];
  test.each(places)("%s%s", async (host, path) => {
    const origin = "https://page.example.org";
    const asked = new Request(`${host ? `http://${host}` : HOST}${path()}`, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "PUT", "access-control-request-headers": "authorization" },
    });
    const preflight = await world.service.app.fetch(asked, null);
    expect([preflight.status, Object.fromEntries(preflight.headers)]).toEqual([
      204,
      expect.objectContaining({
        "access-control-allow-origin": "*",
        "access-control-allow-methods": expect.stringMatching(/GET, PUT, POST.*DELETE/),
        "access-control-allow-headers": expect.stringMatching(/\*, authorization/),
      }),
    ]);
    for (const method of ["POST", "GET", "DELETE"])
      for (const token of [bound, null]) {
        const url = `${host ? `http://${host}` : HOST}${path()}${path().endsWith("/json") ? "?poll=1" : ""}`;
        const headers = { origin, ...(token === null ? {} : { authorization: `Bearer ${token}` }) };
        const body = method === "POST" ? `{"topic":"${handle}","message":"m"}` : null;
        const answer = await world.service.app.fetch(new Request(url, { method, headers, body }), null);
        expect(answer.headers.get("access-control-allow-origin")).toBe("*");
        expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
        await answer.text();
      }
  });

  test("a session's cookie is not a credential there, and other addresses stay closed to other origins", async () => {
    const visitor = await signInOwner(world, HOST);
    expect((await visitor.get("/console/account")).status).toBe(200);
    const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
    const hidden = await world.pusher({ is_public: false });
    const before = await countAlerts();
    const rows: [path: string, host?: string, method?: string][] = [
      [`/ntfy/${hidden.handle}`],
      [`/${hidden.handle}`, AT_ROOT.ntfy],
      [`/ntfy/${hidden.handle}/publish?message=m`, undefined, "GET"],
      [`/ntfy/${hidden.handle}/json?poll=1`, undefined, "GET"],
      [`/ntfy/${hidden.handle}/auth`, undefined, "GET"],
      [`/ntfy/${hidden.handle}/x`, undefined, "DELETE"],
    ];
    for (const [path, host, method = "POST"] of rows) {
      const body = method === "POST" ? "m" : null;
      const { status } = await send({
        path,
        ...(host ? { host } : {}),
        method,
        body,
        headers: { cookie },
        token: null,
      });
      expect([path, status]).toEqual([path, expect.toSatisfy((code) => code === 401 || code === 403)]);
    }
    expect(await countAlerts()).toBe(before);
    for (const path of ["/api/v1/me", "/console/account", "/gotify/message", `/api/v1/pushers/${handle}/ingest`]) {
      const answer = await world.service.app.fetch(new Request(HOST + path, { method: "OPTIONS" }), null);
      expect([path, answer.headers.get("access-control-allow-origin")]).toEqual([path, null]);
      await answer.text();
    }
  });
});

describe("a message of Gotify is an alert", () => {
  const json = (value: object) => ({ body: JSON.stringify(value), headers: { "content-type": "application/json" } });
  const form = (fields: Record<string, string>) => {
    const data = new FormData();
    for (const [name, value] of Object.entries(fields)) data.append(name, value);
    return data;
  };
  const rows: [name: string, sent: () => Sent, alert: Record<string, unknown>, note?: RegExp][] = [
    ["JSON", () => json({ title: "T", message: "m", priority: 8 }), { title: "T", body: "m", priority: "important" }],
    [
      "a token in the query",
      () => ({ token: null, path: `/gotify/message?token=${bound}`, ...json({ message: "m" }) }),
      { title: "m", body: null },
    ],
    [
      "X-Gotify-Key",
      () => ({
        token: null,
        body: new URLSearchParams({ message: "m", title: "F", priority: "10" }),
        headers: { "x-gotify-key": bound },
      }),
      { title: "F", priority: "urgent" },
    ],
    ["a form in parts", () => ({ body: form({ message: "m", title: "P" }) }), { title: "P", body: "m" }],
    [
      "a low priority",
      () => json({ message: "m", priority: 1 }),
      { sound: "silent", priority: "normal" },
      /priority below 4/,
    ],
    [
      "a priority below zero",
      () => json({ message: "m", priority: -2 }),
      { sound: "silent", priority: "normal" },
      /priority below 4/,
    ],
    ...["high", 5.5, [9], { a: 1 }].map((priority): (typeof rows)[number] => [
      `${JSON.stringify(priority)} as priority`,
      () => json({ message: "m", priority }),
      { title: "m", priority: "normal", sound: null },
      /^The priority is not a whole number/,
    ]),
    [
      "a word as priority in a form",
      () => ({ body: form({ message: "m", priority: "high" }) }),
      { title: "m", priority: "normal" },
      /^The priority is not a whole number/,
    ],
    [
      "the query alone",
      () => ({ path: `/gotify/message?title=Q&message=q&priority=8` }),
      { title: "Q", body: "q", priority: "important" },
    ],
    [
      "names in capitals",
      () => json({ Title: "C", MESSAGE: "m", Priority: 10 }),
      { title: "C", body: "m", priority: "urgent" },
    ],
    ["a blank text with a title", () => json({ title: "T", message: " " }), { title: "T", body: null }],
    ["a number as message", () => json({ message: 42 }), { title: "42" }],
    ["a title that is a list", () => json({ title: ["T"], message: "m" }), { title: "m" }, /^The title is not text/],
    [
      "extras in a form",
      () => ({ body: form({ message: "m", extras: '{"client::display":{"contentType":"text/markdown"}}' }) }),
      { title: "m" },
      /^Extras are supported only in a JSON body/,
    ],
    ["extras that are a list", () => json({ message: "m", extras: [1] }), { title: "m" }, /^The extras are not/],
    [
      "another content type of the text",
      () => json({ message: "<b>m</b>", extras: { "client::display": { contentType: "text/html" } } }),
      { title: "<b>m</b>", html: null },
      /^contentType must be text\/plain or text\/markdown/,
    ],
    [
      "extras",
      () =>
        json({
          message: "# Big\n<img src=x onerror=1>",
          title: "E",
          extras: {
            "client::display": { contentType: "text/markdown" },
            "client::notification": { click: { url: "https://e.org/c" }, bigImageUrl: "https://e.org/b.png" },
            "android::action": { onReceive: {} },
          },
        }),
      {
        layout: "html",
        html: expect.stringMatching(/^<h1>Big<\/h1>(?!.*onerror)/s),
        source_url: "https://e.org/c",
        image_url: "https://e.org/b.png",
      },
      /^Extras other than/,
    ],
    [
      "the root of its host",
      () => ({ host: AT_ROOT.gotify, path: "/message", ...json({ message: "r" }) }),
      { title: "r" },
    ],
  ];
  test.each(rows)("%s", async (_name, sent, alert, note) => {
    const { status, body, notes } = await send({ path: "/gotify/message", ...sent() });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { message: expect.any(String), date: expect.any(String) },
    });
    const { id } = body.extras["belfry::alert"];
    expect([body.id, body.appid]).toEqual([toGotifyNumber(id), toGotifyNumber(channel.id)]);
    expect(Number.isSafeInteger(body.id)).toBe(true);
    expect(await alertOf(id)).toMatchObject(alert);
    if (note) expect(notes).toMatch(note);
    else expect(notes).toBeNull();
  });

  const refusals: [name: string, sent: () => Sent, status: number][] = [
    ["nobody", () => ({ token: null, ...json({ message: "m" }) }), 401],
    ["no message", () => json({ title: "T" }), 400],
    ["an empty one", () => json({ message: " " }), 400],
    ["blanks alone", () => json({ title: " ", message: " " }), 400],
    ["nothing at all", () => ({}), 400],
    ["an invalid form", () => ({ body: "x", headers: { "content-type": "multipart/form-data; boundary=y" } }), 400],
    [
      "deep extras",
      () => ({ ...json({}), body: `{"message":"m","extras":${'{"a":'.repeat(3000)}1${"}".repeat(3000)}}` }),
      400,
    ],
    ["ten megabytes", () => ({ ...json({}), body: Buffer.alloc(10_000_000, "x") }), 413],
    ["a key of every channel", () => ({ ...json({ message: "m" }), token: world.owner }), 400],
    ["another method", () => ({ method: "GET" }), 404],
  ];
  test.each(refusals)("refused in its shape: %s", async (_name, sent, status) => {
    const before = await countAlerts();
    const answer = await send({ path: "/gotify/message", ...sent() });
    expect(answer).toMatchObject({
      status,
      body: { error: expect.any(String), errorCode: status, errorDescription: expect.any(String) },
    });
    expect(await countAlerts()).toBe(before);
  });

  test("its version and health are public", async () => {
    const look = async (path: string) => (await send({ method: "GET", path, token: null })).body;
    expect(await look("/gotify/health")).toEqual({ health: "green", database: "green" });
    expect(await look("/gotify/version")).toMatchObject({ version: expect.any(String) });
    for (const path of ["/gotify/health", "/gotify/version", "/ntfy/v1/health"]) {
      const answer = await world.service.app.fetch(new Request(HOST + path, { method: "HEAD" }), null);
      expect([answer.status, await answer.text()]).toEqual([200, ""]);
    }
    // A publishing address is not published to by a look.
    const before = await countAlerts();
    const seen = await world.service.app.fetch(
      new Request(`${HOST}/ntfy/${handle}/publish?message=x`, {
        ...{ method: "HEAD", headers: { authorization: `Bearer ${bound}` } },
      }),
      null,
    );
    expect([seen.status, await countAlerts()]).toEqual([404, before]);
  });
});

describe("the ingest route of a channel", () => {
  const path = () => `/api/v1/pushers/${channel.id}/ingest`;
  test("takes plain text, by id and by handle, and any named format", async () => {
    for (const at of [path(), `/api/v1/pushers/${handle}/ingest?from=text`]) {
      const { status, body } = await send({
        path: at,
        body: "One line\nand more",
        headers: { "content-type": "text/plain" },
      });
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { alerts: [{ state: "sent", pusher_id: channel.id }] },
      });
      expect(await alertOf(body.alerts[0].id)).toMatchObject({ title: "One line", body: "and more" });
    }
    const named = await send({ path: `${path()}?from=ntfy`, body: "b", headers: { title: "N" } });
    expect(named).toMatchObject({ status: 200, body: { event: "message", title: "N" } });
  });

  test("an unknown program is refused with the names of those that are known", async () => {
    const { status, body } = await send({ path: `${path()}?from=morse`, body: "b" });
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { error: { message: expect.stringContaining("?from= to one of: ntfy") } },
    });
  });

  test("an idempotency key makes one alert of a repeat", async () => {
    const once = () => send({ path: path(), body: "Once", headers: { "idempotency-key": "k1" } });
    const [first, second] = [await once(), await once()];
    expect(second.body.alerts[0].id).toBe(first.body.alerts[0].id);
  });
});

// rules#sender-formats
test.each([
  ["ntfy", () => ({ path: `/ntfy/${handle}`, body: "Draft" }), (body: any) => body.belfry],
  [
    "Gotify",
    () => ({ path: "/gotify/message", body: '{"message":"Draft"}' }),
    (body: any) => body.extras["belfry::alert"],
  ],
  ["plain text", () => ({ path: `/api/v1/pushers/${handle}/ingest`, body: "Draft" }), (body: any) => body.alerts[0]],
])(
  "a key that may only compose leaves a draft in %s, and gets the place where a person decides",
  async (_name, sent, told) => {
    const { status, body } = await send({ ...sent(), token: composing });
    expect(status).toBe(200);
    const { state, said } = told(body);
    expect(state).toBe("draft");
    expect(said).toContain(`${HOST}/console/`);
    const [row] = await world.sql("select status, title from alert order by id desc limit 1");
    expect(row).toMatchObject({ status: "draft", title: "Draft" });
  },
);

// rules#sender-log
test("the last requests of a key are kept without their contents; invalid keys write nothing", async () => {
  const key = await world.key({ scopes: "alerts:write,alerts:send", pusher: channel.id });
  for (let i = 0; i < LIMITS.sender_requests + 3; i++)
    await send({ token: key, body: `Secret words ${i}`, headers: { icon: "https://e.org/secret.png" } });
  await send({ token: key, body: "Secret words", headers: { delay: "some day" } });
  const kept = await getRequestLog(key);
  expect(kept).toHaveLength(LIMITS.sender_requests);
  expect(kept[0]).toMatchObject({ program: "ntfy", outcome: "refused", alert_id: null, alerts: 0 });
  expect(kept[1]).toMatchObject({
    outcome: "sent",
    said: "Published.",
    pusher_id: channel.id,
    notes: [expect.stringContaining("Icon")],
  });
  expect(JSON.stringify(kept)).not.toMatch(/ecret/);
  const rows = async () => (await world.sql("select count(*) as n from sender_log"))[0].n;
  const before = await rows();
  await send({ token: null, body: "b" });
  await send({ token: "bfk_no", body: "b" });
  expect(await rows()).toBe(before);
});

test("no log line contains a key, for any place of the key", async () => {
  const auth = Buffer.from(`Bearer ${bound}`).toString("base64url");
  await send({ token: null, path: `/ntfy/${handle}?auth=${auth}`, body: "b" });
  await send({ token: null, path: `/ntfy/${handle}?auth=${auth}`, body: "b", headers: { p: "9" } });
  await send({ token: null, path: `/gotify/message?token=${bound}`, body: "{" });
  await send({ token: null, path: `/gotify/${bound}`, body: "{" });
  await send({ token: null, path: `/ntfy/${bound}`, body: "b" });
  await send({ token: null, path: `/message?token=${bound}`, host: AT_ROOT.gotify, body: "{" });
  await send({ token: null, path: `/${bound}`, host: AT_ROOT.ntfy, body: "b" });
  const ingest = `/api/v1/pushers/${handle}/ingest`;
  await send({ token: null, path: `${ingest}?from=github&token=${bound}`, body: "{" });
  await send({ token: null, path: `${ingest}?from=${bound}`, headers: { "x-gitlab-token": bound }, body: "{" });
  const basic = `Basic ${btoa(`me:${bound}`)}`;
  await send({ token: null, path: ingest, headers: { authorization: basic, title: bound }, body: bound });
  const all = lines.join("");
  expect(all).toContain(`/ntfy/${handle}`);
  expect(all).not.toContain(bound.slice(4, 40));
  for (const coded of [auth, basic]) expect(all).not.toContain(coded.slice(12));
});

test("a limit is reported with the seconds to wait, and a host of its own reveals nothing else", async () => {
  const limited = await World.open({ limits: true, settings: { PUBLIC_URL: HOST } });
  try {
    const { id, handle: topic } = await limited.pusher();
    const key = await limited.key({ scopes: "alerts:write,alerts:send", pusher: id });
    const publish = (path: string, body: string) =>
      limited.service.app.fetch(
        new Request(HOST + path, {
          method: "POST",
          body,
          headers: { "x-gotify-key": key, authorization: `Bearer ${key}` },
        }),
      );
    for (let i = 0; i < LIMITS.sends; i++) expect((await publish(`/ntfy/${topic}`, "x")).status).toBe(200);
    const refused = await publish(`/ntfy/${topic}`, "x");
    expect([refused.status, Number(refused.headers.get("retry-after"))]).toEqual([429, expect.any(Number)]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ code: 42901, http: 429 });
    const other = await publish("/gotify/message", '{"message":"x"}');
    expect(await other.json()).toMatchObject({ errorCode: 429 });
  } finally {
    await limited.close();
  }
});

test("delays in ntfy's spellings", () => {
  // A Wednesday.
  const now = new Date("2026-11-25T12:00:00Z");
  const at = (said: string) => parseNtfyDelay(said, now)?.at.toISOString().slice(0, 16) ?? null;
  const rows: Record<string, string | null> = {
    "1795612200": "2026-11-25T13:10",
    "30m": "2026-11-25T12:30",
    "1h30m": "2026-11-25T13:30",
    "2 days": "2026-11-27T12:00",
    "in 3 hours": "2026-11-25T15:00",
    "1d": "2026-11-26T12:00",
    tomorrow: "2026-11-26T12:00",
    "tomorrow, 10am": "2026-11-26T10:00",
    "10am": "2026-11-26T10:00",
    "8:30pm": "2026-11-25T20:30",
    "Tuesday, 7am": "2026-12-01T07:00",
    "today 3pm": "2026-11-25T15:00",
    "tomorrow at 12am": "2026-11-26T00:00",
    "today 3am": null,
    "25:00": null,
    soon: null,
    "99999999999999": null,
    ["9".repeat(400)]: null,
  };
  expect(Object.fromEntries(Object.keys(rows).map((said) => [said, at(said)]))).toEqual(rows);
});

test("header values in RFC 2047 encoding of both kinds, and invalid ones stay", () => {
  expect(decodeHeader("=?UTF-8?Q?=C3=A4_b?= and =?utf-8?B?w7Y=?=")).toBe("ä b and ö");
  expect(decodeHeader("=?utf-8?B?w7Y=?= =?utf-8?B?w7w=?=")).toBe("öü");
  expect(decodeHeader("=?nothing?B?w7Y=?=")).toBe("=?nothing?B?w7Y=?=");
});
