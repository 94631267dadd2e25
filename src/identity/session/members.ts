// The members of a workspace: who they are, and what a manager changes about them.

import { z } from "zod";
import { parseId, showId } from "../../model/domain/ids.ts";
import { emailProblem } from "../../model/domain/one_line.ts";
import { knows, manages, standingOf } from "../../model/domain/standing.ts";
import { Member, ROLES } from "../../model/entities/member.ts";
import { forbidden } from "../../model/errors.ts";
import { toIsoMicros, toIsoMicrosOrNull } from "../../model/fields/columns.ts";
import { need } from "../../model/need.ts";
import { defineMemberOperation } from "../../operation/tool.ts";
import { listWorkspaceMembers } from "../../store/queries/people.ts";
import { deletedView, listOf, memberWish } from "../../store/shapes/fields.ts";
import { endConnections } from "../auth/grants.ts";
import { STAND_IN, writeLink } from "../auth/links.ts";
import { addMember } from "../operator/accounts.ts";
import { granted, keepAnOwner, managed, takeTurn, wishProblems } from "../operator/turn.ts";

export const list_members = defineMemberOperation({
  name: "list_members",
  title: "List members",
  description:
    "The members that the caller can see: all, or for a manager of certain channels those within the same channels.",
  role: "admin",
  writes: "nothing",
  output: listOf({
    id: z.string(),
    email: z.string(),
    name: z.string().nullable(),
    role: z.enum(ROLES),
    pusher_ids: z.array(z.string()).nullable(),
    handles: z.array(z.string()).nullable(),
    joined: z.boolean(),
    invited: z.boolean(),
    self: z.boolean(),
    manageable: z.boolean(),
    created_at: z.string(),
    last_used_at: z.string().nullable().describe("By a key or assistant of the member, or in a session."),
  }),
  async handler(_input, ctx) {
    const { workspace, member } = ctx.caller;
    const rows = await ctx.sql(listWorkspaceMembers, { workspace_id: workspace.id });
    const mine = standingOf(ctx.caller);
    const known = rows.filter((row) => row.id === member.id || knows(mine, row));
    return {
      data: known.map((row) => ({
        ...row,
        id: showId("mem", row.id),
        pusher_ids: row.pusher_ids?.map((id) => showId("psh", id)) ?? null,
        self: row.id === member.id,
        manageable: manages(mine, row),
        created_at: toIsoMicros(row.created_at),
        last_used_at: toIsoMicrosOrNull(row.last_used_at),
      })),
    };
  },
});

/** Addresses are compared in small letters. */
const clean = (email: string) => email.trim().toLowerCase();

export const add_member = defineMemberOperation({
  name: "add_member",
  title: "Add a member",
  description: "Add a member and return the one-time link, which is shown only once.",
  role: "admin",
  errors: ["not_found", "conflict"],
  input: memberWish.extend({ email: z.string() }),
  output: z.object({ id: z.string(), email: z.string(), link: z.string() }),
  fieldProblems: ({ email, ...wish }) => ({
    email: emailProblem(clean(email) === STAND_IN ? "" : clean(email)),
    ...wishProblems(wish),
  }),
  async handler({ email, ...wish }, ctx) {
    const mine = await takeTurn(ctx);
    const { role } = await granted(ctx, mine, wish);
    const { id } = await addMember(ctx.em, {
      workspace: showId("wsp", ctx.caller.workspace.id),
      email: clean(email),
      role,
      ...(wish.every_channel ? {} : { pushers: wish.pusher_ids }),
    });
    const link = await writeLink(
      ctx.em,
      ctx.services.publicUrl,
      need(parseId("mem", id), "it was shown as an id"),
      "manager",
    );
    return { id, email: clean(email), link };
  },
});

export const update_member = defineMemberOperation({
  name: "update_member",
  title: "Change a member",
  description: "Change the role and channels of a member, from its next request.",
  role: "admin",
  errors: ["not_found", "conflict"],
  input: memberWish.extend({ member_id: z.string() }),
  output: z.object({ id: z.string() }),
  fieldProblems: wishProblems,
  async handler({ member_id, ...wish }, ctx) {
    const mine = await takeTurn(ctx);
    const row = await managed(ctx, mine, member_id);
    const next = await granted(ctx, mine, wish);
    if (next.role !== "owner") await keepAnOwner(ctx, row);
    ctx.em.assign(row, next);
    return { id: member_id };
  },
});

export const link_member = defineMemberOperation({
  name: "link_member",
  title: "Create a one-time link for a member",
  description:
    "Create a link for a member who has not joined or who lost the password. It requires the caller's password, because the link signs in as that member. Not available for oneself or for accounts with other workspaces.",
  role: "admin",
  stepUp: "present",
  errors: ["not_found"],
  input: z.strictObject({ member_id: z.string(), present: z.string() }),
  output: z.object({ email: z.string(), joined: z.boolean(), link: z.string() }),
  async handler({ member_id }, ctx) {
    const row = await managed(ctx, await takeTurn(ctx), member_id);
    if (row.id === ctx.caller.member.id)
      throw forbidden("not_permitted", "This is your own account. Change your password on your account page.");
    const { user_id = null } = row;
    const elsewhere = { user_id, workspace: { $ne: ctx.caller.workspace.id } };
    if (user_id !== null && (await ctx.em.count(Member, elsewhere)) > 0)
      throw forbidden(
        "not_permitted",
        "This account also belongs to another workspace, so only the server operator can reset its password: belfry members link --email …",
      );
    const link = await writeLink(ctx.em, ctx.services.publicUrl, row.id, "manager");
    return { email: row.email, joined: user_id !== null, link };
  },
});

export const remove_member = defineMemberOperation({
  name: "remove_member",
  title: "Remove a member",
  description:
    "Remove a member with its keys, webhook endpoints, assistants and their tokens. Channels and alerts stay.",
  role: "admin",
  errors: ["not_found", "conflict"],
  input: z.strictObject({ member_id: z.string() }),
  output: deletedView,
  async handler({ member_id }, ctx) {
    const row = await managed(ctx, await takeTurn(ctx), member_id);
    await keepAnOwner(ctx, row);
    await endConnections(ctx.em, { member: row.id });
    ctx.em.remove(row);
    return { deleted: true as const, id: member_id };
  },
});
