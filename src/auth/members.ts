// Who may change which members of a workspace. Owners and admins may; nobody acts on a member above their own role or
// with a wider view, nobody grants what they do not have, and a workspace always keeps an owner who sees everything.

import type { SqlEntityManager } from "@mikro-orm/sql";
import type { Caller } from "../context.ts";
import type { Orm } from "../db/orm.ts";
import { run } from "../db/statement.ts";
import { parseId, showId } from "../domain/ids.ts";
import { emailProblem } from "../domain/one_line.ts";
import { roleReaches } from "../domain/visibility.ts";
import { Member, type MemberRow, ROLES, type Role } from "../entities/member.ts";
import { conflict, forbidden, notFound, refuseFields } from "../errors.ts";
import { addMember, pusherOf } from "../operator/accounts.ts";
import { connectionsOfMember } from "../queries/connections.ts";
import { isElsewhere } from "../queries/links.ts";
import { listWorkspaceMembers } from "../queries/people.ts";
import { lockWorkspace } from "../queries/webhooks.ts";
import { endConnections } from "./grants.ts";
import { newLink, STAND_IN } from "./links.ts";

/** What decides between two members: the role, and the channels that each sees. */
export interface Standing {
  role: Role;
  pusher_ids: string[] | null;
}

const covers = (mine: string[] | null, theirs: string[] | null): boolean =>
  mine === null || (theirs?.every((id) => mine.includes(id)) ?? false);

/** May a member with the first standing manage one with the second? */
export function manages(mine: Standing, theirs: Standing): boolean {
  return (
    roleReaches(mine.role, "admin") &&
    roleReaches(mine.role, theirs.role) &&
    covers(mine.pusher_ids, theirs.pusher_ids)
  );
}

export const standingOf = ({ member }: Caller): Standing => ({
  role: member.role,
  pusher_ids: member.pusherIds,
});

/** The roles that somebody with this role may give. */
export const grantableRoles = (role: Role): Role[] => ROLES.filter((other) => roleReaches(role, other));

export interface MemberChange {
  role: string;
  /** Every channel, later ones included. Together with `pushers` it is a contradiction, which is asked about. */
  everyChannel: boolean;
  /** Wire ids of the only channels that the member sees. */
  pushers: string[];
}

/** What contradicts itself is asked about, and never taken for the wider of its meanings. */
function channelProblem({ role, everyChannel, pushers }: MemberChange): string | null {
  if (everyChannel && pushers.length > 0)
    return "You chose every channel, and single channels as well. Choose one of the two: nothing was saved yet.";
  if (!everyChannel && pushers.length === 0) return "Choose every channel, or tick at least one.";
  if (role === "owner" && !everyChannel)
    return "An owner sees every channel. Choose another role to restrict a member.";
  return null;
}

/** What is wrong with a wish by itself, by the names that its form has. */
const problemsOf = (wish: MemberChange) => ({
  role: !ROLES.includes(wish.role as Role) && `The role is one of ${ROLES.join(", ")}.`,
  sees: channelProblem(wish),
});

export type Members = ReturnType<typeof createMembers>;

export function createMembers({ orm, publicUrl }: { orm: Orm; publicUrl: string }) {
  /** Changes of one workspace's members queue, so that each sees what the one before it left. */
  function inTurn<T>(caller: Caller, work: (em: SqlEntityManager, mine: Standing) => Promise<T>): Promise<T> {
    return orm.em.fork().transactional(async (em) => {
      await run(em, lockWorkspace, [caller.workspace.id]);
      const me = await em.findOne(Member, { id: caller.member.id, workspace: caller.workspace.id });
      if (!me) throw notFound("workspace");
      const mine = { role: me.role, pusher_ids: me.pusher_ids ?? null };
      if (!roleReaches(mine.role, "admin"))
        throw forbidden("Only owners and admins manage the members of a workspace.");
      return work(em, mine);
    });
  }

  async function target(
    em: SqlEntityManager,
    caller: Caller,
    mine: Standing,
    wireId: string,
  ): Promise<MemberRow> {
    const id = parseId("mem", wireId);
    const row = id && (await em.findOne(Member, { id, workspace: caller.workspace.id }));
    if (!row) throw notFound("member");
    if (!manages(mine, { role: row.role, pusher_ids: row.pusher_ids ?? null }))
      throw forbidden("This member has a role above yours, or sees channels that you do not.");
    return row as MemberRow;
  }

  /** @throws 422, 403 when the change would grant what the manager does not have. */
  async function granted(
    em: SqlEntityManager,
    caller: Caller,
    mine: Standing,
    change: MemberChange,
  ): Promise<Standing> {
    refuseFields(problemsOf(change));
    const pusher_ids = change.everyChannel
      ? null
      : await Promise.all(change.pushers.map((id) => pusherOf(em, caller.workspace.id, id)));
    const standing = { role: change.role as Role, pusher_ids };
    if (!roleReaches(mine.role, standing.role)) throw forbidden("You cannot give a role above your own.");
    if (!covers(mine.pusher_ids, pusher_ids))
      throw forbidden("You see only certain channels, so your members can see no others.");
    return standing;
  }

  async function keepAnOwner(em: SqlEntityManager, caller: Caller, row: MemberRow): Promise<void> {
    if (row.role !== "owner") return;
    if ((await em.count(Member, { workspace: caller.workspace.id, role: "owner" })) < 2)
      throw conflict("This is the workspace's last owner. Make somebody else an owner first.");
  }

  return {
    /** The members that the caller may know of: all, or for a restricted manager those within the same channels. */
    async list(caller: Caller) {
      const mine = standingOf(caller);
      const rows = await run(orm.em.fork(), listWorkspaceMembers, [caller.workspace.id]);
      return rows
        .map(({ id, ...row }) => ({
          ...row,
          id: showId("mem", id),
          self: id === caller.member.id,
          manageable: manages(mine, row),
        }))
        .filter((row) => row.self || row.manageable || mine.pusher_ids === null);
    },

    /** Adds a member and answers with the one-time link to hand out. @throws 403, 409, 422. */
    add(caller: Caller, member: MemberChange & { email: string }) {
      return inTurn(caller, async (em, mine) => {
        const email = member.email.trim().toLowerCase();
        refuseFields({ email: emailProblem(email === STAND_IN ? "" : email), ...problemsOf(member) });
        const { role } = await granted(em, caller, mine, member);
        const added = await addMember(em, {
          workspace: showId("wsp", caller.workspace.id),
          email,
          role,
          ...(member.everyChannel ? {} : { pushers: member.pushers }),
        });
        return { ...added, link: await newLink(em, publicUrl, parseId("mem", added.id)!, "manager") };
      });
    },

    /** @throws 403, 404, 409, 422. */
    change(caller: Caller, memberId: string, change: MemberChange): Promise<void> {
      return inTurn(caller, async (em, mine) => {
        const row = await target(em, caller, mine, memberId);
        const standing = await granted(em, caller, mine, change);
        if (standing.role !== "owner") await keepAnOwner(em, caller, row);
        row.role = standing.role;
        row.pusher_ids = standing.pusher_ids;
        await em.flush();
      });
    },

    /**
     * A new one-time link for a member who has not joined yet, or who lost the password. Whoever holds it signs in as this
     * person, so no link is made for an account that other workspaces trust, too. @throws 403, 404.
     */
    link(caller: Caller, memberId: string): Promise<{ email: string; joined: boolean; link: string }> {
      return inTurn(caller, async (em, mine) => {
        const row = await target(em, caller, mine, memberId);
        const [account] = await run(em, isElsewhere, [row.id]);
        if (account?.elsewhere)
          throw forbidden(
            "This person is a member of another workspace, too, so no link of this one can change the password. The operator of this server can make one: belfry members link --email …",
          );
        const link = await newLink(em, publicUrl, row.id, "manager");
        return { email: row.email, joined: row.user_id != null, link };
      });
    },

    /** Removes a member with its keys, and with its assistants the tokens that they hold. @throws 403, 404, 409. */
    remove(caller: Caller, memberId: string): Promise<void> {
      return inTurn(caller, async (em, mine) => {
        const row = await target(em, caller, mine, memberId);
        await keepAnOwner(em, caller, row);
        const assistants = await run(em, connectionsOfMember, [row.id]);
        await endConnections(
          em,
          assistants.map(({ id }) => id),
        );
        await em.nativeDelete(Member, { id: row.id });
      });
    },
  };
}
