// belfry status finds the service at its own address, since a proxy at PUBLIC_URL may block /metrics.

import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findFreePort, type ListeningServer, listenHttp } from "../../src/program/boot/http_server.ts";
import { runBelfryShared } from "../support/processes.ts";
import { World } from "../support/world.ts";

const HOST = "127.0.0.1";
let world: World;
let port: number;
let service: ListeningServer;
/** A proxy to the service that blocks /metrics. */
let proxy: string;
/** The port of another program. */
let foreign: number;
const others = [
  createServer(async ({ url = "" }, response) => {
    if (url === "/metrics") return response.writeHead(403).end();
    const answer = await fetch(`http://${HOST}:${port}${url}`);
    response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
  }),
  createServer((_, response) => response.end("hello")),
];

beforeAll(async () => {
  world = await World.open();
  port = await findFreePort(HOST);
  service = await listenHttp(world.service.app, { host: HOST, port });
  const [ofProxy, ofForeign] = await Promise.all(
    others.map(async (server) => {
      await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
      return (server.address() as { port: number }).port;
    }),
  );
  proxy = `http://${HOST}:${ofProxy}`;
  foreign = ofForeign!;
});
afterAll(async () => {
  for (const server of others) server.close();
  await service?.close();
  await world.close();
});

const status = (settings: Record<string, string>) => runBelfryShared(["status"], { ...world.settings, ...settings });

// rules#service-state
test.each([
  [HOST, HOST],
  ["0.0.0.0", "localhost"],
  ["", "localhost"],
])("status requests the service itself where a proxy blocks /metrics, with HOST=%s", async (host, name) => {
  const { json, stderr } = await status({ HOST: host, PORT: String(port), PUBLIC_URL: proxy });
  expect(stderr).toBe("");
  expect(json.service).toEqual({ url: `http://${name}:${port}`, status: "ready" });
  expect(json.state).toMatchObject({ version: expect.any(String), node: process.version, waits: { webhooks: 0 } });
});

// rules#service-state
test("without a service on this machine, status requests PUBLIC_URL and names a closed /metrics", async () => {
  for (const own of [await findFreePort(HOST), foreign, 0]) {
    const { json, stderr } = await status({ HOST, PORT: String(own), PUBLIC_URL: proxy });
    expect(json).toMatchObject({ service: { url: proxy, status: "ready" }, state: { version: null } });
    expect(stderr).toContain(`${proxy}/metrics is not accessible`);
  }
});

// rules#service-state
test("status does not request another service on this machine for a database and PUBLIC_URL elsewhere", async () => {
  // This address is not one of loopback, but connects to it.
  const remote = proxy.replace(HOST, "0.0.0.0");
  const { json, stderr } = await status({ HOST, PORT: String(port), PUBLIC_URL: remote });
  expect(json).toMatchObject({ service: { url: remote, status: "ready" }, state: { version: null } });
  expect(stderr).toContain(`The service at http://${HOST}:${port} has a different PUBLIC_URL`);

  const same = await world.replica({ PUBLIC_URL: remote });
  const twin = await findFreePort(HOST);
  const local = await listenHttp(same.service.app, { host: HOST, port: twin });
  const own = await status({ HOST, PORT: String(twin), PUBLIC_URL: remote });
  expect(own.stderr).toBe("");
  expect(own.json).toMatchObject({
    service: { url: `http://${HOST}:${twin}` },
    state: { version: expect.any(String) },
  });
  await local.close();
  await same.leave();
});

test("another program at all addresses has an unknown status", async () => {
  const { json } = await status({ HOST, PORT: String(foreign), PUBLIC_URL: `http://${HOST}:${foreign}` });
  expect(json.service).toEqual({ url: `http://${HOST}:${foreign}`, status: "unknown" });
});
