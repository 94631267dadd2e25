// Operations on a person's own account and workspaces, and settings of a whole workspace.

import { z } from "zod";
import { conflict, forbidden, notFound } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { getNameFailure, getPersonNameFailure } from "../../model/domain/account_input_validation.ts";
import { formatId, newUuid, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { retentionDaysSchema } from "../../model/fields/channel.ts";
import { toIsoMicros } from "../../model/fields/sql_statement_types.ts";
import { LIMITS } from "../../model/limits.ts";
import { Member, ROLES, Workspace } from "../../model/tables/member.ts";
import { getChannelScopeSqlParameters } from "../../operation/access_checks.ts";
import { formatRetentionPreview, getRetentionPreview } from "../../operation/channels/find_channel.ts";
import { defineMemberOperation, definePersonOperation } from "../../operation/define_operation.ts";
import { findChannelVisibleToCaller } from "../../store/queries/channels.ts";
import { lockUser } from "../../store/queries/members_and_one_time_links.ts";
import { hasSeveralWorkspaces, readServiceOverview } from "../../store/queries/service_overview.ts";
import {
  listWorkspacesOfUser,
  lockWorkspace,
  lockWorkspacesOfUser,
  readAccount,
  removeAccount,
  renameUserInAllWorkspaces,
} from "../../store/queries/workspace_locks_and_user_accounts.ts";
import { unpagedListSchema } from "../../store/response_schemas/shared_parameters_and_pages.ts";
import { getLeaveOutcome, leaveOwnWorkspaces } from "../operator/member_changes_by_managers.ts";
import { buildServiceOverview, serviceOverviewSchema } from "../operator/service_overview.ts";

export const list_own_workspaces = definePersonOperation({
  name: "list_own_workspaces",
  title: "List the person's workspaces",
  description: "The person's workspaces, and what happens to each if the person leaves.",
  writes: "nothing",
  output: unpagedListSchema({
    id: z.string(),
    name: z.string(),
    role: z.enum(ROLES),
    joined_at: z.string(),
    other_members: z.int(),
    channels: z.int(),
    scheduled: z.int(),
    wants_draft_emails: z.boolean(),
    without_you: z
      .enum(["stays", "goes", "behind", "holds"])
      .describe(
        "`behind`: if the person confirms, the workspace is left without an owner. `holds`: the workspace must first " +
          "get another owner or be emptied.",
      ),
  }),
  async handler(_input, { sql, caller: { person } }) {
    const rows = await sql(listWorkspacesOfUser, { user_id: person.id, workspace_id: null });
    return {
      data: rows.map((row) => ({
        id: formatId("wsp", row.id),
        name: row.name,
        role: row.role,
        joined_at: toIsoMicros(row.created_at),
        other_members: row.others,
        channels: row.channels,
        scheduled: row.planned,
        wants_draft_emails: row.wants_draft_emails,
        without_you: getLeaveOutcome(row),
      })),
    };
  },
});

export const update_profile = definePersonOperation({
  name: "update_profile",
  title: "Change the person's name",
  description: "Change the person's name in all workspaces.",
  input: z.strictObject({ name: z.string() }),
  output: z.object({ name: z.string() }),
  fieldProblems: ({ name }) => ({ name: getPersonNameFailure(name) }),
  async handler({ name }, { sql, caller: { person } }) {
    await sql(renameUserInAllWorkspaces, { user_id: person.id, name: name.trim() });
    return { name: name.trim() };
  },
});

export const create_workspace = definePersonOperation({
  name: "create_workspace",
  title: "Create a workspace",
  description: "Create a workspace with its own channels, members and keys. The person becomes its owner.",
  errors: ["conflict"],
  input: z.strictObject({ name: z.string() }),
  output: z.object({ id: z.string(), member_id: z.string(), name: z.string() }),
  madeWorkspace: (answer) => answer,
  fieldProblems: ({ name }) => ({ name: getNameFailure(name, "The workspace's name") }),
  async handler({ name }, { em, sql, caller: { person } }) {
    await sql(lockUser, { id: person.id });
    const own = await sql(listWorkspacesOfUser, { user_id: person.id, workspace_id: null });
    if (own.filter(({ role }) => role === "owner").length >= LIMITS.own_workspaces)
      throw conflict(
        "quota_reached",
        `You already own the maximum of ${LIMITS.own_workspaces} workspaces. Leave one first.`,
      );
    const [account] = await sql(readAccount, { user_id: person.id });
    if (!account) throw forbidden("not_permitted", "This account has been closed.");
    const workspace = em.create(Workspace, { id: newUuid(), name: name.trim() });
    const member = em.create(Member, {
      id: newUuid(),
      workspace: workspace.id,
      ...account,
      role: "owner",
      user_id: person.id,
    });
    await em.flush();
    return { id: formatId("wsp", workspace.id), member_id: formatId("mem", member.id), name: workspace.name };
  },
});

export const rename_workspace = defineMemberOperation({
  name: "rename_workspace",
  title: "Rename a workspace",
  description: "Rename the workspace. Its members and their assistants see the new name.",
  role: "owner",
  errors: ["not_found"],
  input: z.strictObject({ name: z.string() }),
  output: z.object({ id: z.string(), name: z.string() }),
  fieldProblems: ({ name }) => ({ name: getNameFailure(name, "The workspace's name") }),
  async handler({ name }, { em, caller: { workspace } }) {
    const row = await em.findOne(Workspace, { id: workspace.id });
    if (!row) throw notFound("workspace");
    row.name = name.trim();
    return { id: formatId("wsp", row.id), name: row.name };
  },
});

export const get_retention = defineMemberOperation({
  name: "get_retention",
  title: "Get alert retention",
  description:
    "The retention in days for a channel, or for channels without their own setting. Includes the number of " +
    "alerts affected now and the time of the first deletion.",
  role: "viewer",
  writes: "nothing",
  errors: ["not_found"],
  input: z.strictObject({ pusher_id: z.string().optional() }),
  output: z.object({
    retention_days: z.int().nullable().describe("The workspace's setting; null means no limit."),
    days: z.int().nullable(),
    begins_at: z.string().nullable(),
    alerts: z.int(),
    more: z.boolean(),
  }),
  async handler({ pusher_id }, ctx) {
    const id = pusher_id === undefined ? null : parseIdOrNull("psh", pusher_id);
    if (
      pusher_id !== undefined &&
      !(id && (await ctx.sql(findChannelVisibleToCaller, getChannelScopeSqlParameters(id, ctx.caller))).length > 0)
    )
      throw notFound("channel");
    const { retention_days } = await ctx.em.findOneOrFail(Workspace, { id: ctx.caller.workspace.id });
    return { retention_days: retention_days ?? null, ...(await getRetentionPreview(id, ctx)) };
  },
});

export const set_retention = defineMemberOperation({
  name: "set_retention",
  title: "Set alert retention",
  description: "Set the retention in days for channels without their own setting.",
  role: "owner",
  input: z.strictObject({ retention_days: retentionDaysSchema().nullable() }),
  output: z.object({ retention_days: z.int().nullable(), note: z.string() }),
  async handler({ retention_days }, ctx) {
    const workspace = await ctx.em.findOneOrFail(Workspace, { id: ctx.caller.workspace.id });
    const days = retention_days || null;
    if ((workspace.retention_days ?? null) !== days) ctx.audit({ changed: ["retention_days"] });
    workspace.retention_days = days;
    await ctx.em.flush();
    return { retention_days: days, note: formatRetentionPreview(await getRetentionPreview(null, ctx)) };
  },
});

export const leave_workspace = defineMemberOperation({
  name: "leave_workspace",
  title: "Leave a workspace",
  description:
    "Leave a workspace. The person's keys, webhook endpoints and assistants there are removed. When the last owner " +
    "leaves, the workspace is deleted if it is empty. Otherwise, it is left without an owner, and its channels are " +
    "paused.",
  role: "viewer",
  errors: ["conflict"],
  input: z.strictObject({
    leave_behind: z.boolean().optional().describe("If true, the workspace can be left without an owner."),
  }),
  output: z.object({ left: z.literal(true) }),
  async handler({ leave_behind }, ctx) {
    const { person, workspace } = ctx.caller;
    await ctx.sql(lockWorkspace, { id: workspace.id });
    const own = await ctx.sql(listWorkspacesOfUser, { user_id: person.id, workspace_id: workspace.id });
    await leaveOwnWorkspaces(ctx, own, leave_behind ? [formatId("wsp", workspace.id)] : []);
    return { left: true as const };
  },
});

export const close_account = definePersonOperation({
  name: "close_account",
  title: "Close the account",
  description:
    "Leave all workspaces and delete the account with its sessions, passkeys and assistants. Requires the password. " +
    "Cannot be undone.",
  stepUp: "present",
  errors: ["conflict"],
  input: z.strictObject({
    present: z.string(),
    leave_behind: z
      .array(z.string())
      .optional()
      .describe("Workspaces that will lose their only member and have their channels paused."),
  }),
  output: z.object({ closed: z.literal(true) }),
  async handler({ leave_behind }, ctx) {
    const { sql } = ctx;
    const { person } = ctx.caller;
    await sql(lockWorkspacesOfUser, { user_id: person.id });
    const own = await sql(listWorkspacesOfUser, { user_id: person.id, workspace_id: null });
    await leaveOwnWorkspaces(ctx, own, leave_behind ?? []);
    await sql(removeAccount, { user_id: person.id });
    return { closed: true as const };
  },
});

export const get_service_state = defineMemberOperation({
  name: "get_service_state",
  title: "Get the service state",
  description:
    "The state of the whole service: versions, sizes and pending work. Available to the workspace " +
    "owner, and only if the service has a single workspace. If there are several workspaces, the " +
    "operator can run belfry status on the server.",
  role: "owner",
  writes: "nothing",
  output: serviceOverviewSchema.extend({
    degraded: z.array(z.string()).describe("Other features that are not working, such as file storage."),
  }),
  async handler(_input, { sql, caller, services: { health } }) {
    const [counted] = await sql(hasSeveralWorkspaces, {});
    // A member who is restricted to channels does not see all that is counted here (rules#service-state).
    if (counted?.workspaces !== 1 || caller.pusherIds !== null)
      throw forbidden(
        "role_too_low",
        "Available only to the owner of the service's only workspace. Operators can use belfry status.",
      );
    // One after another, so that the queries do not measure each other.
    const figures = await health.renderMetrics().catch(() => null);
    const [row] = await sql(readServiceOverview, {});
    const { degraded } = await health.checkReadiness();
    return { ...buildServiceOverview(assertDefined(row, "the query returns a row"), figures), degraded };
  },
});
