// Fixtures that several of the tables about invites share.

import type { World } from "../../support/world.ts";

export const SECRET_CHANNEL = { is_public: false };

/** A private channel and an invite into it. */
export async function createInvite(world: World, fields: Record<string, unknown> = {}) {
  const pusher = await world.pusher(SECRET_CHANNEL);
  const { body: invite } = await world.rest("create_invite", { pusher_id: pusher.id, ...fields });
  return { pusher, invite };
}

export type InviteFixture = Awaited<ReturnType<typeof createInvite>>;

export const readUses = async (world: World, { pusher, invite }: InviteFixture) => {
  const { body } = await world.rest("list_invites", { pusher_id: pusher.id });
  return body.data.find(({ id }: { id: string }) => id === invite.id).uses;
};
