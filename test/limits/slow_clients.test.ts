// On real sockets: the resources of a slow client, and that a refusal reaches a client that is still sending.

import { execFile } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { promisify } from "node:util";
import { request as undiciRequest } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HTTP_TIMEOUTS } from "../../src/program/boot/http_connection_limits.ts";
import { findFreePort, type ListeningServer, listenHttp } from "../../src/program/boot/http_server.ts";
import { openWorld } from "../support/open_world.ts";
import { isMissing } from "../support/requirements.ts";

const HOST = "127.0.0.1";
const MIB = 1024 * 1024;
const PATHS = ["/api/v1/pushers", "/handset/v1/devices", "/api/auth/oauth2/token", "/mcp"];

/** Everything that comes before the other side ends the connection, and how long that took. */
async function untilEnd(socket: Socket): Promise<{ text: string; ms: number }> {
  const began = performance.now();
  let text = "";
  socket.on("data", (chunk) => (text += chunk));
  socket.on("error", () => {});
  // A reset is also an end.
  await new Promise((resolve) => socket.once("close", resolve));
  return { text, ms: performance.now() - began };
}

const world = await openWorld();

describe("on a service", () => {
  describe("a body above the limit", () => {
    let listening: ListeningServer;
    let port: number;
    beforeAll(async () => {
      port = await findFreePort(HOST);
      listening = await listenHttp(world.service.app, { host: HOST, port });
    });
    afterAll(() => listening?.close());

    const url = (path: string) => `http://${HOST}:${port}${path}`;
    const headers = (path = "") => ({
      authorization: `Bearer ${world.owner}`,
      "content-type": path.startsWith("/api/auth") ? "application/x-www-form-urlencoded" : "application/json",
      accept: "application/json, text/event-stream",
    });
    const large = Buffer.alloc(6 * MIB, 0x20);
    /**
     * The paths meet in the same lines: what may race, the refusal and the end of its connection, does so 48 times
     * for each client.
     */
    const EACH = 12;
    const inChunks = () =>
      new ReadableStream({
        start(to) {
          for (let i = 0; i < 12; i++) to.enqueue(large.subarray(0, MIB / 2));
          to.close();
        },
      });
    const wanted = (path: string) => (path.startsWith("/api/auth") ? 400 : 422);

    test.each(PATHS)("reaches node's fetch, each time: %s", async (path) => {
      for (let i = 0; i < EACH; i++) {
        const body = i % 2 ? large : inChunks();
        const init = { method: "POST", headers: headers(path), body, duplex: "half" } as RequestInit;
        const response = await fetch(url(path), init);
        expect([i, response.status, JSON.stringify(await response.json())]).toEqual([
          i,
          wanted(path),
          expect.stringContaining("larger than"),
        ]);
      }
    });

    test.each(PATHS)("reaches undici, each time, also on connections that end: %s", async (path) => {
      for (let i = 0; i < EACH; i++) {
        const options = { method: "POST", headers: headers(path), body: large, reset: i % 2 === 1 } as const;
        const { statusCode, body } = await undiciRequest(url(path), options);
        expect([i, statusCode, await body.text()]).toEqual([i, wanted(path), expect.stringContaining("larger than")]);
      }
    });

    test.skipIf(isMissing("curl")).each([
      ["with a length", []],
      ["in chunks", ["-H", "Transfer-Encoding: chunked"]],
      ["at once, without Expect", ["-H", "Expect:"]],
      ["on a connection that ends", ["-H", "Expect:", "-H", "Connection: close"]],
    ])("reaches curl, 5 times: %s", async (_name, more) => {
      const sent = Object.entries(headers()).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
      for (let i = 0; i < 5; i++) {
        const running = promisify(execFile)("curl", [
          ...["-sS", "-X", "POST", "-w", "\n%{http_code}", "--data-binary", "@-", ...sent, ...more],
          url("/api/v1/pushers"),
        ]);
        running.child.stdin!.on("error", () => {});
        running.child.stdin!.end(large);
        expect((await running).stdout).toMatch(/larger than the limit of 64 KiB[\s\S]*\n422$/);
      }
    });

    test("reaches a client that reads only after it has sent everything", async () => {
      for (const ends of ["keep-alive", "close"]) {
        const socket = connect(port, HOST);
        const seen = untilEnd(socket);
        socket.write(
          `POST /handset/v1/devices HTTP/1.1\r\nHost: x\r\nConnection: ${ends}\r\nContent-Length: ` +
            `${large.length}\r\n\r\n`,
        );
        socket.pause();
        await new Promise((resolve) => socket.write(large, resolve));
        socket.end();
        socket.resume();
        expect((await seen).text).toMatch(/^HTTP\/1.1 422[\s\S]*larger than the limit of 16 KiB/);
      }
    });
  });

  describe("a client that does not go on", () => {
    let listening: ListeningServer;
    let port: number;
    const times = {
      headers: 1_000,
      body: 4_000,
      pace: 1_500,
      idle: 2_000,
      silence: 20_000,
      unread: 20_000,
      rest: 2_500,
    };
    beforeAll(async () => {
      port = await findFreePort(HOST);
      listening = await listenHttp(world.service.app, { host: HOST, port }, times);
    });
    afterAll(() => listening?.close());

    test("in production, in seconds, below the five minutes of before", () =>
      expect(HTTP_TIMEOUTS).toEqual({
        headers: 10_000,
        body: 60_000,
        pace: 10_000,
        idle: 75_000,
        silence: 120_000,
        unread: 40_000,
        rest: 30_000,
      }));

    // At the same time: each waits alone.
    test.concurrent.each([
      ["sends nothing", "", times.headers],
      ["sends half of its headers", "POST /mcp HTTP/1.1\r\nHost: x\r\n", times.headers],
      [
        "sends half of its body",
        "POST /handset/v1/devices HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{",
        times.pace,
      ],
      ["is silent after an answer", "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", times.idle],
      [
        "was refused and never sends the rest",
        "POST /handset/v1/devices HTTP/1.1\r\nHost: x\r\nContent-Length: 999999\r\n\r\n{",
        times.pace,
      ],
    ])("%s: the connection ends", async (_name, text, bound) => {
      const socket = connect(port, HOST);
      socket.write(text);
      // Not before its limit, and long before Node's own: a minute for headers, five for a body.
      const { ms } = await untilEnd(socket);
      expect(ms).toBeGreaterThan(bound * 0.8);
      expect(ms).toBeLessThan(50_000);
    });

    // rules#slow-bodies
    test.concurrent.each([
      ["a body within its limit has its whole time, and no more", 16_000, 600, times.body],
      ["a body that is discarded after a refusal has its own", 999_999, 6_000, times.rest],
    ])("%s", async (_name, length, piece, bound) => {
      const socket = connect(port, HOST);
      socket.write(`POST /handset/v1/devices HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`);
      // Fast enough, but its total time would be above the limit.
      const going = setInterval(() => socket.write("x".repeat(piece)), 200);
      const { ms } = await untilEnd(socket);
      clearInterval(going);
      expect(ms).toBeGreaterThan(bound * 0.8);
      expect(ms).toBeLessThan(50_000);
    });

    // rules#slow-bodies
    test("one that comes too slowly gets an error", async () => {
      const socket = connect(port, HOST);
      socket.write("POST /handset/v1/devices HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\n");
      socket.on("error", () => {});
      const going = setInterval(() => socket.write("x"), 1_000);
      const [text] = await once(socket, "data");
      clearInterval(going);
      socket.destroy();
      expect(`${text}`).toMatch(/^HTTP\/1.1 408 /);
    });
  });
});
