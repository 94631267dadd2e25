// Streams on real sockets: permissions, events about their own state, limits, and their end.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LIMITS } from "../../src/model/limits.ts";
import { findFreePort, type ListeningServer, listenHttp } from "../../src/program/boot/http_server.ts";
import { registerHandset, suspend } from "../support/handsets.ts";
import { countHeldPolls, countPollWakeups } from "../support/long_polls.ts";
import { WAIT, waitFor } from "../support/wait.ts";
import { timeInSeconds, World } from "../support/world.ts";

const HOST = "127.0.0.1";

let world: World;
let other: World;
let server: ListeningServer;
let port: number;
beforeAll(async () => {
  world = await World.open({ settings: { LONG_POLL_LIMIT: "12" } });
  other = await world.replica();
  port = await findFreePort(HOST);
  server = await listenHttp(world.service.app, { host: HOST, port });
});
afterAll(async () => {
  await server?.close();
  await other?.leave();
  await world?.close();
});

type Opened = Socket & { text: string };

/** A stream of a handset as a socket that keeps what comes. */
function open(token: string, { last = "", query = "", method = "GET", at = port } = {}): Opened {
  const socket = Object.assign(connect(at, HOST), { text: "" });
  socket.on("data", (chunk) => {
    socket.text += chunk;
  });
  socket.on("error", () => {});
  const id = last && `Last-Event-ID: ${last}\r\n`;
  socket.write(
    `${method} /handset/v1/inbox/stream${query} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${id}\r\n`,
  );
  return socket;
}
const came = (socket: { text: string }, what: RegExp) => waitFor(() => expect(socket.text).toMatch(what));
const closed = async (socket: Socket) => socket.closed || once(socket, "close");
const opened = (count: number) => waitFor(async () => expect(await countHeldPolls(world)).toBe(count));

async function handset(query = "") {
  const pusher = await world.pusher();
  const { token, id } = await registerHandset(world);
  await world.handset("PUT", `/subscriptions/${pusher.handle}`, token, {});
  const etag = async () => (await world.handset("GET", `/inbox${query}`, token)).headers.get("etag")!;
  return { pusher, token, id, etag };
}

// rules#stream
test("it begins with the head alone if the handset has the inbox, else with look", async () => {
  const { pusher, token, etag } = await handset();
  const quiet = open(token, { last: await etag() });
  const asked = open(token);
  await came(asked, /\r\n\r\nevent: look\ndata: \{\}\n\n$/);
  await came(quiet, /^HTTP\/1\.1 200 [\s\S]*\r\n\r\n$/);
  for (const line of [/content-type: text\/event-stream\r\n/i, /x-accel-buffering: no\r\n/i, /connection: close\r\n/i])
    expect(quiet.text).toMatch(line);
  expect(quiet.text).not.toMatch(/transfer-encoding|content-length/i);
  const from = await etag();
  const alert = await world.alert(pusher.id, { send: true, title: "News" });
  await came(quiet, /\n\n$/);
  const { body, headers } = await world.handset("GET", "/inbox", token);
  expect(quiet.text.split("\r\n\r\n")[1]).toBe(
    `event: alert\ndata: ${JSON.stringify(body.data[0])}\nfrom: ${from}\nid: ${headers.get("etag")}\n\n`,
  );
  await world.rest("cancel_alert", { pusher_id: pusher.id, alert_id: alert.id });
  await came(quiet, new RegExp(`event: removed\\ndata: \\["${alert.id}"\\]\\nfrom: ${headers.get("etag")}\\n`));
  expect(quiet.text).toContain(`id: ${await etag()}\n`);
  for (const socket of [quiet, asked]) socket.destroy();
  await opened(0);
});

test("a planned alert comes at its time, and a large one is an event to fetch", async () => {
  const { pusher, token, etag } = await handset("?view=lean");
  const socket = open(token, { last: await etag(), query: "?view=lean" });
  await opened(1);
  await world.alert(pusher.id, { send: true, title: "Later", send_at: timeInSeconds(1.2) });
  await came(socket, /"title":"Later"\}\n/);
  await world.alert(pusher.id, { send: true, layout: "document", html: "<p>x</p>".repeat(2_000) });
  await came(socket, /event: look\n/);
  socket.destroy();
  await opened(0);
});

test("a refused client gets the reason", async () => {
  const { token } = await handset();
  for (const [socket, answer] of [
    [open("bfd_unknown"), /^HTTP\/1\.1 401 /],
    [open(token, { query: "?limit=0" }), /^HTTP\/1\.1 422 /],
    [open(token, { query: "?before=2026-01-01T00:00:00Z" }), /^HTTP\/1\.1 422 /],
    [open(token, { method: "HEAD" }), /^HTTP\/1\.1 200 /],
  ] as const) {
    await came(socket, answer);
    socket.destroy();
  }
  expect(await countHeldPolls(world)).toBe(0);
});

// rules#stream-standing
test("it reports changes of its own access: left, muted, suspended, deleted, by this process or another", async () => {
  for (const by of [world, other]) {
    const { pusher, token } = await handset();
    const socket = open(token);
    await came(socket, /look/);
    const looksAfter = async (work: () => Promise<unknown>) => {
      socket.text = "";
      await work();
      await came(socket, /event: look\n/);
    };
    await looksAfter(() => by.handset("PUT", `/subscriptions/${pusher.handle}`, token, { muted: true }));
    await looksAfter(() => suspend(by, pusher.handle));
    await looksAfter(() => suspend(by, pusher.handle, false));
    await looksAfter(() => by.handset("DELETE", `/subscriptions/${pusher.handle}`, token));
    socket.text = "";
    await by.alert(pusher.id, { send: true, title: "Not for it" });
    const next = await by.pusher();
    await looksAfter(() => by.handset("PUT", `/subscriptions/${next.handle}`, token, {}));
    // Until it follows the next channel, what is sent there is something to look at.
    await waitFor(async () => {
      await by.alert(next.id, { send: true, title: "For it" });
      expect(socket.text).toContain('"For it"');
    });
    expect(socket.text).not.toContain("Not for it");
    await by.handset("DELETE", "/devices/me", token);
    await came(socket, /event: ended\ndata: \{"reason":"unknown"\}\n\n$/);
    await closed(socket);
  }
  await opened(0);
});

test("a send after an eviction is not reported, for every kind of eviction", async () => {
  const { pusher, token, id } = await handset();
  const socket = open(token);
  const { token: stays } = await handset();
  await world.handset("PUT", `/subscriptions/${pusher.handle}`, stays, {});
  const witness = open(stays);
  await came(socket, /look/);
  await came(witness, /look/);
  // No message has reached this process.
  await world.sql("delete from subscription where device_id = ?::bigint", [id]);
  await world.alert(pusher.id, { send: true, title: "Secret" });
  await came(witness, /"Secret"/);
  await came(socket, /look[\s\S]*look/);
  expect(socket.text).not.toContain("Secret");
  for (const one of [socket, witness]) one.destroy();
  await opened(0);
});

// rules#stream-bounds
test("a fifth stream of a device ends the first one, and above the process's limit it is 503", async () => {
  const all: Opened[] = [];
  for (let device = 0; device < 3; device++) {
    const { token } = await handset();
    for (let i = 0; i < LIMITS.held_polls; i++) {
      all.push(open(token));
      await came(all.at(-1)!, /look/);
    }
    if (device > 0) continue;
    all.push(open(token));
    await came(all[0]!, /event: ended\ndata: \{"reason":"newer"\}/);
    await closed(all.shift()!);
  }
  const { token } = await handset();
  const refused = open(token);
  await came(refused, /^HTTP\/1\.1 503 [\s\S]*retry-after: \d/i);
  for (const socket of [...all, refused]) socket.destroy();
  await opened(0);
});

test("a reader that does not read is cut off, and so is a second request on it", async () => {
  const { pusher, token } = await handset();
  const slow = open(token);
  const asks = open(token);
  await came(slow, /look/);
  await came(asks, /look/);
  asks.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  await closed(asks);
  slow.pause();
  const before = await countPollWakeups(world, "slow");
  // The system takes some for it.
  const until = performance.now() + WAIT.timeout;
  while ((await countPollWakeups(world, "slow")) === before && performance.now() < until)
    await Promise.all(
      Array.from({ length: 20 }, () => world.alert(pusher.id, { send: true, body: "x".repeat(4_000) })),
    );
  expect(await countPollWakeups(world, "slow")).toBe(before + 1);
  slow.destroy();
  await opened(0);
});

// rules#held-stop
test("a stop ends each with the time to come again, and waits for none of them", async () => {
  const own = await findFreePort(HOST);
  const stopping = await world.replica();
  const listener = await listenHttp(stopping.service.app, { host: HOST, port: own });
  const { token } = await handset();
  const sockets = [open(token, { at: own }), open(token, { at: own })];
  for (const socket of sockets) await came(socket, /look/);
  await listener.close();
  for (const socket of sockets) await came(socket, /retry: 1000\nevent: ended\ndata: \{"reason":"stop"\}\n\n$/);
  await stopping.leave();
});
