// The members of a workspace: who they are, and what a manager changes about them.

import { z } from "zod";
import { forbidden } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { getEmailFailure } from "../../model/domain/account_input_validation.ts";
import { canManageMember, canSeeMember, getCallerMemberAccess } from "../../model/domain/member_access_rules.ts";
import { formatId, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { toIsoMicros, toIsoMicrosOrNull } from "../../model/fields/sql_statement_types.ts";
import { Member, ROLES } from "../../model/tables/member.ts";
import { defineMemberOperation } from "../../operation/define_operation.ts";
import { listWorkspaceMembers } from "../../store/queries/members_and_one_time_links.ts";
import {
  deletedResourceSchema,
  memberAccessInput,
  unpagedListSchema,
} from "../../store/response_schemas/shared_parameters_and_pages.ts";
import { endAssistantConnectionsByFilter } from "../auth/consent_grants.ts";
import { createMemberLinkInTransaction, FIRST_OWNER_PLACEHOLDER_EMAIL } from "../auth/one_time_links.ts";
import {
  authorizeMemberAccessGrant,
  findMemberManageableByCaller,
  getMemberAccessInputFailures,
  lockAndGetCallerAccess,
  requireRemainingOwner,
} from "../operator/member_changes_by_managers.ts";
import { addWorkspaceMember } from "../operator/workspaces_members_and_keys.ts";

export const list_members = defineMemberOperation({
  name: "list_members",
  title: "List members",
  description:
    "The members that the caller can see. A manager restricted to certain channels sees only members restricted to " +
    "the same channels.",
  role: "admin",
  writes: "nothing",
  output: unpagedListSchema({
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
    last_used_at: z.string().nullable().describe("Last activity in a session, or through a key or assistant."),
  }),
  async handler(_input, ctx) {
    const { workspace, member } = ctx.caller;
    const rows = await ctx.sql(listWorkspaceMembers, { workspace_id: workspace.id });
    const mine = getCallerMemberAccess(ctx.caller);
    const known = rows.filter((row) => row.id === member.id || canSeeMember(mine, row));
    return {
      data: known.map((row) => ({
        ...row,
        id: formatId("mem", row.id),
        pusher_ids: row.pusher_ids?.map((id) => formatId("psh", id)) ?? null,
        self: row.id === member.id,
        manageable: canManageMember(mine, row),
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
  input: memberAccessInput.extend({ email: z.string() }),
  output: z.object({ id: z.string(), email: z.string(), link: z.string() }),
  fieldProblems: ({ email, ...wish }) => ({
    email: getEmailFailure(clean(email) === FIRST_OWNER_PLACEHOLDER_EMAIL ? "" : clean(email)),
    ...getMemberAccessInputFailures(wish),
  }),
  async handler({ email, ...wish }, ctx) {
    const mine = await lockAndGetCallerAccess(ctx);
    const { role } = await authorizeMemberAccessGrant(ctx, mine, wish);
    const { id } = await addWorkspaceMember(ctx.em, {
      workspace: formatId("wsp", ctx.caller.workspace.id),
      email: clean(email),
      role,
      ...(wish.every_channel ? {} : { pushers: wish.pusher_ids }),
    });
    const link = await createMemberLinkInTransaction(
      ctx.em,
      ctx.services.publicUrl,
      assertDefined(parseIdOrNull("mem", id), "the id was created as a member id"),
      "manager",
    );
    return { id, email: clean(email), link };
  },
});

export const update_member = defineMemberOperation({
  name: "update_member",
  title: "Change a member",
  description: "Change a member's role and channels. The change applies from the member's next request.",
  role: "admin",
  errors: ["not_found", "conflict"],
  input: memberAccessInput.extend({ member_id: z.string() }),
  output: z.object({ id: z.string() }),
  fieldProblems: getMemberAccessInputFailures,
  async handler({ member_id, ...wish }, ctx) {
    const mine = await lockAndGetCallerAccess(ctx);
    const row = await findMemberManageableByCaller(ctx, mine, member_id);
    const next = await authorizeMemberAccessGrant(ctx, mine, wish);
    if (next.role !== "owner") await requireRemainingOwner(ctx, row);
    ctx.em.assign(row, next);
    return { id: member_id };
  },
});

export const link_member = defineMemberOperation({
  name: "link_member",
  title: "Create a one-time link for a member",
  description:
    "Create a link for a member who has not joined yet or has lost their password. It requires the caller's " +
    "password, because the link signs in as that member. Not available for the caller's own account or for accounts " +
    "that belong to other workspaces.",
  role: "admin",
  stepUp: "present",
  errors: ["not_found"],
  input: z.strictObject({ member_id: z.string(), present: z.string() }),
  output: z.object({ email: z.string(), joined: z.boolean(), link: z.string() }),
  async handler({ member_id }, ctx) {
    const row = await findMemberManageableByCaller(ctx, await lockAndGetCallerAccess(ctx), member_id);
    if (row.id === ctx.caller.member.id)
      throw forbidden("not_permitted", "This is your own account. Change your password on your account page.");
    const { user_id = null } = row;
    const elsewhere = { user_id, workspace: { $ne: ctx.caller.workspace.id } };
    if (user_id !== null && (await ctx.em.count(Member, elsewhere)) > 0)
      throw forbidden(
        "not_permitted",
        "This account also belongs to another workspace, so only the server operator can reset its password: " +
          "belfry members link --email …",
      );
    const link = await createMemberLinkInTransaction(ctx.em, ctx.services.publicUrl, row.id, "manager");
    return { email: row.email, joined: user_id !== null, link };
  },
});

export const remove_member = defineMemberOperation({
  name: "remove_member",
  title: "Remove a member",
  description:
    "Remove a member and the member's keys, webhook endpoints and assistants, including the assistants' tokens. " +
    "Channels and alerts are kept.",
  role: "admin",
  errors: ["not_found", "conflict"],
  input: z.strictObject({ member_id: z.string() }),
  output: deletedResourceSchema,
  async handler({ member_id }, ctx) {
    const row = await findMemberManageableByCaller(ctx, await lockAndGetCallerAccess(ctx), member_id);
    await requireRemainingOwner(ctx, row);
    await endAssistantConnectionsByFilter(ctx.em, { member: row.id });
    ctx.em.remove(row);
    return { deleted: true as const, id: member_id };
  },
});
