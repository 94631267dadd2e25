// Idempotency keys: a retry after a lost answer never acts twice, and shows nothing that the caller no longer sees.

import { expect } from "vitest";
import type { TestCase } from "../support/case_runner.ts";
import { createHandle, type World } from "../support/world.ts";
import { getSharedPusher, oncePerWorld, parseUuid } from "./fixtures.ts";

const REPEAT = "idempotency";
const RULES = "idempotency-keys";

const newKey = () => `key ${createHandle()}`;

/** A first call that succeeded: its arguments and its answer. */
async function first(world: World, tool = "create_alert", more: Record<string, unknown> = {}, as = world.owner) {
  const args: Record<string, unknown> =
    tool === "create_pusher"
      ? { handle: createHandle(), name: "x", category: "ai", description: "x" }
      : { pusher_id: (await getSharedPusher(world)).id, title: "Once" };
  Object.assign(args, { idempotency_key: newKey(), ...more });
  const answer = await world.rest(tool, args, as);
  expect(answer.status).toBe(201);
  return { args, body: answer.body, key: as };
}

const same: TestCase["after"] = (_world, { body: before }, { body }) => expect(body).toEqual(before);
const other: TestCase["after"] = (_world, { body: before }, { body }) => expect(body.id).not.toBe(before.id);

/** Moves a key's record back in time. */
const age = (world: World, key: unknown, hours: number) =>
  world.sql("update idempotency_record set created_at = created_at - ? * interval '1 minute' where key = ?", [
    Math.round(hours * 60),
    key,
  ]);

const credential = async (world: World, key: string) => (await world.rest("get_me", {}, key)).body;

export const idempotencyCases: TestCase[] = [
  {
    rule: REPEAT,
    tool: "create_alert",
    name: "the first answer again, and one alert",
    given: (world) => first(world, "create_alert", { send: true }),
    input: ({ args }) => args,
    want: {},
    after: async (world, given, answer) => {
      same!(world, given, answer);
      expect(world.events.filter(({ data }) => data.alert_id === given.body.id)).toHaveLength(1);
    },
  },
  {
    rule: REPEAT,
    tool: "create_pusher",
    name: "no conflict with its own handle",
    given: (world) => first(world, "create_pusher"),
    input: ({ args }) => args,
    want: {},
    after: same,
  },
  {
    rule: REPEAT,
    tool: "create_alert",
    name: "the first answer, although the alert has changed since",
    given: async (world) => {
      const given = await first(world);
      await world.rest("update_alert", { pusher_id: given.body.pusher_id, alert_id: given.body.id, title: "Changed" });
      return given;
    },
    input: ({ args }) => args,
    want: { body: { title: "Once" } },
    after: same,
  },
  {
    rule: REPEAT,
    tool: "create_alert",
    name: "fields in another order are the same body",
    given: (world) => first(world, "create_alert", { body: "b", sound: "bell" }),
    input: ({ args }) => Object.fromEntries(Object.entries(args).reverse()),
    want: {},
    after: same,
  },
  ...(
    [
      ["another value", { title: "Twice" }],
      ["one field more", { body: "b" }],
      ["send in place of a draft", { send: true }],
    ] as const
  ).map(
    ([name, more]): TestCase => ({
      rule: REPEAT,
      tool: "create_alert",
      name: `another body: ${name}`,
      given: (world) => first(world),
      input: ({ args }) => ({ ...args, ...more }),
      want: { error: "invalid_request", param: "idempotency_key" },
    }),
  ),
  {
    rule: REPEAT,
    tool: "create_alert",
    name: "after 23 hours and 59 minutes",
    given: async (world) => {
      const given = await first(world);
      await age(world, given.args.idempotency_key, 23 + 59 / 60 - 0.01);
      return given;
    },
    input: ({ args }) => args,
    want: {},
    after: same,
  },
  {
    rule: REPEAT,
    tool: "create_alert",
    name: "after 24 hours it acts again, with any body",
    given: async (world) => {
      const given = await first(world);
      await age(world, given.args.idempotency_key, 24.1);
      return given;
    },
    input: ({ args }) => ({ ...args, title: "Anew" }),
    want: { body: { title: "Anew" } },
    after: other,
  },
  {
    rule: RULES,
    tool: "create_alert",
    name: "another credential, even of the same member, has keys of its own",
    given: async (world) => ({ ...(await first(world)), another: await world.key() }),
    as: (_world, { another }) => another,
    input: ({ args }) => args,
    want: {},
    after: other,
  },
  {
    rule: RULES,
    tool: "create_alert",
    name: "another operation has keys of its own",
    given: async (world) => {
      const made = await first(world, "create_pusher");
      return { ...made, args: { pusher_id: made.body.id, title: "x", idempotency_key: made.args.idempotency_key } };
    },
    input: ({ args }) => args,
    want: { body: { title: "x" } },
  },
  {
    rule: RULES,
    tool: "create_alert",
    name: "a refusal is not kept",
    given: async (world) => {
      const pusher = await world.pusher();
      const args = { pusher_id: pusher.id, title: "x", send: true, idempotency_key: newKey() };
      await world.rest("update_pusher", { pusher_id: pusher.id, status: "paused" });
      expect((await world.rest("create_alert", args)).status).toBe(409);
      expect((await world.mcp("create_alert", args)).status).toBe(409);
      await world.rest("update_pusher", { pusher_id: pusher.id, status: "active" });
      return args;
    },
    input: (args) => args,
    want: { body: { status: "sent" } },
  },
  {
    rule: RULES,
    tool: "create_alert",
    name: "kept encrypted",
    given: (world) => first(world, "create_alert", { body: "Nobody reads this in the table" }),
    input: ({ args }) => args,
    want: {},
    after: async (world, { args }) => {
      const [row] = await world.sql("select sealed_response, request_hash from idempotency_record where key = ?", [
        args.idempotency_key,
      ]);
      expect(Buffer.from(row.sealed_response).toString("latin1")).not.toMatch(/Nobody|alr_|title/);
    },
  },
  {
    rule: RULES,
    tool: "create_alert",
    name: "the scope is checked again",
    given: async (world) => {
      const key = await world.key();
      const given = await first(world, "create_alert", { send: true }, key);
      const me = await credential(world, key);
      await world.sql("update api_key set scopes = '{alerts:write}' where id = ?", [parseUuid(me.credential.id)]);
      return given;
    },
    as: (_world, { key }) => key,
    input: ({ args }) => args,
    want: { error: "insufficient_scope" },
  },
  {
    rule: RULES,
    tool: "create_alert",
    name: "the role is checked again",
    given: async (world) => {
      const key = await world.memberKey("editor");
      const given = await first(world, "create_alert", {}, key);
      const me = await credential(world, key);
      await world.sql("update member set role = 'viewer' where id = ?", [parseUuid(me.member.id)]);
      return given;
    },
    as: (_world, { key }) => key,
    input: ({ args }) => args,
    want: { error: "forbidden" },
  },
  ...(["create_alert", "create_pusher"] as const).flatMap((tool) =>
    (["the same body", "another body"] as const).map(
      (body): TestCase => ({
        rule: RULES,
        tool,
        name: `what the caller no longer sees is not shown again: ${body}`,
        given: async (world) => {
          const key = await world.memberKey("admin");
          const given = await first(world, tool, {}, key);
          const me = await credential(world, key);
          await world.sql("update member set pusher_ids = '{}' where id = ?", [parseUuid(me.member.id)]);
          return given;
        },
        as: (_world, { key }) => key,
        input: ({ args }) => ({
          ...args,
          ...(body === "the same body" ? {} : { [tool === "create_alert" ? "title" : "name"]: "y" }),
        }),
        want: { error: tool === "create_alert" ? "not_found" : "forbidden" },
      }),
    ),
  ),
  {
    rule: RULES,
    tool: "create_alert",
    name: "the channel was deleted",
    given: async (world) => {
      const pusher = await world.pusher();
      const given = await first(world, "create_alert", { pusher_id: pusher.id });
      await world.rest("delete_pusher", { pusher_id: pusher.id });
      return given;
    },
    input: ({ args }) => args,
    want: { error: "not_found" },
  },
  {
    rule: RULES,
    tool: "create_alert",
    name: "concurrent repeats wait for the first",
    given: async (world) => {
      const args = { pusher_id: (await getSharedPusher(world)).id, title: "x", send: true, idempotency_key: newKey() };
      const events = world.acts.length;
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, i) =>
          i % 2 ? world.mcp("create_alert", { ...args, view: "full" }) : world.rest("create_alert", args),
        ),
      );
      for (const { status, body } of answers) {
        expect(status).toBe(201);
        expect(body).toEqual(answers[0]!.body);
      }
      expect(world.acts.length).toBe(events + 1);
      return { args, body: answers[0]!.body };
    },
    input: ({ args }) => args,
    want: {},
    after: same,
  },
  {
    rule: RULES,
    tool: "create_pusher",
    name: "concurrent claims of one handle under two keys: one wins",
    given: async (world) => {
      const args = { handle: createHandle(), name: "x", category: "ai", description: "x" };
      const answers = await Promise.all(
        [newKey(), newKey()].map((idempotency_key) => world.rest("create_pusher", { ...args, idempotency_key })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
      return args;
    },
    input: (args) => args,
    want: { error: "conflict" },
  },
  ...(
    [
      ["one character", () => "k"],
      ["255 characters", () => createHandle().padEnd(255, "~")],
    ] as const
  ).map(
    ([name, make]): TestCase => ({
      rule: RULES,
      tool: "create_alert",
      name: `takes a key of ${name}`,
      given: async (world) => ({ id: (await getSharedPusher(world)).id, as: await world.key() }),
      as: (_world, given) => given.as,
      input: ({ id }) => ({ pusher_id: id, title: "x", idempotency_key: make() }),
      want: {},
    }),
  ),
  ...(
    [
      ["empty", "", undefined],
      ["256 characters", "k".repeat(256), undefined],
      ["é", "caf\u00e9", undefined],
      ["a tab", "a\tb", undefined],
      ["an emoji", "🔔", "MCP"],
      ["a line end", "a\nb", "MCP"],
      ["a number", 5, "MCP"],
    ] as const
  ).map(
    ([name, idempotency_key, over]): TestCase => ({
      rule: RULES,
      tool: "create_alert",
      name: `refuses a key: ${name}`,
      ...(over ? { over } : {}),
      given: getSharedPusher,
      input: ({ id }) => ({ pusher_id: id, title: "x", idempotency_key }),
      want: { error: "invalid_request", param: "idempotency_key" },
    }),
  ),
  {
    rule: "unknown-fields",
    tool: "update_alert",
    name: "a tool that makes nothing new takes no key",
    given: oncePerWorld(async (world) => (await first(world)).body),
    input: ({ id, pusher_id }) => ({ pusher_id, alert_id: id, title: "x", idempotency_key: "k" }),
    want: { error: "invalid_request", param: "idempotency_key" },
  },
];
