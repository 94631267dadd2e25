// A person leaves workspaces. Where somebody else is an owner the workspace stays as it is; where nobody else is, it must hold
// nothing any more, and goes along, or is left behind on purpose: nobody can send there until the operator hands it to a new
// owner. Keys, endpoints and assistants of the membership end with it.

import { showId } from "../../model/domain/ids.ts";
import { Member, Workspace } from "../../model/entities/member.ts";
import { conflict } from "../../model/errors.ts";
import { need } from "../../model/need.ts";
import { auditLines, personActors } from "../../operation/audit.ts";
import type { Context, PersonCaller } from "../../store/context.ts";
import type { RowOf } from "../../store/db/statement.ts";
import { insertAuditBefore } from "../../store/queries/audit.ts";
import {
  lockWorkspaceChannels,
  type ownWorkspaces,
  pauseWorkspaceChannels,
} from "../../store/queries/own_workspaces.ts";
import { endConnections } from "../auth/grants.ts";

export type OwnWorkspace = RowOf<typeof ownWorkspaces>;

/** Whether the person must not leave it as it is. */
const holdsOn = ({ last_owner, others, channels, files }: OwnWorkspace): boolean =>
  last_owner && others + channels + files > 0;

/** Whether it may be left without an owner, if the person says so: it has channels, and nobody but this person. */
const mayStayBehind = (own: OwnWorkspace): boolean => holdsOn(own) && own.others === 0 && own.channels > 0;

/** What becomes of it without the person. `behind`: only if the person says so; `holds`: the person cannot leave. */
export function fateOf(own: OwnWorkspace): "stays" | "goes" | "behind" | "holds" {
  if (!own.last_owner) return "stays";
  if (!holdsOn(own)) return "goes";
  return mayStayBehind(own) ? "behind" : "holds";
}

/**
 * Leaves them, in the context's transaction.
 * @param behind wire ids of those that the person leaves behind without an owner
 * @throws 409 before anything was changed, when one of the others would be left with something in it and no owner.
 */
export async function leave(
  ctx: Context<PersonCaller>,
  workspaces: readonly OwnWorkspace[],
  behind: readonly string[],
): Promise<void> {
  const staying = workspaces.filter(holdsOn);
  const told = (own: OwnWorkspace) => mayStayBehind(own) && behind.includes(showId("wsp", own.id));
  if (!staying.every(told))
    throw conflict(
      "You are the only owner of a workspace that is not empty. Make somebody else an owner there, or delete its channels and files and remove its members first. One with channels and without other members can be left behind, if you say so.",
    );
  for (const own of staying) await pauseAll(ctx, own);
  for (const { id, member_id, last_owner } of workspaces) {
    await endConnections(ctx.em, { member: member_id });
    await ctx.em.nativeDelete(Member, { id: member_id });
    if (last_owner && !staying.some((own) => own.id === id)) await ctx.em.nativeDelete(Workspace, { id });
  }
}

/** Pauses its channels as update_pusher does, each with a line of its own in the audit log. */
async function pauseAll(ctx: Context<PersonCaller>, own: OwnWorkspace): Promise<void> {
  const { em, sql, caller } = ctx;
  await sql(lockWorkspaceChannels, { workspace_id: own.id });
  const paused = await sql(pauseWorkspaceChannels, { workspace_id: own.id, at: ctx.now().toISOString() });
  const actors = [await personActors(em, caller.person.id, "console")].flat();
  const actor = need(
    actors.find(({ workspace_id }) => workspace_id === own.id),
    "the workspace is one of the person's",
  );
  for (const row of paused) {
    const id = showId("psh", row.id);
    for (const line of auditLines(actor, "update_pusher", { pusher_id: id }, { id, status: "paused" }))
      await sql(insertAuditBefore, line);
  }
  ctx.handsetsSee(paused.map(({ id }) => id));
}
