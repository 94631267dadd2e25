// Who sees which channels: "a workspace member restricted to certain channels, or a key bound to a channel, sees only
// those channels. That is scope, not an error." And what a role may do at all.

import type { Role } from "../entities/member.ts";

/** The channels a credential sees: its member's restriction narrowed by its own binding; null is all of them. */
export function visiblePushers(
  memberPusherIds: string[] | null,
  boundPusherId: string | null,
): string[] | null {
  if (boundPusherId === null) return memberPusherIds;
  return memberPusherIds === null || memberPusherIds.includes(boundPusherId) ? [boundPusherId] : [];
}

const RANK: Record<Role, number> = { viewer: 0, editor: 1, admin: 2, owner: 3 };

/** Roles contain one another: viewer reads, editor writes, admin also deletes channels, owner everything. */
export function roleReaches(role: Role, least: Role): boolean {
  return RANK[role] >= RANK[least];
}
