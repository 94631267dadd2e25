// One address that sends too many requests. It has its share of connections, of pending bodies and of the work, and all
// other clients are served. On Linux the whole of 127.0.0.0/8 is this machine, so one test can be many addresses.

import { EventEmitter, once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createAdmissionControl } from "../../src/program/boot/admission.ts";
import { findFreePort, type ListeningServer, listenHttp } from "../../src/program/boot/http_server.ts";
import { createSlots } from "../../src/store/rate_limits/in_memory_concurrency_limits.ts";
import { lacksLoopbackAddresses } from "../support/requirements.ts";
import { waitFor } from "../support/wait.ts";
import { World } from "../support/world.ts";

const HOST = "127.0.0.1";
const [ONE, OTHER] = ["127.0.0.2", "127.0.0.3"];

test("slots: a limit in all and for each, and none is released twice", () => {
  const places = createSlots(3, 2);
  const [first] = [places.acquire("one"), places.acquire("one")];
  expect([places.hasRoom("one"), places.hasRoom("other"), places.hasRoom(null)]).toEqual([false, true, true]);
  places.acquire(null);
  expect([places.hasRoom("other"), places.hasRoom(null)]).toEqual([false, false]);
  first?.();
  first?.();
  expect([places.hasRoom("one"), places.hasRoom("other")]).toEqual([true, true]);
  places.acquire("one");
  expect([places.hasRoom("one"), places.hasRoom("other")]).toEqual([false, false]);
});

// rules#one-address
describe("admission", () => {
  const bodyOf = (complete = false) => Object.assign(new EventEmitter(), { complete }) as never as IncomingMessage;

  test("a request is in flight after its body; one address has half of the work and a quarter of the bodies", () => {
    const admission = createAdmissionControl(8);
    const bodies = [bodyOf(), bodyOf(), bodyOf()].map((body) => ({ body, pass: admission.enter("one", body) }));
    expect(bodies.map(({ pass }) => pass !== null)).toEqual([true, true, false]);
    // Requests that wait for their client take nothing of the work.
    const work = Array.from({ length: 5 }, () => admission.enter("one", null));
    expect(work.map((pass) => pass !== null)).toEqual([true, true, true, true, false]);
    expect(admission.enter("other", bodyOf(true))).not.toBeNull();
    work[0]?.leave();
    bodies[0]?.body.emit("end");
    // Its place among the bodies is another's, and it has one of the work now.
    expect(admission.enter("one", bodyOf())).not.toBeNull();
    expect(admission.enter("one", null)).toBeNull();
    bodies[0]?.pass?.leave();
    expect(admission.enter("one", null)).not.toBeNull();
  });

  test("data after the response is not counted", () => {
    const admission = createAdmissionControl(2);
    const body = bodyOf();
    admission.enter("one", body)?.leave();
    body.emit("end");
    expect(admission.enter("one", null)).not.toBeNull();
  });
});

describe.skipIf(lacksLoopbackAddresses())("on sockets", () => {
  let world: World;
  let port: number;
  let listening: ListeningServer;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    world = await World.open({
      settings: { MAX_CONCURRENT_REQUESTS: "8", TRUSTED_PROXIES: "127.0.0.9", MAX_CONNECTIONS_PER_IP: "50" },
    });
  });
  afterAll(() => world?.close());
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await listening?.close();
  });
  async function serve(settings: { maxConnectionsPerIp?: number } = {}) {
    port = await findFreePort(HOST);
    listening = await listenHttp(world.service.app, { host: HOST, port, trustedProxies: ["127.0.0.9"], ...settings });
  }

  function open(from: string, text = ""): Socket & { text: string } {
    const socket = Object.assign(connect({ port, host: HOST, localAddress: from }), { text: "" });
    sockets.push(socket);
    socket.on("data", (chunk) => {
      socket.text += chunk;
    });
    socket.on("error", () => {});
    socket.write(text);
    return socket;
  }
  const answered = (socket: { text: string }, what: RegExp) => waitFor(() => expect(socket.text).toMatch(what));
  const facts = JSON.stringify({ platform: "android", app_version: "1", locale: "en", timezone: "Europe/Lisbon" });
  const head = (more = "") =>
    `POST /handset/v1/devices HTTP/1.1\r\nHost: x\r\n${more}Content-Type: application/json\r\nContent-Length: ` +
    `${facts.length}\r\n\r\n`;
  const me = (more = "") => `GET /api/v1/me HTTP/1.1\r\nHost: x\r\n${more}Authorization: Bearer ${world.owner}\r\n\r\n`;

  // rules#one-address
  test.each([
    ["by itself", ONE, OTHER, "", ""],
    [
      "behind a proxy of ours",
      "127.0.0.9",
      "127.0.0.9",
      "X-Forwarded-For: 198.51.100.1\r\n",
      "X-Forwarded-For: 198.51.100.2\r\n",
    ],
    [
      "as a network of 64 bits",
      "127.0.0.9",
      "127.0.0.9",
      "X-Forwarded-For: 2001:db8::1\r\n",
      "X-Forwarded-For: 2001:db8:0:1::1\r\n",
    ],
  ])("half-sent bodies of one address leave room for all others: %s", async (_name, one, other, as, asOther) => {
    await serve();
    const halves = Array.from({ length: 40 }, () => open(one, head(as) + facts.slice(0, 1)));
    await waitFor(() => expect(halves.filter(({ text }) => text !== "").length).toBe(38));
    for (const { text } of halves.filter((half) => half.text !== ""))
      expect(text).toMatch(/^HTTP\/1.1 503 [\s\S]*retry-after: 1\r\n[\s\S]*"server_error"/i);
    const asks = open(other, me(asOther));
    await answered(asks, /^HTTP\/1.1 200 /);
    // A client that sends all of it at once does not wait, though the address's own bodies are pending.
    const whole = open(one, head(as) + facts);
    await answered(whole, /^HTTP\/1.1 201 /);
    const half = halves.find(({ text }) => text === "");
    half?.write(facts.slice(1));
    await answered(half!, /^HTTP\/1.1 201 /);
  });

  test("one address has a limited number of connections, a proxy of ours and this machine any number", async () => {
    await serve({ maxConnectionsPerIp: 3 });
    const own = Array.from({ length: 3 }, () => open(ONE, me()));
    for (const socket of own) await answered(socket, /^HTTP\/1.1 200 /);
    const beyond = open(ONE);
    await once(beyond, "close");
    expect(beyond.text).toMatch(/^HTTP\/1.1 503 [\s\S]*retry-after: 1\r\n[\s\S]*"server_error"/i);
    for (let i = 0; i < 12; i++) await answered(open(i % 2 ? "127.0.0.9" : HOST, me()), /^HTTP\/1.1 200 /);
    await answered(open(OTHER, me()), /^HTTP\/1.1 200 /);
    own[0]?.destroy();
    await waitFor(async () => {
      const again = open(ONE, me());
      await Promise.race([once(again, "data"), once(again, "close")]);
      expect(again.text).toMatch(/^HTTP\/1.1 200 /);
    });
  });
});
