// The set-ups of docs/how-to/https.md with real proxies: sign-in, uploads, streams, WebSockets and ntfy's command line
// pass each of them, and a wrong PUBLIC_URL is named.

import { type ChildProcess, spawn } from "node:child_process";
import { Agent, request } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { findFreePort, type ListeningServer, listenHttp } from "../../src/program/boot/http_server.ts";
import { HttpVisitor, OWNER, signInOwner } from "../support/console_site.ts";
import { SETUPS, startProxy } from "../support/proxies.ts";
import { isMissing, isSenderMissing } from "../support/requirements.ts";
import { PNG } from "../support/sample_files.ts";
import { openTestFolder } from "../support/test_folder.ts";
import { waitFor } from "../support/wait.ts";
import { World } from "../support/world.ts";

const HOST = "127.0.0.1";
const hasNtfy = !isSenderMissing("ntfy");
const ORIGIN = "https://alerts.example.org";
const { at, ends } = openTestFolder();
const children: ChildProcess[] = [];
let world: World;
let listening: ListeningServer;
let servicePort: number;
beforeAll(async () => {
  world = await World.open({ settings: { TRUSTED_PROXIES: "loopback", PUBLIC_URL: ORIGIN } });
  servicePort = await findFreePort(HOST);
  listening = await listenHttp(world.service.app, { host: HOST, port: servicePort, trustedProxies: ["loopback"] });
  await signInOwner(world, ORIGIN);
});
afterAll(async () => {
  for (const child of children) child.kill("SIGTERM");
  await listening?.close();
  await world?.close();
});

/** A visitor whose requests pass the proxy at this port. */
function createVisitor(port: number, agent: Agent): HttpVisitor {
  const fetch = async (asked: Request) => {
    const { pathname, search } = new URL(asked.url);
    const answer = await request(`http://${HOST}:${port}${pathname}${search}`, {
      method: asked.method as "GET",
      headers: { ...Object.fromEntries(asked.headers), host: "alerts.example.org" },
      body: asked.body ? Buffer.from(await asked.arrayBuffer()) : null,
      dispatcher: agent,
    });
    const headers = new Headers();
    for (const [name, value] of Object.entries(answer.headers))
      for (const one of [value ?? []].flat()) headers.append(name, one);
    const body = await answer.body.text();
    return new Response(answer.statusCode === 204 ? null : body, { status: answer.statusCode, headers });
  };
  return new HttpVisitor({ service: { app: { fetch } } } as never, ORIGIN);
}

// rules#stream rules#ntfy-listens
for (const [setup, program] of Object.entries(SETUPS))
  test.skipIf(isMissing(program))(`${setup} passes everything`, async () => {
    const port = await findFreePort(HOST);
    const url = `http://${HOST}:${port}`;
    const agent = new Agent();
    ends.push(() => agent.destroy());
    children.push(startProxy(setup as keyof typeof SETUPS, port, [servicePort], at(setup.replaceAll(" ", "-"))));
    const visitor = createVisitor(port, agent);
    await waitFor(async () => expect((await visitor.get("/readyz")).status).toBe(200));

    const form = { email: OWNER.email, password: OWNER.password };
    const wrong = { origin: "https://other.example.org:8443", "sec-fetch-site": "same-origin" };
    const refused = await visitor.post("/console/sign-in", form, { headers: wrong });
    expect(refused.status).toBe(403);
    for (const part of ["opened at https://other.example.org:8443", `PUBLIC_URL is ${ORIGIN}`, "set PUBLIC_URL to"])
      expect(refused.text).toContain(part);
    expect((await visitor.post("/console/sign-in", form)).status).toBe(303);
    expect((await visitor.get("/console/account")).text).toContain(OWNER.email);
    expect((await visitor.get("/metrics")).status).toBeGreaterThanOrEqual(403);

    const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
    const upload = await request(`${url}/console/assets?kind=image`, {
      method: "POST",
      headers: { host: "alerts.example.org", origin: ORIGIN, cookie, "content-type": "image/png" },
      body: Buffer.concat([PNG, Buffer.alloc(4_900_000)]),
      dispatcher: agent,
    });
    // The service has received the whole file.
    expect([upload.statusCode, await upload.body.text()]).toEqual([201, expect.stringContaining('"id"')]);

    const pusher = await world.pusher();
    const key = await world.key({ scopes: "alerts:write,alerts:send", pusher: pusher.id });
    for (const bytes of [9_000_000, 30_000_000]) {
      const large = await request(`${url}/ntfy/${pusher.handle}`, {
        method: "PUT",
        headers: { host: "alerts.example.org", authorization: `Bearer ${key}`, filename: "a.png", message: "Motion" },
        body: Buffer.alloc(bytes, 1),
        dispatcher: agent,
      });
      // The file is ignored, and its text is published.
      expect([large.statusCode, large.headers["belfry-notes"]]).toEqual([
        200,
        expect.stringMatching(/^The file is larger than/),
      ]);
      expect(await large.body.json()).toMatchObject({ message: "Motion" });
    }
    const authorization = `Bearer ${await world.device(pusher.handle)}`;
    const stream = await request(`${url}/handset/v1/inbox/stream`, {
      headers: { host: "alerts.example.org", authorization },
      dispatcher: agent,
    });
    let events = "";
    stream.body.on("data", (chunk) => (events += chunk));
    stream.body.on("error", () => {});
    const socket = new WebSocket(`ws://${HOST}:${port}/ntfy/${pusher.handle}/ws`);
    let messages = "";
    socket.on("message", (data) => (messages += data));
    socket.on("error", (error) => (messages += error));
    let lines = "";
    if (hasNtfy) {
      const ntfy = spawn("ntfy", ["subscribe", `${url}/ntfy/${pusher.handle}`], {
        env: { PATH: process.env.PATH ?? "", HOME: at(setup.replaceAll(" ", "-")) },
        stdio: ["ignore", "pipe", "ignore"],
      });
      children.push(ntfy);
      ntfy.stdout.on("data", (chunk) => (lines += chunk));
    }
    await waitFor(() =>
      expect([events, messages]).toEqual([expect.stringContaining("event:"), expect.stringContaining('"open"')]),
    );
    const title = `Through ${setup}`;
    if (hasNtfy)
      // It reports nothing when it listens, so alerts are sent until one arrives.
      await waitFor(async () => {
        await world.alert(pusher.id, { send: true, title: "Is it there?" });
        expect(lines).toContain("Is it there?");
      });
    await world.alert(pusher.id, { send: true, title });
    await waitFor(() => {
      for (const received of [events, messages]) expect(received).toContain(title);
      if (hasNtfy) expect(lines).toContain(title);
    });
    socket.terminate();
    stream.body.destroy();
  });
