// Access rules between members, and the channels that a caller sees. The specification: "a workspace member restricted
// to certain channels, or a key bound to a channel, sees only those channels. That is scope, not an error." A manager
// cannot act on a member with a higher role or a wider view.

import { ROLES, type Role } from "../tables/member.ts";

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

/** The two properties that rank members: the role, and the visible channels (null: all). */
export interface MemberAccess {
  role: Role;
  pusher_ids: string[] | null;
}

/** Checks that the first view includes all channels of the second. */
export const includesAllChannelsOf = (mine: string[] | null, theirs: string[] | null): boolean =>
  mine === null || (theirs?.every((id) => mine.includes(id)) ?? false);

/** May a member with the first standing manage one with the second? */
export function canManageMember(mine: MemberAccess, theirs: MemberAccess): boolean {
  return (
    isRoleAtLeast(mine.role, "admin") &&
    isRoleAtLeast(mine.role, theirs.role) &&
    includesAllChannelsOf(mine.pusher_ids, theirs.pusher_ids)
  );
}

/** Checks that a manager can see a member at all. A manager with access to all channels sees everyone. */
export const canSeeMember = (mine: MemberAccess, theirs: MemberAccess): boolean =>
  mine.pusher_ids === null || canManageMember(mine, theirs);

/** The roles that a member with this role may assign. */
export const getGrantableRoles = (role: Role): Role[] => ROLES.filter((other) => isRoleAtLeast(role, other));

/** The access of a caller, from its credential. */
export const getCallerMemberAccess = ({
  member,
}: {
  member: { role: Role; pusherIds: string[] | null };
}): MemberAccess => ({ role: member.role, pusher_ids: member.pusherIds });
