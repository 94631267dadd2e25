// UnifiedPush: its push servers accept only messages that are encrypted for the handset. They are decrypted here as a
// distributor's connector does, and are empty. The decryption is independent of the service's code.

import { createDecipheriv, createECDH, createHmac, randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { registerHandset } from "../support/handsets.ts";
import { countPushes, registerPush } from "../support/push_handsets.ts";
import { startPushService } from "../support/push_service.ts";
import { waitUntil } from "../support/wait.ts";
import { World } from "../support/world.ts";

let service: Awaited<ReturnType<typeof startPushService>>;
let world: World;
beforeAll(async () => {
  service = await startPushService();
  world = await World.open({
    settings: { WEB_PUSH: "on", WEB_PUSH_CONTACT: "mailto:ops@example.org", WEB_PUSH_ALLOW_HOSTS: service.host },
  });
});
afterAll(async () => {
  await world?.close();
  await service?.close();
});

const hmac = (key: Uint8Array, ...data: Uint8Array[]) => createHmac("sha256", key).update(Buffer.concat(data)).digest();
const ONE = Buffer.from([1]);

/** A handset's own keys, and what opens a message that was encrypted for them (RFC 8291, 3.4; RFC 8188, 2). */
function handsetKeys() {
  const own = createECDH("prime256v1");
  const point = own.generateKeys();
  const secret = randomBytes(16);
  return {
    keys: { p256dh: point.toString("base64url"), auth: secret.toString("base64url") },
    open(message: Buffer): Buffer {
      const [salt, size, length] = [message.subarray(0, 16), message.readUInt32BE(16), message[20]!];
      const sender = message.subarray(21, 21 + length);
      const record = message.subarray(21 + length);
      expect([size >= record.length, sender.length]).toEqual([true, 65]);
      const first = hmac(secret, own.computeSecret(sender));
      const input = hmac(first, Buffer.from("WebPush: info\0"), point, sender, ONE);
      const second = hmac(salt, input);
      const key = hmac(second, Buffer.from("Content-Encoding: aes128gcm\0"), ONE).subarray(0, 16);
      const nonce = hmac(second, Buffer.from("Content-Encoding: nonce\0"), ONE).subarray(0, 12);
      const cipher = createDecipheriv("aes-128-gcm", key, nonce);
      cipher.setAuthTag(record.subarray(-16));
      const padded = Buffer.concat([cipher.update(record.subarray(0, -16)), cipher.final()]);
      expect(padded.at(-1)).toBe(2);
      return padded.subarray(0, -1);
    },
  };
}

const endpoint = (name: string) => `${service.origin}/up/${name}`;

// rules#push-unified
test("its push notification is an empty message that only the handset can decrypt", async () => {
  const pusher = await world.pusher({ requested_perms: ["notify"] });
  const { keys, open } = handsetKeys();
  const { token } = await registerHandset(world);
  await world.handset("PUT", `/subscriptions/${pusher.handle}`, token, { permissions: ["notify"] });
  expect((await registerPush(world, token, endpoint("one?up=1"), "unified_push", keys)).status).toBe(204);
  expect((await world.handset("GET", "/push", token)).body.kind).toBe("unified_push");
  for (const n of [1, 2]) {
    await world.alert(pusher.id, { title: "The quay floods", priority: "urgent", send: true });
    await waitUntil(() => service.received.length === n);
  }
  expect(service.refused).toEqual([]);
  const [first, second] = service.received;
  expect(first).toMatchObject({ path: "/up/one?up=1", urgency: "high", topic: "inbox" });
  for (const { message } of [first!, second!]) expect(open(message)).toEqual(Buffer.alloc(0));
  // No part of one identifies another of the same handset.
  expect(first!.message.equals(second!.message)).toBe(false);
  await waitUntil(async () => (await countPushes(world, "accepted")) === 2);
  const stored = await world.sql("select endpoint from push_endpoint");
  for (const { endpoint } of stored) expect(endpoint.toString("latin1")).not.toMatch(new RegExp(`http|${keys.auth}`));
});

test("an endpoint without the keys of its handset is refused by the name of the field", async () => {
  const { token } = await registerHandset(world);
  const { keys } = handsetKeys();
  const offCurve = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 7)]).toString("base64url");
  for (const wrong of [
    undefined,
    { ...keys, p256dh: "B".repeat(87) },
    { ...keys, p256dh: offCurve },
    { ...keys, auth: "a" },
    { ...keys, auth: `${keys.auth}\n` },
  ]) {
    const { status, body } = await registerPush(world, token, endpoint("two"), "unified_push", wrong);
    expect([status, body?.error?.param]).toEqual([422, expect.stringMatching(/^keys/)]);
  }
  expect((await world.handset("GET", "/push", token)).body.kind).toBeNull();
});
