// Connections whose clients do not read: their backlog is not in memory, they end by themselves, and a slow reader
// gets everything.

import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { request } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { createChannelTracker } from "../../src/handset/live_updates/channel_snapshot_tracker.ts";
import { InboxStream } from "../../src/handset/live_updates/inbox_stream.ts";
import {
  createStreamConnections,
  type SendQueueBytesByConnection,
  STREAM_CHECKS_PER_HEARTBEAT,
} from "../../src/handset/live_updates/stream_connection.ts";
import { createNtfyBacklogWriter } from "../../src/handset/ntfy/backlog_writer.ts";
import { NtfyListener, RenderedMessage } from "../../src/handset/ntfy/ntfy_listener.ts";
import { createNtfyListeners } from "../../src/handset/ntfy/ntfy_listeners.ts";
import type { NtfyMessage } from "../../src/handset/ntfy/ntfy_message.ts";
import { LIMITS } from "../../src/model/limits.ts";
import { createHttpStreamSink } from "../../src/program/boot/http_and_websocket_stream_sinks.ts";
import { findFreePort, type ListeningServer, listenHttp } from "../../src/program/boot/http_server.ts";
import { readSocketSendQueues } from "../../src/program/boot/read_socket_send_queues.ts";
import { createChangeHub } from "../../src/store/changes/change_hub.ts";
import { parseUuid } from "../support/handsets.ts";
import { skipForReason } from "../support/requirements.ts";
import { waitFor } from "../support/wait.ts";
import { World } from "../support/world.ts";

const HOST = "127.0.0.1";
const lacksSendQueues = skipForReason(process.platform === "linux" ? null : "only Linux reports what it has accepted");
const lacksIpv6 = skipForReason(
  Object.values(networkInterfaces())
    .flat()
    .some((own) => own?.address === "::1")
    ? null
    : "the machine has no IPv6",
);
/** Long enough that a keepalive is due now and then, and a connection that reads has several of them. */
const BEAT_MS = 300;
const UNREAD = 8;

let world: World;
let impatient: World;
let server: ListeningServer;
let port: number;
let strict: ListeningServer;
let strictPort: number;
let handle: string;
let ids: string[];
beforeAll(async () => {
  world = await World.open();
  port = await findFreePort(HOST);
  server = await listenHttp(world.service.app, { host: HOST, port });
  impatient = await world.replica({ LONG_POLL_LIMIT: String(UNREAD) }, { heartbeatMs: BEAT_MS });
  strictPort = await findFreePort(HOST);
  strict = await listenHttp(impatient.service.app, { host: HOST, port: strictPort });
  const pusher = await world.pusher();
  handle = pusher.handle;
  // Together they are just within the limit of one answer, which is more than a system keeps of a connection.
  ids = [];
  for (let i = 0; i < 60; i++) {
    const { id } = await world.alert(pusher.id, { title: `n${i}`, body: "y".repeat(4_000), send: true });
    ids.push(id);
  }
});
afterAll(async () => {
  await strict?.close();
  await server?.close();
  await impatient?.leave();
  await world?.close();
});

const UPGRADE = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];

/** A connection that sends requests, and reads only on demand. */
async function open(path: string, at: number, headers: string[] = []): Promise<Socket> {
  const socket = connect(at, HOST);
  socket.on("error", () => {});
  socket.pause();
  await once(socket, "connect");
  socket.write([`GET ${path} HTTP/1.1`, "Host: localhost", ...headers, "", ""].join("\r\n"));
  return socket;
}

/** All that comes, a piece at a time, with a request of another client between two pieces. */
async function readSlowly(socket: Socket, until: (text: string) => boolean): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of socket.iterator({ destroyOnReturn: false })) {
    text += decoder.decode(piece, { stream: true });
    if (until(text)) break;
    await (await fetch(`http://${HOST}:${port}/healthz`)).text();
  }
  return text;
}

const idsIn = (text: string) =>
  [...text.matchAll(/"id":"(alr_\w+)","time":\d+,(?:"expires":\d+,)?"event":"message"/g)].map(([, id]) => id);

// rules#ntfy-bounds
test.each([
  ["json", []],
  ["sse", []],
  ["raw", []],
  ["ws", UPGRADE],
])("connections that never read are ended, as %s", async (format, headers) => {
  const ask = async () => {
    const answer = await request(`http://${HOST}:${strictPort}/ntfy/${handle}/json`);
    answer.body.on("error", () => {}).destroy();
    return answer.statusCode;
  };
  const unread: Socket[] = [];
  try {
    // A connection that has just ended may still have its place.
    for (let i = 0; i < UNREAD; i++)
      await waitFor(async () => {
        const socket = await open(`/ntfy/${handle}/${format}?since=all`, strictPort, headers);
        unread.push(socket);
        // No more than whether it has a place.
        await once(socket, "readable");
        expect(`${socket.read(12)}`).toMatch(/^HTTP\/1.1 (200|101)$/);
      });
    // They had all places.
    await waitFor(async () => expect(await ask()).toBe(200));
  } finally {
    for (const socket of unread) socket.destroy();
  }
});

// rules#ntfy-bounds
test("a slow reader gets the whole backlog, and after it the concurrent sends", async () => {
  const socket = await open(`/ntfy/${handle}/json?since=all`, port);
  const [pusher] = (await world.rest("list_pushers", {})).body.data.filter((one: any) => one.handle === handle);
  let later = "";
  const text = await readSlowly(socket, (so_far) => {
    if (later === "" && so_far.includes('"title":"n5"')) {
      later = "sent";
      void world.alert(pusher.id, { title: "later", body: "z", send: true });
    }
    return so_far.includes('"title":"later"');
  });
  socket.destroy();
  expect(idsIn(text).slice(0, ids.length)).toEqual(ids);
  expect(idsIn(text)).toHaveLength(ids.length + 1);
});

test("a slow reader of a WebSocket gets everything once", async () => {
  const socket = new WebSocket(`ws://${HOST}:${port}/ntfy/${handle}/ws?since=all`);
  const got: string[] = [];
  socket.on("message", async (data) => {
    const { event, id } = JSON.parse(String(data));
    if (event === "message") got.push(id);
    socket.pause();
    await (await fetch(`http://${HOST}:${port}/healthz`)).text();
    socket.resume();
  });
  await waitFor(() => expect(got.slice(0, ids.length)).toEqual(ids));
  socket.terminate();
  expect(new Set(got).size).toBe(got.length);
});

// rules#stream-bounds
test("a WebSocket whose client answers no ping is ended, though it is read, and one that answers stays", async () => {
  const at = `ws://${HOST}:${strictPort}/ntfy/${handle}/ws`;
  const answering = new WebSocket(at);
  const pings: unknown[] = [];
  answering.on("ping", (data) => pings.push(data));
  try {
    const silent = new WebSocket(at, { autoPong: false });
    await once(silent, "close");
    const since = pings.length;
    await waitFor(() => expect(pings.length).toBeGreaterThan(since + 4));
    expect(answering.readyState).toBe(WebSocket.OPEN);
  } finally {
    answering.terminate();
  }
});

test.each(["json", "sse", "raw"])(
  "poll=1 is written as it is read, whole, and its connection continues, as %s",
  async (format) => {
    const socket = await open(`/ntfy/${handle}/${format}?since=all&poll=1`, port);
    const text = await readSlowly(socket, (so_far) => so_far.endsWith("0\r\n\r\n"));
    const wanted = await (await fetch(`http://${HOST}:${port}/ntfy/${handle}/${format}?since=all&poll=1`)).text();
    expect(text).toContain("HTTP/1.1 200");
    if (format === "raw") expect(text.split("y".repeat(4_000)).length - 1).toBe(ids.length);
    else expect(idsIn(text.replaceAll(/\r\n[0-9a-f]+\r\n/g, ""))).toEqual(idsIn(wanted));
    socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(await readSlowly(socket, (so_far) => so_far.includes("HTTP/1.1"))).toContain("200");
    socket.destroy();
  },
);

/** Both ends of a connection of which the client never reads. */
async function unreadPair(at = HOST, to = at): Promise<{ sink: Socket; client: Socket; close(): void }> {
  const accepting = createServer().listen(0, at);
  await once(accepting, "listening");
  const accepted = once(accepting, "connection");
  const client = connect((accepting.address() as { port: number }).port, to);
  client.on("error", () => {});
  client.pause();
  const [sink] = (await accepted) as [Socket];
  sink.on("error", () => {});
  accepting.close();
  return { sink, client, close: () => void [client.destroy(), sink.destroy()] };
}

/** Fills what the systems of both ends keep. */
function fill(sink: Socket, bytes: number): void {
  while (sink.writableLength === 0) sink.write(Buffer.alloc(bytes));
}

const MESSAGE: NtfyMessage = { id: "alr_0", time: 0, event: "message", topic: "t", message: "x".repeat(1_000) };
const listener = (sink: Socket) =>
  new NtfyListener({ topic: "t", format: "json", device: null, wants: () => true }, createHttpStreamSink(sink), {
    messagesOf: () => [],
    keepalive: () => new RenderedMessage({ ...MESSAGE, event: "keepalive" }),
    onEnd: () => {},
  });

/** Checks a connection as often as between two signs of life. */
function checkAll(one: { check(queues: SendQueueBytesByConnection): void }, queues: SendQueueBytesByConnection): void {
  for (let i = 0; i < STREAM_CHECKS_PER_HEARTBEAT; i++) one.check(queues);
}
const NONE: SendQueueBytesByConnection = new Map();
const newStream = (sink: Socket, ends: string[] = []) =>
  new InboxStream({ limit: 1, view: "full" }, createHttpStreamSink(sink), () => "", {
    stale: () => {},
    ended: (why) => ends.push(why),
  });

// rules#stream-bounds
test("a stream and a listener whose clients take nothing between two signs of life end, others go on", async () => {
  const pairs = [await unreadPair(), await unreadPair(), await unreadPair()] as const;
  const [a, b, c] = pairs;
  const ends: string[] = [];
  fill(a.sink, 1_000);
  fill(b.sink, 1_000);
  const stream = newStream(a.sink, ends);
  const unread = listener(b.sink);
  const idle = listener(c.sink);
  idle.startLive();
  unread.startLive();
  for (const one of [stream, unread, idle]) one.sendHeartbeat();
  const check = () => {
    for (const one of [stream, unread, idle]) checkAll(one, NONE);
  };
  check();
  expect([ends, unread.ended, idle.ended]).toEqual([[], false, false]);
  check();
  expect([ends, unread.ended, idle.ended]).toEqual([["slow"], true, false]);
  for (const { close } of pairs) close();
});

// rules#stream-bounds
test.skipIf(lacksSendQueues)(
  "a part of a backlog that is written while the table of the system is read counts as unread",
  async () => {
    const { sink, close } = await unreadPair();
    const one = listener(sink);
    let writes = 0;
    const connections = createStreamConnections({
      heartbeatMs: BEAT_MS,
      async readSendQueues() {
        const queues = await readSocketSendQueues();
        const part = new RenderedMessage({ ...MESSAGE, message: "x".repeat(500_000) });
        if (++writes === 1) one.writeBacklogPart([part]);
        return queues;
      },
    });
    connections.add(one);
    one.writeBacklogPart([new RenderedMessage(MESSAGE)]);
    await waitFor(() => expect(writes).toBeGreaterThan(0));
    // The systems of both ends have accepted it, more than that of the client keeps.
    expect(sink.writableLength).toBe(0);
    await waitFor(() => expect(one.ended).toBe(true));
    connections.close();
    close();
  },
);

// rules#stream-bounds
test.skipIf(lacksSendQueues)(
  "a stream ends when the system has accepted much that its client does not take",
  async () => {
    const [a, b] = [await unreadPair(), await unreadPair()];
    const [unread, idle] = [newStream(a.sink), newStream(b.sink)];
    const news = Buffer.alloc(8_000, "x");
    // The system of the client takes some by itself, a moment later, and that of the server accepts the rest.
    let [before, steady] = [0, 0];
    await waitFor(async () => {
      const queued = await queuedFor(a.sink);
      if (queued <= LIMITS.ntfy_page) unread.write(news);
      steady = queued > LIMITS.ntfy_page && queued === before ? steady + 1 : 0;
      before = queued;
      expect(steady).toBeGreaterThan(20);
    });
    idle.write(news);
    await waitFor(async () => expect(await queuedFor(b.sink)).toBe(0));
    const queues = await readSocketSendQueues();
    for (let i = 0; i < 2; i++) for (const one of [unread, idle]) checkAll(one, queues);
    expect([unread.ended, idle.ended, idle.isUnconfirmed]).toEqual([true, false, false]);
    a.close();
    b.close();
  },
);

// rules#stream-bounds
test.skipIf(lacksSendQueues).each([
  ["IPv4", HOST, HOST],
  ...(lacksIpv6
    ? []
    : [
        ["IPv6", "::1", "::1"],
        ["IPv4 at a socket for both", "::", HOST],
      ]),
])("the bytes that a client has not taken are found: %s", async (_, at, to) => {
  const [unread, idle] = [await unreadPair(at, to), await unreadPair(at, to)];
  fill(unread.sink, 100_000);
  await waitFor(async () => expect(await queuedFor(unread.sink)).toBeGreaterThan(LIMITS.ntfy_page));
  expect(await queuedFor(idle.sink)).toBe(0);
  unread.close();
  await waitFor(async () => expect(await queuedFor(unread.sink)).toBe(0));
  idle.close();
});

const queuedFor = async (sink: Socket) => createHttpStreamSink(sink).unacknowledgedBytes(await readSocketSendQueues());

// rules#ntfy-bounds
test("a connection that is cut off leaves nothing with the system", async () => {
  const { sink, client, close } = await unreadPair();
  const one = listener(sink);
  void one.writeBacklogPart([new RenderedMessage({ ...MESSAGE, message: "x".repeat(4_000_000) })]);
  const failed = once(client, "error");
  one.end("gone");
  // Its client is notified at once, though it did not read the earlier data.
  client.resume();
  expect(await failed).toMatchObject([{ code: "ECONNRESET" }]);
  close();
});

// rules#ntfy-bounds
test.skipIf(lacksSendQueues)(
  "the next part of a backlog waits until the client has taken the last one, which the system accepted",
  async () => {
    const { sink, client, close } = await unreadPair();
    const one = listener(sink);
    let read = 0;
    const readMessages = () => {
      read++;
      return Promise.resolve([new RenderedMessage({ ...MESSAGE, message: "x".repeat(30_000) })]);
    };
    const backlogs = createNtfyBacklogWriter({ readMessages, readSendQueues: readSocketSendQueues });
    const parts = Array.from({ length: 40 }, (_, i) => [`${i}`]);
    const writing = backlogs.write(one, parts);
    // The system alone would accept more than this.
    await waitFor(async () => expect(await queuedFor(sink)).toBeGreaterThan(LIMITS.ntfy_page));
    expect(sink.writableLength).toBe(0);
    expect(read).toBeLessThan(40);
    client.resume();
    await writing;
    expect(read).toBe(40);
    close();
  },
);

// rules#ntfy-bounds
test("beyond the limit of all backlogs the connection is ended that has waited longest", async () => {
  const pairs = [await unreadPair(), await unreadPair(), await unreadPair()];

  const all = pairs.map(({ sink }) => {
    fill(sink, 1_000_000);
    return listener(sink);
  });
  let read = 0;
  const readMessages = (ids: readonly string[]) => {
    read += ids.length;
    return Promise.resolve([new RenderedMessage(MESSAGE)]);
  };
  const backlogs = createNtfyBacklogWriter({ readMessages, readSendQueues: readSocketSendQueues, max: 2_500 });
  const writing = all.map((one) => backlogs.write(one, [["2"], ["1"]]));
  await waitFor(() => expect(all.map(({ ended }) => ended)).toEqual([true, false, false]));
  for (const { close } of pairs) close();
  for (const one of all) one.end("gone");
  await Promise.all(writing);
  // Nothing more is read for a client that takes nothing.
  expect(read).toBe(all.length);
});

// rules#ntfy-bounds
test("news of a connection that has not taken its backlog has the limit of a slow reader", async () => {
  const { sink, close } = await unreadPair();
  fill(sink, 1_000_000);
  const one = listener(sink);
  void one.writeBacklogPart([new RenderedMessage(MESSAGE)]);
  const news = Math.ceil(LIMITS.stream_waiting / 1_000) + 1;
  for (let i = 0; i < news; i++) one.deliver(new RenderedMessage({ ...MESSAGE, id: `alr_${i}` }));
  expect(one.ended).toBe(true);
  close();
});

// rules#ntfy-listens
test("a program whose connection begins during a stop is ended, and listens to nothing", async () => {
  const { orm, log } = world.service;
  const { id } = await world.pusher();
  const hub = createChangeHub({ orm, log, bus: null });
  const tracker = createChannelTracker({ orm, log, hub, publishDue: async () => true, render: () => null });
  const listeners = createNtfyListeners({
    ...{ hub, tracker, log, readSendQueues: readSocketSendQueues, channelBaseUrl: "", assets: world.service.assets },
    connections: createStreamConnections({ heartbeatMs: 20_000, readSendQueues: readSocketSendQueues }),
    now: () => new Date(),
    readMessages: async () => [],
  });
  listeners.stop();
  const { sink, close } = await unreadPair();
  let left = 0;
  const channel = { id: parseUuid(id), handle, is_public: true, due: false, device_rev: null };
  const hearing = { topic: handle, format: "json", device: null, wants: () => true } as const;
  const late = listeners.listen([channel], hearing, createHttpStreamSink(sink), {
    readBacklog: async () => ({ all: [], more: false }),
    isOneTime: false,
    onEnd: () => void left++,
  });
  expect([late.ended, left, hub.subjectCount(), tracker.snapshot(channel.id)]).toEqual([true, 1, 0, null]);
  close();
  await hub.close();
});
