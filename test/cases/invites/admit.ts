// The devices that a code admits, and those that it refuses.

import { expect } from "vitest";
import type { TestCase } from "../../support/case_runner.ts";
import { joinChannel, joinNewHandset, listChannelEvents, parseUuid, registerHandset } from "../../support/handsets.ts";
import { timeInSeconds } from "../../support/world.ts";
import { createInvite, readUses, SECRET_CHANNEL } from "./fixtures.ts";

export const admitCases: TestCase[] = [
  {
    rule: "channel-public",
    tool: "list_invites",
    given: (world) => createInvite(world),
    input: ({ pusher }) => ({ pusher_id: pusher.id }),
    want: {},
    after: async (world, { pusher, invite }) => {
      const { token } = await registerHandset(world);
      const card = `/channels/${pusher.handle}`;
      for (const wrong of ["", "?invite=wrong", `?invite=${invite.code}x`])
        expect((await world.handset("GET", card + wrong, token)).status).toBe(404);
      for (const wrong of [undefined, "wrong", `${invite.code}x`])
        expect((await joinChannel(world, token, pusher.handle, wrong)).status).toBe(404);
      expect(await readUses(world, { pusher, invite })).toBe(0);
      expect(listChannelEvents(world, pusher.id)).toEqual([]);
      const { status, body } = await world.handset("GET", `${card}?invite=${invite.code}`, token);
      expect(status).toBe(200);
      // rules#invite-label
      expect(JSON.stringify(body)).not.toContain("label");
    },
  },
  {
    rule: "unusable-invite",
    name: "an invite of one channel opens no other",
    tool: "list_invites",
    given: async (world) => ({ ...(await createInvite(world)), other: await world.pusher(SECRET_CHANNEL) }),
    input: ({ pusher }) => ({ pusher_id: pusher.id }),
    want: {},
    after: async (world, { invite, other }) => {
      const { token } = await registerHandset(world);
      const missing = await joinChannel(world, token, "nobody-has-this", invite.code);
      const wrong = await joinChannel(world, token, other.handle, invite.code);
      expect([wrong.status, wrong.body]).toEqual([404, missing.body]);
    },
  },
  {
    rule: "invite-ends",
    name: "stops working at expires_at",
    tool: "list_invites",
    given: async (world) => {
      const given = await createInvite(world, { expires_at: timeInSeconds(3600) });
      await joinNewHandset(world, given.pusher.handle, given.invite.code);
      await world.sql("update invite set expires_at = clock_timestamp() where id = ?", [parseUuid(given.invite.id)]);
      return given;
    },
    input: ({ pusher }) => ({ pusher_id: pusher.id }),
    want: { body: { data: [{ uses: 1, revoked_at: null }] } },
    after: async (world, { pusher, invite }) => {
      const { token } = await registerHandset(world);
      expect((await joinChannel(world, token, pusher.handle, invite.code)).status).toBe(404);
      const card = await world.handset("GET", `/channels/${pusher.handle}?invite=${invite.code}`, token);
      expect(card.status).toBe(404);
    },
  },
  {
    rule: "invite-ends",
    name: "stops working when max_uses is reached, also after its phones have left",
    tool: "list_invites",
    given: async (world) => {
      const given = await createInvite(world, { max_uses: 2 });
      const { token } = await joinNewHandset(world, given.pusher.handle, given.invite.code);
      await joinNewHandset(world, given.pusher.handle, given.invite.code);
      await world.handset("DELETE", `/subscriptions/${given.pusher.handle}`, token);
      return { ...given, token };
    },
    input: ({ pusher }) => ({ pusher_id: pusher.id }),
    want: { body: { data: [{ uses: 2, max_uses: 2 }] } },
    after: async (world, { pusher, invite, token }) => {
      expect((await joinChannel(world, token, pusher.handle, invite.code)).status).toBe(404);
    },
  },
  {
    rule: "invite-max-uses",
    tool: "list_invites",
    given: async (world) => {
      const given = await createInvite(world, { max_uses: 1 });
      const devices = await Promise.all(Array.from({ length: 12 }, () => registerHandset(world)));
      const answers = await Promise.all(
        devices.map(({ token }) => joinChannel(world, token, given.pusher.handle, given.invite.code)),
      );
      return { ...given, statuses: answers.map(({ status }) => status).sort() };
    },
    input: ({ pusher }) => ({ pusher_id: pusher.id }),
    want: { body: { data: [{ uses: 1 }] } },
    after: async (world, { pusher, statuses }) => {
      expect(statuses).toEqual([200, ...Array(11).fill(404)]);
      expect(listChannelEvents(world, pusher.id)).toEqual([{ event: "subscriber.created", count: 1, delta: 1 }]);
    },
  },
  {
    rule: "join-again",
    name: "one device that joins eight times at once uses one of its invite",
    tool: "list_invites",
    given: async (world) => {
      const given = await createInvite(world, { max_uses: 5 });
      const { token } = await registerHandset(world);
      await Promise.all(
        Array.from({ length: 8 }, () => joinChannel(world, token, given.pusher.handle, given.invite.code)),
      );
      return given;
    },
    input: ({ pusher }) => ({ pusher_id: pusher.id }),
    want: { body: { data: [{ uses: 1 }] } },
    after: (world, { pusher }) =>
      expect(listChannelEvents(world, pusher.id)).toEqual([{ event: "subscriber.created", count: 1, delta: 1 }]),
  },
];
