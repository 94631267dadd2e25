// Workspaces, members, keys and channel suspension, as the operator on the machine may change them. No API operation or
// MCP tool reaches any of this (rules#keys-make-no-keys).

import { type InferEntity, UniqueConstraintViolationException } from "@mikro-orm/core";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { ApiError, conflict, invalidRequest, notFound } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { getEmailFailure, parseOneLineName } from "../../model/domain/account_input_validation.ts";
import { formatId, formatIdOrNull, newUuid, parseIdOrNull } from "../../model/domain/type_ids.ts";
import type { IngestSourceProgramId } from "../../model/fields/sender_programs.ts";
import { toIsoMicros, toIsoMicrosOrNull } from "../../model/fields/sql_statement_types.ts";
import { ALL_SCOPES, isScope, type Scope } from "../../model/scopes.ts";
import { Channel } from "../../model/tables/channel.ts";
import { ApiKey } from "../../model/tables/keys_and_connections.ts";
import { Member, type MemberRow, ROLES, type Role, Workspace } from "../../model/tables/member.ts";
import { createOperatorActor } from "../../operation/audit_lines.ts";
import { runStatement } from "../../store/db/statement.ts";
import { lockChannel } from "../../store/queries/channels.ts";
import { API_KEY_PREFIX, mintToken } from "../auth/bearer_authentication.ts";
import { deleteAndAuditWebhookEndpoints, findApiKeyDependents } from "./api_key_dependents.ts";

type Em = SqlEntityManager;

/** The operator sees every workspace's channels. */
const EVERYTHING = { filters: false } as const;

export async function createEmptyWorkspace(em: Em, { name }: { name: string }) {
  const workspace = em.create(Workspace, { id: newUuid(), name: parseOneLineName(name, "The workspace's name") });
  await em.flush();
  return showWorkspace(workspace);
}

const showWorkspace = (row: { id: string; name: string; created_at: string }) => ({
  id: formatId("wsp", row.id),
  name: row.name,
  created_at: row.created_at,
});

export async function listWorkspaces(em: Em) {
  const rows = await em.find(Workspace, {}, { orderBy: { created_at: "desc" } });
  const owners = await em.find(Member, { role: "owner" }, { fields: ["workspace"] });
  const owned = new Set(owners.map(({ workspace }) => workspace.id));
  return { data: rows.map((row) => ({ ...showWorkspace(row), has_owner: owned.has(row.id) })) };
}

/** The one that is named, or the only one there is. @throws 404, 422. */
async function workspaceOf(em: Em, workspace: string | undefined): Promise<string> {
  if (workspace !== undefined) {
    const id = parseIdOrNull("wsp", workspace);
    if (!id || !(await em.findOne(Workspace, { id }))) throw notFound("workspace");
    return id;
  }
  const all = await em.find(Workspace, {}, { limit: 2 });
  if (all.length === 0)
    throw new ApiError("workspace_not_found", "No workspace exists. Create one with belfry workspaces create.");
  if (all.length > 1)
    throw invalidRequest("ambiguous_target", "Choose a workspace with --workspace wsp_….", "workspace");
  return assertDefined(all[0], "there is exactly one workspace").id;
}

interface NewMember {
  workspace?: string;
  email: string;
  role: string;
  /** Wire ids of the only channels that this member sees; absent: all. */
  pushers?: string[];
}

export async function addWorkspaceMember(em: Em, { workspace, email, role, pushers }: NewMember) {
  const workspaceId = await workspaceOf(em, workspace);
  if (!ROLES.includes(role as Role))
    throw invalidRequest("invalid_choice", `role must be one of ${ROLES.join(", ")}.`, "role");
  const wrong = getEmailFailure(email);
  if (wrong) throw invalidRequest(wrong.code, wrong.message, "email");
  const pusher_ids = pushers ? await Promise.all(pushers.map((id) => findChannelId(em, workspaceId, id))) : null;
  const member = em.create(Member, {
    id: newUuid(),
    workspace: workspaceId,
    email: email.toLowerCase(),
    role: role as Role,
    pusher_ids,
  });
  await em.flush().catch((error) => {
    throw error instanceof UniqueConstraintViolationException
      ? conflict("already_exists", "This workspace already has a member with that e-mail address.")
      : error;
  });
  return showMember(member);
}

const showMember = (row: MemberRow) => ({
  id: formatId("mem", row.id),
  workspace_id: formatId("wsp", row.workspace.id),
  email: row.email,
  role: row.role,
  pusher_ids: row.pusher_ids?.map((id) => formatId("psh", id)) ?? null,
  created_at: row.created_at,
});

export async function listMembers(em: Em, { workspace }: { workspace?: string }) {
  const where = workspace === undefined ? {} : { workspace: await workspaceOf(em, workspace) };
  const rows = await em.find(Member, where, { orderBy: { created_at: "desc" } });
  return { data: rows.map(showMember) };
}

/** The row id of a workspace's channel, by its id or its handle. @throws 404. */
export async function findChannelId(em: Em, workspaceId: string, name: string): Promise<string> {
  const id = parseIdOrNull("psh", name);
  const named = id === null ? { handle: name } : { id };
  const pusher = await em.findOne(Channel, { ...named, workspace: workspaceId }, EVERYTHING);
  if (!pusher) throw notFound("channel");
  return pusher.id;
}

export interface CreateKeyInput {
  workspace?: string;
  /** The member that the key acts for; absent: the workspace's owner. */
  member?: string;
  /** `all`, or scopes. */
  scopes: string;
  pusher?: string;
  /** Seconds. */
  expires_in?: number;
  name?: string;
  requires_approval?: boolean;
  client_program?: IngestSourceProgramId | null;
}

/** Creates a key and shows it once. `now` is the start of its lifetime. */
export async function createKey(em: Em, input: CreateKeyInput, now: Date) {
  const scopes = parseScopes(input.scopes);
  const member = await findMemberOrFirstOwner(em, input);
  const workspaceId = member.workspace.id;
  const pusher_id = input.pusher === undefined ? null : await findChannelId(em, workspaceId, input.pusher);
  const { token, hash } = mintToken(API_KEY_PREFIX);
  const expires_at =
    input.expires_in === undefined ? null : toIsoMicros(new Date(now.getTime() + input.expires_in * 1000));
  const key = em.create(ApiKey, {
    id: newUuid(),
    member: member.id,
    name: input.name === undefined ? "operator key" : parseOneLineName(input.name, "The key's name"),
    hash,
    scopes,
    pusher_id,
    expires_at,
    requires_approval: input.requires_approval ?? false,
    client_program: input.client_program ?? null,
  });
  await em.flush();
  return { key: token, ...showKey(key, member) };
}

function parseScopes(text: string): Scope[] {
  if (text === "all") return ALL_SCOPES;
  const scopes = text.split(",").map((scope) => scope.trim());
  if (!scopes.every(isScope))
    throw invalidRequest(
      "invalid_choice",
      `scopes must be "all" or a comma-separated list of ${ALL_SCOPES.join(", ")}.`,
      "scopes",
    );
  return [...new Set(scopes as Scope[])];
}

/** The member with an address: within the named workspace, or in the only one that has it. @throws 404, 422. */
async function memberByEmail(em: Em, workspace: string | undefined, email: string): Promise<MemberRow> {
  const within = workspace === undefined ? {} : { workspace: await workspaceOf(em, workspace) };
  const rows = await em.find(Member, { ...within, email: email.trim().toLowerCase() }, { limit: 2 });
  if (rows.length === 0)
    throw new ApiError(
      "member_not_found",
      "No member has this e-mail address. To see all members, run belfry members list.",
    );
  if (rows.length > 1)
    throw invalidRequest(
      "ambiguous_target",
      "More than one workspace has a member with this e-mail address. Choose one with --workspace wsp_….",
      "workspace",
    );
  return assertDefined(rows[0], "there is exactly one member");
}

/** The member that is named by id or address, or else the workspace's first owner. @throws 404, 422. */
export async function findMemberOrFirstOwner(
  em: Em,
  { workspace, member, email }: Pick<CreateKeyInput, "workspace" | "member"> & { email?: string },
): Promise<MemberRow> {
  if (member !== undefined && email !== undefined)
    throw invalidRequest(
      "mutually_exclusive_fields",
      "Specify the member with --member or --email, not both.",
      "member",
    );
  if (email !== undefined) return memberByEmail(em, workspace, email);
  if (member !== undefined) {
    const id = parseIdOrNull("mem", member);
    const row = id && (await em.findOne(Member, { id }));
    if (!row) throw notFound("member");
    if (workspace !== undefined && (await workspaceOf(em, workspace)) !== row.workspace.id) throw notFound("member");
    return row;
  }
  const workspaceId = await workspaceOf(em, workspace);
  const owner = await em.findOne(Member, { workspace: workspaceId, role: "owner" }, { orderBy: { created_at: "asc" } });
  if (!owner)
    throw invalidRequest(
      "field_required",
      "The workspace has no owner. Add one with belfry members add, or use --member.",
      "member",
    );
  return owner;
}

const showKey = (row: Omit<InferEntity<typeof ApiKey>, "member">, member: MemberRow) => ({
  id: formatId("key", row.id),
  name: row.name,
  scopes: [...row.scopes],
  workspace_id: formatId("wsp", member.workspace.id),
  member_id: formatId("mem", member.id),
  pusher_id: formatIdOrNull("psh", row.pusher_id ?? null),
  requires_approval: row.requires_approval,
  expires_at: toIsoMicrosOrNull(row.expires_at ?? null),
  revoked_at: row.revoked_at ?? null,
  last_used_at: row.last_used_at ?? null,
  created_at: row.created_at,
});

export async function listKeys(em: Em, { workspace }: { workspace?: string }) {
  const where = workspace === undefined ? {} : { member: { workspace: await workspaceOf(em, workspace) } };
  const rows = await em.find(ApiKey, where, { populate: ["member"], orderBy: { created_at: "desc" } });
  return { data: rows.map((row) => showKey(row, row.member.$ as MemberRow)) };
}

/**
 * Revokes a key, from the next request on every process. A second revocation keeps the first time, and can delete the
 * remaining webhooks; the result lists the items that stay active. `now` is the time.
 */
export async function revokeKey(
  em: Em,
  { key: wireId, end_webhooks }: { key: string; end_webhooks?: boolean },
  now: Date,
) {
  const id = parseIdOrNull("key", wireId);
  const key = id && (await em.findOne(ApiKey, { id }, { populate: ["member"] }));
  if (!key) throw notFound("key");
  key.revoked_at ??= toIsoMicros(now);
  await em.flush();
  const workspaceId = key.member.$.workspace.id;
  const left = await findApiKeyDependents(em, workspaceId, wireId, now);
  const ended = end_webhooks
    ? await deleteAndAuditWebhookEndpoints(em, left.webhooks, createOperatorActor(workspaceId))
    : [];
  const webhooks = end_webhooks ? [] : left.webhooks;
  return { id: wireId, revoked_at: key.revoked_at, ...left, webhooks, ended_webhooks: ended.length };
}

/** Suspends a channel, or restores it to active (rules#channel-suspended). */
export async function setChannelSuspended(em: Em, handle: string, suspended: boolean) {
  return em.transactional(async (inside) => {
    const pusher = await inside.findOne(Channel, { handle }, EVERYTHING);
    if (!pusher) throw notFound("channel");
    const scope = { pusher_id: pusher.id, workspace_id: pusher.workspace.id, pusher_ids: null };
    await runStatement(inside, lockChannel, scope);
    if (suspended) pusher.status = "suspended";
    else if (pusher.status === "suspended") pusher.status = "active";
    await inside.flush();
    return { id: formatId("psh", pusher.id), handle, status: pusher.status };
  });
}
