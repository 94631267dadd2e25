// Creating webhook endpoints. Their requests are tested in test/webhooks/end_to_end.test.ts. The addresses are literal
// and public, and nothing happens in the accounts that own them, so no connection is ever made.

import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { TestCase } from "../../support/case_runner.ts";
import type { World } from "../../support/world.ts";
import { ALL_EVENTS, createAccountWithWebhook, createWebhook, listWebhooks, RECEIVER_URL } from "./fixtures.ts";

const refused = (name: string, fields: Record<string, unknown>, param: string, says?: RegExp): TestCase => ({
  rule: "create-webhook",
  name: `${name} is 422 on ${param}`,
  tool: "create_webhook",
  given: (world) => world.foreignKey(),
  as: (_world, key) => key,
  input: () => ({ url: RECEIVER_URL, events: ["alert.sent"], ...fields }),
  want: { error: "invalid_request", param, ...(says && { says }) },
  after: async (world, key) => expect(await listWebhooks(world, key)).toEqual([]),
});

const badUrl = (url: unknown) => refused(`url ${JSON.stringify(url).slice(0, 60)}`, { url }, "url");

/** Accounts at the limit of endpoints. */
async function full(world: World, count: number) {
  const key = await world.foreignKey();
  for (let n = 0; n < count; n++) await createWebhook(world, key);
  return key;
}

export const createWebhookCases: TestCase[] = [
  {
    rule: "webhook-secret",
    tool: "create_webhook",
    given: (world) => world.foreignKey(),
    as: (_world, key) => key,
    input: () => ({ url: RECEIVER_URL, events: ALL_EVENTS }),
    want: {
      body: {
        url: RECEIVER_URL,
        events: ALL_EVENTS,
        failure_count: 0,
        disabled: false,
        disabled_at: null,
        paused_at: null,
        last_delivery_at: null,
        last_status: null,
      },
    },
    after: async (world, key, { body }) => {
      expect(body.id).toMatch(/^whk_[0-9a-z]{26}$/);
      expect(body.secret).toMatch(/^whsec_/);
      // `whsec_` and 32 random bytes.
      expect(Buffer.from(body.secret.slice(6), "base64url")).toHaveLength(32);
      const { secret, ...rest } = body;
      const list = await world.rest("list_webhooks", {}, key);
      expect(list.body).toEqual({ data: [rest] });
      expect(JSON.stringify(list.body)).not.toContain(secret.slice(6, 20));
    },
  },
  {
    rule: "webhook-events",
    name: "a name that is given twice counts once",
    tool: "create_webhook",
    given: (world) => world.foreignKey(),
    as: (_world, key) => key,
    input: () => ({ url: RECEIVER_URL, events: ["subscriber.deleted", "alert.sent", "subscriber.deleted"] }),
    want: { body: { events: ["subscriber.deleted", "alert.sent"] } },
  },
  {
    rule: "create-webhook",
    name: "a public IPv6 address with a port, and 2,048 characters",
    tool: "create_webhook",
    given: (world) => world.foreignKey(),
    as: (_world, key) => key,
    input: () => ({ url: `https://[2606:4700:4700::1111]:8443/${"p".repeat(2048 - 36)}`, events: ["alert.sent"] }),
    want: {},
    after: (_world, _key, { body }) => expect(body.url).toHaveLength(2048),
  },
  {
    rule: "event-delivery",
    name: "one address may be registered twice, with secrets of their own",
    tool: "create_webhook",
    given: (world) => createAccountWithWebhook(world),
    as: (_world, { key }) => key,
    input: () => ({ url: RECEIVER_URL, events: ALL_EVENTS }),
    want: {},
    after: (_world, { secret }, { body }) => expect(body.secret).not.toBe(secret),
  },
  refused("no url", { url: undefined }, "url", /required/),
  refused("no events", { events: undefined }, "events", /required/),
  refused("an empty list", { events: [] }, "events"),
  refused("an unknown event", { events: ["alert.sent", "alert.read"] }, "events.1"),
  // Such events do not exist (rules#events-of-alerts).
  refused("alert.delivered", { events: ["alert.delivered"] }, "events.0"),
  refused("alert.failed", { events: ["alert.failed"] }, "events.0"),
  refused("one text for events", { events: "alert.sent" }, "events"),
  refused("null for events", { events: null }, "events"),
  refused("a secret of one's own", { secret: "whsec_mine" }, "secret"),
  refused("a server-owned field", { disabled: false }, "disabled"),
  ...[
    null,
    7,
    "",
    "   ",
    "1.1.1.1",
    "//1.1.1.1/",
    "http://1.1.1.1/",
    "ftp://1.1.1.1/",
    "javascript:alert(1)",
    "https://",
    "https:///path",
    "https://user:pass@1.1.1.1/",
    "https://user@1.1.1.1/",
    "https://@1.1.1.1/",
    "https://1.1.1.1:0/",
    "https://1.1.1.1:65536/",
    "https://1.1.1.1/ x",
    "https:\\\\1.1.1.1\\",
    `https://1.1.1.1/${"p".repeat(2049 - 16)}`,
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0177.0.0.1/",
    "https://10.1.2.3/",
    "https://100.64.0.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://172.16.0.1/",
    "https://192.168.0.1/",
    "https://198.18.0.1/",
    "https://0.0.0.0/",
    "https://224.0.0.1/",
    "https://255.255.255.255/",
    "https://[::1]/",
    "https://[::]/",
    "https://[::ffff:1.1.1.1]/",
    "https://[64:ff9b::101:101]/",
    "https://[2002:101:101::1]/",
    "https://[fd00::1]/",
    "https://[fe80::1]/",
    "https://localhost/",
    "https://LOCALHOST./",
    "https://a.localhost/",
    "https://printer.local/",
    "https://metadata.google.internal/",
    "https://intranet/",
    "https://nobody.invalid/",
  ].map(badUrl),
  {
    rule: "webhook-room",
    name: "the twentieth",
    tool: "create_webhook",
    given: (world) => full(world, 19),
    as: (_world, key) => key,
    input: () => ({ url: RECEIVER_URL, events: ["alert.sent"] }),
    want: {},
  },
  {
    rule: "webhook-room",
    name: "the one after is 409, and its errors are reported before",
    tool: "create_webhook",
    given: (world) => full(world, 20),
    as: (_world, key) => key,
    input: () => ({ url: RECEIVER_URL, events: ["alert.sent"] }),
    want: { error: "conflict", param: null, says: /20.*Delete/ },
    after: async (world, key) => {
      const wrong = await world.rest("create_webhook", { url: "http://x", events: ALL_EVENTS }, key);
      expect(wrong.status).toBe(422);
      const [first] = await listWebhooks(world, key);
      await world.rest("delete_webhook", { webhook_id: first }, key);
      await createWebhook(world, key);
    },
  },
  {
    rule: "restricted-sees-its-channels",
    tool: "create_webhook",
    as: (world) => world.memberKey("viewer"),
    input: () => ({ url: RECEIVER_URL, events: ALL_EVENTS }),
    want: { error: "forbidden", param: null },
  },
  {
    rule: "one-scope",
    tool: "create_webhook",
    as: (world) => world.key({ scopes: "webhooks:read" }),
    input: () => ({ url: "http://127.0.0.1/", events: [] }),
    want: { error: "insufficient_scope", says: /webhooks:write/ },
  },
  {
    rule: "idempotency-secret",
    tool: "create_webhook",
    given: async (world) => {
      const key = await world.foreignKey();
      const args = { url: RECEIVER_URL, events: ALL_EVENTS, idempotency_key: randomUUID() };
      return { key, args, first: (await world.rest("create_webhook", args, key)).body };
    },
    as: (_world, { key }) => key,
    input: ({ args }) => args,
    want: {},
    after: async (world, { key, first }, { body }) => {
      expect(body).toEqual(first);
      expect(await listWebhooks(world, key)).toEqual([first.id]);
    },
  },
  {
    rule: "idempotency",
    tool: "create_webhook",
    given: async (world) => {
      const key = await world.foreignKey();
      const args = { url: RECEIVER_URL, events: ALL_EVENTS, idempotency_key: randomUUID() };
      await world.rest("create_webhook", args, key);
      return { key, args };
    },
    as: (_world, { key }) => key,
    input: ({ args }) => ({ ...args, url: "https://1.1.1.1/other" }),
    want: { error: "invalid_request", param: "idempotency_key" },
    after: async (world, { key }) => expect(await listWebhooks(world, key)).toHaveLength(1),
  },
];
