// One delivery against receivers on loopback: good, slow, hostile, repointed and untrusted.

import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, Socket } from "node:net";
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from "node:tls";
import { afterEach, describe, expect, test, vi } from "vitest";
import { signatureProblem } from "../../examples/webhooks/verify.ts";
import {
  DELIVERY_TIMEOUT_MS,
  deliverWebhookOnce,
  type WebhookDeliveryRequest,
} from "../../src/effects/webhooks/deliver_webhook_once.ts";
import { createWebhookSecret } from "../../src/effects/webhooks/payload_signature.ts";
import { parseTargetRules } from "../../src/effects/webhooks/target_check.ts";
import { type DnsScript, startDnsServer } from "../support/dns_server.ts";
import { createCertificate, startHttpReceiver, startTcpReceiver } from "../support/loopback_receivers.ts";
import { isMissing } from "../support/requirements.ts";
import { nextTick, runTicksUntil, WAIT, waitFor } from "../support/wait.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const close of closers.splice(0)) close();
  vi.restoreAllMocks();
});
async function opened<T extends { close: () => void }>(opening: Promise<T>): Promise<T> {
  const thing = await opening;
  closers.push(thing.close);
  return thing;
}

const secret = createWebhookSecret();
const body =
  '{"event":"alert.sent","created_at":"2026-11-20T14:25:31.123456Z","data":{"pusher_id":"psh_1","title":"Grüße 🔔"}}';
const loopback = parseTargetRules({ allowHosts: ["127.0.0.1", "[::1]"] });
/** A delivery with time enough for a busy machine, unless its time is what a test is about. */
function deliver(url: string, change: Partial<WebhookDeliveryRequest> = {}) {
  const usual = {
    secret,
    event: "alert.sent",
    id: "d-1",
    eventId: "e-1",
    body,
    rules: loopback,
    timeoutMs: WAIT.timeout,
  };
  return deliverWebhookOnce({ url, ...usual, ...change });
}
const reply = (text: string) => (socket: Socket) => {
  socket.once("data", () => socket.write(text));
};
const drip = (socket: Socket, text: string, everyMs: number) => {
  const timer = setInterval(() => socket.write(text), everyMs);
  socket.on("close", () => clearInterval(timer));
};

describe("a receiver that answers 2xx", () => {
  // rules#event-headers
  test("gets one POST, with the headers, the bytes and a signature of this moment", async () => {
    const sink = await opened(startHttpReceiver((_request, response) => response.end("thanks")));
    const began = Math.floor(Date.now() / 1000);
    const result = await deliver(`http://127.0.0.1:${sink.port}/in/put?a=b%20c&d#e`);
    expect(result).toEqual({ ok: true, status: 200, durationMs: expect.any(Number) });
    expect(sink.requests).toHaveLength(1);
    const { method, url, headers, body: received } = sink.requests[0]!;
    expect({ method, url }).toEqual({ method: "POST", url: "/in/put?a=b%20c&d" });
    expect(headers).toEqual({
      host: `127.0.0.1:${sink.port}`,
      connection: "close",
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
      "user-agent": "Belfry-Webhook/1",
      "x-webhook-event": "alert.sent",
      "x-webhook-event-id": "e-1",
      "x-webhook-id": "d-1",
      "x-webhook-signature": expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/),
    });
    expect(received.toString()).toBe(body);
    const header = headers["x-webhook-signature"] as string;
    expect(signatureProblem(header, received, secret)).toBeNull();
    const t = Number(/^t=(\d+)/.exec(header)![1]);
    expect(t).toBeGreaterThanOrEqual(began);
    expect(t).toBeLessThanOrEqual(Date.now() / 1000);
    await waitFor(async () => expect(await sink.open()).toBe(0));
  });

  test.each([200, 201, 202, 204, 299])("%d is success", async (status) => {
    const sink = await opened(startHttpReceiver((_request, response) => response.writeHead(status).end()));
    expect(await deliver(`http://127.0.0.1:${sink.port}/`)).toMatchObject({ ok: true, status });
  });

  test("after a 103, and without a length", async () => {
    const sink = await opened(
      startTcpReceiver((socket) => {
        socket.once("data", () =>
          socket.end("HTTP/1.1 103 Early Hints\r\nlink: </>\r\n\r\nHTTP/1.1 200 OK\r\n\r\nfine"),
        );
      }),
    );
    expect(await deliver(`http://127.0.0.1:${sink.port}/`)).toMatchObject({ ok: true, status: 200 });
  });

  // rules#event-answer
  test("and never ends is read up to 64 kB", async () => {
    let written = 0;
    const sink = await opened(
      startTcpReceiver((socket) => {
        const chunk = Buffer.alloc(16_384, "x");
        const more = () => {
          while (!socket.destroyed && socket.write(chunk)) written += chunk.length;
        };
        socket.on("drain", more);
        socket.once("data", () => {
          socket.write("HTTP/1.1 200 OK\r\n\r\n");
          more();
        });
      }),
    );
    const result = await deliver(`http://127.0.0.1:${sink.port}/`);
    // Read to the end it would be a timeout.
    expect(result).toMatchObject({ ok: true, status: 200 });
    await waitFor(() => expect(sink.open()).toBe(0));
    const atClose = written;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(written).toBe(atClose);
  });

  test("signs at sending, not before a slow look-up", async () => {
    let clock = 1_800_000_000_000;
    const dns = await opened(
      startDnsServer(() => {
        clock = 1_800_000_003_000;
        return { a: ["127.0.0.1"] };
      }),
    );
    const sink = await opened(startHttpReceiver((_request, response) => response.end()));
    const rules = parseTargetRules({ allowHosts: ["slow.belfry-peer.net"], dnsServers: [dns.server] });
    const url = `http://slow.belfry-peer.net:${sink.port}/`;
    expect(await deliver(url, { rules, now: () => clock })).toMatchObject({ ok: true });
    expect(sink.requests[0]!.headers["x-webhook-signature"]).toMatch(/^t=1800000003,/);
  });
});

describe("a receiver that answers something else", () => {
  // rules#event-no-retry
  test.each([400, 401, 404, 410, 429, 500, 503])("%d is a failure", async (status) => {
    const sink = await opened(
      startHttpReceiver((_request, response) => response.writeHead(status).end("no".repeat(50_000))),
    );
    const result = await deliver(`http://127.0.0.1:${sink.port}/`);
    expect(result).toMatchObject({ ok: false, status, failure: "status" });
    await waitFor(async () => expect(await sink.open()).toBe(0));
  });

  // rules#event-no-redirect
  test.each([300, 301, 302, 303, 304, 305, 307, 308])(
    "%d is a failure and the Location is never called",
    async (status) => {
      const trap = await opened(startHttpReceiver((_request, response) => response.end()));
      const sink = await opened(
        startHttpReceiver((_request, response) => {
          const location = `http://127.0.0.1:${trap.port}/trap`;
          response.writeHead(status, { location, refresh: `0; url=${location}`, "content-location": location }).end();
        }),
      );
      const result = await deliver(`http://127.0.0.1:${sink.port}/`);
      expect(result).toMatchObject({ ok: false, status, failure: "redirect" });
      expect(sink.requests).toHaveLength(1);
      expect(trap.connections()).toBe(0);
    },
  );

  test.each([
    ["garbage", "SSH-2.0-OpenSSH_9.9\r\n"],
    ["an endless header", `HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}\r\n\r\n`],
    ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nabc"],
    ["a chunk of nonsense", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"],
    ["another protocol", "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"],
  ])("%s is a broken reply", async (_what, text) => {
    const sink = await opened(startTcpReceiver(reply(text)));
    const result = await deliver(`http://127.0.0.1:${sink.port}/`);
    expect(result).toMatchObject({ ok: false, failure: "reply" });
    expect(sink.connections()).toBe(1);
    await waitFor(() => expect(sink.open()).toBe(0));
  });

  test.each([
    ["at once", (socket: Socket) => socket.resetAndDestroy()],
    ["after the request", (socket: Socket) => socket.once("data", () => socket.resetAndDestroy())],
    ["by closing", (socket: Socket) => socket.once("data", () => socket.end())],
    [
      "within the reply",
      (socket: Socket) =>
        socket.once("data", () =>
          socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc", () => socket.resetAndDestroy()),
        ),
    ],
  ])("reset %s: one connection, no second try", async (_when, serve) => {
    const sink = await opened(startTcpReceiver(serve));
    const result = await deliver(`http://127.0.0.1:${sink.port}/`);
    expect(result).toMatchObject({ ok: false, failure: expect.stringMatching(/^(connect|reply)$/) });
    expect(sink.connections()).toBe(1);
  });

  test("nobody listens", async () => {
    const gone = await startTcpReceiver();
    gone.close();
    const result = await deliver(`http://127.0.0.1:${gone.port}/`);
    expect(result).toMatchObject({ ok: false, status: null, failure: "connect" });
  });
});

/** Once the request has come: an earlier response is invalid, and it is random whether it is seen before. */
const asked = (socket: Socket, answer: () => void) => socket.once("data", answer);

const slow: [string, (socket: Socket) => void, number | null][] = [
  ["says nothing", () => {}, null],
  [
    "drips one header",
    (socket) => {
      asked(socket, () => {
        socket.write("HTTP/1.1 200 OK\r\nx: ");
        drip(socket, "y", 20);
      });
    },
    null,
  ],
  [
    "drips header lines",
    (socket) => {
      asked(socket, () => {
        socket.write("HTTP/1.1 200 OK\r\n");
        drip(socket, "x: y\r\n", 20);
      });
    },
    null,
  ],
  [
    "drips informational answers",
    (socket) => {
      asked(socket, () => drip(socket, "HTTP/1.1 102 Processing\r\n\r\n", 20));
    },
    null,
  ],
  ["hangs after the headers", reply("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n"), 200],
  [
    "drips the body",
    (socket) => {
      asked(socket, () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        drip(socket, "x", 20);
      });
    },
    200,
  ],
];
describe("one time for everything", () => {
  test.each(slow)("a receiver that %s", async (_what, serve, status) => {
    const sink = await opened(startTcpReceiver(serve));
    // A status must have the time to arrive. A response without an end would reach the test's limit.
    const timeoutMs = status === null ? 250 : 4000;
    const result = await deliver(`http://127.0.0.1:${sink.port}/`, { timeoutMs });
    expect(result).toMatchObject({ ok: false, status, failure: "timeout" });
    expect(result.durationMs).toBeGreaterThanOrEqual(timeoutMs - 5);
    await waitFor(() => expect(sink.open()).toBe(0));
  });

  test("a receiver that never answers the TLS greeting", async () => {
    const sink = await opened(startTcpReceiver());
    const result = await deliver(`https://127.0.0.1:${sink.port}/`, { timeoutMs: 250 });
    expect(result).toMatchObject({ ok: false, status: null, failure: "timeout" });
    await waitFor(() => expect(sink.open()).toBe(0));
  });

  test("name servers that never answer", async () => {
    const dns = await opened(startDnsServer(() => ({ silent: true })));
    const rules = parseTargetRules({ dnsServers: [dns.server] });
    const result = await deliver("https://silent.belfry-peer.net/", { rules, timeoutMs: 250 });
    expect(result).toMatchObject({ ok: false, status: null, failure: "timeout" });
  });

  // rules#event-delivery
  test("is five seconds, for each kind of slowness; what DNS takes of it the receiver does not get", async () => {
    expect(DELIVERY_TIMEOUT_MS).toBe(5000);
    const dns = await opened(
      startDnsServer(({ name }) => (name.startsWith("late") ? { a: ["127.0.0.1"], delayMs: 3000 } : { silent: true })),
    );
    const rules = parseTargetRules({ allowHosts: ["127.0.0.1", "late.belfry-peer.net"], dnsServers: [dns.server] });
    const sinks = await Promise.all(slow.map(([, serve]) => opened(startTcpReceiver(serve))));
    const [silent, late] = [await opened(startTcpReceiver()), await opened(startTcpReceiver())];
    const urls = [
      ...sinks.map((sink) => `http://127.0.0.1:${sink.port}/`),
      `https://127.0.0.1:${silent.port}/`,
      `http://late.belfry-peer.net:${late.port}/`,
      "https://silent.belfry-peer.net/",
    ];
    // Only the clock stops: sockets and DNS queries continue, at the pace of this machine.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const ended: string[] = [];
    const under = urls.map(async (url) => {
      const result = await deliver(url, { rules, timeoutMs: undefined });
      ended.push(url);
      return result;
    });
    await runTicksUntil(() => [...sinks, silent].every((sink) => sink.connections() === 1));
    await runTicksUntil(() => dns.questions.filter(({ name }) => name.startsWith("late")).length === 2);
    vi.advanceTimersByTime(3000);
    await runTicksUntil(() => late.connections() === 1);
    vi.advanceTimersByTime(1999);
    for (let n = 0; n < 50; n++) await nextTick();
    expect(ended).toEqual([]);
    vi.advanceTimersByTime(1);
    for (const result of await Promise.all(under)) expect(result).toMatchObject({ ok: false, failure: "timeout" });
  });

  test("a shutdown ends it early", async () => {
    const sink = await opened(startTcpReceiver());
    const end = new AbortController();
    // Its own time is beyond the test's.
    const under = deliver(`http://127.0.0.1:${sink.port}/`, { signal: end.signal, timeoutMs: 3_600_000 });
    await waitFor(() => expect(sink.connections()).toBe(1));
    end.abort();
    expect(await under).toMatchObject({ ok: false });
    expect(await deliver(`http://127.0.0.1:${sink.port}/`, { signal: AbortSignal.abort() })).toMatchObject({
      ok: false,
    });
  });
});

describe("a host that was repointed", () => {
  async function repointed(script: DnsScript, allowHosts: string[] = []) {
    const dns = await opened(startDnsServer(script));
    const sink = await opened(startTcpReceiver());
    return { dns, sink, rules: parseTargetRules({ allowHosts, dnsServers: [dns.server] }) };
  }
  const inside: [string, DnsScript][] = [
    ["loopback", ({ type }) => (type === "A" ? { a: ["127.0.0.1"] } : {})],
    ["a public and a loopback address", ({ type }) => (type === "A" ? { a: ["93.184.215.14", "127.0.0.1"] } : {})],
    ["a public A and a loopback AAAA", ({ type }) => (type === "A" ? { a: ["93.184.215.14"] } : { aaaa: ["::1"] })],
    ["a mapped address", ({ type }) => (type === "A" ? {} : { aaaa: ["::ffff:7f00:1"] })],
    ["a chain to loopback", ({ type }) => (type === "A" ? { a: ["127.0.0.1"], cname: "in.belfry-peer.net" } : {})],
    ["this network", ({ type }) => (type === "A" ? { a: ["0.0.0.0"] } : {})],
  ];
  test.each(inside)("to %s is refused, and nothing is connected", async (_what, script) => {
    const { sink, rules, dns } = await repointed(script);
    const connect = vi.spyOn(Socket.prototype, "connect");
    const result = await deliver(`https://repointed.belfry-peer.net:${sink.port}/`, { rules });
    expect(result).toMatchObject({ ok: false, status: null, failure: "refused_target" });
    expect(connect).not.toHaveBeenCalled();
    expect(sink.connections()).toBe(0);
    expect(dns.questions).toHaveLength(2);
  });

  test.each(["http://127.0.0.1", "https://127.0.0.1", "https://[::1]", "https://localhost", "https://2130706433"])(
    "%s in the row itself is also refused",
    async (origin) => {
      const { sink, rules } = await repointed(() => ({}));
      expect(await deliver(`${origin}:${sink.port}/`, { rules })).toMatchObject({ failure: "refused_target" });
      expect(sink.connections()).toBe(0);
    },
  );

  test("to nothing is a failure of DNS", async () => {
    const { sink, rules } = await repointed(() => ({ rcode: 3 }));
    expect(await deliver(`https://gone.belfry-peer.net:${sink.port}/`, { rules })).toMatchObject({ failure: "dns" });
    const broken = await repointed(() => ({ rcode: 2 }));
    expect(await deliver("https://broken.belfry-peer.net/", { rules: broken.rules })).toMatchObject({ failure: "dns" });
  });

  // rules#webhook-public-addresses
  test("between the check and the connection: the checked address is dialled, after one look-up", async () => {
    const { sink, rules, dns } = await repointed(({ type, nth }) => {
      if (type === "AAAA") return {};
      return nth === 1 ? { a: ["93.184.215.14"] } : { a: ["127.0.0.1"] };
    });
    const dialled: unknown[] = [];
    const real = Socket.prototype.connect;
    vi.spyOn(Socket.prototype, "connect").mockImplementation(function (this: Socket, ...args: any[]) {
      const options = Array.isArray(args[0]) ? args[0][0] : args[0];
      // The socket's DNS query is answered; then it is sent to a port without a listener, not out of this machine.
      options.lookup(options.host, { all: true }, (_error: unknown, addresses: unknown) => dialled.push(addresses));
      options.lookup(options.host, {}, (_error: unknown, address: unknown, family: unknown) =>
        dialled.push([address, family]),
      );
      return real.call(this, { port: 1, host: "127.0.0.1" } as any);
    });
    const result = await deliver(`https://rebound.belfry-peer.net:${sink.port}/`, { rules });
    expect(result).toMatchObject({ ok: false, failure: "connect" });
    expect(dialled).toEqual([[{ address: "93.184.215.14", family: 4 }], ["93.184.215.14", 4]]);
    expect(dns.questions.map((question) => question.type).sort()).toEqual(["A", "AAAA"]);
    expect(sink.connections()).toBe(0);
    // The next delivery resolves the name again, and uses its present address.
    vi.restoreAllMocks();
    expect(await deliver(`https://rebound.belfry-peer.net:${sink.port}/`, { rules })).toMatchObject({
      failure: "refused_target",
    });
    expect(sink.connections()).toBe(0);
  });

  test("a name with several addresses is reached by the one that answers", async () => {
    const { rules } = await repointed(
      ({ type }) => (type === "A" ? { a: ["127.0.0.9", "127.0.0.1"] } : {}),
      ["many.belfry-peer.net"],
    );
    const sink = await opened(startHttpReceiver((_request, response) => response.end()));
    expect(await deliver(`http://many.belfry-peer.net:${sink.port}/`, { rules })).toMatchObject({ ok: true });
  });
});

describe.skipIf(isMissing("openssl"))("TLS", () => {
  async function tlsSink(certified: string) {
    const servers: unknown[] = [];
    const pair = createCertificate(certified);
    const server = createHttpsServer(pair, (request, response) => {
      servers.push((request.socket as TLSSocket).servername);
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closers.push(() => {
      server.closeAllConnections();
      server.close();
    });
    const dns = await opened(startDnsServer(({ type }) => (type === "A" ? { a: ["127.0.0.1"] } : {})));
    const rules = parseTargetRules({ allowHosts: ["tls.belfry-peer.net"], dnsServers: [dns.server] });
    return { url: `https://tls.belfry-peer.net:${(server.address() as AddressInfo).port}/`, rules, servers, ...pair };
  }
  function trust(cert: string) {
    const before = getCACertificates("default");
    setDefaultCACertificates([...before, cert]);
    closers.push(() => setDefaultCACertificates(before));
  }

  test("an untrusted certificate is refused, allowed host or not", async () => {
    const { url, rules, servers } = await tlsSink("tls.belfry-peer.net");
    expect(await deliver(url, { rules })).toMatchObject({ ok: false, status: null, failure: "tls" });
    expect(servers).toEqual([]);
  });

  test("also where the environment would wave it through", async () => {
    const { url, rules } = await tlsSink("tls.belfry-peer.net");
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    closers.push(() => vi.unstubAllEnvs());
    expect(await deliver(url, { rules })).toMatchObject({ ok: false, failure: "tls" });
  });

  test("a trusted certificate for another host is refused", async () => {
    const { url, rules, servers, cert } = await tlsSink("other.belfry-peer.net");
    trust(cert);
    expect(await deliver(url, { rules })).toMatchObject({ ok: false, status: null, failure: "tls" });
    expect(servers).toEqual([]);
  });

  test("a trusted one is accepted, requested by the host's name though an address is dialled", async () => {
    const { url, rules, servers, cert } = await tlsSink("tls.belfry-peer.net");
    trust(cert);
    expect(await deliver(url, { rules })).toMatchObject({ ok: true, status: 200 });
    expect(await deliver(url.replace(".net:", ".net.:"), { rules })).toMatchObject({ ok: true, status: 200 });
    expect(servers).toEqual(["tls.belfry-peer.net", "tls.belfry-peer.net"]);
  });

  test("a receiver that speaks no TLS", async () => {
    const sink = await opened(startHttpReceiver((_request, response) => response.end()));
    expect(await deliver(`https://127.0.0.1:${sink.port}/`)).toMatchObject({ ok: false, failure: "tls" });
  });
});

test("an invalid URL, an invalid secret: a result, never an exception", async () => {
  expect(await deliver("nonsense")).toMatchObject({ ok: false, failure: "refused_target" });
  expect(await deliver("http://127.0.0.1:1/", { body: undefined as unknown as string })).toMatchObject({ ok: false });
  const sink = await opened(startTcpReceiver());
  expect(await deliver(`http://127.0.0.1:${sink.port}/`, { event: "a\r\nb" })).toMatchObject({
    ok: false,
    failure: "reply",
  });
});
