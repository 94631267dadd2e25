// Members of a world as dispatch sees them when they are signed in, without a browser and without a password.

import { callerOf } from "../../src/identity/auth/people.ts";
import { end_connection } from "../../src/identity/session/connections.ts";
import { showId } from "../../src/model/domain/ids.ts";
import type { MemberCaller } from "../../src/store/context.ts";
import { run } from "../../src/store/db/statement.ts";
import { membershipsOf } from "../../src/store/queries/people.ts";
import { uuidOf } from "./handsets.ts";
import { OWNER, ownerOf } from "./site.ts";
import type { World } from "./world.ts";

export const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** An account's session in one of its workspaces; both ids are the rows'. */
export async function signedIn(
  world: World,
  userId: string,
  workspaceId: string,
  sessionId = "a session of the test",
): Promise<MemberCaller> {
  const memberships = await run(world.service.orm.em.fork(), membershipsOf, { user_id: userId });
  const session = { id: sessionId, user: { id: userId, email: "", name: "Person" }, memberships };
  const caller = callerOf(session, workspaceId);
  if (!caller) throw new Error("no member of this workspace");
  return caller;
}

/** Disconnects the assistant of a connection's row, as the person whose it is. */
export async function disconnect(world: World, id: string): Promise<void> {
  const [row] = await world.sql(
    "select c.user_id, m.workspace_id from connection c join member m on m.id = c.member_id where c.id = ?",
    [id],
  );
  const caller = await signedIn(world, row.user_id, row.workspace_id);
  const args = { connection_id: showId("con", id) };
  await world.service.dispatcher.session(end_connection, caller, { args, log: SILENT });
}

/** The owner of the world's workspace, who joins here, as a caller without a page. */
export async function ownerSession(world: World): Promise<MemberCaller> {
  await ownerOf(world);
  const [{ user_id }] = await world.sql("select user_id from member where email = ?", [OWNER.email]);
  return signedIn(world, user_id, uuidOf(world.workspace.id));
}
