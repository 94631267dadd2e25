// The client's address: from the peer through the trusted proxies, and never from another client's header.

import { Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { createClientReader, rateLimitAddress } from "../../src/store/rate_limits/request_client.ts";
import { DEVICE_FACTS } from "../support/handsets.ts";
import { openWorld } from "../support/open_world.ts";
import { World } from "../support/world.ts";

const read = (trusted: string[], peer: string | null, forwarded?: string) =>
  createClientReader(trusted)(peer, new Headers(forwarded ? { "x-forwarded-for": forwarded } : {}));

describe("the address", () => {
  test.each<[string[], string | null, string | undefined, string | null, boolean]>([
    // Without trusted proxies, headers prove nothing about the client.
    [[], "198.51.100.7", undefined, "198.51.100.7", false],
    [[], "198.51.100.7", "127.0.0.1", "198.51.100.7", false],
    [[], "127.0.0.1", undefined, "127.0.0.1", true],
    [[], "::1", undefined, "::1", true],
    [[], "::ffff:127.0.0.1", undefined, "127.0.0.1", true],
    [[], null, "203.0.113.1", null, true],
    // A proxy on this machine that was not named: its clients are not this machine.
    [[], "127.0.0.1", "203.0.113.1", "127.0.0.1", false],
    // A trusted one: what it appended, and nothing that was there before.
    [["loopback"], "127.0.0.1", "203.0.113.1", "203.0.113.1", false],
    [["loopback"], "127.0.0.1", "127.0.0.1, 203.0.113.1", "203.0.113.1", false],
    [["127.0.0.0/8"], "::ffff:127.0.0.1", "203.0.113.1", "203.0.113.1", false],
    [["loopback"], "127.0.0.1", undefined, "127.0.0.1", true],
    [["10.0.0.0/8"], "10.1.2.3", "203.0.113.1, 10.9.9.9", "203.0.113.1", false],
    [["10.0.0.0/8"], "10.1.2.3", undefined, "10.1.2.3", false],
    // An address from a header is never this machine, in any spelling and from any proxy.
    [["10.0.0.0/8"], "10.1.2.3", "127.0.0.1", "127.0.0.1", false],
    [["10.0.0.0/8"], "10.1.2.3", "127.9.9.9", "127.9.9.9", false],
    [["10.0.0.0/8"], "10.1.2.3", "::1", "::1", false],
    [["10.0.0.0/8"], "::ffff:10.1.2.3", "::ffff:127.0.0.1", "127.0.0.1", false],
    [["10.0.0.0/8"], "10.1.2.3", "127.0.0.1, 10.9.9.9", "127.0.0.1", false],
    [["loopback"], "127.0.0.1", "127.0.0.1", "127.0.0.1", false],
    [["loopback"], "::1", "::1", "::1", false],
    [["loopback", "10.0.0.0/8"], "127.0.0.1", "127.0.0.1, 10.1.2.3", "127.0.0.1", false],
    [[], "127.0.0.1", "127.0.0.1", "127.0.0.1", false],
    [[], "::ffff:7f00:1", undefined, "127.0.0.1", true],
    [["10.0.0.0/8"], "198.51.100.7", "203.0.113.1", "198.51.100.7", false],
    [["fd00::/8"], "fd00::1", "2001:DB8:0:0::5", "2001:db8::5", false],
    // Text that is not an address does not come from a trusted proxy.
    [["loopback"], "127.0.0.1", "unknown", "127.0.0.1", false],
    [["loopback"], "127.0.0.1", "203.0.113.1, <script>", "127.0.0.1", false],
  ])("trusting %j, from %s with %s", (trusted, peer, forwarded, address, local) =>
    expect(read(trusted, peer, forwarded)).toMatchObject({ address, local }),
  );

  // rules#this-machine
  test.each([
    "forwarded: for=127.0.0.1",
    'Forwarded: for="[::1]"',
    "X-Real-IP: 127.0.0.1",
    "Via: 1.1 proxy",
    "X-Forwarded-Host: alerts.example.org",
    "X-FORWARDED-PROTO: https",
    "CF-Connecting-IP: 127.0.0.1",
    "x-forwarded-for:",
  ])("a proxy on this machine is not this machine: %s", (line) => {
    const [name = "", value = ""] = line.split(/: ?(.*)/s);
    for (const trusted of [[], ["loopback"]])
      expect(createClientReader(trusted)("127.0.0.1", new Headers([[name, value]]))).toMatchObject({
        address: "127.0.0.1",
        local: false,
      });
  });

  test.each([
    ["203.0.113.9", "203.0.113.9"],
    ["::ffff:203.0.113.9", "203.0.113.9"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::", "2001:db8:1:2::/64"],
    ["fe80::1%eth0", "fe80::/64"],
  ])("%s is counted as %s", (address, counted) => expect(rateLimitAddress(address)).toBe(counted));
});

const world = await openWorld({
  settings: {
    TRUSTED_PROXIES: "10.0.0.0/8,loopback",
    DEVICE_REGISTRATIONS_PER_MINUTE: "2",
    PUBLIC_URL: "https://alerts.example.org",
  },
  limits: true,
});

describe("on a service", () => {
  const ask = (path: string, peer: string, headers: Record<string, string> = {}, body?: object) =>
    world.service.app.fetch(
      new Request(`http://localhost${path}`, {
        method: body ? "POST" : "GET",
        headers: { "content-type": "application/json", ...headers },
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
      peer,
    );
  const register = async (client: string) =>
    (await ask("/handset/v1/devices", "10.0.0.1", { "x-forwarded-for": client }, DEVICE_FACTS)).status;

  test("the device limit counts clients behind the proxy, an IPv6 network as one", async () => {
    expect([await register("203.0.113.1"), await register("203.0.113.1")]).toEqual([201, 201]);
    expect(await register("203.0.113.1")).toBe(429);
    expect(await register("127.0.0.1, 203.0.113.1")).toBe(429);
    expect(await register("203.0.113.2")).toBe(201);
    expect([await register("2001:db8::1"), await register("2001:db8::ffff")]).toEqual([201, 201]);
    expect(await register("2001:db8:0:0:1::")).toBe(429);
    expect(await register("2001:db8:0:1::")).toBe(201);
  });

  // rules#no-credential-needed
  test("/metrics is for this machine, with any header of an untrusted peer", async () => {
    const metrics = async (peer: string, forwarded?: string) =>
      (await ask("/metrics", peer, forwarded ? { "x-forwarded-for": forwarded } : {})).status;
    expect(await metrics("127.0.0.1")).toBe(200);
    expect(await metrics("127.0.0.1", "203.0.113.1")).toBe(403);
    expect(await metrics("203.0.113.1", "127.0.0.1")).toBe(403);
    expect(await metrics("10.0.0.1", "127.0.0.1, 203.0.113.1")).toBe(403);
  });

  // rules#this-machine
  test("/metrics and limits do not believe a trusted proxy that names this machine", async () => {
    for (const forwarded of ["127.0.0.1", "::1", "::ffff:127.0.0.1", "127.0.0.2"]) {
      const headers = { "x-forwarded-for": forwarded };
      for (const peer of ["10.0.0.1", "127.0.0.1", "::1"])
        expect((await ask("/metrics", peer, headers)).status, `${peer} for ${forwarded}`).toBe(403);
    }
    expect((await ask("/metrics", "127.0.0.1", { forwarded: "for=127.0.0.1" })).status).toBe(403);
    expect((await ask("/metrics", "10.0.0.1")).status).toBe(403);
    const statuses = [];
    for (let i = 0; i < 3; i += 1) statuses.push(await register("127.0.0.1"));
    expect(statuses).toEqual([201, 201, 429]);
  });

  // rules#request-id
  test("a trusted proxy names the request; another one, or an invalid name, does not", async () => {
    const idOf = async (peer: string, id: string) =>
      (await ask("/healthz", peer, { "x-request-id": id })).headers.get("x-request-id");
    expect(await idOf("10.0.0.1", "req-1234.abc")).toBe("req-1234.abc");
    for (const [peer, id] of [
      ["203.0.113.1", "req-1234"],
      ["10.0.0.1", "a b"],
      ["10.0.0.1", '"}{'],
      ["10.0.0.1", "x".repeat(129)],
    ] as const)
      expect(await idOf(peer, id)).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("the line of a request names client, caller and operation, never a device", async () => {
    const lines: any[] = [];
    const sink = new Writable({
      write(chunk, _encoding, done) {
        lines.push(JSON.parse(String(chunk)));
        done();
      },
    });
    const logged = await World.open({ settings: { TRUSTED_PROXIES: "loopback", LOG_LEVEL: "info" }, logTo: sink });
    const headers = { "x-forwarded-for": "203.0.113.1", authorization: `Bearer ${logged.owner}` };
    const get = (path: string, more: Record<string, string> = {}) =>
      logged.service.app.fetch(
        new Request(`http://localhost${path}`, { headers: { ...headers, ...more } }),
        "127.0.0.1",
      );
    const { credential } = (await (await get("/api/v1/me")).json()) as any;
    const device = await logged.device();
    await get("/handset/v1/inbox", { authorization: `Bearer ${device}` });
    await logged.close();
    const requests = lines.filter(({ msg }) => msg === "request");
    expect(requests.find(({ path }) => path === "/api/v1/me")).toMatchObject({
      client: "203.0.113.1",
      operation: "get_me",
      caller: expect.any(String),
    });
    expect(credential.id).toContain("key_");
    const inbox = requests.find(({ path }) => path === "/handset/v1/inbox");
    expect(inbox).toMatchObject({ client: "203.0.113.1", operation: "get_inbox" });
    expect(inbox).not.toHaveProperty("caller");
  });

  test("https is declared permanent, pages request nothing of a device, crawlers are excluded", async () => {
    for (const path of ["/healthz", "/nowhere", "/console/sign-in", "/api/v1/docs"]) {
      const { headers } = await ask(path, "10.0.0.1");
      expect(headers.get("strict-transport-security")).toBe("max-age=31536000");
      const page = headers.get("content-type")!.startsWith("text/html");
      expect([path, headers.get("permissions-policy")]).toEqual([
        path,
        page ? expect.stringContaining("geolocation=()") : null,
      ]);
    }
    const robots = await ask("/robots.txt", "10.0.0.1");
    expect([robots.status, await robots.text()]).toEqual([200, expect.stringContaining("Disallow: /\n")]);
  });
});
