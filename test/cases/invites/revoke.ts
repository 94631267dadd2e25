// Invites listed and revoked, and who stays when one is.

import { expect } from "vitest";
import type { TestCase } from "../../support/case_runner.ts";
import {
  joinChannel,
  joinNewHandset,
  listChannelEvents,
  registerHandset,
  suspend,
  waitForSubscriberCount,
} from "../../support/handsets.ts";
import type { World } from "../../support/world.ts";
import { createInvite, type InviteFixture, SECRET_CHANNEL } from "./fixtures.ts";

const path = ({ pusher, invite }: InviteFixture) => ({ pusher_id: pusher.id, invite_id: invite.id });

const inbox = async (world: World, token: string) =>
  (await world.handset("GET", "/inbox", token)).body.data.map(({ handle }: { handle: string }) => handle);

export const listInviteCases: TestCase[] = [
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
      // rules#revoke-invite
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
  const predating = await joinNewHandset(world, pusher.handle);
  await world.rest("update_pusher", { pusher_id: pusher.id, is_public: false });
  const make = async () => (await world.rest("create_invite", { pusher_id: pusher.id })).body;
  const [invite, other] = [await make(), await make()];
  const through = [];
  for (let n = 0; n < 3; n++) through.push(await joinNewHandset(world, pusher.handle, invite.code));
  const throughOther = await joinNewHandset(world, pusher.handle, other.code);
  // Both devices present a further code while joined: it uses nothing, and they keep the way by which they came.
  await joinChannel(world, throughOther.token, pusher.handle, invite.code);
  await joinChannel(world, predating.token, pusher.handle, invite.code);
  await world.alert(pusher.id, { send: true });
  return { pusher, invite, other, predating, through, throughOther };
}

export const revokeInviteCases: TestCase[] = [
  {
    rule: "revoke-invite",
    tool: "revoke_invite",
    given: crowd,
    input: path,
    want: { body: { uses: 3, removed_subscribers: 0 } },
    after: async (world, { pusher, invite, through }, { body }) => {
      expect(body).toEqual({ ...invite, uses: 3, revoked_at: expect.any(String), removed_subscribers: 0 });
      expect(Math.abs(Date.parse(body.revoked_at) - Date.now())).toBeLessThan(120_000);
      const { token } = await registerHandset(world);
      expect((await joinChannel(world, token, pusher.handle, invite.code)).status).toBe(404);
      expect(await inbox(world, through[0]!.token)).toEqual([pusher.handle]);
      expect(listChannelEvents(world, pusher.id).map(({ event }) => event)).not.toContain("subscriber.deleted");
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
      for (const { token } of [predating, throughOther]) expect(await inbox(world, token)).toEqual([pusher.handle]);
      await waitForSubscriberCount(world, pusher.id, 2);
      const { body } = await world.rest("list_subscribers", { pusher_id: pusher.id });
      expect(body.breakdown).toMatchObject({ total: 2, platform: { android: 2 } });
      // Leaving no longer emits an event, and coming back needs an invite that still works.
      const { token } = through[0]!;
      const gone = await world.handset("DELETE", `/subscriptions/${pusher.handle}`, token);
      expect(gone.status).toBe(204);
      expect(listChannelEvents(world, pusher.id).at(-1)).toMatchObject({ count: 2 });
      for (const code of [undefined, invite.code])
        expect((await joinChannel(world, token, pusher.handle, code)).status).toBe(404);
      expect((await joinChannel(world, token, pusher.handle, other.code)).status).toBe(200);
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
      const given = await createInvite(world);
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
      await waitForSubscriberCount(world, given.pusher.id, 2);
    },
  },
  {
    rule: "revoke-evicts",
    name: "a device that left and came back through another invite stays",
    tool: "revoke_invite",
    given: async (world) => {
      const given = await crowd(world);
      const { token } = given.through[0]!;
      await world.handset("DELETE", `/subscriptions/${given.pusher.handle}`, token);
      await joinChannel(world, token, given.pusher.handle, given.other.code);
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
    given: (world) => createInvite(world),
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
    given: (world) => createInvite(world),
    input: (given) => ({ ...path(given), remove_subscribers: 1 }),
    want: { error: "invalid_request", param: "remove_subscribers" },
  },
  {
    rule: "revoke-invite",
    name: "an invite of another own channel is 404 and stays usable",
    tool: "revoke_invite",
    given: async (world) => ({ ...(await createInvite(world)), other: await world.pusher() }),
    input: ({ invite, other }) => ({ pusher_id: other.id, invite_id: invite.id, remove_subscribers: true }),
    want: { error: "not_found", param: null },
    after: async (world, { pusher, invite }) => {
      await joinNewHandset(world, pusher.handle, invite.code);
    },
  },
  ...["inv_01h455vb4pex5vsknk084sn02q", "inv_", "nonsense"].map(
    (invite_id): TestCase => ({
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
    given: (world) => createInvite(world),
    input: ({ pusher }) => ({ pusher_id: pusher.id, invite_id: pusher.id }),
    want: { error: "not_found", param: null },
  },
  {
    rule: "foreign-is-missing",
    name: "another account cannot revoke",
    tool: "revoke_invite",
    given: (world) => createInvite(world),
    as: (world) => world.foreignKey(),
    input: path,
    want: { error: "not_found" },
  },
  {
    rule: "restricted-sees-its-channels",
    tool: "revoke_invite",
    given: (world) => createInvite(world),
    as: (world) => world.memberKey("viewer"),
    input: path,
    want: { error: "forbidden" },
  },
  {
    rule: "order-of-checks",
    name: "a viewer gets 404 for an invite that does not exist",
    tool: "revoke_invite",
    given: (world) => world.pusher(),
    as: (world) => world.memberKey("viewer"),
    input: ({ id }) => ({ pusher_id: id, invite_id: "inv_01h455vb4pex5vsknk084sn02q" }),
    want: { error: "not_found" },
  },
  {
    rule: "one-scope",
    tool: "revoke_invite",
    given: (world) => createInvite(world),
    as: (world) => world.key({ scopes: "invites:read" }),
    input: path,
    want: { error: "insufficient_scope", says: /invites:write/ },
  },
];
