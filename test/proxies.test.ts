// The README's proxy lines as they stand there, with real proxies in front of real sockets: who the client is, and what is
// closed.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, request } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort, type Listening, listen } from "../src/server.ts";
import { pause } from "./support/at_once.ts";
import { World } from "./support/world.ts";

const HOST = "127.0.0.1";
const README = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
const block = (language: string) => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(README)![1]!;
const installed = (program: string) => spawnSync(program, ["-h"]).error === undefined;
const proxies = (["nginx", "caddy"] as const).filter(installed);
if (proxies.length < 2) console.log(`proxies: of nginx and caddy only [${proxies}] is installed`);

/** The configuration of the README on ports of this test. */
function configuration(proxy: "nginx" | "caddy", port: number, replicas: number[], folder: string): string {
  if (proxy === "caddy")
    return `{\n admin off\n auto_https off\n}\n${block("caddy")
      .replace("alerts.example.org", `http://:${port}`)
      .replace("127.0.0.1:8787", `${HOST}:${replicas[0]}`)}`;
  const server = block("nginx")
    .replace("listen 443 ssl;", `listen ${HOST}:${port};`)
    .replace(/ssl_certificate.*\n/g, "")
    .replace("127.0.0.1:8787", `${HOST}:${replicas[0]}`)
    .replace("127.0.0.1:8788", `${HOST}:${replicas[1]}`);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  const user = process.getuid?.() === 0 ? "user root;" : "";
  return `daemon off; ${user} pid ${folder}/pid; error_log ${folder}/error.log;
    events {} http { access_log off; ${paths.join(" ")} ${server} }`;
}

describe("on a service", () => {
  describe.each(proxies)("behind %s", (proxy) => {
    const folder = mkdtempSync(join(tmpdir(), "belfry-proxy-"));
    const agent = new Agent({ connections: 32 });
    let worlds: World[];
    let listening: Listening[];
    let ports: number[];
    let port: number;
    let child: ChildProcess;

    const open = (i: number) =>
      listen(worlds[i]!.service.app, { host: HOST, port: ports[i]!, stopDelayMs: 1_000 });
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
      const settings = { TRUSTED_PROXIES: "loopback", PUBLIC_URL: "https://alerts.example.org" };
      const first = await World.open({ settings });
      worlds = [first, await first.replica()];
      ports = [await freePort(HOST), await freePort(HOST)];
      listening = [await open(0), await open(1)];
      port = await freePort(HOST);
      const file = join(folder, "conf");
      writeFileSync(file, configuration(proxy, port, ports, folder));
      child =
        proxy === "nginx"
          ? spawn("nginx", ["-p", folder, "-c", file], { stdio: "ignore" })
          : spawn("caddy", ["run", "--adapter", "caddyfile", "--config", file], {
              stdio: "ignore",
              env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
            });
      for (let up = false; !up; await pause(50))
        up = await ask("GET", "/healthz").then(
          async ({ statusCode, body }) => {
            await body.dump();
            return statusCode === 200;
          },
          () => false,
        );
    });
    afterAll(async () => {
      child?.kill("SIGTERM");
      await agent.destroy();
      for (const one of listening ?? []) await one.close();
      if (worlds?.[1] !== worlds?.[0]) await worlds?.[1]?.leave();
      await worlds?.[0]?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    test("the request is named by the proxy, /metrics is closed, the host is ours, a large body gets its answer", async () => {
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
        expect.stringContaining("larger than 64 KiB"),
      ]);
    });
  });
});
