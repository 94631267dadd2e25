// The proxy lines of docs/how-to/https.md, unchanged, with real proxies for real sockets: the client's address, and
// closed addresses.

import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, request } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findFreePort, type ListeningServer, listenHttp } from "../../src/program/boot/http_server.ts";
import { countRejected } from "../support/long_polls.ts";
import { PROXIES, startProxy } from "../support/proxies.ts";
import { isMissing, lacksLoopbackAddresses } from "../support/requirements.ts";
import { waitFor } from "../support/wait.ts";
import { World } from "../support/world.ts";

const HOST = "127.0.0.1";
for (const proxy of PROXIES)
  describe.skipIf(isMissing(proxy))(`behind ${proxy}`, () => {
    let folder: string;
    const agent = new Agent({ connections: 32 });
    let worlds: World[];
    let listening: ListeningServer[];
    let ports: number[];
    let port: number;
    let child: ChildProcess;

    const open = (i: number) =>
      listenHttp(worlds[i]!.service.app, {
        host: HOST,
        port: ports[i]!,
        shutdownDelayMs: 1_000,
        trustedProxies: ["loopback"],
        // Connections of a trusted proxy are not counted.
        maxConnectionsPerIp: 1,
      });
    const ask = (method: "GET" | "POST", path: string, body?: string, headers = {}) =>
      request(`http://${HOST}:${port}${path}`, {
        method,
        body: body ?? null,
        dispatcher: agent,
        headers: {
          host: "alerts.example.org",
          authorization: `Bearer ${worlds[0]!.owner}`,
          "content-type": "application/json",
          ...headers,
        },
      });

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "belfry-proxy-"));
      const settings = {
        TRUSTED_PROXIES: "loopback",
        PUBLIC_URL: "https://alerts.example.org",
        MAX_CONCURRENT_REQUESTS: "40",
      };
      const first = await World.open({ settings });
      worlds = [first, await first.replica(settings)];
      ports = [await findFreePort(HOST), await findFreePort(HOST)];
      listening = [await open(0), await open(1)];
      port = await findFreePort(HOST);
      child = startProxy(proxy, port, ports, folder);
      await waitFor(async () => {
        const { statusCode, body } = await ask("GET", "/healthz");
        await body.dump();
        expect(statusCode).toBe(200);
      });
    });
    afterAll(async () => {
      child?.kill("SIGTERM");
      await agent.destroy();
      for (const one of listening ?? []) await one.close();
      if (worlds?.[1] !== worlds?.[0]) await worlds?.[1]?.leave();
      await worlds?.[0]?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    test("the proxy names the request, /metrics is closed, the host is ours, a large body is answered", async () => {
      const me = await ask("GET", "/api/v1/me", undefined, { "x-request-id": "mine" });
      expect(me.statusCode).toBe(200);
      expect(me.headers["x-request-id"]).not.toBe("mine");
      await me.body.dump();
      const metrics = await ask("GET", "/metrics");
      expect(metrics.statusCode).toBe(404);
      await metrics.body.dump();
      const mcp = await ask("POST", "/mcp", "{}", { authorization: "none" });
      expect(mcp.statusCode).toBe(401);
      await mcp.body.dump();
      const large = await ask("POST", "/api/v1/pushers", " ".repeat(6_000_000));
      expect([large.statusCode, await large.body.text()]).toEqual([
        422,
        expect.stringContaining("larger than the limit of 64 KiB"),
      ]);
    });

    // rules#stream
    test("a stream's events pass through at once", async () => {
      const [world] = worlds as [World];
      const pusher = await world.pusher();
      const authorization = `Bearer ${await world.device(pusher.handle)}`;
      const { statusCode, headers, body } = await ask("GET", "/handset/v1/inbox/stream", undefined, { authorization });
      expect([statusCode, headers["content-type"]]).toEqual([200, "text/event-stream"]);
      let text = "";
      body.on("data", (chunk) => {
        text += chunk;
      });
      body.on("error", () => {});
      await waitFor(() => expect(text).toContain("event: look"));
      await world.alert(pusher.id, { send: true, title: "Through" });
      await waitFor(() => expect(text).toContain('"Through"'));
      body.destroy();
    });

    // rules#one-address
    test.skipIf(lacksLoopbackAddresses())(
      "bodies of one client that never come leave room for the others",
      async () => {
        const halves = Array.from({ length: 60 }, () => {
          const socket = connect({ port, host: HOST, localAddress: "127.0.0.2" });
          socket.on("error", () => {});
          socket.write(
            "POST /handset/v1/devices HTTP/1.1\r\nHost: alerts.example.org\r\nContent-Type: " +
              "application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
          );
          return socket;
        });
        // nginx keeps a body to itself until all of it is there; Caddy hands the request on without it, to one replica.
        const away = proxy === "caddy" ? 50 : 0;
        await waitFor(async () => expect(await countRejected(worlds[0]!)).toBe(away));
        for (let i = 0; i < 20; i++) {
          const me = await ask("GET", "/api/v1/me");
          await me.body.dump();
          expect(me.statusCode).toBe(200);
        }
        for (const socket of halves) socket.destroy();
      },
    );
  });
