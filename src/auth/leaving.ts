// A person leaves workspaces. Where somebody else is an owner the workspace stays as it is; where nobody else is, it must hold
// nothing any more, and goes along. Keys, endpoints and assistants of the membership end with it.

import type { SqlEntityManager } from "@mikro-orm/sql";
import type { Context } from "../context.ts";
import type { RowOf } from "../db/statement.ts";
import { Member } from "../entities/member.ts";
import { Workspace } from "../entities/workspace.ts";
import { conflict } from "../errors.ts";
import { connectionsOfMember } from "../queries/connections.ts";
import type { ownWorkspaces } from "../queries/own_workspaces.ts";
import { endConnections } from "./grants.ts";

export type OwnWorkspace = RowOf<typeof ownWorkspaces>;

/** Whether the person must not leave it as it is. */
export const holdsOn = ({ last_owner, others, channels, files }: OwnWorkspace): boolean =>
  last_owner && others + channels + files > 0;

/** @throws 409 before anything was changed, when one of them would be left with something in it and no owner. */
export async function leave(
  { em, sql }: { em: SqlEntityManager; sql: Context<unknown>["sql"] },
  workspaces: readonly OwnWorkspace[],
): Promise<void> {
  if (workspaces.some(holdsOn))
    throw conflict(
      "You are the only owner of a workspace that is not empty. Make somebody else an owner there, or delete its channels and files and remove its members first.",
    );
  for (const { id, member_id, last_owner } of workspaces) {
    const assistants = await sql(connectionsOfMember, { member_id });
    await endConnections(
      em,
      assistants.map((row) => row.id),
    );
    await em.nativeDelete(Member, { id: member_id });
    if (last_owner) await em.nativeDelete(Workspace, { id });
  }
}
