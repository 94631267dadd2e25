// Long polls on real sockets: no connection limit ends them, a client that leaves frees its slot, and a stop answers
// them.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { HTTP_TIMEOUTS, type HttpTimeouts } from "../../src/program/boot/http_connection_limits.ts";
import { findFreePort, type ListeningServer, listenHttp } from "../../src/program/boot/http_server.ts";
import { countHeldPolls, countPollWakeups } from "../support/long_polls.ts";
import { openWorld } from "../support/open_world.ts";
import { waitFor } from "../support/wait.ts";

const HOST = "127.0.0.1";

const world = await openWorld();

const held = (count: number) => waitFor(async () => expect(await countHeldPolls(world)).toBe(count));

interface Handset {
  pusher: any;
  token: string;
  etag: string;
}
async function handset(): Promise<Handset> {
  const pusher = await world.pusher();
  const token = await world.device(pusher.handle);
  return { pusher, token, etag: (await world.handset("GET", "/inbox", token)).headers.get("etag")! };
}

const poll = ({ token, etag }: Handset, wait = 55) =>
  `GET /handset/v1/inbox HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nIf-None-Match: ${etag}\r\nPrefer: ` +
  `wait=${wait}\r\n\r\n`;

/** A connection that keeps what comes. */
function open(port: number): Socket & { text: string } {
  const socket = Object.assign(connect(port, HOST), { text: "" });
  socket.on("data", (chunk) => {
    socket.text += chunk;
  });
  socket.on("error", () => {});
  return socket;
}
const came = (socket: { text: string }, what: RegExp) => waitFor(() => expect(socket.text).toMatch(what));

/** `ends`: its end is the service's, which then keeps nothing. */
async function listening(times?: HttpTimeouts, { ends = false } = {}): Promise<ListeningServer & { port: number }> {
  const port = await findFreePort(HOST);
  const { app } = world.service;
  const served = ends ? app : { ...app, ending: () => {} };
  return { ...(await listenHttp(served, { host: HOST, port }, times)), port };
}

// rules#held-inbox
test("no limit on headers, bodies or idle connections ends a long poll", async () => {
  // The limits are below the wait, and far above the time in which a busy machine reads a request.
  const server = await listening({ ...HTTP_TIMEOUTS, headers: 2_000, body: 2_500, idle: 2_000 });
  const one = await handset();
  const socket = open(server.port);
  socket.write(poll(one, 6));
  await came(socket, /^HTTP\/1\.1 304 /);
  expect(socket.text).toMatch(/preference-applied: wait=6\r\n/i);
  socket.destroy();
  await server.close();
});

// rules#held-bounds
test.each(["end", "destroy", "resetAndDestroy"] as const)(
  "a client that leaves by %s frees its place at once",
  async (leave) => {
    const server = await listening();
    const socket = open(server.port);
    socket.write(poll(await handset()));
    await held(1);
    const before = await countPollWakeups(world, "gone");
    socket[leave]();
    await held(0);
    expect(await countPollWakeups(world, "gone")).toBe(before + 1);
    await server.close();
  },
);

test("a request behind a long poll waits for it, and the limit on a connection applies", async () => {
  const server = await listening();
  const [one, two] = [await handset(), await handset()];
  const socket = open(server.port);
  const health = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
  socket.write(poll(one) + poll(two) + health);
  await held(2);
  expect(socket.text).toBe("");
  // Four run at once, 64 wait behind them, and what is beyond is refused in its turn.
  socket.write(poll(one) + poll(two) + health.repeat(100));
  await world.alert(one.pusher.id, { send: true, title: "To one" });
  await world.alert(two.pusher.id, { send: true, title: "To two" });
  await came(socket, /503 Service Unavailable/);
  // A body has no line end of its own, so the next answer begins wherever it ends.
  const statuses = [...socket.text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  expect(statuses.slice(0, 3)).toEqual(["200", "200", "200"]);
  expect(statuses).toContain("503");
  await held(0);
  socket.destroy();
  await server.close();
});

// rules#held-stop
test("a stop answers the long polls, and keeps none", async () => {
  const server = await listening(undefined, { ends: true });
  const sockets = await Promise.all(
    Array.from({ length: 30 }, async () => {
      const socket = open(server.port);
      socket.write(poll(await handset()));
      return socket;
    }),
  );
  await held(30);
  const late = await handset();
  const ends = sockets.map((socket) => once(socket, "close"));
  const closed = server.close();
  await closed;
  await Promise.all(ends);
  for (const { text } of sockets) {
    expect(text).toMatch(/^HTTP\/1\.1 304 /);
    expect(text).not.toMatch(/preference-applied/i);
    expect(text).toMatch(/retry-after: 1\r\n/i);
    expect(text).toMatch(/connection: close\r\n/i);
  }
  const { status, headers } = await world.handset("GET", "/inbox", late.token, undefined, {
    "if-none-match": late.etag,
    prefer: "wait=55",
  });
  expect([status, headers.get("retry-after")]).toEqual([304, "1"]);
});
