// Invites as they are made.

import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { TestCase } from "../../support/case_runner.ts";
import { joinChannel, joinNewHandset, registerHandset, suspend } from "../../support/handsets.ts";
import { timeInSeconds } from "../../support/world.ts";
import { createInvite, readUses, SECRET_CHANNEL } from "./fixtures.ts";

const refused = (name: string, field: string, value: unknown, rule = "invite-fields"): TestCase => ({
  rule,
  name: `${field} ${name} is 422`,
  tool: "create_invite",
  given: (world) => world.pusher(SECRET_CHANNEL),
  input: ({ id }) => ({ pusher_id: id, [field]: value }),
  want: { error: "invalid_request", param: field },
  after: async (world, { id }) => {
    const { body } = await world.rest("list_invites", { pusher_id: id });
    expect(body.data).toEqual([]);
  },
});

const accepted = (name: string, fields: Record<string, unknown>, body: object): TestCase => ({
  rule: "invite-fields",
  name,
  tool: "create_invite",
  given: (world) => world.pusher(SECRET_CHANNEL),
  input: ({ id }) => ({ pusher_id: id, ...fields }),
  want: { body },
});

export const createInviteCases: TestCase[] = [
  {
    rule: "invite-code",
    tool: "create_invite",
    given: (world) => world.pusher(SECRET_CHANNEL),
    input: ({ id }) => ({ pusher_id: id }),
    want: { body: { label: null, max_uses: null, uses: 0, expires_at: null, revoked_at: null } },
    after: (_world, pusher, { body }) => {
      expect(body.id).toMatch(/^inv_[0-9a-z]{26}$/);
      expect(body.pusher_id).toBe(pusher.id);
      expect(body.url).toBe(`${pusher.url}?invite=${body.code}`);
      // At least 128 random bits in base64url.
      expect(body.code).toMatch(/^[\w-]{22,}$/);
      expect(body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    },
  },
  {
    rule: "invite-code",
    name: "fifty codes are fifty",
    tool: "list_invites",
    given: async (world) => {
      const pusher = await world.pusher(SECRET_CHANNEL);
      for (let n = 0; n < 50; n++) await world.rest("create_invite", { pusher_id: pusher.id });
      return pusher;
    },
    input: ({ id }) => ({ pusher_id: id }),
    want: {},
    after: (_world, _given, { body }) =>
      expect(new Set(body.data.map(({ code }: { code: string }) => code)).size).toBe(50),
  },
  accepted(
    "nulls are the same as absent",
    { label: null, max_uses: null, expires_at: null },
    { label: null, max_uses: null, expires_at: null },
  ),
  accepted("a label of 80 code points", { label: "🔔".repeat(80) }, { label: "🔔".repeat(80) }),
  accepted("1 gives a one-shot link", { max_uses: 1 }, { max_uses: 1, uses: 0 }),
  accepted("the largest max_uses", { max_uses: 1_000_000 }, { max_uses: 1_000_000 }),
  accepted(
    "a time with an offset is returned in UTC with six decimals",
    { expires_at: "2099-01-01T01:30:00.1234567+02:00" },
    { expires_at: "2098-12-31T23:30:00.123456Z" },
  ),
  accepted(
    "the last time of the calendar",
    { expires_at: "9999-12-31T23:59:59.999999Z" },
    { expires_at: "9999-12-31T23:59:59.999999Z" },
  ),
  refused("of 81 code points", "label", "🔔".repeat(81)),
  refused("that is a number", "label", 7),
  refused("0", "max_uses", 0),
  refused("below 0", "max_uses", -1),
  refused("with decimals", "max_uses", 1.5),
  refused("as text", "max_uses", "3"),
  refused("over a million", "max_uses", 1_000_001),
  refused("beyond every integer", "max_uses", 1e300),
  refused("in the past", "expires_at", timeInSeconds(-1), "invite-expires"),
  refused("long past", "expires_at", "1970-01-01T00:00:00Z", "invite-expires"),
  refused(
    "in the past by its offset alone",
    "expires_at",
    new Date(Date.now() + 3.6e6).toISOString().replace("Z", "+02:00"),
  ),
  refused("without a zone", "expires_at", "2099-01-01T00:00:00"),
  refused("as a date alone", "expires_at", "2099-01-01"),
  refused("on an invalid day", "expires_at", "2099-02-30T00:00:00Z"),
  refused("in words", "expires_at", "tomorrow"),
  refused("as a number", "expires_at", 4_070_908_800),
  refused("after the year 9999 by its offset", "expires_at", "9999-12-31T23:59:59-10:00"),
  refused("(server-owned)", "code", "mine"),
  refused("(server-owned)", "uses", 0),
  refused("(server-owned)", "revoked_at", null),
  refused("(server-owned)", "url", "https://example.org"),
  refused("(unknown)", "max_use", 3),
  {
    rule: "create-invite",
    name: "an unknown channel is 404",
    tool: "create_invite",
    input: () => ({ pusher_id: "psh_01h455vb4pex5vsknk084sn02q" }),
    want: { error: "not_found", param: null },
  },
  {
    rule: "ids",
    tool: "create_invite",
    given: (world) => createInvite(world),
    input: ({ invite }) => ({ pusher_id: invite.id }),
    want: { error: "not_found", param: null },
  },
  {
    rule: "foreign-is-missing",
    tool: "create_invite",
    given: (world) => world.pusher(SECRET_CHANNEL),
    as: (world) => world.foreignKey(),
    input: ({ id }) => ({ pusher_id: id }),
    want: { error: "not_found" },
  },
  {
    rule: "order-of-checks",
    name: "a wrong field is reported before a missing channel",
    tool: "create_invite",
    input: () => ({ pusher_id: "nonsense", max_uses: 0 }),
    want: { error: "invalid_request", param: "max_uses" },
  },
  {
    rule: "restricted-sees-its-channels",
    tool: "create_invite",
    given: (world) => world.pusher(SECRET_CHANNEL),
    as: (world) => world.memberKey("viewer"),
    input: ({ id }) => ({ pusher_id: id }),
    want: { error: "forbidden", param: null },
  },
  {
    rule: "order-of-checks",
    name: "a viewer gets 404 for a channel that it does not see",
    tool: "create_invite",
    given: (world) => world.pusher(SECRET_CHANNEL),
    as: (world, { id }) => world.memberKey("viewer", [id]),
    input: () => ({ pusher_id: "psh_01h455vb4pex5vsknk084sn02q" }),
    want: { error: "not_found" },
  },
  {
    rule: "error-insufficient-scope",
    tool: "create_invite",
    given: (world) => world.pusher(SECRET_CHANNEL),
    as: (world) => world.key({ scopes: "invites:read" }),
    input: ({ id }) => ({ pusher_id: id, max_uses: 0 }),
    want: { error: "insufficient_scope", param: null, says: /invites:write/ },
  },
  {
    rule: "error-unauthorized",
    tool: "create_invite",
    as: () => null,
    input: () => ({ pusher_id: "x" }),
    want: { error: "unauthorized", param: null },
  },
  {
    rule: "restricted-sees-its-channels",
    tool: "create_invite",
    given: async (world) => ({ own: await world.pusher(), other: await world.pusher(SECRET_CHANNEL) }),
    as: (world, { own }) => world.key({ pusher: own.id }),
    input: ({ other }) => ({ pusher_id: other.id }),
    want: { error: "not_found" },
  },
  {
    rule: "restricted-sees-its-channels",
    name: "a restricted editor invites into its own channel",
    tool: "create_invite",
    given: (world) => world.pusher(SECRET_CHANNEL),
    as: (world, { id }) => world.memberKey("editor", [id]),
    input: ({ id }) => ({ pusher_id: id }),
    want: { body: { uses: 0 } },
  },
  {
    rule: "invite-of-a-public-channel",
    tool: "create_invite",
    given: (world) => world.pusher(),
    input: ({ id }) => ({ pusher_id: id, max_uses: 1 }),
    want: { body: { uses: 0, max_uses: 1 } },
    after: async (world, pusher, { body: invite }) => {
      // Nothing is used up (rules#invite-of-a-public-channel), and a wrong code does not refuse access.
      await joinNewHandset(world, pusher.handle, invite.code);
      await joinNewHandset(world, pusher.handle, invite.code);
      await joinNewHandset(world, pusher.handle, "no-such-code");
      await joinNewHandset(world, pusher.handle);
      expect(await readUses(world, { pusher, invite })).toBe(0);
      // It has no joined devices, so none are removed with it.
      const { body } = await world.rest("revoke_invite", {
        pusher_id: pusher.id,
        invite_id: invite.id,
        remove_subscribers: true,
      });
      expect(body.removed_subscribers).toBe(0);
      const read = await world.rest("get_pusher", { pusher_id: pusher.id });
      expect(read.body.subscribers).toBe(4);
    },
  },
  {
    rule: "paused-keeps-its-page",
    name: "an invite of a paused channel admits",
    tool: "create_invite",
    given: async (world) => {
      const pusher = await world.pusher(SECRET_CHANNEL);
      await world.rest("update_pusher", { pusher_id: pusher.id, status: "paused" });
      return pusher;
    },
    input: ({ id }) => ({ pusher_id: id }),
    want: {},
    after: async (world, pusher, { body }) => {
      await joinNewHandset(world, pusher.handle, body.code);
      expect(await readUses(world, { pusher, invite: body })).toBe(1);
    },
  },
  {
    rule: "channel-suspended-is-hidden",
    name: "an invite of a suspended channel admits no device and loses no use",
    tool: "create_invite",
    given: async (world) => {
      const pusher = await world.pusher(SECRET_CHANNEL);
      await suspend(world, pusher.handle);
      return pusher;
    },
    input: ({ id }) => ({ pusher_id: id, max_uses: 1 }),
    want: {},
    after: async (world, pusher, { body: invite }) => {
      const { token } = await registerHandset(world);
      expect((await joinChannel(world, token, pusher.handle, invite.code)).status).toBe(404);
      const card = `/channels/${pusher.handle}?invite=${invite.code}`;
      expect((await world.handset("GET", card, token)).status).toBe(404);
      await suspend(world, pusher.handle, false);
      expect((await world.handset("GET", card, token)).status).toBe(200);
      expect((await joinChannel(world, token, pusher.handle, invite.code)).status).toBe(200);
    },
  },
  {
    rule: "idempotency",
    tool: "create_invite",
    given: async (world) => {
      const pusher = await world.pusher(SECRET_CHANNEL);
      const args = { pusher_id: pusher.id, label: "once", idempotency_key: randomUUID() };
      return { args, first: (await world.rest("create_invite", args)).body };
    },
    input: ({ args }) => args,
    want: { body: { label: "once" } },
    after: async (world, { args, first }, { body }) => {
      expect(body).toEqual(first);
      const list = await world.rest("list_invites", { pusher_id: args.pusher_id });
      expect(list.body.data).toHaveLength(1);
    },
  },
  {
    rule: "idempotency",
    tool: "create_invite",
    given: async (world) => {
      const pusher = await world.pusher(SECRET_CHANNEL);
      const args = { pusher_id: pusher.id, label: "once", idempotency_key: randomUUID() };
      await world.rest("create_invite", args);
      return args;
    },
    input: (args) => ({ ...args, label: "twice" }),
    want: { error: "invalid_request", param: "idempotency_key" },
  },
];
