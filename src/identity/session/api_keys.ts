// Operations on a workspace's keys for its managers, and the results of their sender requests.

import { z } from "zod";
import { notFound } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { getNameFailure } from "../../model/domain/account_input_validation.ts";
import { canManageMember, getCallerMemberAccess } from "../../model/domain/member_access_rules.ts";
import { formatId, formatIdOrNull, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { INGEST_SOURCE_PROGRAM_IDS } from "../../model/fields/sender_programs.ts";
import { toIsoMicros, toIsoMicrosOrNull } from "../../model/fields/sql_statement_types.ts";
import { LIMITS } from "../../model/limits.ts";
import { isScope } from "../../model/scopes.ts";
import { Channel } from "../../model/tables/channel.ts";
import type { IngestRequestRecord } from "../../model/tables/keys_and_connections.ts";
import { INGEST_REQUEST_OUTCOMES } from "../../model/tables/keys_and_connections.ts";
import { createActor } from "../../operation/audit_lines.ts";
import { defineMemberOperation } from "../../operation/define_operation.ts";
import {
  listKeysWithRefusedRequests,
  listSenderRequestsOfKey,
  listWorkspaceKeys,
} from "../../store/queries/api_keys.ts";
import { unpagedListSchema } from "../../store/response_schemas/shared_parameters_and_pages.ts";
import {
  apiKeyDependentsSchema,
  deleteAndAuditWebhookEndpoints,
  findApiKeyDependents,
  findKeyRevocableByCaller,
} from "../operator/api_key_dependents.ts";
import { createKey } from "../operator/workspaces_members_and_keys.ts";

export const list_keys = defineMemberOperation({
  name: "list_keys",
  title: "List keys",
  description:
    "The active keys that the caller can revoke: the caller's own, and those of members that the caller manages.",
  role: "admin",
  writes: "nothing",
  output: unpagedListSchema({
    id: z.string(),
    name: z.string(),
    scopes: z.array(z.string()),
    requires_approval: z.boolean(),
    client_program: z.string().nullable(),
    speaks: z.string().nullable().describe("The program that sent the key's last sender request."),
    sends_to: z
      .array(z.string())
      .nullable()
      .describe("The channels of the key's sender requests; null if there are none."),
    pusher_id: z.string().nullable(),
    handle: z.string().nullable(),
    member_id: z.string(),
    member_name: z.string().nullable(),
    email: z.string(),
    own: z.boolean(),
    created_at: z.string(),
    expires_at: z.string().nullable(),
    last_used_at: z.string().nullable(),
  }),
  async handler(_input, ctx) {
    const { workspace, member } = ctx.caller;
    const rows = await ctx.sql(listWorkspaceKeys, { workspace_id: workspace.id });
    const mine = getCallerMemberAccess(ctx.caller);
    const known = rows.filter((row) => row.member_id === member.id || canManageMember(mine, row));
    return {
      data: known.map((row) => ({
        ...row,
        id: formatId("key", row.id),
        pusher_id: formatIdOrNull("psh", row.pusher_id),
        member_id: formatId("mem", row.member_id),
        own: row.member_id === member.id,
        created_at: toIsoMicros(row.created_at),
        expires_at: toIsoMicrosOrNull(row.expires_at),
        last_used_at: toIsoMicrosOrNull(row.last_used_at),
      })),
    };
  },
});

export const list_sender_requests = defineMemberOperation({
  name: "list_sender_requests",
  title: "List sender requests",
  description:
    `Results of a key's last ${LIMITS.sender_requests} sender requests, newest first. Keys that the caller cannot ` +
    "revoke are reported as not found.",
  role: "admin",
  writes: "nothing",
  errors: ["not_found"],
  input: z.strictObject({ key_id: z.string() }),
  output: unpagedListSchema({
    at: z.string(),
    program: z.string().nullable(),
    outcome: z.enum(INGEST_REQUEST_OUTCOMES),
    said: z.string(),
    alert_id: z.string().nullable(),
    pusher_id: z.string().nullable(),
    alerts: z.int(),
    notes: z.array(z.string()),
  }),
  async handler({ key_id }, ctx) {
    const { id } = await findKeyRevocableByCaller(ctx.em, ctx.caller, key_id);
    const [found] = await ctx.sql(listSenderRequestsOfKey, { key_id: id });
    return { data: found?.requests ?? [] };
  },
});

/**
 * Returns the refused requests to a channel since the last successful one. `channel` is the id on the wire; null for
 * requests without a channel, where a success on any channel counts.
 */
function refusedSince(requests: readonly IngestRequestRecord[], channel: string | null): IngestRequestRecord[] {
  const named = channel === null ? requests : requests.filter(({ pusher_id }) => pusher_id === channel);
  const success = named.findIndex(({ outcome }) => outcome !== "refused");
  const refused = success < 0 ? named : named.slice(0, success);
  return refused.filter(({ pusher_id }) => pusher_id === channel);
}

export const list_failing_senders = defineMemberOperation({
  name: "list_failing_senders",
  title: "List failing senders",
  description:
    "Keys whose last sender request was refused, by channel, newest first. Only keys whose member the caller can " +
    "manage, and whose channel the caller can see, are listed.",
  role: "admin",
  writes: "nothing",
  output: unpagedListSchema({
    id: z.string(),
    name: z.string(),
    program: z.string().nullable(),
    live: z.boolean().describe("False if the key has expired or was revoked."),
    pusher_id: z.string().nullable(),
    refused: z.int().describe(`Number of requests since the last success, at most ${LIMITS.sender_requests}.`),
    at: z.string(),
    said: z.string(),
  }),
  async handler(_input, ctx) {
    const { workspace, member, pusherIds } = ctx.caller;
    const rows = await ctx.sql(listKeysWithRefusedRequests, { workspace_id: workspace.id });
    const mine = getCallerMemberAccess(ctx.caller);
    const sees = (channel: string | null) =>
      channel === null || pusherIds === null || pusherIds.includes(parseIdOrNull("psh", channel) ?? "");
    const data = rows
      .filter((row) => row.member_id === member.id || canManageMember(mine, row))
      .flatMap(({ id, name, ended_at, client_program, ...row }) => {
        const bound = formatIdOrNull("psh", row.pusher_id);
        const live = ended_at === null;
        const endedMs = live ? Number.NEGATIVE_INFINITY : Date.parse(toIsoMicros(ended_at));
        const kept = row.requests.filter(({ at }) => Date.parse(at) > endedMs);
        const requests = bound ? kept.map((one) => ({ ...one, pusher_id: bound })) : kept;
        const channels = [...new Set(requests.map((one) => one.pusher_id))].filter(sees);
        return channels.flatMap((channel) => {
          const refused = refusedSince(requests, channel);
          return refused
            .slice(0, 1)
            .map(({ at, said, program }) => ({
              ...{ id: formatId("key", id), name, program: program ?? client_program, live, pusher_id: channel },
              ...{ refused: refused.length, at, said },
            }));
        });
      });
    return { data: data.sort((one, other) => (one.at < other.at ? 1 : -1)) };
  },
});

const DAY = 24 * 3600;

/** The lifetimes of keys in seconds; null has no expiry. */
export const KEY_LIFETIMES: Record<string, { label: string; seconds: number | null }> = {
  "7d": { label: "7 days", seconds: 7 * DAY },
  "30d": { label: "30 days", seconds: 30 * DAY },
  "90d": { label: "90 days", seconds: 90 * DAY },
  "365d": { label: "1 year", seconds: 365 * DAY },
  never: { label: "No expiry", seconds: null },
};

export const create_key = defineMemberOperation({
  name: "create_key",
  title: "Create a key",
  description:
    "Create a key that acts for the caller's own member, with at most that member's permissions. The key is shown " +
    "only once.",
  role: "admin",
  errors: ["not_found"],
  input: z.strictObject({
    name: z.string(),
    scopes: z.array(z.string()),
    pusher_id: z
      .string()
      .nullable()
      .describe("The only channel that the key can use; null means all of the member's channels."),
    life: z.string().describe("The key's lifetime, one of KEY_LIFETIMES."),
    client_program: z
      .enum(INGEST_SOURCE_PROGRAM_IDS)
      .nullable()
      .default(null)
      .describe("The program that uses the key."),
    requires_approval: z.boolean().default(false).describe("If true, the key requires approval before it publishes."),
  }),
  output: z.object({ id: z.string(), name: z.string(), key: z.string() }),
  fieldProblems: ({ name, scopes, life }) => ({
    name: getNameFailure(name, "The key's name"),
    life: !Object.hasOwn(KEY_LIFETIMES, life) && {
      code: "invalid_choice",
      message: "Choose how long the key is valid.",
    },
    scopes: (scopes.length === 0 || !scopes.every(isScope)) && {
      code: "field_required",
      message: "Select at least one permission.",
    },
  }),
  async handler({ name, scopes, pusher_id, life, requires_approval, client_program }, { em, caller, now }) {
    if (pusher_id !== null) {
      const id = parseIdOrNull("psh", pusher_id);
      if (!id || !(await em.findOne(Channel, { id }))) throw notFound("channel");
    }
    const { seconds } = assertDefined(KEY_LIFETIMES[life], "an unknown lifetime was rejected before");
    const wish = {
      member: formatId("mem", caller.member.id),
      workspace: formatId("wsp", caller.workspace.id),
      name,
      scopes: scopes.join(","),
      requires_approval,
      client_program,
      ...(pusher_id === null ? {} : { pusher: pusher_id }),
      ...(seconds === null ? {} : { expires_in: seconds }),
    };
    return createKey(em, wish, now());
  },
});

export type ApiKeyDependents = z.output<typeof apiKeyDependentsSchema>;

export const list_key_dependents = defineMemberOperation({
  name: "list_key_dependents",
  title: "List a key's dependents",
  description: "A key's webhook endpoints and scheduled alerts that stay active when the key is revoked.",
  role: "admin",
  writes: "nothing",
  errors: ["not_found"],
  input: z.strictObject({ key_id: z.string() }),
  output: apiKeyDependentsSchema.extend({ name: z.string() }),
  async handler({ key_id }, { em, caller, now }) {
    const { name } = await findKeyRevocableByCaller(em, caller, key_id);
    return { name, ...(await findApiKeyDependents(em, caller.workspace.id, key_id, now())) };
  },
});

export const update_key = defineMemberOperation({
  name: "update_key",
  title: "Change a key",
  description:
    "Set whether the key requires approval before it publishes. Takes effect with the key's next call. Keys that the " +
    "caller cannot revoke are reported as not found.",
  role: "admin",
  errors: ["not_found"],
  input: z.strictObject({ key_id: z.string(), requires_approval: z.boolean() }),
  output: z.object({ id: z.string() }),
  async handler({ key_id, requires_approval }, { em, caller, audit }) {
    const key = await findKeyRevocableByCaller(em, caller, key_id);
    if (key.requires_approval !== requires_approval) audit({ changed: ["requires_approval"] });
    key.requires_approval = requires_approval;
    return { id: key_id };
  },
});

export const revoke_key = defineMemberOperation({
  name: "revoke_key",
  title: "Revoke a key",
  description:
    "Revoke a key permanently and, optionally, delete its webhooks. The result lists items that stay active. " +
    "Keys that the caller cannot see are reported as not found.",
  role: "admin",
  errors: ["not_found"],
  input: z.strictObject({ key_id: z.string(), end_webhooks: z.boolean().default(false) }),
  output: apiKeyDependentsSchema.extend({ id: z.string(), revoked_at: z.string(), ended_webhooks: z.int() }),
  async handler({ key_id, end_webhooks }, { em, caller, services, afterCommit, now }) {
    const key = await findKeyRevocableByCaller(em, caller, key_id);
    key.revoked_at = toIsoMicros(now());
    const left = await findApiKeyDependents(em, caller.workspace.id, key_id, now());
    const at = { id: key_id, revoked_at: key.revoked_at };
    if (!end_webhooks) return { ...at, ...left, ended_webhooks: 0 };
    const ended = await deleteAndAuditWebhookEndpoints(em, left.webhooks, createActor(caller, "console"));
    afterCommit(() => ended.forEach(services.webhooks.forget));
    return { ...at, ...left, webhooks: [], ended_webhooks: ended.length };
  },
});
