// Endpoints are strangers' addresses: what may be stored, what is called, and what a push service can do to this server
// (rules#push-addresses).

import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startDnsServer } from "../support/dns_server.ts";
import { registerHandset } from "../support/handsets.ts";
import { createCertificate, startHttpReceiver, startTcpReceiver } from "../support/loopback_receivers.ts";
import { countPushes, insertPushHandsets, joinWithPush, registerPush } from "../support/push_handsets.ts";
import { startPushService } from "../support/push_service.ts";
import { isMissing } from "../support/requirements.ts";
import { waitUntil } from "../support/wait.ts";
import { World } from "../support/world.ts";

const zone: Record<string, { a?: string[]; aaaa?: string[]; rcode?: number }> = {
  "good.push.test": { a: ["1.1.1.1"] },
  "private.push.test": { a: ["10.0.0.1"] },
  "mixed.push.test": { a: ["1.1.1.1", "192.168.0.1"] },
  "metadata.push.test": { a: ["169.254.169.254"] },
  "mapped.push.test": { aaaa: ["::ffff:127.0.0.1"] },
  "kept.push.test": { a: ["127.0.0.1"] },
  "broken.push.test": { rcode: 2 },
};
let dns: Awaited<ReturnType<typeof startDnsServer>>;
let service: Awaited<ReturnType<typeof startPushService>>;
let world: World;
const closers: (() => unknown)[] = [];

beforeAll(async () => {
  dns = await startDnsServer(({ name }) => zone[name] ?? { rcode: 3 });
  service = await startPushService();
});
afterAll(async () => {
  await world?.close();
  for (const close of closers) close();
  service.close();
  dns.close();
});

const open = async (hosts: string[]) =>
  World.open({
    settings: {
      WEB_PUSH: "on",
      WEB_PUSH_CONTACT: "https://ops.example.org/",
      WEB_PUSH_ALLOW_HOSTS: hosts.join(","),
      // Addresses that an owner's webhooks may reach and strangers' handsets may not.
      WEBHOOK_ALLOW_HOSTS: "127.0.0.2,localhost",
      WEBHOOK_DNS_SERVERS: dns.server,
    },
  });

describe("when it is stored", () => {
  beforeAll(async () => {
    world = await open([service.host]);
  });

  // rules#push-addresses rules#no-echo
  test(
    "only endpoints that a push service on the public internet may have issued are accepted, and no message " +
      "reveals more",
    async () => {
      const { token } = await registerHandset(world);
      const refused = [
        "http://good.push.test/x",
        "ftp://good.push.test/x",
        "good.push.test/x",
        "https://u:p@good.push.test/x",
        "https://good.push.test:0/x",
        "https://good push.test/x",
        "https://localhost/x",
        "https://127.0.0.1/x",
        "https://127.0.0.2/x",
        "http://127.0.0.2/x",
        `http://127.0.0.1:${service.port + 1}/x`,
        "https://[::1]/x",
        "https://2130706433/x",
        "https://0x7f.1/x",
        "https://10.0.0.1/x",
        "https://169.254.169.254/latest/meta-data",
        "https://[fd00::1]/x",
        "https://[::ffff:10.0.0.1]/x",
        "https://printer.local/x",
        "https://private.push.test/x",
        "https://mixed.push.test/x",
        "https://metadata.push.test/x",
        "https://mapped.push.test/x",
        "https://missing.push.test/x",
      ];
      const messages = new Set<string>();
      for (const endpoint of refused) {
        const { status, body } = await registerPush(world, token, endpoint);
        expect([endpoint, status, body?.error.param]).toEqual([endpoint, 422, "endpoint"]);
        messages.add(body.error.message);
      }
      expect(messages.size).toBe(1);
      for (const long of [2049, 10_000]) {
        const { status, body } = await registerPush(world, token, `https://good.push.test/${"x".repeat(long - 23)}`);
        expect([status, body.error.param]).toEqual([422, "endpoint"]);
      }
      expect(await world.sql("select 1 from push_endpoint")).toEqual([]);
      expect((await registerPush(world, token, `https://good.push.test/${"x".repeat(2025)}`)).status).toBe(204);
      // A failing resolver reveals nothing of the name; the push notification resolves it again.
      expect((await registerPush(world, token, "https://broken.push.test/x")).status).toBe(204);
      await world.handset("DELETE", "/devices/me/push", token);
    },
  );
});

describe("when it is called", () => {
  test("a name that is repointed at a private address is not called, and that is a failure", async () => {
    const trap = await startHttpReceiver((_request, response) => void response.end());
    closers.push(trap.close);
    const pusher = await world.pusher();
    zone["rebound.push.test"] = { a: ["1.1.1.1"] };
    const { id } = await joinWithPush(world, pusher.handle, `https://rebound.push.test:${trap.port}/x`);
    zone["rebound.push.test"] = { a: ["127.0.0.1"] };
    await world.alert(pusher.id, { send: true });
    const failures = async () =>
      (await world.sql("select failures from push_endpoint where device_id = ?::bigint", [id]))[0].failures;
    await waitUntil(async () => (await failures()) === 1);
    expect(trap.connections()).toBe(0);
  });

  test("connections are kept for further push notifications, and each is made only to a checked address", async () => {
    const own = await open([`kept.push.test:${service.port}`]);
    const pusher = await own.pusher();
    const host = `http://kept.push.test:${service.port}`;
    await insertPushHandsets(own, pusher.id, 100, (n) => `${host}/wpush/v2/kept-${n}`);
    const [before, asked] = [service.connections(), dns.questions.length];
    await own.alert(pusher.id, { send: true });
    // On a busy machine some take longer than the service waits, and after eight of them the others are dropped.
    let [failed, slow, dropped] = [0, 0, 0];
    await waitUntil(async () => {
      failed = await countPushes(own, "failed");
      slow = await countPushes(own, "unanswered");
      dropped = await countPushes(own, "dropped");
      return failed + slow + dropped === 100;
    });
    expect(dropped > 0 && slow < 8).toBe(false);
    const connections = service.connections() - before;
    // A connection whose answer is late is closed.
    expect(connections).toBeLessThanOrEqual(32 + slow);
    // One question a family, for each connection that is made.
    expect(dns.questions.length - asked).toBeGreaterThanOrEqual(2 * connections);
    expect(dns.questions.length - asked).toBeLessThanOrEqual(2 * (32 + slow));
    // The signature names the origin that we use; the receiver has another name for itself here.
    const refused = service.refused.splice(0);
    expect(refused).toEqual(Array(refused.length).fill("aud"));
    expect(refused.length).toBeGreaterThanOrEqual(failed);
    await own.close();
  });

  test("redirects are not followed, and slow or endless responses end in time and delay no other", async () => {
    const trap = await startHttpReceiver((_request, response) => void response.end());
    const redirecting = await startHttpReceiver((_request, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${trap.port}/` }).end();
    });
    const hang = await startTcpReceiver();
    const reset = await startTcpReceiver((socket) => socket.resetAndDestroy());
    const endless = await startTcpReceiver((socket) => {
      socket.write("HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n");
      const more = () => {
        while (socket.writable && socket.write(`4000\r\n${"x".repeat(0x4000)}\r\n`));
      };
      socket.on("drain", more);
      more();
    });
    const drip = await startTcpReceiver((socket) => {
      socket.write("HTTP/1.1 201 Created\r\ncontent-length: 1000\r\n\r\n");
      const timer = setInterval(() => socket.write("x"), 100);
      socket.on("close", () => clearInterval(timer));
    });
    const headers = await startTcpReceiver((socket) => {
      socket.write("HTTP/1.1 201 Created\r\n");
      const timer = setInterval(() => socket.write(`x-more: ${"y".repeat(1000)}\r\n`), 20);
      socket.on("close", () => clearInterval(timer));
    });
    const lying = await startTcpReceiver((socket) => void socket.write("SSH-2.0-OpenSSH_9.2\r\n"));
    const strange = [redirecting, hang, reset, endless, drip, headers, lying];
    const own = await open([service, ...strange].map(({ port }) => `127.0.0.1:${port}`));
    closers.push(trap.close, ...strange.map(({ close }) => close));
    const pusher = await own.pusher();
    for (const { port } of strange)
      for (let n = 0; n < 3; n++) await joinWithPush(own, pusher.handle, `http://127.0.0.1:${port}/${n}`);
    await joinWithPush(own, pusher.handle, service.endpoint("beside"));
    await own.alert(pusher.id, { send: true });
    await waitUntil(() => service.count("beside") === 1);
    await waitUntil(() => own.service.push.pending() === 0);
    expect(trap.requests).toEqual([]);
    expect(redirecting.requests).toHaveLength(3);
    expect(redirecting.requests[0]).toMatchObject({ method: "POST", url: expect.stringMatching(/^\/\d$/) });
    // A 201 means accepted; the rest of the response is ignored.
    expect(await countPushes(own, "accepted")).toBe(1 + endless.connections() + drip.connections());
    await waitUntil(() => [hang, endless, drip, headers, lying].every((sink) => sink.open() === 0));
    await own.close();
  });

  test.skipIf(isMissing("openssl"))("a push service with an untrusted certificate is refused", async () => {
    const asked: string[] = [];
    const server = createHttpsServer(createCertificate("127.0.0.1"), (request, response) => {
      asked.push(request.url!);
      response.writeHead(201).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closers.push(() => server.close());
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const own = await open([host]);
    const pusher = await own.pusher();
    await joinWithPush(own, pusher.handle, `https://${host}/x`);
    await own.alert(pusher.id, { send: true });
    await waitUntil(async () => (await countPushes(own, "unanswered")) === 1);
    expect(asked).toEqual([]);
    await own.close();
  });

  test("the log contains no part of an endpoint, with any result", async () => {
    const lines: string[] = [];
    const own = await World.open({
      settings: {
        WEB_PUSH: "on",
        WEB_PUSH_CONTACT: "mailto:ops@example.org",
        WEB_PUSH_ALLOW_HOSTS: "127.0.0.1",
        LOG_LEVEL: "trace",
      },
      logTo: { write: (line: string) => void lines.push(line) },
    });
    const dead = await startTcpReceiver((socket) => socket.resetAndDestroy());
    closers.push(dead.close);
    const pusher = await own.pusher();
    for (let n = 0; n < 12; n++) await joinWithPush(own, pusher.handle, `http://127.0.0.1:${dead.port}/secret-${n}`);
    await registerPush(own, (await registerHandset(own)).token, "https://10.0.0.1/secret-refused");
    await own.sql(
      "update push_endpoint set endpoint = 'broken'::bytea where device_id = (select min(device_id) from " +
        "push_endpoint)",
    );
    for (let n = 0; n < 2; n++) {
      await own.alert(pusher.id, { send: true });
      await waitUntil(
        async () => (await countPushes(own, "dropped")) + (await countPushes(own, "unanswered")) === 11 * (n + 1),
      );
    }
    expect(lines.join("")).toMatch(/push notifications dropped/);
    expect(lines.join("")).toMatch(/a push endpoint was refused; list its host in WEB_PUSH_ALLOW_HOSTS/);
    expect(lines.join("")).not.toMatch(/secret-|:\d+\/secret|wpush/);
    await own.close();
  });
});
