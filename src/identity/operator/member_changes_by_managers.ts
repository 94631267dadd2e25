// Changes of a workspace's members, one at a time, checked with the rows instead of session data. Members cannot change
// members that they do not manage, or grant more than they have, and one owner with full access always stays. Leaving a
// workspace: with another owner it stays unchanged. Without one, it must be empty and is deleted, or is left behind
// explicitly; then sending is blocked until the operator assigns an owner. The membership's keys, endpoints and
// assistants end with it.

import type { FieldValidationFailure } from "../../model/api_and_ui_error_texts.ts";
import { conflict, forbidden, notFound } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import {
  canManageMember,
  canSeeMember,
  includesAllChannelsOf,
  isRoleAtLeast,
  type MemberAccess,
} from "../../model/domain/member_access_rules.ts";
import { formatId, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { Member, type MemberRow, ROLES, type Role, Workspace } from "../../model/tables/member.ts";
import { createAuditLinePerActor, findPersonActorPerWorkspace } from "../../operation/audit_lines.ts";
import type { StatementRow } from "../../store/db/statement.ts";
import type { HandlerContext, MemberCaller, PersonCaller } from "../../store/handler_context.ts";
import { insertAdditionalAuditRecord } from "../../store/queries/audit_and_events.ts";
import {
  type listWorkspacesOfUser,
  lockWorkspace,
  lockWorkspaceChannels,
  pauseWorkspaceChannels,
} from "../../store/queries/workspace_locks_and_user_accounts.ts";
import type { MemberAccessInput } from "../../store/response_schemas/shared_parameters_and_pages.ts";
import { endAssistantConnectionsByFilter } from "../auth/consent_grants.ts";
import { findChannelId } from "./workspaces_members_and_keys.ts";

type Ctx = HandlerContext<MemberCaller>;

/** Refuses contradictory input instead of using the wider meaning. */
function channelProblem({ role, every_channel, pusher_ids }: MemberAccessInput): FieldValidationFailure | null {
  if (every_channel && pusher_ids.length > 0)
    return {
      code: "mutually_exclusive_fields",
      message: "Choose either all channels or individual channels. Nothing was saved.",
    };
  if (!every_channel && pusher_ids.length === 0)
    return { code: "field_required", message: "Choose all channels, or select at least one." };
  if (role === "owner" && !every_channel)
    return {
      code: "invalid_value",
      message: "Owners can access all channels. Choose another role to restrict a member.",
    };
  return null;
}

/** Validates the requested change by itself. */
export const getMemberAccessInputFailures = (
  wish: MemberAccessInput,
): Record<string, FieldValidationFailure | false | null> => ({
  role: !ROLES.includes(wish.role as Role) && {
    code: "invalid_choice",
    message: `The role must be one of ${ROLES.join(", ")}.`,
  },
  pusher_ids: channelProblem(wish),
});

const standing = ({ role, pusher_ids }: MemberRow): MemberAccess => ({ role, pusher_ids: pusher_ids ?? null });

/** Locks the workspace and returns the caller's present access, so that each call sees the result of the one before. */
export async function lockAndGetCallerAccess({ em, sql, caller }: Ctx): Promise<MemberAccess> {
  await sql(lockWorkspace, { id: caller.workspace.id });
  const me = await em.findOne(Member, { id: caller.member.id, workspace: caller.workspace.id });
  if (!me) throw notFound("workspace");
  const mine = standing(me as MemberRow);
  if (!isRoleAtLeast(mine.role, "admin")) throw forbidden("role_too_low", "Only owners and admins can manage members.");
  return mine;
}

/** The member that is to be changed. @throws 404 for one that the caller does not know of, 403. */
export async function findMemberManageableByCaller(
  { em, caller }: Ctx,
  mine: MemberAccess,
  wireId: string,
): Promise<MemberRow> {
  const id = parseIdOrNull("mem", wireId);
  const row = id ? await em.findOne(Member, { id, workspace: caller.workspace.id }) : null;
  if (!row || !canSeeMember(mine, standing(row as MemberRow))) throw notFound("member");
  if (!canManageMember(mine, standing(row as MemberRow)))
    throw forbidden(
      "not_permitted",
      "You cannot manage a member who has a higher role than yours or access to channels that you cannot access.",
    );
  return row as MemberRow;
}

/**
 * Returns the resulting access.
 * @throws 403 if it grants more than the caller has, 404 for a channel
 */
export async function authorizeMemberAccessGrant(
  { em, caller }: Ctx,
  mine: MemberAccess,
  wish: MemberAccessInput,
): Promise<MemberAccess> {
  const pusher_ids = wish.every_channel
    ? null
    : await Promise.all(wish.pusher_ids.map((id) => findChannelId(em, caller.workspace.id, id)));
  const role = wish.role as Role;
  if (!isRoleAtLeast(mine.role, role)) throw forbidden("not_permitted", "You cannot assign a role above your own.");
  if (!includesAllChannelsOf(mine.pusher_ids, pusher_ids))
    throw forbidden("channel_restricted", "You can only grant access to channels that you can access yourself.");
  return { role, pusher_ids };
}

/** @throws 409 when the workspace would be left without an owner. */
export async function requireRemainingOwner({ em, caller }: Ctx, row: MemberRow): Promise<void> {
  if (row.role !== "owner") return;
  if ((await em.count(Member, { workspace: caller.workspace.id, role: "owner" })) < 2)
    throw conflict("last_owner", "This is the workspace's last owner. Make someone else an owner first.");
}

type WorkspaceOfUserRow = StatementRow<typeof listWorkspacesOfUser>;

/** True if the person cannot leave it in its state. */
const holdsOn = ({ last_owner, others, channels, files }: WorkspaceOfUserRow): boolean =>
  last_owner && others + channels + files > 0;

/** True if it may be left without an owner on request: it has channels, and no other member. */
const mayStayBehind = (own: WorkspaceOfUserRow): boolean => holdsOn(own) && own.others === 0 && own.channels > 0;

/** Returns the result of leaving. `behind`: only on request; `holds`: the person cannot leave. */
export function getLeaveOutcome(own: WorkspaceOfUserRow): "stays" | "goes" | "behind" | "holds" {
  if (!own.last_owner) return "stays";
  if (!holdsOn(own)) return "goes";
  return mayStayBehind(own) ? "behind" : "holds";
}

/**
 * Leaves workspaces in the context's transaction.
 * @param behind ids on the wire of those that are left without an owner
 * @throws 409 before any change, if another one would keep content without an owner
 */
export async function leaveOwnWorkspaces(
  ctx: HandlerContext<PersonCaller>,
  workspaces: readonly WorkspaceOfUserRow[],
  behind: readonly string[],
): Promise<void> {
  const staying = workspaces.filter(holdsOn);
  const isConfirmed = (own: WorkspaceOfUserRow) => mayStayBehind(own) && behind.includes(formatId("wsp", own.id));
  if (!staying.every(isConfirmed))
    throw conflict(
      "last_owner",
      "You are the only owner of a workspace that is not empty. First make someone else an owner, or delete its " +
        "contents and remove its members.",
    );
  for (const own of staying) await pauseAll(ctx, own);
  for (const { id, member_id, last_owner } of workspaces) {
    await endAssistantConnectionsByFilter(ctx.em, { member: member_id });
    await ctx.em.nativeDelete(Member, { id: member_id });
    if (last_owner && !staying.some((own) => own.id === id)) await ctx.em.nativeDelete(Workspace, { id });
  }
}

/** Pauses its channels as update_pusher does, each with a line of its own in the audit log. */
async function pauseAll(ctx: HandlerContext<PersonCaller>, own: WorkspaceOfUserRow): Promise<void> {
  const { em, sql, caller } = ctx;
  await sql(lockWorkspaceChannels, { workspace_id: own.id });
  const paused = await sql(pauseWorkspaceChannels, { workspace_id: own.id, at: ctx.now().toISOString() });
  const actors = [await findPersonActorPerWorkspace(em, caller.person.id, "console")].flat();
  const actor = assertDefined(
    actors.find(({ workspace_id }) => workspace_id === own.id),
    "the person is a member of the workspace",
  );
  for (const row of paused) {
    const id = formatId("psh", row.id);
    for (const line of createAuditLinePerActor(actor, "update_pusher", { pusher_id: id }, { id, status: "paused" }))
      await sql(insertAdditionalAuditRecord, line);
  }
  ctx.markChanged(paused.map(({ id }) => id));
}
