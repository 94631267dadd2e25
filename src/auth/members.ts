// Who may change which members of a workspace. Owners and admins may; nobody acts on a member above their own role or
// with a wider view, nobody grants what they do not have, and a workspace always keeps an owner who sees everything.

import type { SqlEntityManager } from "@mikro-orm/sql";
import type { Caller } from "../context.ts";
import type { Orm } from "../db/orm.ts";
import { run } from "../db/statement.ts";
import { parseId, showId } from "../domain/ids.ts";
import { roleReaches } from "../domain/visibility.ts";
import { Member, type MemberRow, ROLES, type Role } from "../entities/member.ts";
import { conflict, forbidden, invalidRequest, notFound } from "../errors.ts";
import { addMember, pusherOf } from "../operator/accounts.ts";
import { connectionsOfMember } from "../queries/connections.ts";
import { listWorkspaceMembers } from "../queries/people.ts";
import { lockWorkspace } from "../queries/webhooks.ts";
import { endConnections } from "./grants.ts";
import { newLink } from "./links.ts";

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
  /** Wire ids of the only channels that the member sees; null: all of them. */
  pushers: string[] | null;
}

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
    if (!ROLES.includes(change.role as Role))
      throw invalidRequest(`The role must be one of ${ROLES.join(", ")}.`, "role");
    if (change.role === "owner" && change.pushers !== null)
      throw invalidRequest(
        "An owner sees every channel; choose another role to restrict a member.",
        "pushers",
      );
    if (change.pushers?.length === 0)
      throw invalidRequest("Choose at least one channel, or let the member see every channel.", "pushers");
    const pusher_ids = change.pushers
      ? await Promise.all(change.pushers.map((id) => pusherOf(em, caller.workspace.id, id)))
      : null;
    const standing = { role: change.role as Role, pusher_ids };
    if (!roleReaches(mine.role, standing.role)) throw forbidden("Nobody can grant a role above their own.");
    if (!covers(mine.pusher_ids, pusher_ids))
      throw forbidden("You see certain channels only, so a member you add can see no others.");
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
        const { role } = await granted(em, caller, mine, member);
        if (member.email.length > 254) throw invalidRequest("Give a valid e-mail address.", "email");
        const added = await addMember(em, {
          workspace: showId("wsp", caller.workspace.id),
          email: member.email.trim(),
          role,
          ...(member.pushers ? { pushers: member.pushers } : {}),
        });
        return { ...added, link: await newLink(em, publicUrl, parseId("mem", added.id)!) };
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

    /** A new one-time link for a member, for one who has not joined or lost the way in. @throws 403, 404. */
    link(caller: Caller, memberId: string): Promise<{ email: string; link: string }> {
      return inTurn(caller, async (em, mine) => {
        const row = await target(em, caller, mine, memberId);
        return { email: row.email, link: await newLink(em, publicUrl, row.id) };
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
