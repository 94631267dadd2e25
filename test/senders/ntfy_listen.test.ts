// Programs that subscribe as to ntfy, on real sockets: permissions, the format of a message, no loss between two
// connections, and the end of one. rules#ntfy-listens

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { request } from "undici";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { LIMITS } from "../../src/model/limits.ts";
import { findFreePort, type ListeningServer, listenHttp } from "../../src/program/boot/http_server.ts";
import { registerHandset, joinChannel as subscribe, suspend } from "../support/handsets.ts";
import { startServer } from "../support/processes.ts";
import { isSenderMissing } from "../support/requirements.ts";
import { waitFor } from "../support/wait.ts";
import { timeInSeconds, World } from "../support/world.ts";

const HOST = "127.0.0.1";
const NTFY_HOST = "ntfy.example.org";

let world: World;
let server: ListeningServer;
let port: number;
beforeAll(async () => {
  port = await findFreePort(HOST);
  world = await World.open({ settings: { PUBLIC_URL: `http://${HOST}:${port}`, NTFY_HOST } });
  server = await listenHttp(world.service.app, { host: HOST, port });
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

interface Message {
  id: string;
  event: string;
  topic: string;
  time: number;
  [field: string]: any;
}

/** The messages of one connection. */
interface Heard {
  messages: Message[];
  texts(): string[];
  ended: boolean;
  close(): void;
}
const open = new Set<Heard>();
afterEach(() => {
  for (const heard of open) heard.close();
  open.clear();
});

const address = (path: string, at = port) => `http://${HOST}:${at}/ntfy/${path}`;
const of = (messages: Message[], event = "message") => messages.filter((one) => one.event === event);
const made = (messages: Message[], close: () => void): Heard => {
  const heard = { messages, ended: false, close, texts: () => of(messages).map(({ message }) => message) };
  open.add(heard);
  return heard;
};

/** A stream of JSON lines, begun. */
async function hear(path: string, headers: Record<string, string> = {}, at = port): Promise<Heard> {
  const gone = new AbortController();
  const answer = await request(address(path, at), { headers, signal: gone.signal });
  expect(answer.statusCode).toBe(200);
  const heard = made([], () => gone.abort());
  void (async () => {
    let text = "";
    for await (const chunk of answer.body) {
      text += chunk;
      const lines = text.split("\n");
      text = lines.pop()!;
      heard.messages.push(...lines.map((line) => JSON.parse(line)));
    }
  })()
    .catch(() => {})
    .finally(() => {
      heard.ended = true;
    });
  await waitFor(() => expect(heard.messages[0]?.event).toBe("open"));
  return heard;
}

function hearSocket(path: string, headers: Record<string, string> = {}, at = port): Promise<Heard> {
  const socket = new WebSocket(address(path, at).replace("http", "ws"), { headers });
  const heard = made([], () => socket.terminate());
  socket.on("message", (data) => heard.messages.push(JSON.parse(String(data))));
  socket.on("close", () => {
    heard.ended = true;
  });
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("open", () => resolve(heard));
  });
}

async function get(path: string, headers: Record<string, string> = {}) {
  const answer = await request(address(path), { headers });
  return { status: answer.statusCode, text: await answer.body.text(), headers: answer.headers };
}
const poll = async (path: string, headers?: Record<string, string>): Promise<Message[]> =>
  (await get(path, headers)).text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
/** All after a message, as often as it takes. */
async function rest(handle: string, last: string): Promise<string[]> {
  const all: string[] = [];
  for (let since = last; ; ) {
    const messages = await poll(`${handle}/json?poll=1&since=${since}`);
    if (messages.length === 0) return all;
    all.push(...messages.map(({ message }) => message));
    since = messages.at(-1)!.id;
  }
}
const texts = (heard: Heard, expected: string[]) => waitFor(() => expect(heard.texts()).toEqual(expected));
const ended = (heard: Heard) => waitFor(() => expect(heard.ended).toBe(true));
const send = (pusher: { id: string }, title: string, fields: object = {}) =>
  world.alert(pusher.id, { title, send: true, ...fields });
/** Sends again, with the same key, while the database of a busy machine has no time. */
const sendWithRetries = (pusher: { id: string }, title: string) =>
  waitFor(() => send(pusher, title, { idempotency_key: `${pusher.id} ${title}` }));
const patch = (pusher: { id: string }, fields: object) =>
  world.rest("update_pusher", { pusher_id: pusher.id, ...fields });

// rules#ntfy-listens
test.each(["json", "ws"])("a public channel is open to all, as %s", async (format) => {
  const pusher = await world.pusher();
  await send(pusher, "before");
  const heard = await (format === "ws" ? hearSocket : hear)(`${pusher.handle}/${format}`);
  await waitFor(() => expect(heard.messages).toMatchObject([{ event: "open", topic: pusher.handle }]));
  const { id } = await send(pusher, "Gale", {
    body: "From the west",
    priority: "urgent",
    source_url: "https://example.org/gale",
    image_url: "https://example.org/p/gale.jpg",
    actions: [{ type: "open_url", label: "Map", url: "https://example.org/map" }],
    collapse_key: "gale",
    expires_at: timeInSeconds(3_600),
  });
  await texts(heard, ["From the west"]);
  const [message] = of(heard.messages);
  expect(message).toEqual({
    id,
    time: expect.any(Number),
    expires: expect.any(Number),
    event: "message",
    topic: pusher.handle,
    title: "Gale",
    message: "From the west",
    priority: 5,
    click: "https://example.org/gale",
    attachment: { name: "gale.jpg", url: "https://example.org/p/gale.jpg" },
    actions: [{ id: `${id}_1`, action: "view", label: "Map", url: "https://example.org/map", clear: false }],
    sequence_id: "gale",
  });
  expect(message!.expires - message!.time).toBeGreaterThan(3_500);
});

test("the other forms, and the root of a host of its own", async () => {
  const pusher = await world.pusher();
  await send(pusher, "One", { body: "first\nsecond" });
  const raw = await get(`${pusher.handle}/raw?poll=1`);
  expect(raw).toMatchObject({ status: 200, text: "first second\n" });
  expect(raw.headers["content-type"]).toContain("text/plain");
  const sse = await get(`${pusher.handle}/sse?poll=1`);
  expect(sse.text).toMatch(/^data: \{.*"event":"message".*\}\n\n$/);
  expect(sse.headers).toMatchObject({ "access-control-allow-origin": "*" });
  const bare = await request(`http://${HOST}:${port}/${pusher.handle}/json?poll=1`, {
    headers: { host: `${NTFY_HOST}:${port}` },
  });
  expect(JSON.parse(await bare.body.text())).toMatchObject({ topic: pusher.handle });
});

test("since sets the beginning", async () => {
  const pusher = await world.pusher();
  const [first, second] = [await send(pusher, "1"), await send(pusher, "2"), await send(pusher, "3")];
  await world.alert(pusher.id, { title: "later", send_at: timeInSeconds(3_600), schedule: true }).catch(() => {});
  await send(pusher, "over", { expires_at: timeInSeconds(1) });
  const asked = async (query: string) =>
    (await poll(`${pusher.handle}/json?poll=1${query}`)).map(({ message }) => message);
  await waitFor(async () => expect(await asked("")).toEqual(["1", "2", "3"]));
  expect(await asked("&since=all")).toEqual(["1", "2", "3"]);
  expect(await asked("&since=none")).toEqual([]);
  expect(await asked("&since=latest")).toEqual(["3"]);
  expect(await asked("&since=10m")).toEqual(["1", "2", "3"]);
  expect(await asked(`&since=${first.id}`)).toEqual(["2", "3"]);
  expect(await asked(`&since=${Math.floor(Date.now() / 1000) + 60}`)).toEqual([]);
  expect(await asked("&since=1600000000")).toEqual(["1", "2", "3"]);
  // An id with a time in the year 10889.
  expect(await asked(`&since=alr_7${"z".repeat(25)}`)).toEqual([]);
  expect((await poll(`${pusher.handle}/json`, { "X-Poll": "1", "X-Since": second.id })).map((m) => m.message)).toEqual([
    "3",
  ]);
  // For a withdrawn message, the later ones are sent.
  await world.rest("cancel_alert", { pusher_id: pusher.id, alert_id: second.id });
  expect(await asked(`&since=${second.id}`)).toEqual(["3"]);
  expect(await asked("")).toEqual(["1", "3"]);
  expect(await asked("&title=1")).toEqual([]);
  expect(await asked("&message=1&priority=default")).toEqual(["1"]);
});

test("several channels on one connection, each once, and those of another are not received", async () => {
  const [a, b, c] = [await world.pusher(), await world.pusher(), await world.pusher()];
  const before = await send(a, "a0");
  const heard = await hear(`${a.handle},${b.handle}/json?since=${before.id}`);
  await send(b, "b1");
  await send(c, "c1");
  await send(a, "a1");
  await texts(heard, ["b1", "a1"]);
  expect(heard.messages[0]).toMatchObject({ topic: `${a.handle},${b.handle}` });
});

test("a planned message comes at its time, and a withdrawn one is reported as such", async () => {
  const pusher = await world.pusher();
  const heard = await hear(`${pusher.handle}/json`);
  const planned = await world.alert(pusher.id, { title: "planned", send_at: timeInSeconds(1), send: true });
  expect(planned.status).toBe("scheduled");
  await texts(heard, ["planned"]);
  await world.rest("cancel_alert", { pusher_id: pusher.id, alert_id: planned.id });
  await waitFor(() =>
    expect(of(heard.messages, "message_delete")).toMatchObject([{ topic: pusher.handle, sequence_id: planned.id }]),
  );
});

test("a private channel is open to a device that joined it, for any place of the token, until it leaves", async () => {
  const pusher = await world.pusher({ is_public: false });
  const { body: invite } = await world.rest("create_invite", { pusher_id: pusher.id });
  const { token } = await registerHandset(world, { platform: "ntfy" });
  await subscribe(world, token, pusher.handle, invite.code);
  const bearer = `Bearer ${token}`;
  const basic = `Basic ${Buffer.from(`me:${token}`).toString("base64")}`;
  for (const authorization of [bearer, basic])
    expect((await get(`${pusher.handle}/auth`, { authorization })).status).toBe(200);
  const heard = [
    await hear(`${pusher.handle}/json`, { authorization: basic }),
    await hear(`${pusher.handle}/json?auth=${Buffer.from(bearer).toString("base64url")}`),
  ];
  await send(pusher, "secret");
  for (const one of heard) await texts(one, ["secret"]);
  const { body } = await world.rest("list_subscribers", { pusher_id: pusher.id });
  expect(JSON.stringify(body)).toContain('"ntfy":1');
  await world.handset("DELETE", `/subscriptions/${pusher.handle}`, token);
  for (const one of heard) await ended(one);
  expect((await get(`${pusher.handle}/json`, { authorization: bearer })).status).toBe(403);
});

test("a device that joins another channel reconnects and receives the rest", async () => {
  const [pusher, next] = [await world.pusher(), await world.pusher()];
  const { token } = await registerHandset(world, { platform: "ntfy" });
  await subscribe(world, token, pusher.handle);
  const authorization = `Bearer ${token}`;
  const first = await hear(`${pusher.handle}/json`, { authorization });
  const anonymous = await hear(`${pusher.handle}/json`);
  await send(pusher, "first");
  await texts(first, ["first"]);
  await world.handset("PATCH", "/devices/me", token, { app_version: "2" });
  await subscribe(world, token, next.handle);
  await ended(first);
  await send(pusher, "second");
  const again = await hear(`${pusher.handle}/json?since=${of(first.messages)[0]!.id}`, { authorization });
  await texts(again, ["second"]);
  await texts(anonymous, ["first", "second"]);
});

test("foreign, private and missing channels are the same refusal in ntfy's shape", async () => {
  const pusher = await world.pusher({ is_public: false });
  const { token } = await registerHandset(world);
  const key = await world.key({ scopes: "alerts:write", pusher: pusher.id });
  const answers = [
    await get(`${pusher.handle}/json`),
    await get("nobody-has-this/json"),
    await get("UPPER%20%00/json"),
    await get(`${pusher.handle}/json?poll=1`, { authorization: `Bearer ${token}` }),
    await get(`nobody-has-this/sse?since=all`, { authorization: `Bearer ${token}` }),
    // A key to publish receives no more than any other client.
    await get(`${pusher.handle}/json`, { authorization: `Bearer ${key}` }),
  ];
  for (const { status, text } of answers) {
    expect(status).toBe(403);
    expect(text).toBe(answers[0]!.text);
  }
  expect(JSON.parse(answers[0]!.text)).toMatchObject({ code: 40301, http: 403 });
  expect(await get(`${pusher.handle}/json`, { authorization: "Bearer nonsense" })).toMatchObject({ status: 401 });
  await expect(hearSocket(`${pusher.handle}/ws`)).rejects.toThrow("403");
});

test.each([
  ["words", "since=yesterday-ish", 40008],
  ["a number", "since=99999999999999999999", 40008],
  ["a long number", `since=${"9".repeat(4_000)}h`, 40008],
  ["no id", "since=alr_zzzzzzzzzzzzzzzzzzzzzzzzzz", 40008],
  ["a priority", "priority=9", 40007],
  ["no priority", "priority=NaN", 40007],
])("an invalid request is refused in ntfy's format: %s", async (_, query, code) => {
  const { handle } = await world.pusher();
  const { status, text } = await get(`${handle}/json?poll=1&${query}`);
  expect({ status, body: JSON.parse(text) }).toMatchObject({
    status: 400,
    body: { code, http: 400, error: expect.any(String) },
  });
  expect(text).not.toContain("999999");
});

test("too many channels, no upgrade, and other methods are refused in ntfy's shape", async () => {
  const { handle } = await world.pusher();
  const many = Array.from({ length: LIMITS.ntfy_topics + 1 }, (_, i) => `c${i}`).join(",");
  expect(JSON.parse((await get(`${many}/json`)).text)).toMatchObject({ code: 40009 });
  expect(JSON.parse((await get(`${handle}/ws`)).text)).toMatchObject({
    code: 40016,
    error: expect.stringMatching(/no Upgrade header; a proxy may have removed it/),
  });
  const posted = await request(address(`${handle}/json`), { method: "DELETE" });
  expect(posted.statusCode).toBe(404);
  expect(await posted.body.json()).toMatchObject({ http: 404 });
  const asked = await request(address(`${handle}/json`), { method: "OPTIONS" });
  expect(asked.headers).toMatchObject({ "access-control-allow-origin": "*" });
  await asked.body.dump();
});

test.each([
  ["made private", (pusher: any) => patch(pusher, { is_public: false })],
  ["suspended", (pusher: any) => suspend(world, pusher.handle)],
  ["deleted", (pusher: any) => world.rest("delete_pusher", { pusher_id: pusher.id })],
])("a channel that is %s is closed", async (_, change) => {
  const pusher = await world.pusher();
  const heard = [await hear(`${pusher.handle}/json`), await hearSocket(`${pusher.handle}/ws`)];
  const connections = async () =>
    Number(/^belfry_ntfy_connections (\d+)$/m.exec(await world.service.metrics.text())![1]);
  // The answer to a WebSocket may come before it is counted.
  await waitFor(async () => expect(await connections()).toBeGreaterThanOrEqual(2));
  const before = await connections();
  await change(pusher);
  for (const one of heard) await ended(one);
  await waitFor(async () => expect(await connections()).toBeLessThanOrEqual(before - 2));
  expect((await get(`${pusher.handle}/json`)).status).toBe(403);
});

test("a reader that takes nothing is ended, and others go on", async () => {
  const pusher = await world.pusher();
  const slow = Object.assign(connect(port, HOST), { text: "" });
  slow.on("error", () => {});
  slow.write(`GET /ntfy/${pusher.handle}/json HTTP/1.1\r\nHost: x\r\n\r\n`);
  slow.on("data", (chunk) => {
    slow.text += chunk;
  });
  await waitFor(() => expect(slow.text).toContain('"event":"open"'));
  slow.pause();
  const heard = await hear(`${pusher.handle}/json`);
  const countConnectionsByState = async () =>
    Number(/^belfry_ntfy_connections (\d+)/m.exec((await world.request("GET", "/metrics")).body)![1]);
  const both = await countConnectionsByState();
  const body = "\u{1f40c}".repeat(LIMITS.alert_body);
  let sent = 0;
  // The system keeps some megabytes of a connection before the service keeps any.
  while ((await countConnectionsByState()) === both) {
    // No faster than the other one is notified: more changes between two checks would also end it.
    await Promise.all(Array.from({ length: 10 }, (_, i) => send(pusher, `n${sent + i}`, { body })));
    sent += 10;
    await waitFor(() => expect(heard.texts()).toHaveLength(sent));
  }
  await send(pusher, "after", { body: "after" });
  await waitFor(() => expect(heard.texts().at(-1)).toBe("after"));
  slow.resume();
  await waitFor(() => expect(slow.closed).toBe(true));
  expect(slow.text.split('"event":"message"').length).toBeLessThan(sent);
});

test("more at once than is looked at, and than one answer has: the connection ends, and nothing is lost", async () => {
  const pusher = await world.pusher();
  const all: string[] = [];
  let last = (await send(pusher, "start")).id;
  let heard = await hear(`${pusher.handle}/json?since=${last}`);
  const titles = Array.from({ length: LIMITS.ntfy_messages + 50 }, (_, i) => `n${i}`);
  // In one statement, as no sender of ours does.
  await world.sql(
    `insert into alert (id, pusher_id, title, status, sent_at, created_at, updated_at)
     select gen_random_uuid(), p.id, title, 'sent', now() + n * interval '1 microsecond', now(), now()
     from pusher p, unnest(string_to_array(?, ',')) with ordinality t (title, n) where p.handle = ?`,
    [titles.join(","), pusher.handle],
  );
  await ended(heard);
  const take = () => {
    const messages = of(heard.messages);
    all.push(...messages.map(({ message }) => message));
    last = messages.at(-1)?.id ?? last;
  };
  take();
  while (all.length < titles.length) {
    heard = await hear(`${pusher.handle}/json?since=${last}`);
    const missing = titles.length - all.length;
    await waitFor(() => expect(heard.ended || heard.texts().length === missing).toBe(true));
    take();
  }
  expect(all).toEqual(titles);
});

test("messages of one process are received at another, each once", async () => {
  const replica = await world.replica();
  const at = await findFreePort(HOST);
  const second = await listenHttp(replica.service.app, { host: HOST, port: at });
  try {
    const pusher = await world.pusher();
    const heard = await hear(`${pusher.handle}/json`, {}, at);
    const titles = Array.from({ length: 20 }, (_, i) => `n${i}`);
    for (const title of titles) await send(pusher, title);
    await texts(heard, titles);
  } finally {
    for (const heard of open) heard.close();
    await second.close();
    await replica.leave();
  }
});

test("a stop ends all subscriptions; nothing is lost with since, after a failure of either side", async () => {
  const pusher = await world.pusher();
  const all: string[] = [];
  let last = (await send(pusher, "start")).id;
  let sending = true;
  const titles: string[] = [];
  const publishing = (async () => {
    for (let i = 0; sending; i++) {
      await sendWithRetries(pusher, `n${i}`);
      titles.push(`n${i}`);
    }
  })();
  for (let round = 0; round < 20; round++) {
    const replica = round % 2 ? await world.replica() : null;
    const at = replica ? await findFreePort(HOST) : port;
    const own = replica && (await listenHttp(replica.service.app, { host: HOST, port: at }));
    const heard = await hear(`${pusher.handle}/json?since=${last}`, {}, at);
    await waitFor(() => expect(heard.texts().length).toBeGreaterThan(2));
    if (own) {
      const socket = await hearSocket(`${pusher.handle}/ws`, {}, at);
      await own.close();
      for (const one of [heard, socket]) await ended(one);
      await replica?.leave();
    } else heard.close();
    const messages = of(heard.messages);
    all.push(...messages.map(({ message }) => message!));
    last = messages.at(-1)!.id;
  }
  sending = false;
  await publishing;
  all.push(...(await rest(pusher.handle, last)));
  expect(all).toEqual(titles);
});

test("a server of two processes is killed while it sends: nothing is lost with since, on any transport", async () => {
  const pusher = await world.pusher();
  const all: Record<string, string[]> = { json: [], ws: [] };
  const first = (await send(pusher, "start")).id;
  const last: Record<string, string> = { json: first, ws: first };
  const titles: string[] = [];
  let sending = true;
  const publishing = (async () => {
    for (let i = 0; sending; i++) {
      await sendWithRetries(pusher, `n${i}`);
      titles.push(`n${i}`);
    }
  })();
  for (let round = 0; round < 3; round++) {
    const { DATA_DIR = "", ...settings } = world.settings;
    const killed = await startServer(DATA_DIR, { settings: { ...settings, WORKERS: "2", HOST } });
    const at = Number(new URL(killed.url).port);
    const path = (form: string) => `${pusher.handle}/${form}?since=${last[form]}`;
    const heard = { json: await hear(path("json"), {}, at), ws: await hearSocket(path("ws"), {}, at) };
    for (const one of Object.values(heard)) await waitFor(() => expect(one.texts().length).toBeGreaterThan(3));
    await killed.stop("SIGKILL");
    for (const [form, one] of Object.entries(heard)) {
      await ended(one);
      all[form]?.push(...one.texts());
      last[form] = of(one.messages).at(-1)!.id;
    }
  }
  sending = false;
  await publishing;
  for (const form of ["json", "ws"]) {
    expect([...all[form]!, ...(await rest(pusher.handle, last[form]!))]).toEqual(titles);
  }
});

// rules#ntfy-bounds
test("limits: connections of an address, and the frequency of its requests", async () => {
  const small = await world.replica({ LONG_POLL_LIMIT: "2", PAGE_VIEWS_PER_MINUTE: "6" });
  const at = await findFreePort(HOST);
  const own = await listenHttp(small.service.app, { host: HOST, port: at });
  try {
    const { handle } = await world.pusher();
    const [first] = [await hear(`${handle}/json`, {}, at), await hear(`${handle}/json`, {}, at)];
    const third = await request(address(`${handle}/json`, at));
    expect(third.statusCode).toBe(503);
    expect(await third.body.json()).toMatchObject({ http: 503 });
    first!.close();
    await waitFor(async () => (await hear(`${handle}/json`, {}, at)).close());
    const asked = () =>
      small.service.app.fetch(new Request(`http://${HOST}:${at}/ntfy/${handle}/json?poll=1`), "198.51.100.7");
    for (let i = 0; i < 6; i++) expect((await asked()).status).toBe(200);
    const refused = await asked();
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ code: 42901 });
    expect(refused.headers.get("retry-after")).toBeTruthy();
  } finally {
    for (const heard of open) heard.close();
    await own.close();
    await small.leave();
  }
});

test.skipIf(isSenderMissing("ntfy"))("ntfy's own command line receives a channel", async () => {
  const pusher = await world.pusher({ is_public: false });
  const { body: invite } = await world.rest("create_invite", { pusher_id: pusher.id });
  const { token } = await registerHandset(world, { platform: "ntfy" });
  await subscribe(world, token, pusher.handle, invite.code);
  await send(pusher, "before");
  const home = mkdtempSync(join(tmpdir(), "belfry-listens-"));
  const child = spawn("ntfy", ["subscribe", "--token", token, "--since", "all", address(pusher.handle)], {
    env: { PATH: process.env.PATH, HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk) => (text += chunk));
  const lines = () =>
    text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line).message);
  try {
    await waitFor(() => expect(lines()).toEqual(["before"]));
    await send(pusher, "after");
    await waitFor(() => expect(lines()).toEqual(["before", "after"]));
  } finally {
    child.kill();
    rmSync(home, { recursive: true, force: true });
  }
});

// rules#ntfy-listens
test.each([true, false])(
  "every permitted subscriber still receives after is_public was %s, in parallel with a stream of the channel",
  async (was) => {
    const pusher = await world.pusher({ is_public: was });
    const { token } = await registerHandset(world);
    const invite = was ? undefined : (await world.rest("create_invite", { pusher_id: pusher.id })).body.code;
    await subscribe(world, token, pusher.handle, invite);
    const headers = { authorization: `Bearer ${token}` };
    const gone = new AbortController();
    const stream = await request(`http://${HOST}:${port}/handset/v1/inbox/stream`, { headers, signal: gone.signal });
    stream.body.on("error", () => {});
    // The first event comes when the channel is read.
    for await (const _ of stream.body.iterator({ destroyOnReturn: false })) break;
    await patch(pusher, { is_public: !was });
    // A connection just after the change may be ended, and reconnects.
    const heard = await waitFor(async () => {
      const one = await hearSocket(`${pusher.handle}/ws`, was ? headers : {});
      await waitFor(() => expect(one.ended || one.messages.length > 0).toBe(true));
      expect(one.messages[0]?.event).toBe("open");
      return one;
    });
    await send(pusher, "heard");
    await texts(heard, ["heard"]);
    gone.abort();
  },
);
