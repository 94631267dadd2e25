// Who sees which channels: "a workspace member restricted to certain channels, or a key bound to a channel, sees only
// those channels. That is scope, not an error." What a role may do, and who may act on whom: nobody on a member above
// their own role or with a wider view.

import { ROLES, type Role } from "../entities/member.ts";

/** The channels a credential sees: its member's restriction narrowed by its own binding; null is all of them. */
export function getVisibleChannelIds(memberPusherIds: string[] | null, boundPusherId: string | null): string[] | null {
  if (boundPusherId === null) return memberPusherIds;
  return memberPusherIds === null || memberPusherIds.includes(boundPusherId) ? [boundPusherId] : [];
}

const RANK: Record<Role, number> = { viewer: 0, editor: 1, admin: 2, owner: 3 };

/** Roles contain one another: viewer reads, editor writes, admin also deletes channels, owner everything. */
export function isRoleAtLeast(role: Role, least: Role): boolean {
  return RANK[role] >= RANK[least];
}

/** What decides between two members: the role, and the channels that each sees; null is all of them. */
export interface MemberAccess {
  role: Role;
  pusher_ids: string[] | null;
}

/** Does the first view hold all of the second one? */
export const includesAllChannels = (mine: string[] | null, theirs: string[] | null): boolean =>
  mine === null || (theirs?.every((id) => mine.includes(id)) ?? false);

/** May a member with the first standing manage one with the second? */
export function canManageMember(mine: MemberAccess, theirs: MemberAccess): boolean {
  return (
    isRoleAtLeast(mine.role, "admin") &&
    isRoleAtLeast(mine.role, theirs.role) &&
    includesAllChannels(mine.pusher_ids, theirs.pusher_ids)
  );
}

/**
 * Does a manager with the first standing know of a member with the second at all? One who sees everything knows
 * everybody.
 */
export const canSeeMember = (mine: MemberAccess, theirs: MemberAccess): boolean =>
  mine.pusher_ids === null || canManageMember(mine, theirs);

/** The roles that somebody with this role may give. */
export const getGrantableRoles = (role: Role): Role[] => ROLES.filter((other) => isRoleAtLeast(role, other));

/** The standing of whoever calls, as its credential was looked up. */
export const getMemberAccess = ({ member }: { member: { role: Role; pusherIds: string[] | null } }): MemberAccess => ({
  role: member.role,
  pusher_ids: member.pusherIds,
});
