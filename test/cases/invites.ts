// Invites: the way into a private channel, and back out of it.

import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { Case } from "../support/cases.ts";
import { eventsOf, join, joined, registered, suspend, uuidOf } from "../support/handsets.ts";
import { inSeconds, type World } from "../support/world.ts";

const SECRET_CHANNEL = { is_public: false };

/** A private channel and an invite into it. */
async function invited(world: World, fields: Record<string, unknown> = {}) {
  const pusher = await world.pusher(SECRET_CHANNEL);
  const { body: invite } = await world.rest("create_invite", { pusher_id: pusher.id, ...fields });
  return { pusher, invite };
}
type Invited = Awaited<ReturnType<typeof invited>>;

const path = ({ pusher, invite }: Invited) => ({ pusher_id: pusher.id, invite_id: invite.id });
const uses = async (world: World, { pusher, invite }: Invited) => {
  const { body } = await world.rest("list_invites", { pusher_id: pusher.id });
  return body.data.find(({ id }: { id: string }) => id === invite.id).uses;
};
const inbox = async (world: World, token: string) =>
  (await world.handset("GET", "/inbox", token)).body.data.map(({ handle }: { handle: string }) => handle);

const refused = (name: string, field: string, value: unknown, rule = "invite-fields"): Case => ({
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

const accepted = (name: string, fields: Record<string, unknown>, body: object): Case => ({
  rule: "invite-fields",
  name,
  tool: "create_invite",
  given: (world) => world.pusher(SECRET_CHANNEL),
  input: ({ id }) => ({ pusher_id: id, ...fields }),
  want: { body },
});

const creating: Case[] = [
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
    "an instant with an offset is answered in UTC with six decimals",
    { expires_at: "2099-01-01T01:30:00.1234567+02:00" },
    { expires_at: "2098-12-31T23:30:00.123456Z" },
  ),
  accepted(
    "the last instant of the calendar",
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
  refused("in the past", "expires_at", inSeconds(-1), "invite-expires"),
  refused("long past", "expires_at", "1970-01-01T00:00:00Z", "invite-expires"),
  refused(
    "in the past by its offset alone",
    "expires_at",
    new Date(Date.now() + 3.6e6).toISOString().replace("Z", "+02:00"),
  ),
  refused("without a zone", "expires_at", "2099-01-01T00:00:00"),
  refused("as a date alone", "expires_at", "2099-01-01"),
  refused("on a day that is none", "expires_at", "2099-02-30T00:00:00Z"),
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
    given: (world) => invited(world),
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
    name: "a wrong field is told before a missing channel",
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
    name: "a viewer is told 404 of a channel that it does not see",
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
      // Nothing is used up (docs/rules.md#invite-of-a-public-channel), nor does a wrong code keep anybody out.
      await joined(world, pusher.handle, invite.code);
      await joined(world, pusher.handle, invite.code);
      await joined(world, pusher.handle, "no-such-code");
      await joined(world, pusher.handle);
      expect(await uses(world, { pusher, invite })).toBe(0);
      // Nobody joined through it, so nobody leaves with it.
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
      await joined(world, pusher.handle, body.code);
      expect(await uses(world, { pusher, invite: body })).toBe(1);
    },
  },
  {
    rule: "channel-suspended-is-hidden",
    name: "an invite of a suspended channel admits nobody and loses no use",
    tool: "create_invite",
    given: async (world) => {
      const pusher = await world.pusher(SECRET_CHANNEL);
      await suspend(world, pusher.handle);
      return pusher;
    },
    input: ({ id }) => ({ pusher_id: id, max_uses: 1 }),
    want: {},
    after: async (world, pusher, { body: invite }) => {
      const { token } = await registered(world);
      expect((await join(world, token, pusher.handle, invite.code)).status).toBe(404);
      const card = `/channels/${pusher.handle}?invite=${invite.code}`;
      expect((await world.handset("GET", card, token)).status).toBe(404);
      await suspend(world, pusher.handle, false);
      expect((await world.handset("GET", card, token)).status).toBe(200);
      expect((await join(world, token, pusher.handle, invite.code)).status).toBe(200);
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

const admitting: Case[] = [
  {
    rule: "channel-public",
    tool: "list_invites",
    given: (world) => invited(world),
    input: ({ pusher }) => ({ pusher_id: pusher.id }),
    want: {},
    after: async (world, { pusher, invite }) => {
      const { token } = await registered(world);
      const card = `/channels/${pusher.handle}`;
      for (const wrong of ["", "?invite=wrong", `?invite=${invite.code}x`])
        expect((await world.handset("GET", card + wrong, token)).status).toBe(404);
      for (const wrong of [undefined, "wrong", `${invite.code}x`])
        expect((await join(world, token, pusher.handle, wrong)).status).toBe(404);
      expect(await uses(world, { pusher, invite })).toBe(0);
      expect(eventsOf(world, pusher.id)).toEqual([]);
      const { status, body } = await world.handset("GET", `${card}?invite=${invite.code}`, token);
      expect(status).toBe(200);
      // docs/rules.md#invite-label
      expect(JSON.stringify(body)).not.toContain("label");
    },
  },
  {
    rule: "unusable-invite",
    name: "an invite of one channel opens no other",
    tool: "list_invites",
    given: async (world) => ({ ...(await invited(world)), other: await world.pusher(SECRET_CHANNEL) }),
    input: ({ pusher }) => ({ pusher_id: pusher.id }),
    want: {},
    after: async (world, { invite, other }) => {
      const { token } = await registered(world);
      const missing = await join(world, token, "nobody-has-this", invite.code);
      const wrong = await join(world, token, other.handle, invite.code);
      expect([wrong.status, wrong.body]).toEqual([404, missing.body]);
    },
  },
  {
    rule: "invite-ends",
    name: "stops working at expires_at",
    tool: "list_invites",
    given: async (world) => {
      const given = await invited(world, { expires_at: inSeconds(3600) });
      await joined(world, given.pusher.handle, given.invite.code);
      await world.sql("update invite set expires_at = clock_timestamp() where id = ?", [
        uuidOf(given.invite.id),
      ]);
      return given;
    },
    input: ({ pusher }) => ({ pusher_id: pusher.id }),
    want: { body: { data: [{ uses: 1, revoked_at: null }] } },
    after: async (world, { pusher, invite }) => {
      const { token } = await registered(world);
      expect((await join(world, token, pusher.handle, invite.code)).status).toBe(404);
      const card = await world.handset("GET", `/channels/${pusher.handle}?invite=${invite.code}`, token);
      expect(card.status).toBe(404);
    },
  },
  {
    rule: "invite-ends",
    name: "stops working when max_uses is reached, also after its phones have left",
    tool: "list_invites",
    given: async (world) => {
      const given = await invited(world, { max_uses: 2 });
      const { token } = await joined(world, given.pusher.handle, given.invite.code);
      await joined(world, given.pusher.handle, given.invite.code);
      await world.handset("DELETE", `/subscriptions/${given.pusher.handle}`, token);
      return { ...given, token };
    },
    input: ({ pusher }) => ({ pusher_id: pusher.id }),
    want: { body: { data: [{ uses: 2, max_uses: 2 }] } },
    after: async (world, { pusher, invite, token }) => {
      expect((await join(world, token, pusher.handle, invite.code)).status).toBe(404);
    },
  },
  {
    rule: "invite-max-uses",
    tool: "list_invites",
    given: async (world) => {
      const given = await invited(world, { max_uses: 1 });
      const devices = await Promise.all(Array.from({ length: 12 }, () => registered(world)));
      const answers = await Promise.all(
        devices.map(({ token }) => join(world, token, given.pusher.handle, given.invite.code)),
      );
      return { ...given, statuses: answers.map(({ status }) => status).sort() };
    },
    input: ({ pusher }) => ({ pusher_id: pusher.id }),
    want: { body: { data: [{ uses: 1 }] } },
    after: async (world, { pusher, statuses }) => {
      expect(statuses).toEqual([200, ...Array(11).fill(404)]);
      expect(eventsOf(world, pusher.id)).toEqual([{ event: "subscriber.created", count: 1 }]);
    },
  },
  {
    rule: "join-again",
    name: "one device that joins eight times at once uses one of its invite",
    tool: "list_invites",
    given: async (world) => {
      const given = await invited(world, { max_uses: 5 });
      const { token } = await registered(world);
      await Promise.all(
        Array.from({ length: 8 }, () => join(world, token, given.pusher.handle, given.invite.code)),
      );
      return given;
    },
    input: ({ pusher }) => ({ pusher_id: pusher.id }),
    want: { body: { data: [{ uses: 1 }] } },
    after: (world, { pusher }) =>
      expect(eventsOf(world, pusher.id)).toEqual([{ event: "subscriber.created", count: 1 }]),
  },
];

const listing: Case[] = [
  {
    rule: "list-answer",
    tool: "list_invites",
    given: (world) => world.pusher(),
    input: ({ id }) => ({ pusher_id: id }),
    as: (world) => world.memberKey("viewer"),
    want: { body: { data: [] } },
    after: (_world, _given, { body }) => expect(body).toEqual({ data: [] }),
  },
  {
    rule: "invite-list",
    tool: "list_invites",
    given: async (world) => {
      const pusher = await world.pusher(SECRET_CHANNEL);
      const made = [];
      for (const label of ["first", "second", "third"])
        made.push((await world.rest("create_invite", { pusher_id: pusher.id, label })).body);
      // docs/rules.md#revoke-invite
      await world.rest("revoke_invite", { pusher_id: pusher.id, invite_id: made[1].id });
      return { pusher, made };
    },
    input: ({ pusher }) => ({ pusher_id: pusher.id }),
    want: { body: { data: [{ label: "third" }, { label: "second" }, { label: "first" }] } },
    after: (_world, { made }, { body }) => {
      expect(body.data[0]).toEqual(made[2]);
      expect(body.data[2]).toEqual(made[0]);
      expect(body.data[1]).toEqual({ ...made[1], revoked_at: expect.stringMatching(/\.\d{6}Z$/) });
    },
  },
  {
    rule: "foreign-is-missing",
    name: "the invites of another account's channel are 404",
    tool: "list_invites",
    given: (world) => world.pusher(SECRET_CHANNEL),
    as: (world) => world.foreignKey(),
    input: ({ id }) => ({ pusher_id: id }),
    want: { error: "not_found", param: null },
  },
  {
    rule: "unknown-fields",
    tool: "list_invites",
    given: (world) => world.pusher(SECRET_CHANNEL),
    input: ({ id }) => ({ pusher_id: id, status: "revoked" }),
    want: { error: "invalid_request", param: "status" },
  },
  {
    rule: "one-scope",
    tool: "list_invites",
    given: (world) => world.pusher(SECRET_CHANNEL),
    as: (world) => world.key({ scopes: "invites:write" }),
    input: ({ id }) => ({ pusher_id: id }),
    want: { error: "insufficient_scope", says: /invites:read/ },
  },
];

/** A private channel with a device of each kind: predating, through the invite in question, through another one. */
async function crowd(world: World) {
  const pusher = await world.pusher();
  const predating = await joined(world, pusher.handle);
  await world.rest("update_pusher", { pusher_id: pusher.id, is_public: false });
  const make = async () => (await world.rest("create_invite", { pusher_id: pusher.id })).body;
  const [invite, other] = [await make(), await make()];
  const through = [];
  for (let n = 0; n < 3; n++) through.push(await joined(world, pusher.handle, invite.code));
  const throughOther = await joined(world, pusher.handle, other.code);
  // Both devices present a further code while joined: it uses nothing, and they keep the way by which they came.
  await join(world, throughOther.token, pusher.handle, invite.code);
  await join(world, predating.token, pusher.handle, invite.code);
  await world.alert(pusher.id, { send: true });
  return { pusher, invite, other, predating, through, throughOther };
}

const revoking: Case[] = [
  {
    rule: "revoke-invite",
    tool: "revoke_invite",
    given: crowd,
    input: path,
    want: { body: { uses: 3, removed_subscribers: 0 } },
    after: async (world, { pusher, invite, through }, { body }) => {
      expect(body).toEqual({ ...invite, uses: 3, revoked_at: expect.any(String), removed_subscribers: 0 });
      expect(Math.abs(Date.parse(body.revoked_at) - Date.now())).toBeLessThan(120_000);
      const { token } = await registered(world);
      expect((await join(world, token, pusher.handle, invite.code)).status).toBe(404);
      expect(await inbox(world, through[0]!.token)).toEqual([pusher.handle]);
      expect(eventsOf(world, pusher.id).map(({ event }) => event)).not.toContain("subscriber.deleted");
    },
  },
  {
    rule: "revoke-false",
    tool: "revoke_invite",
    given: crowd,
    input: (given) => ({ ...path(given), remove_subscribers: false }),
    want: { body: { removed_subscribers: 0 } },
    after: async (world, { pusher }) => {
      const { body } = await world.rest("get_pusher", { pusher_id: pusher.id });
      expect(body.subscribers).toBe(5);
    },
  },
  {
    rule: "revoke-evicts",
    tool: "revoke_invite",
    given: crowd,
    input: (given) => ({ ...path(given), remove_subscribers: true }),
    want: { body: { uses: 3, removed_subscribers: 3 } },
    after: async (world, { pusher, invite, other, predating, through, throughOther }) => {
      for (const { token } of through) {
        // Silently: not an error and not a message, simply nothing of that channel.
        expect(await inbox(world, token)).toEqual([]);
        expect((await world.handset("GET", `/channels/${pusher.handle}`, token)).status).toBe(404);
      }
      for (const { token } of [predating, throughOther])
        expect(await inbox(world, token)).toEqual([pusher.handle]);
      expect(eventsOf(world, pusher.id).slice(-3)).toEqual([
        { event: "subscriber.deleted", count: 4 },
        { event: "subscriber.deleted", count: 3 },
        { event: "subscriber.deleted", count: 2 },
      ]);
      const { body } = await world.rest("list_subscribers", { pusher_id: pusher.id });
      expect(body.breakdown).toMatchObject({ total: 2, platform: { android: 2 } });
      // Leaving is no event any more, and coming back takes an invite that still works.
      const { token } = through[0]!;
      const gone = await world.handset("DELETE", `/subscriptions/${pusher.handle}`, token);
      expect(gone.status).toBe(204);
      expect(eventsOf(world, pusher.id).at(-1)).toEqual({ event: "subscriber.deleted", count: 2 });
      for (const code of [undefined, invite.code])
        expect((await join(world, token, pusher.handle, code)).status).toBe(404);
      expect((await join(world, token, pusher.handle, other.code)).status).toBe(200);
      expect(await inbox(world, token)).toEqual([pusher.handle]);
    },
  },
  {
    rule: "evicted-see-nothing",
    tool: "revoke_invite",
    given: async (world) => {
      const given = await crowd(world);
      const { token } = given.through[0]!;
      const etag = (await world.handset("GET", "/inbox", token)).headers.get("etag")!;
      return { ...given, token, etag };
    },
    input: (given) => ({ ...path(given), remove_subscribers: true }),
    want: {},
    after: async (world, { token, etag }) => {
      const poll = await world.handset("GET", "/inbox", token, undefined, { "if-none-match": etag });
      expect([poll.status, poll.body?.data]).toEqual([200, []]);
    },
  },
  {
    rule: "revoke-invite",
    tool: "revoke_invite",
    given: async (world) => {
      const given = await invited(world);
      const { body } = await world.rest("revoke_invite", path(given));
      return { ...given, first: body.revoked_at };
    },
    input: path,
    want: {},
    after: (_world, { first }, { body }) => expect(body.revoked_at).toBe(first),
  },
  {
    rule: "revoke-again-evicts",
    tool: "revoke_invite",
    given: async (world) => {
      const given = await crowd(world);
      const { body } = await world.rest("revoke_invite", path(given));
      return { ...given, first: body.revoked_at };
    },
    input: (given) => ({ ...path(given), remove_subscribers: true }),
    want: { body: { removed_subscribers: 3 } },
    after: async (world, given, { body }) => {
      expect(body.revoked_at).toBe(given.first);
      const again = await world.rest("revoke_invite", { ...path(given), remove_subscribers: true });
      expect(again.body).toEqual({ ...body, removed_subscribers: 0 });
      expect(
        eventsOf(world, given.pusher.id).filter(({ event }) => event === "subscriber.deleted"),
      ).toHaveLength(3);
    },
  },
  {
    rule: "revoke-evicts",
    name: "who left and came back through another invite stays",
    tool: "revoke_invite",
    given: async (world) => {
      const given = await crowd(world);
      const { token } = given.through[0]!;
      await world.handset("DELETE", `/subscriptions/${given.pusher.handle}`, token);
      await join(world, token, given.pusher.handle, given.other.code);
      return { ...given, token };
    },
    input: (given) => ({ ...path(given), remove_subscribers: true }),
    want: { body: { uses: 3, removed_subscribers: 2 } },
    after: async (world, { pusher, token }) => expect(await inbox(world, token)).toEqual([pusher.handle]),
  },
  {
    rule: "revoke-evicts",
    name: "also on a suspended channel",
    tool: "revoke_invite",
    given: async (world) => {
      const given = await crowd(world);
      await suspend(world, given.pusher.handle);
      return given;
    },
    input: (given) => ({ ...path(given), remove_subscribers: true }),
    want: { body: { removed_subscribers: 3 } },
  },
  {
    rule: "revoke-invite",
    name: "any other text is 422",
    tool: "revoke_invite",
    given: (world) => invited(world),
    input: (given) => ({ ...path(given), remove_subscribers: "yes" }),
    want: { error: "invalid_request", param: "remove_subscribers" },
    after: async (world, given) => {
      const { body } = await world.rest("list_invites", { pusher_id: given.pusher.id });
      expect(body.data[0].revoked_at).toBeNull();
    },
  },
  {
    rule: "revoke-invite",
    name: "1 is 422",
    tool: "revoke_invite",
    given: (world) => invited(world),
    input: (given) => ({ ...path(given), remove_subscribers: 1 }),
    want: { error: "invalid_request", param: "remove_subscribers" },
  },
  {
    rule: "revoke-invite",
    name: "an invite of another own channel is 404 and stays usable",
    tool: "revoke_invite",
    given: async (world) => ({ ...(await invited(world)), other: await world.pusher() }),
    input: ({ invite, other }) => ({ pusher_id: other.id, invite_id: invite.id, remove_subscribers: true }),
    want: { error: "not_found", param: null },
    after: async (world, { pusher, invite }) => {
      await joined(world, pusher.handle, invite.code);
    },
  },
  ...["inv_01h455vb4pex5vsknk084sn02q", "inv_", "nonsense"].map(
    (invite_id): Case => ({
      rule: "revoke-invite",
      name: `the invite ${invite_id} is 404`,
      tool: "revoke_invite",
      given: (world) => world.pusher(),
      input: ({ id }) => ({ pusher_id: id, invite_id }),
      want: { error: "not_found", param: null },
    }),
  ),
  {
    rule: "ids",
    tool: "revoke_invite",
    given: (world) => invited(world),
    input: ({ pusher }) => ({ pusher_id: pusher.id, invite_id: pusher.id }),
    want: { error: "not_found", param: null },
  },
  {
    rule: "foreign-is-missing",
    name: "another account cannot revoke",
    tool: "revoke_invite",
    given: (world) => invited(world),
    as: (world) => world.foreignKey(),
    input: path,
    want: { error: "not_found" },
  },
  {
    rule: "restricted-sees-its-channels",
    tool: "revoke_invite",
    given: (world) => invited(world),
    as: (world) => world.memberKey("viewer"),
    input: path,
    want: { error: "forbidden" },
  },
  {
    rule: "order-of-checks",
    name: "a viewer is told 404 of an invite that does not exist",
    tool: "revoke_invite",
    given: (world) => world.pusher(),
    as: (world) => world.memberKey("viewer"),
    input: ({ id }) => ({ pusher_id: id, invite_id: "inv_01h455vb4pex5vsknk084sn02q" }),
    want: { error: "not_found" },
  },
  {
    rule: "one-scope",
    tool: "revoke_invite",
    given: (world) => invited(world),
    as: (world) => world.key({ scopes: "invites:read" }),
    input: path,
    want: { error: "insufficient_scope", says: /invites:write/ },
  },
];

export const inviteCases: Case[] = [...creating, ...admitting, ...listing, ...revoking];
