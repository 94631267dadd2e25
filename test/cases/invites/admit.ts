// What a code lets in, and what it does not.

import { expect } from "vitest";
import type { Case } from "../../support/cases.ts";
import { eventsOf, join, joined, registered, uuidOf } from "../../support/handsets.ts";
import { inSeconds } from "../../support/world.ts";
import { invited, SECRET_CHANNEL, uses } from "./given.ts";

export const admitCases: Case[] = [
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
      // rules#invite-label
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
      await world.sql("update invite set expires_at = clock_timestamp() where id = ?", [uuidOf(given.invite.id)]);
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
      expect(eventsOf(world, pusher.id)).toEqual([{ event: "subscriber.created", count: 1, delta: 1 }]);
    },
  },
  {
    rule: "join-again",
    name: "one device that joins eight times at once uses one of its invite",
    tool: "list_invites",
    given: async (world) => {
      const given = await invited(world, { max_uses: 5 });
      const { token } = await registered(world);
      await Promise.all(Array.from({ length: 8 }, () => join(world, token, given.pusher.handle, given.invite.code)));
      return given;
    },
    input: ({ pusher }) => ({ pusher_id: pusher.id }),
    want: { body: { data: [{ uses: 1 }] } },
    after: (world, { pusher }) =>
      expect(eventsOf(world, pusher.id)).toEqual([{ event: "subscriber.created", count: 1, delta: 1 }]),
  },
];
