// The end of a listening socket, under a storm of new connections: each is refused or served, and none is reset.

import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { createSocketEventStream } from "../../src/api/transports/sse_response.ts";
import { createWebSocketUpgradeResponse } from "../../src/api/transports/web_socket.ts";
import type { HttpApp } from "../../src/program/boot/app.ts";
import { findFreePort, listenHttp } from "../../src/program/boot/http_server.ts";

const HOST = "127.0.0.1";
const ROUNDS = 2 * Number(process.env.BELFRY_TEST_KILL_ROUNDS ?? 2);

/**
 * In a thread of its own, which the server's does not delay: connects, sends a request and connects again until the
 * server has ended.
 */
const KNOCKER = `
const { connect } = require("node:net");
const { parentPort, workerData: port } = require("node:worker_threads");
let served = 0, lost = 0, knocking = 16;
function knock() {
  const socket = connect(port, "${HOST}");
  let text = "", error = null;
  const request = ["POST / HTTP/1.1", "Host: x", "Content-Length: 0", "Connection: close", "", ""].join("\\r\\n");
  socket.on("connect", () => socket.write(request));
  socket.on("data", (chunk) => (text += chunk));
  socket.on("error", ({ code }) => (error = code));
  socket.on("close", () => {
    if (text.startsWith("HTTP/1.1 200")) { if (++served === 50) parentPort.postMessage("busy"); }
    else if (error !== "ECONNREFUSED") lost++;
    if (error !== "ECONNREFUSED") return knock();
    if (--knocking === 0) parentPort.postMessage({ served, lost });
  });
}
for (let i = 0; i < knocking; i++) knock();
`;

/** Takes a moment over each answer, so that connections wait to be accepted. */
const app: Pick<HttpApp, "fetch" | "stopping" | "ending"> = {
  fetch: async () => {
    for (const until = performance.now() + 0.3; performance.now() < until; );
    return new Response("ok");
  },
  stopping: () => {},
  ending: () => {},
};

test(`closed in ${ROUNDS} rounds while others connect: no accepted client is reset`, async () => {
  const outcomes = { served: 0, lost: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const port = await findFreePort(HOST);
    const listening = await listenHttp(app as HttpApp, { host: HOST, port, shutdownDelayMs: 200 });
    const knocker = new Worker(KNOCKER, { eval: true, workerData: port });
    const heard = (what: (message: any) => boolean) =>
      new Promise<any>((resolve) => knocker.on("message", (message) => what(message) && resolve(message)));
    const end = heard((message) => message !== "busy");
    await heard((message) => message === "busy");
    await listening.close();
    const { served, lost } = await end;
    outcomes.served += served;
    outcomes.lost += lost;
    await knocker.terminate();
  }
  expect(outcomes).toEqual({ served: expect.any(Number), lost: 0 });
});

// An event stream or a WebSocket may begin when the others have just been ended.
test.each([
  ["an event stream", []],
  [
    "a WebSocket",
    [
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ],
  ],
])("%s that nothing ends does not keep the server from stopping", async (_, headers) => {
  const port = await findFreePort(HOST);
  const begun = Promise.withResolvers<void>();
  const begin = () => begun.resolve();
  const listening = await listenHttp(
    {
      ...app,
      fetch: async (request) => {
        const node = (request as { runtime?: { node?: { res?: ServerResponse } } }).runtime?.node?.res;
        return node
          ? createSocketEventStream(node, begin, () => {})
          : createWebSocketUpgradeResponse(request, begin, () => {});
      },
    } as HttpApp,
    { host: HOST, port },
  );
  const client = connect(port, HOST);
  client.on("error", () => {}).resume();
  client.write(["GET /ws HTTP/1.1", "Host: localhost", ...headers, "", ""].join("\r\n"));
  await begun.promise;
  await Promise.all([once(client, "close"), listening.close()]);
});
