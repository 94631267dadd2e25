// More load than the service can take, and its shutdown. It refuses early and in the envelope, and never at the cost of
// clients with a reasonable load.

import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { cacheAsyncResult } from "../../src/program/boot/health_probes.ts";
import { findFreePort, listenHttp } from "../../src/program/boot/http_server.ts";
import { pause } from "../support/concurrent_calls.ts";
import { openWorld } from "../support/open_world.ts";
import { waitFor } from "../support/wait.ts";
import { World } from "../support/world.ts";

const HOST = "127.0.0.1";

test("a check is shared by concurrent requests, a failed one too, and no longer", async () => {
  let [looks, at] = [0, 0];
  const look = cacheAsyncResult(
    500,
    async () => {
      looks++;
    },
    () => at,
  );
  const fails = async () => {
    looks++;
    throw new Error("away");
  };
  for (let i = 0; i < 50; i++) await look();
  expect(looks).toBe(1);
  const failing = cacheAsyncResult(500, fails, () => at);
  for (let i = 0; i < 50; i++) await expect(failing()).rejects.toThrow("away");
  expect(looks).toBe(2);
  at = 501;
  await expect(failing()).rejects.toThrow("away");
  expect(looks).toBe(3);
});

// rules#error-envelope
test("if the router or its error handler fails itself, the request gets a response and frees its slot", async () => {
  class Unroutable extends Request {
    get _url(): never {
      throw new Error("the router's own");
    }
  }
  const logTo = {
    write(line: string) {
      if (line.includes('"level":50')) throw new Error("EPIPE");
    },
  };
  const world = await World.open({ logTo, settings: { MAX_CONCURRENT_REQUESTS: "4", LOG_LEVEL: "error" } });
  try {
    const ask = (Kind: typeof Request) => {
      const headers = { authorization: `Bearer ${world.owner}` };
      return world.service.app.fetch(new Kind("http://localhost:8787/api/v1/pushers", { headers }));
    };
    const failed: Response[] = [];
    await world.sql("alter table pusher rename to gone");
    for (let i = 0; i < 12; i++) failed.push(await ask(i % 2 ? Request : Unroutable));
    await world.sql("alter table gone rename to pusher");
    expect((await ask(Request)).status).toBe(200);
    for (const answer of failed) {
      expect(answer.status).toBe(500);
      expect(await answer.json()).toMatchObject({ error: { type: "server_error" } });
      expect(answer.headers.get("x-request-id")).not.toBeNull();
    }
  } finally {
    await world.close();
  }
});

const world = await openWorld({ settings: { MAX_CONCURRENT_REQUESTS: "8" } });

describe("on a service", () => {
  let port: number;

  // rules#unavailable
  test("above the limit on work in flight: 503 at once, as a server_error with Retry-After", async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => world.request("GET", "/api/v1/me", { token: world.owner })),
    );
    const refused = answers.filter(({ status }) => status === 503);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(8);
    expect(refused).toHaveLength(32);
    for (const { body, headers } of refused) {
      expect(body.error).toMatchObject({ type: "server_error", param: null });
      expect(headers.get("retry-after")).toBe("1");
    }
    // Health is still reported, and the capacity is available again.
    const calls = ["/api/v1/me", ...Array(8).fill("/api/v1/pushers"), "/healthz", "/readyz"];
    const mixed = await Promise.all(calls.map((path) => world.request("GET", path, { token: world.owner })));
    expect(mixed.slice(-2).map(({ status }) => status)).toEqual([200, 200]);
  });

  test("a connection with 5,000 requests at once is limited to a few, and delays no other", async () => {
    port = await findFreePort(HOST);
    const { app } = world.service;
    // The crowd's request lasts until another client was answered: otherwise a quick machine would be done before.
    const { promise: other, resolve: answered } = Promise.withResolvers<void>();
    let [running, most] = [0, 0];
    const fetchSlowly: typeof app.fetch = async (request, peer) => {
      const crowd = new URL(request.url).pathname === "/readyz";
      if (crowd) most = Math.max(most, ++running);
      if (crowd) await other;
      return app.fetch(request, peer).finally(() => crowd && running--);
    };
    const listening = await listenHttp({ ...app, fetch: fetchSlowly }, { host: HOST, port });
    const socket = connect(port, HOST);
    socket.on("error", () => {});
    let text = "";
    socket.on("data", (chunk) => (text += chunk));
    socket.write(`GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(5_000));
    const count = () => text.split("HTTP/1.1 ").length - 1;
    await waitFor(() => expect(running).toBeGreaterThan(0));
    expect((await fetch(`http://${HOST}:${port}/healthz`)).status).toBe(200);
    expect(count()).toBe(0);
    answered();
    while (count() < 5_000) await once(socket, "data");
    const refused = text.split("HTTP/1.1 503").length - 1;
    expect(refused).toBeGreaterThan(0);
    expect(text.split("HTTP/1.1 200").length - 1).toBe(5_000 - refused);
    expect(most).toBe(4);
    socket.destroy();
    await listening.close();
  });

  test("data behind four requests of a connection waits unread, and is dropped with the connection", async () => {
    port = await findFreePort(HOST);
    const { app } = world.service;
    const { promise: others, resolve: answered } = Promise.withResolvers<void>();
    let begun = 0;
    const fetchSlowly: typeof app.fetch = async (request, peer) => {
      begun++;
      await others;
      return app.fetch(request, peer);
    };
    const listening = await listenHttp({ ...app, fetch: fetchSlowly }, { host: HOST, port });
    const open = (count: number) => {
      const socket = Object.assign(connect(port, HOST), { text: "" });
      socket.on("error", () => {});
      socket.on("data", (chunk) => {
        socket.text += chunk;
      });
      socket.write(`GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${"x".repeat(15_000)}\r\n\r\n`.repeat(count));
      return socket;
    };
    const gone = open(40);
    await waitFor(() => expect(begun).toBe(4));
    const socket = open(300);
    await waitFor(() => expect(begun).toBe(8));
    gone.resetAndDestroy();
    answered();
    await waitFor(() => expect(socket.text.split("HTTP/1.1 200").length - 1).toBe(300));
    expect(socket.text).not.toContain("HTTP/1.1 503");
    expect(begun).toBe(4 + 300);
    socket.destroy();
    await listening.close();
  });

  // rules#health
  test("stopping: first /readyz reports it while all is served, then responses end their connections", async () => {
    const own = await world.replica();
    port = await findFreePort(HOST);
    const listening = await listenHttp(own.service.app, { host: HOST, port, shutdownDelayMs: 8_000 });
    const status = async (path: string) => (await fetch(`http://${HOST}:${port}${path}`)).status;
    expect(await status("/readyz")).toBe(200);
    const socket = connect(port, HOST);
    let text = "";
    socket.on("data", (chunk) => (text += chunk));
    const ask = async () => {
      const before = text.length;
      socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
      while (text.length === before) await once(socket, "data");
      return text.slice(before);
    };
    expect(await ask()).toMatch(/^HTTP\/1.1 200 [\s\S]*keep-alive/i);
    const closed = listening.close();
    expect(await status("/readyz")).toBe(503);
    expect(await ask()).toMatch(/^HTTP\/1.1 200 [\s\S]*keep-alive/i);
    // Until no new connection is accepted; connected clients get a notice with the next response.
    for (let refused = false; !refused; ) {
      const probe = connect(port, HOST);
      refused = await new Promise((resolve) => {
        probe.once("connect", () => resolve(false));
        probe.once("error", () => resolve(true));
      });
      probe.destroy();
      await pause(20);
    }
    expect(await ask()).toMatch(/^HTTP\/1.1 200 [\s\S]*connection: close/i);
    await closed;
    await own.leave();
  });
});
