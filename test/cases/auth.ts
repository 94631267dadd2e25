// Credentials: invalid keys, scopes of every tool, roles by tools, keys of one channel and restricted members.

import { expect } from "vitest";
import { SCOPES } from "../../src/model/scopes.ts";
import type { TestCase } from "../support/case_runner.ts";
import { findOperation, type World } from "../support/world.ts";
import {
  alertArguments,
  createAlertInState,
  getRoleKey,
  getSharedDraft,
  getSharedPusher,
  oncePerWorld,
  parseUuid,
  SUCCESS_ARGUMENTS,
} from "./fixtures.ts";

const UNAUTHORIZED = "error-unauthorized";
const SCOPE = "error-insufficient-scope";
const ROLES = "roles";
const NARROWED = "restricted-sees-its-channels";

/** The scope of each tool, as decided. */
export const SCOPE_OF: Record<string, string> = {
  get_me: "account:read",
  list_pushers: "pushers:read",
  create_pusher: "pushers:write",
  get_pusher: "pushers:read",
  update_pusher: "pushers:write",
  delete_pusher: "pushers:write",
  list_alerts: "alerts:read",
  list_account_alerts: "alerts:read",
  create_alert: "alerts:write",
  get_alert: "alerts:read",
  update_alert: "alerts:write",
  send_alert: "alerts:send",
  schedule_alert: "alerts:send",
  wait_for_review: "alerts:read",
  cancel_alert: "alerts:send",
  move_alerts: "alerts:send",
  duplicate_alert: "alerts:write",
  delete_alert: "alerts:write",
  list_webhooks: "webhooks:read",
  create_webhook: "webhooks:write",
  delete_webhook: "webhooks:write",
  list_deliveries: "webhooks:read",
  test_webhook: "webhooks:write",
  redeliver: "webhooks:write",
  enable_webhook: "webhooks:write",
  rotate_webhook_secret: "webhooks:write",
  list_events: "webhooks:read",
  list_invites: "invites:read",
  create_invite: "invites:write",
  revoke_invite: "invites:write",
  preview_html: "alerts:write",
  get_alert_stats: "stats:read",
  wait_for_replies: "stats:read",
  get_pusher_stats: "stats:read",
  get_account_stats: "stats:read",
  list_subscribers: "subscribers:read",
  list_audit_events: "audit:read",
};
const TOOLS = Object.keys(SCOPE_OF);
const BUT_ME = TOOLS.filter((tool) => tool !== "get_me");

/** One key for each set of scopes. */
const keys = new Map<string, (world: World) => Promise<string>>();
const keyWith = (scopes: string) => {
  const found = keys.get(scopes) ?? oncePerWorld((world) => world.key({ scopes }));
  keys.set(scopes, found);
  return found;
};
const allBut = (...scopes: string[]) =>
  keyWith(
    Object.keys(SCOPES)
      .filter((scope) => !scopes.includes(scope))
      .join(","),
  );

const revoked = oncePerWorld(async (world) => {
  const key = await world.key();
  const { body } = await world.rest("get_me", {}, key);
  await world.sql("update api_key set revoked_at = now() where id = ?", [parseUuid(body.credential.id)]);
  return key;
});

const NO_KEYS: [name: string, key: (world: World) => Promise<string | null>][] = [
  ["no credential", async () => null],
  ["a revoked key", revoked],
  ["an expired key", oncePerWorld((world) => world.key({ expires_in: -1 }))],
  ["a key that was never made", async () => `bfk_${"0".repeat(49)}`],
  ["a key with one character changed", async ({ owner }) => owner.slice(0, -1) + (owner.endsWith("A") ? "B" : "A")],
  ["half a key", async ({ owner }) => owner.slice(0, 30)],
  ["a key and more", async ({ owner }) => `${owner}0`],
  ["a handset's token", oncePerWorld((world) => world.device())],
  ["a word", async () => "password"],
];

/**
 * A call without a scope: what the header names over REST; over MCP a key, which can get no more, is answered a
 * result.
 */
function withoutScope(tool: string, has: (world: World) => Promise<string>, more: object, missing: string): TestCase[] {
  return (["REST", "MCP"] as const).map((over) => ({
    rule: SCOPE,
    tool,
    also: [...(/^(send|cancel)_alert$/.test(tool) ? ["actions-need-send"] : [])],
    name: `${JSON.stringify(more)} without ${missing}`,
    over,
    given: async (world) => ({ args: await SUCCESS_ARGUMENTS[tool]!(world), key: await has(world) }),
    as: (_world, { key }) => key,
    input: ({ args }) => ({ ...args, ...more }),
    want: { error: "insufficient_scope", param: null },
    after: (_world, _given, { status, headers }) => {
      expect(status).toBe(403);
      expect(headers.get("www-authenticate")).toBe(
        over === "REST" ? `Bearer error="insufficient_scope", scope="${missing}"` : null,
      );
    },
  }));
}

/** The operations that each role may call, as decided. */
export const ROLE_ALLOWS: Record<string, readonly string[]> = {
  viewer: TOOLS.filter((tool) => /^(get|list|wait)_/.test(tool)),
  editor: TOOLS.filter((tool) => tool !== "delete_pusher"),
  admin: TOOLS,
  owner: TOOLS,
};

/** A key of the shared channel only, and one of a member restricted to it. */
const NARROW: [name: string, key: (world: World) => Promise<string>][] = [
  ["a bound key", oncePerWorld(async (world) => world.key({ pusher: (await getSharedPusher(world)).id }))],
  ["a restricted member", oncePerWorld(async (world) => world.memberKey("admin", [(await getSharedPusher(world)).id]))],
];

const elsewhere = oncePerWorld(async (world) => {
  const pusher = await world.pusher();
  return { pusher, alert: await createAlertInState(world, "draft", pusher) };
});

export const authCases: TestCase[] = [
  ...NO_KEYS.map(
    ([name, key]): TestCase => ({
      rule: UNAUTHORIZED,
      also: ["bearer"],
      tool: "get_me",
      name,
      as: (world) => key(world),
      input: () => ({}),
      want: { error: "unauthorized", param: null },
      after: (_world, _given, { headers }) => expect(headers.get("www-authenticate")).toMatch(/^Bearer/),
    }),
  ),
  ...BUT_ME.map(
    (tool): TestCase => ({
      rule: "bearer",
      tool,
      name: "without a credential",
      given: SUCCESS_ARGUMENTS[tool],
      as: () => null,
      input: (args) => args,
      want: { error: "unauthorized", param: null },
    }),
  ),
  ...TOOLS.map(
    (tool): TestCase => ({
      rule: "one-scope",
      also: tool.endsWith("_alert") ? ["actions-need-send"] : [],
      tool,
      name: `with ${SCOPE_OF[tool]} and nothing else`,
      given: async (world) => ({
        args: await SUCCESS_ARGUMENTS[tool]!(world),
        key: await keyWith(SCOPE_OF[tool]!)(world),
      }),
      as: (_world, { key }) => key,
      input: ({ args }) => args,
      want: {},
    }),
  ),
  ...BUT_ME.flatMap((tool) => withoutScope(tool, allBut(SCOPE_OF[tool]!), {}, SCOPE_OF[tool]!)),
  ...withoutScope("create_alert", allBut("alerts:send"), { send: true }, "alerts:send"),
  ...withoutScope("create_alert", allBut("alerts:write"), { send: true }, "alerts:write"),
  ...withoutScope("create_alert", allBut("alerts:write", "alerts:send"), { send: true }, "alerts:write alerts:send"),
  ...[{ send: true }, { cancel_original: true }, { title: "x", send: true, cancel_original: true }].flatMap((more) =>
    withoutScope("duplicate_alert", allBut("alerts:send"), more, "alerts:send"),
  ),
  {
    rule: "composing-is-not-publishing",
    tool: "duplicate_alert",
    name: "a changed copy needs no alerts:send",
    given: async (world) => ({ alert: await getSharedDraft(world), key: await keyWith("alerts:write")(world) }),
    as: (_world, { key }) => key,
    input: ({ alert }) => alertArguments(alert, { title: "x", send: false, cancel_original: false }),
    want: { body: { status: "draft", title: "x" } },
  },
  {
    rule: "composing-is-not-publishing",
    tool: "create_alert",
    name: "send false needs no alerts:send",
    given: async (world) => ({ id: (await getSharedPusher(world)).id, key: await keyWith("alerts:write")(world) }),
    as: (_world, { key }) => key,
    input: ({ id }) => ({ pusher_id: id, title: "x", send: false }),
    want: { body: { status: "draft" } },
  },
  {
    rule: "create-alert",
    tool: "create_alert",
    name: "send true with both scopes",
    given: async (world) => ({
      id: (await getSharedPusher(world)).id,
      key: await keyWith("alerts:write,alerts:send")(world),
    }),
    as: (_world, { key }) => key,
    input: ({ id }) => ({ pusher_id: id, title: "Both scopes", send: true }),
    want: { body: { status: "sent" } },
  },
  ...Object.entries(ROLE_ALLOWS).flatMap(([role, allowed]) =>
    TOOLS.map(
      (tool): TestCase => ({
        rule: ROLES,
        tool,
        name: `by ${role === "viewer" ? "a" : "an"} ${role}`,
        given: async (world) => ({ args: await SUCCESS_ARGUMENTS[tool]!(world), key: await getRoleKey(role)(world) }),
        as: (_world, { key }) => key,
        input: ({ args }) => args,
        want: allowed.includes(tool) ? {} : { error: "forbidden", param: null },
      }),
    ),
  ),
  ...NARROW.flatMap(([name, key]): TestCase[] => [
    {
      rule: NARROWED,
      tool: "list_pushers",
      name: `by ${name}: that channel alone`,
      given: async (world) => ({
        other: await elsewhere(world),
        id: (await getSharedPusher(world)).id,
        key: await key(world),
      }),
      as: (_world, given) => given.key,
      input: () => ({}),
      want: {},
      after: (_world, { id }, { body }) => expect(body.data.map((row: any) => row.id)).toEqual([id]),
    },
    ...BUT_ME.filter((tool) => findOperation(tool).http.path.includes("{id}")).map(
      (tool): TestCase => ({
        rule: NARROWED,
        tool,
        name: `by ${name}, on another channel of the workspace`,
        given: async (world) => ({
          ...(await elsewhere(world)),
          ready: await SUCCESS_ARGUMENTS[tool]!(world),
          key: await key(world),
        }),
        as: (_world, given) => given.key,
        input: ({ ready, pusher, alert }) => ({
          ...ready,
          ...(ready.alert_id ? alertArguments(alert) : { pusher_id: pusher.id }),
        }),
        want: { error: "not_found", param: null },
      }),
    ),
    ...[
      "get_pusher",
      "update_pusher",
      "create_alert",
      "get_alert",
      "list_alerts",
      "send_alert",
      "list_invites",
      "get_alert_stats",
      "wait_for_replies",
      "list_subscribers",
    ].map(
      (tool): TestCase => ({
        rule: NARROWED,
        tool,
        name: `by ${name}, on its own channel`,
        given: async (world) => ({ args: await SUCCESS_ARGUMENTS[tool]!(world), key: await key(world) }),
        as: (_world, given) => given.key,
        input: ({ args }) => args,
        want: {},
      }),
    ),
  ]),
  {
    rule: "key-acts-for-its-member",
    tool: "get_alert",
    name: "a key of a channel that its member does not see",
    given: oncePerWorld(async (world) => {
      const { pusher } = await elsewhere(world);
      const member = await world.rest("get_me", {}, await world.memberKey("editor", [pusher.id]));
      const key = await world.key({ member: member.body.member.id, pusher: (await getSharedPusher(world)).id });
      return { alert: await getSharedDraft(world), key };
    }),
    as: (_world, { key }) => key,
    input: ({ alert }) => alertArguments(alert),
    want: { error: "not_found" },
  },
  {
    rule: NARROWED,
    tool: "list_pushers",
    name: "by a member restricted to nothing: none",
    given: oncePerWorld(async (world) => ({ key: await world.memberKey("owner", []) })),
    as: (_world, { key }) => key,
    input: () => ({}),
    want: { body: { data: [] } },
    after: (_world, _given, { body }) => expect(body).toEqual({ data: [] }),
  },
];
