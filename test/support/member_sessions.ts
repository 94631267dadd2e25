// Members of a world as dispatch sees them when they are signed in, without a browser and without a password.

import { getSessionMemberCaller } from "../../src/identity/auth/console_sessions.ts";
import { end_connection } from "../../src/identity/session/client_connections.ts";
import { formatId } from "../../src/model/domain/type_ids.ts";
import { runStatement } from "../../src/store/db/statement.ts";
import type { MemberCaller } from "../../src/store/handler_context.ts";
import { listMembershipsOfUser } from "../../src/store/queries/members_and_one_time_links.ts";
import { OWNER } from "./console_site.ts";
import { parseUuid } from "./handsets.ts";
import type { World } from "./world.ts";

export const SILENT_LOG = { debug() {}, info() {}, warn() {}, error() {} };

/** An account's session in one of its workspaces; both ids are the rows'. */
export async function createMemberSession(
  world: World,
  userId: string,
  workspaceId: string,
  sessionId = "a session of the test",
): Promise<MemberCaller> {
  const memberships = await runStatement(world.service.orm.em.fork(), listMembershipsOfUser, { user_id: userId });
  const session = { id: sessionId, user: { id: userId, email: "", name: "Person" }, memberships };
  const caller = getSessionMemberCaller(session, workspaceId);
  if (!caller) throw new Error("no member of this workspace");
  return caller;
}

/** Disconnects the assistant of a connection's row, as the person whose it is. */
export async function disconnect(world: World, id: string): Promise<void> {
  const [row] = await world.sql(
    "select c.user_id, m.workspace_id from connection c join member m on m.id = c.member_id where c.id = ?",
    [id],
  );
  const caller = await createMemberSession(world, row.user_id, row.workspace_id);
  const args = { connection_id: formatId("con", id) };
  await world.service.dispatcher.runSession(end_connection, caller, { args, log: SILENT_LOG });
}

/** The session of the workspace's owner, who has joined already (`signInOwner`). It ends no other session. */
export async function createOwnerSession(world: World): Promise<MemberCaller> {
  const [{ user_id }] = await world.sql("select user_id from member where email = ?", [OWNER.email]);
  return createMemberSession(world, user_id, parseUuid(world.workspace.id));
}
