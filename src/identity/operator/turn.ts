// Changes of a workspace's members: one at a time, judged by the rows and not by what a session knew a moment ago. Nobody
// acts on a member that they do not manage or grants what they do not have, and an owner who sees everything always stays.

import { parseId } from "../../model/domain/ids.ts";
import { covers, knows, manages, roleReaches, type Standing } from "../../model/domain/standing.ts";
import { Member, type MemberRow, ROLES, type Role } from "../../model/entities/member.ts";
import { conflict, forbidden, notFound } from "../../model/errors.ts";
import type { Context, MemberCaller } from "../../store/context.ts";
import { lockWorkspace } from "../../store/queries/workspaces.ts";
import type { MemberWish } from "../../store/shapes/member.ts";
import { pusherOf } from "./accounts.ts";

type Ctx = Context<MemberCaller>;

/** What contradicts itself is asked about, and never taken for the wider of its meanings. */
function channelProblem({ role, every_channel, pusher_ids }: MemberWish): string | null {
  if (every_channel && pusher_ids.length > 0)
    return "You chose every channel, and single channels as well. Choose one of the two: nothing was saved yet.";
  if (!every_channel && pusher_ids.length === 0) return "Choose every channel, or tick at least one.";
  if (role === "owner" && !every_channel)
    return "An owner sees every channel. Choose another role to restrict a member.";
  return null;
}

/** What is wrong with a wish by itself. */
export const wishProblems = (wish: MemberWish) => ({
  role: !ROLES.includes(wish.role as Role) && `The role is one of ${ROLES.join(", ")}.`,
  pusher_ids: channelProblem(wish),
});

const standing = ({ role, pusher_ids }: MemberRow): Standing => ({ role, pusher_ids: pusher_ids ?? null });

/** Waits for the workspace's turn and answers what the caller is by then, so that each sees what the one before left. */
export async function takeTurn({ em, sql, caller }: Ctx): Promise<Standing> {
  await sql(lockWorkspace, { id: caller.workspace.id });
  const me = await em.findOne(Member, { id: caller.member.id, workspace: caller.workspace.id });
  if (!me) throw notFound("workspace");
  const mine = standing(me as MemberRow);
  if (!roleReaches(mine.role, "admin"))
    throw forbidden("Only owners and admins manage the members of a workspace.");
  return mine;
}

/** The member that is to be changed. @throws 404 for one that the caller does not know of, 403. */
export async function managed({ em, caller }: Ctx, mine: Standing, wireId: string): Promise<MemberRow> {
  const id = parseId("mem", wireId);
  const row = id ? await em.findOne(Member, { id, workspace: caller.workspace.id }) : null;
  if (!row || !knows(mine, standing(row as MemberRow))) throw notFound("member");
  if (!manages(mine, standing(row as MemberRow)))
    throw forbidden("This member has a role above yours, or sees channels that you do not.");
  return row as MemberRow;
}

/** What the wish comes to. @throws 403 when it would grant what the caller does not have, 404 for a channel. */
export async function granted({ em, caller }: Ctx, mine: Standing, wish: MemberWish): Promise<Standing> {
  const pusher_ids = wish.every_channel
    ? null
    : await Promise.all(wish.pusher_ids.map((id) => pusherOf(em, caller.workspace.id, id)));
  const role = wish.role as Role;
  if (!roleReaches(mine.role, role)) throw forbidden("You cannot give a role above your own.");
  if (!covers(mine.pusher_ids, pusher_ids))
    throw forbidden("You see only certain channels, so your members can see no others.");
  return { role, pusher_ids };
}

/** @throws 409 when the workspace would be left without an owner. */
export async function keepAnOwner({ em, caller }: Ctx, row: MemberRow): Promise<void> {
  if (row.role !== "owner") return;
  if ((await em.count(Member, { workspace: caller.workspace.id, role: "owner" })) < 2)
    throw conflict("This is the workspace's last owner. Make somebody else an owner first.");
}
