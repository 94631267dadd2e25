// Webhook endpoints listed and deleted.

import { expect } from "vitest";
import type { TestCase } from "../../support/case_runner.ts";
import { parseUuid } from "../../support/handsets.ts";
import { createAccountWithWebhook, createWebhook, listWebhooks } from "./fixtures.ts";

export const listWebhookCases: TestCase[] = [
  {
    rule: "list-answer",
    tool: "list_webhooks",
    given: async (world) => {
      const key = await world.foreignKey();
      const made = [await createWebhook(world, key), await createWebhook(world, key), await createWebhook(world, key)];
      return { key, ids: made.map(({ id }) => id) };
    },
    as: (_world, { key }) => key,
    input: () => ({}),
    want: {},
    after: (_world, { ids }, { body }) => {
      expect(Object.keys(body)).toEqual(["data"]);
      expect(body.data.map(({ id }: any) => id)).toEqual(ids.toReversed());
    },
  },
  {
    rule: "webhook-health",
    tool: "list_webhooks",
    given: async (world) => {
      const given = await createAccountWithWebhook(world);
      await world.sql(
        `update webhook_endpoint set failure_count = 20, last_status = 503, disabled_at = '2026-01-02T03:04:05.000006Z',
           last_delivery_at = '2026-01-02T03:04:05Z' where id = ?`,
        [parseUuid(given.endpoint.id)],
      );
      return given;
    },
    as: (_world, { key }) => key,
    input: () => ({}),
    want: {
      body: {
        data: [
          {
            failure_count: 20,
            disabled: true,
            disabled_at: "2026-01-02T03:04:05.000006Z",
            last_delivery_at: "2026-01-02T03:04:05.000000Z",
            last_status: 503,
          },
        ],
      },
    },
  },
  {
    rule: "foreign-is-missing",
    name: "another account's endpoints are not there",
    tool: "list_webhooks",
    given: (world) => createAccountWithWebhook(world),
    as: (world) => world.foreignKey(),
    input: () => ({}),
    want: { body: { data: [] } },
  },
  {
    rule: "restricted-sees-its-channels",
    name: "a restricted member sees its own endpoints only; the owner sees them all",
    tool: "list_webhooks",
    given: async (world) => {
      const pusher = await world.pusher();
      const [mine, other] = [
        await world.memberKey("editor", [pusher.id]),
        await world.memberKey("editor", [pusher.id]),
      ];
      const [own, foreign] = [await createWebhook(world, mine), await createWebhook(world, other)];
      return { mine, own, foreign };
    },
    as: (_world, { mine }) => mine,
    input: () => ({}),
    want: {},
    after: async (world, { mine, own, foreign }, { body }) => {
      expect(body.data.map(({ id }: any) => id)).toEqual([own.id]);
      const gone = await world.rest("delete_webhook", { webhook_id: foreign.id }, mine);
      expect(gone.status).toBe(404);
      const all = await listWebhooks(world, world.owner);
      expect(all).toEqual(expect.arrayContaining([own.id, foreign.id]));
      for (const { id } of [own, foreign])
        expect((await world.rest("delete_webhook", { webhook_id: id })).status).toBe(204);
    },
  },
  {
    rule: "restricted-sees-its-channels",
    name: "a key of one channel sees the endpoints that were made with it",
    tool: "list_webhooks",
    given: async (world) => {
      const pusher = await world.pusher();
      const bound = await world.key({ pusher: pusher.id });
      const [own, unbound] = [await createWebhook(world, bound), await createWebhook(world, world.owner)];
      return { bound, own, unbound };
    },
    as: (_world, { bound }) => bound,
    input: () => ({}),
    want: {},
    after: async (world, { bound, own, unbound }, { body }) => {
      expect(body.data.map(({ id }: any) => id)).toEqual([own.id]);
      expect((await world.rest("delete_webhook", { webhook_id: unbound.id }, bound)).status).toBe(404);
      for (const { id } of [own, unbound])
        expect((await world.rest("delete_webhook", { webhook_id: id })).status).toBe(204);
    },
  },
  {
    rule: "unknown-fields",
    tool: "list_webhooks",
    input: () => ({ limit: 5 }),
    want: { error: "invalid_request", param: "limit" },
  },
  {
    rule: "one-scope",
    name: "a viewer reads",
    tool: "list_webhooks",
    given: (world) => world.memberKey("viewer", undefined, { scopes: "webhooks:read" }),
    as: (_world, key) => key,
    input: () => ({}),
    want: {},
  },
  {
    rule: "one-scope",
    tool: "list_webhooks",
    as: (world) => world.key({ scopes: "webhooks:write" }),
    input: () => ({}),
    want: { error: "insufficient_scope", says: /webhooks:read/ },
  },
];

export const deleteWebhookCases: TestCase[] = [
  {
    rule: "webhook-removed",
    tool: "delete_webhook",
    given: (world) => createAccountWithWebhook(world),
    as: (_world, { key }) => key,
    input: ({ endpoint }) => ({ webhook_id: endpoint.id }),
    want: {},
    after: async (world, { key, endpoint }, { body }) => {
      // Over REST the body is empty; over MCP it contains the deleted id.
      expect([null, JSON.stringify({ deleted: true, id: endpoint.id })]).toContain(body && JSON.stringify(body));
      expect(await listWebhooks(world, key)).toEqual([]);
      const again = await world.rest("delete_webhook", { webhook_id: endpoint.id }, key);
      expect(again.status).toBe(404);
    },
  },
  {
    rule: "webhook-removed",
    tool: "delete_webhook",
    given: async (world) => {
      const given = await createAccountWithWebhook(world);
      await world.sql("update webhook_endpoint set disabled_at = now() where id = ?", [parseUuid(given.endpoint.id)]);
      return given;
    },
    as: (_world, { key }) => key,
    input: ({ endpoint }) => ({ webhook_id: endpoint.id }),
    want: {},
    after: async (world, { key }) => expect(await listWebhooks(world, key)).toEqual([]),
  },
  ...["whk_01h455vb4pex5vsknk084sn02q", "psh_01h455vb4pex5vsknk084sn02q", "nonsense"].map(
    (webhook_id): TestCase => ({
      rule: "ids",
      name: `${webhook_id} is 404`,
      tool: "delete_webhook",
      input: () => ({ webhook_id }),
      want: { error: "not_found", param: null },
    }),
  ),
  {
    rule: "foreign-is-missing",
    tool: "delete_webhook",
    given: (world) => createAccountWithWebhook(world),
    as: (world) => world.foreignKey(),
    input: ({ endpoint }) => ({ webhook_id: endpoint.id }),
    want: { error: "not_found" },
    after: async (world, { key, endpoint }) => expect(await listWebhooks(world, key)).toEqual([endpoint.id]),
  },
  {
    rule: "restricted-sees-its-channels",
    tool: "delete_webhook",
    given: (world) => createWebhook(world, world.owner),
    as: (world) => world.memberKey("viewer"),
    input: ({ id }) => ({ webhook_id: id }),
    want: { error: "forbidden" },
    after: async (world, { id }) => {
      expect((await world.rest("delete_webhook", { webhook_id: id })).status).toBe(204);
    },
  },
  {
    rule: "order-of-checks",
    name: "a viewer gets 404 for an endpoint that does not exist",
    tool: "delete_webhook",
    as: (world) => world.memberKey("viewer"),
    input: () => ({ webhook_id: "whk_01h455vb4pex5vsknk084sn02q" }),
    want: { error: "not_found" },
  },
  {
    rule: "unknown-fields",
    tool: "delete_webhook",
    given: (world) => createAccountWithWebhook(world),
    as: (_world, { key }) => key,
    input: ({ endpoint }) => ({ webhook_id: endpoint.id, force: true }),
    want: { error: "invalid_request", param: "force" },
    after: async (world, { key, endpoint }) => expect(await listWebhooks(world, key)).toEqual([endpoint.id]),
  },
  {
    rule: "one-scope",
    tool: "delete_webhook",
    as: (world) => world.key({ scopes: "webhooks:read" }),
    input: () => ({ webhook_id: "x" }),
    want: { error: "insufficient_scope", says: /webhooks:write/ },
  },
];
