// An owner's manual actions on an endpoint: its log, a test, a redelivery, enabling it and a new secret. The resulting
// requests are tested in test/webhooks/manual_delivery.test.ts.

import { expect } from "vitest";
import type { TestCase } from "../../support/case_runner.ts";
import type { World } from "../../support/world.ts";
import { createDelivery, oncePerWorld, parseUuid, SUCCESS_ARGUMENTS, TIMESTAMP_PATTERN } from "../fixtures.ts";
import { createAccountWithWebhook } from "./fixtures.ts";

const LOG = "webhook-log";
const BY_HAND = "webhook-by-hand";

const TOOLS = ["list_deliveries", "test_webhook", "redeliver", "enable_webhook", "rotate_webhook_secret"];

/** An endpoint with this number of deliveries, one a second. */
const withLog = (count: number) => async (world: World) => {
  const given = await createAccountWithWebhook(world);
  await world.sql(
    `insert into webhook_delivery (id, endpoint_id, event, body, ok, status, failure, duration_ms, created_at)
     select gen_random_uuid(), ?, 'alert.sent', '{}', false, 503, 'status', n, timestamptz '2026-01-01T00:00:00Z' + n *
       interval '1 second'
     from generate_series(1, ${count}) n`,
    [parseUuid(given.endpoint.id)],
  );
  return given;
};

const disabled = async (world: World) => {
  const given = await createAccountWithWebhook(world);
  await world.sql("update webhook_endpoint set disabled_at = now(), failure_count = 20 where id = ?", [
    parseUuid(given.endpoint.id),
  ]);
  return given;
};

export const deliveryCases: TestCase[] = [
  ...TOOLS.flatMap((tool): TestCase[] => [
    {
      rule: "foreign-is-missing",
      tool,
      name: "another account's endpoint",
      given: (world) => SUCCESS_ARGUMENTS[tool]!(world),
      as: (world) => world.foreignKey(),
      input: (args) => args,
      want: { error: "not_found", param: null },
    },
    {
      rule: "ids",
      tool,
      name: "an endpoint that does not exist",
      given: (world) => SUCCESS_ARGUMENTS[tool]!(world),
      input: (args) => ({ ...args, webhook_id: "nonsense" }),
      want: { error: "not_found" },
    },
    {
      rule: "unknown-fields",
      tool,
      given: (world) => SUCCESS_ARGUMENTS[tool]!(world),
      input: (args) => ({ ...args, force: true }),
      want: { error: "invalid_request", param: "force" },
    },
    {
      rule: "restricted-sees-its-channels",
      tool,
      name: "an endpoint of another member",
      given: async (world) => {
        const pusher = await world.pusher();
        return { args: await SUCCESS_ARGUMENTS[tool]!(world), key: await world.memberKey("editor", [pusher.id]) };
      },
      as: (_world, { key }) => key,
      input: ({ args }) => args,
      want: { error: "not_found" },
    },
  ]),
  {
    rule: LOG,
    tool: "list_deliveries",
    name: "the result of each, newest first, in pages",
    given: withLog(5),
    as: (_world, { key }) => key,
    input: ({ endpoint }) => ({ webhook_id: endpoint.id, limit: 2 }),
    want: {},
    after: async (world, { key, endpoint }, { body }) => {
      expect(body.data[0]).toEqual({
        id: expect.stringMatching(/^dlv_/),
        webhook_id: endpoint.id,
        event_id: null,
        event: "alert.sent",
        alert_id: null,
        title: null,
        ok: false,
        status: 503,
        failure: "status",
        duration_ms: 5,
        redelivery_of: null,
        created_at: "2026-01-01T00:00:05.000000Z",
      });
      const seen = body.data.map(({ duration_ms }: any) => duration_ms);
      for (let before = body.meta.next_before; before !== null; ) {
        const next = await world.rest("list_deliveries", { webhook_id: endpoint.id, limit: 2, before }, key);
        seen.push(...next.body.data.map(({ duration_ms }: any) => duration_ms));
        before = next.body.meta.next_before;
      }
      expect(seen).toEqual([5, 4, 3, 2, 1]);
    },
  },
  ...[
    ["limit", 0],
    ["before", "now"],
  ].map(
    ([param, value]): TestCase => ({
      rule: "error-invalid-request",
      tool: "list_deliveries",
      name: `refuses ${param} ${value}`,
      given: withLog(0),
      as: (_world, { key }) => key,
      input: ({ endpoint }) => ({ webhook_id: endpoint.id, [param as string]: value }),
      want: { error: "invalid_request", param: param as string },
    }),
  ),
  {
    rule: BY_HAND,
    tool: "test_webhook",
    name: "is under way, and in the log",
    given: (world) =>
      createAccountWithWebhook(world, { url: "https://192.0.2.1/" }).catch(() => createAccountWithWebhook(world)),
    as: (_world, { key }) => key,
    input: ({ endpoint }) => ({ webhook_id: endpoint.id }),
    want: { body: { event: "webhook.test", ok: null, status: null, failure: null, redelivery_of: null } },
    after: async (world, { key, endpoint }, { body }) => {
      expect(body.created_at).toMatch(TIMESTAMP_PATTERN);
      const log = await world.rest("list_deliveries", { webhook_id: endpoint.id }, key);
      expect(log.body.data.map(({ id }: any) => id)).toEqual([body.id]);
    },
  },
  {
    rule: BY_HAND,
    tool: "redeliver",
    name: "names what it repeats",
    given: createDelivery,
    input: (args) => args,
    want: { body: { event: "alert.sent", ok: null } },
    after: (_world, { webhook_id, delivery_id }, { body }) => {
      expect(body).toMatchObject({ webhook_id, redelivery_of: delivery_id });
      expect(body.id).not.toBe(delivery_id);
    },
  },
  {
    rule: BY_HAND,
    tool: "redeliver",
    name: "a delivery of another endpoint is not found",
    given: async (world) => {
      const one = await createDelivery(world);
      const { body } = await world.rest("create_webhook", { url: "https://1.1.1.1/", events: ["alert.sent"] });
      return { ...one, webhook_id: body.id };
    },
    input: (args) => args,
    want: { error: "not_found" },
  },
  {
    rule: BY_HAND,
    tool: "redeliver",
    name: "not to a disabled endpoint",
    given: async (world) => {
      const args = await createDelivery(world);
      await world.sql("update webhook_endpoint set disabled_at = now() where id = ?", [parseUuid(args.webhook_id)]);
      return args;
    },
    input: (args) => args,
    want: { error: "conflict", param: null, says: /test_webhook.*enable/ },
  },
  {
    rule: "webhook-enabled",
    tool: "enable_webhook",
    given: disabled,
    as: (_world, { key }) => key,
    input: ({ endpoint }) => ({ webhook_id: endpoint.id }),
    want: { body: { disabled: false, disabled_at: null, failure_count: 0 } },
  },
  {
    rule: "webhook-enabled",
    tool: "enable_webhook",
    name: "one that is enabled keeps its count",
    given: async (world) => {
      const given = await createAccountWithWebhook(world);
      await world.sql("update webhook_endpoint set failure_count = 7 where id = ?", [parseUuid(given.endpoint.id)]);
      return given;
    },
    as: (_world, { key }) => key,
    input: ({ endpoint }) => ({ webhook_id: endpoint.id }),
    want: { body: { disabled: false, failure_count: 7 } },
  },
  {
    rule: "webhook-rotated",
    tool: "rotate_webhook_secret",
    given: (world) => createAccountWithWebhook(world),
    as: (_world, { key }) => key,
    input: ({ endpoint }) => ({ webhook_id: endpoint.id }),
    want: { body: { secret: expect.stringMatching(/^whsec_/) } },
    after: async (world, { key, secret }, { body }) => {
      expect(body.secret).not.toBe(secret);
      const hours = (Date.parse(body.previous_secret_until) - Date.now()) / 3_600_000;
      expect(hours).toBeGreaterThan(23.5);
      expect(hours).toBeLessThan(24.5);
      const list = JSON.stringify((await world.rest("list_webhooks", {}, key)).body);
      for (const value of [secret, body.secret]) expect(list).not.toContain(value.slice(6));
    },
  },
];

/** A caller who has requested thirty of them. */
const busy = oncePerWorld(async (world) => {
  const key = await world.memberKey("editor");
  const { body } = await world.rest("create_webhook", { url: "https://1.1.1.1/", events: ["alert.sent"] }, key);
  const args = { webhook_id: body.id };
  // Connections are refused there, and this number of failures would disable it.
  await world.sql("update webhook_endpoint set failure_count = -1000 where id = ?", [parseUuid(body.id)]);
  const first = await world.rest("test_webhook", args, key);
  for (let i = 1; i < 30; i++) await world.rest("test_webhook", args, key);
  return { key, args: { ...args, delivery_id: first.body.id } };
});

export const deliveryLimitCases: TestCase[] = (["test_webhook", "redeliver"] as const).map((tool) => ({
  rule: BY_HAND,
  tool,
  name: "the thirty-first in a minute",
  given: busy,
  as: (_world, { key }) => key,
  input: ({ args: { webhook_id, delivery_id } }) => ({ webhook_id, ...(tool === "redeliver" ? { delivery_id } : {}) }),
  want: { error: "rate_limited", says: /30 calls in 60 seconds/ },
}));
