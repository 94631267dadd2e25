// Checks of what a caller may do and see: scopes, approval, role and visible rows. A caller who may compose but not
// publish is sent to a person, who decides on the alert's review page. Also replaces a channel's handle by its id.
// rules#composing-is-not-publishing rules#asks-first

import type { SqlEntityManager } from "@mikro-orm/sql";
import type { Kysely } from "kysely";
import { createApiAndUiText } from "../model/api_and_ui_error_texts.ts";
import { ApiError, approvalRequired, forbidden, insufficientScope, notFound } from "../model/api_error.ts";
import { isRoleAtLeast } from "../model/domain/member_access_rules.ts";
import {
  formatApprovalRequiredMessage,
  getConsoleUrl,
  getPublishRefusalAlternative,
} from "../model/domain/review_url_and_decision.ts";
import { formatId, parseChannelId, parseIdOrNull } from "../model/domain/type_ids.ts";
import type { SqlParametersOf } from "../model/fields/sql_statement_types.ts";
import { LIMITS } from "../model/limits.ts";
import { PUBLISH_SCOPE, type Scope } from "../model/scopes.ts";
import { ChannelInvite, type VisibilityFilter } from "../model/tables/channel.ts";
import { WebhookEndpoint } from "../model/tables/webhook.ts";
import type { Orm } from "../store/db/orm.ts";
import { getKysely, runStatement } from "../store/db/statement.ts";
import type { Caller, HandlerContext, MemberCaller, PersonCaller } from "../store/handler_context.ts";
import { alertExists, findAlertChannel } from "../store/queries/alerts.ts";
import {
  type CHANNEL_SCOPE_PARAMETERS,
  findChannelByHandle,
  findChannelByInviteId,
  findChannelVisibleToCaller,
  type VISIBLE_TO_CALLER_SQL,
} from "../store/queries/channels.ts";
import type { OwnerOperation, SessionOperation } from "./define_operation.ts";

const opensChannels = ({ input }: OwnerOperation): boolean => Object.hasOwn(input.shape, "is_public");

/** Checks by the raw arguments if a call makes something public: an alert, or a channel with its content. */
export function makesContentPublic(tool: OwnerOperation, raw: unknown): boolean {
  const body = toArgumentRecordOrEmpty(raw);
  if (opensChannels(tool)) return tool.creates ? body.is_public !== false : body.is_public === true;
  return getRequiredScopes(tool, raw).includes(PUBLISH_SCOPE) && !tool.publishesNothing?.(body);
}

/** Returns the missing scopes of a caller; null if it may proceed, empty if it needs approval. */
function lacking(
  { credential: { scopes, asksFirst } }: Caller,
  needed: readonly Scope[],
  isPublishing: boolean,
): Scope[] | null {
  const missing = needed.filter((scope) => !scopes.includes(scope));
  return missing.length > 0 || (asksFirst && isPublishing) ? missing : null;
}

/** Returns the missing scopes for publishing. */
export const getMissingPublishScopes = (caller: Caller): Scope[] | null => lacking(caller, [PUBLISH_SCOPE], true);

/** Returns the missing scopes for withdrawing one alert, which needs no approval (rules#asks-first). */
export const getMissingWithdrawScopes = (caller: Caller): Scope[] | null => lacking(caller, [PUBLISH_SCOPE], false);

/**
 * Refuses other calls that need approval: cancelling several alerts, deleting a channel, evicting subscribers.
 * @param path the console's page for it, below the workspace's own
 * @throws 403 insufficient_scope if the credential needs approval (rules#asks-first)
 */
export function throwIfApprovalRequired({ caller, services }: HandlerContext, path: string): void {
  if (!caller.credential.asksFirst) return;
  const page = getConsoleUrl({ publicUrl: services.publicUrl, workspaceId: caller.workspace.id }, path);
  throw approvalRequired(formatApprovalRequiredMessage(page), page);
}

/**
 * Returns 403 for missing scopes, in the order of the tool's record, or for missing approval; null if the call is
 * allowed. The error names the page for a person (rules#review-url).
 */
export async function findScopeError(
  tool: OwnerOperation,
  caller: Caller,
  args: unknown,
  { orm, publicUrl }: { orm: Orm; publicUrl: string },
): Promise<ApiError | null> {
  const missing = lacking(caller, getRequiredScopes(tool, args), makesContentPublic(tool, args));
  if (missing === null) return null;
  const refusal = insufficientScope(missing);
  if (missing.length > 0 && !missing.includes(PUBLISH_SCOPE)) return refusal;
  const named = await replaceHandlesWithChannelIds((args ?? {}) as Record<string, unknown>, orm, caller);
  const { said, approval, review } = getPublishRefusalAlternative(named, {
    publicUrl,
    workspaceId: caller.workspace.id,
  });
  const message = missing.length === 0 ? approval : `${refusal.message} ${said}`;
  // The source of another alert is not the alert to decide about.
  return insufficientScope(missing, message, tool.asDraft ? null : review);
}

/** Returns the fields of raw arguments; empty if they are not an object. */
const toArgumentRecordOrEmpty = (raw: unknown) =>
  typeof raw === "object" && raw !== null ? (raw as Record<string, unknown>) : {};

/** Returns all scopes of a call from its raw arguments: the tool's own, then those that depend on the body. */
export function getRequiredScopes(tool: OwnerOperation, raw: unknown): Scope[] {
  const body = toArgumentRecordOrEmpty(raw);
  const extra = Object.entries(tool.alsoRequires ?? {}).filter(([, asked]) => asked(body));
  return [tool.scope, ...(extra.map(([scope]) => scope) as Scope[])];
}

/** Returns the arguments of the entities' filters for a caller. */
export const createVisibilityFilter = ({ workspace, member, credential, pusherIds }: Caller): VisibilityFilter => ({
  workspace_id: workspace.id,
  pusher_ids: pusherIds,
  member_id: member.id,
  bound_pusher_id: credential.pusherId,
});

/** Returns the parameters for statements over all channels that a caller sees. */
export function visibilityParameters(caller: Caller): SqlParametersOf<typeof VISIBLE_TO_CALLER_SQL.parameters> {
  return { workspace_id: caller.workspace.id, pusher_ids: caller.pusherIds };
}

/** Returns the parameters for statements on one channel; it is not found if the caller does not see it. */
export function getChannelScopeSqlParameters(
  pusherId: string,
  caller: Caller,
): SqlParametersOf<typeof CHANNEL_SCOPE_PARAMETERS> {
  return { pusher_id: pusherId, ...visibilityParameters(caller) };
}

/**
 * A manager that sees what `visible` allows; null: reading what is filtered by it throws. `transaction`: it works
 * inside of that one.
 */
export function createFilteredEntityManager(
  orm: Orm,
  visible: VisibilityFilter | null,
  transaction: Kysely<unknown> | null,
): SqlEntityManager {
  const em: SqlEntityManager = orm.em.fork();
  if (transaction) em.setTransactionContext(transaction);
  if (visible) em.setFilterParams("visible", { ...visible });
  return em;
}

/** Throws 404 for rows that the caller cannot see. It runs before the check of the role, and also on repeats. */
async function refuseInvisible(em: SqlEntityManager, caller: Caller, input: Record<string, unknown>): Promise<void> {
  if (typeof input.webhook_id === "string") {
    const id = parseIdOrNull("whk", input.webhook_id);
    if (!id || !(await em.findOne(WebhookEndpoint, { id }))) throw notFound("webhook");
  }
  if (typeof input.pusher_id !== "string") return;
  const what = typeof input.alert_id === "string" ? "alert" : "channel";
  const pusherId = parseChannelId(input.pusher_id, what);
  if (!(await runStatement(em, findChannelVisibleToCaller, getChannelScopeSqlParameters(pusherId, caller)))[0])
    throw notFound(what);
  if (typeof input.invite_id === "string") {
    const id = parseIdOrNull("inv", input.invite_id);
    if (!id || !(await em.findOne(ChannelInvite, { id, pusher: pusherId }))) throw notFound("invite");
  }
  if (typeof input.alert_id !== "string") return;
  const alertId = parseIdOrNull("alr", input.alert_id);
  if (
    !alertId ||
    !(await runStatement(em, alertExists, { ...getChannelScopeSqlParameters(pusherId, caller), id: alertId }))[0]
  )
    throw notFound("alert");
}

/** Checks that the caller can still see the channel of the call and the created one (rules#idempotency-keys). */
export async function checkIdempotentReplayAccess(
  orm: Orm,
  db: Kysely<unknown>,
  caller: Caller,
  input: Record<string, unknown>,
  first: unknown,
): Promise<void> {
  const em = createFilteredEntityManager(orm, createVisibilityFilter(caller), db);
  // The original of a duplicate may be deleted by now, so only its channel and the target channel are checked.
  const { alert_id: _, to_pusher_id: to, ...channel } = input;
  await refuseInvisible(em, caller, channel);
  if (to !== undefined) await refuseInvisible(em, caller, { pusher_id: to });
  const { id } = first as { id?: unknown };
  const made = typeof id === "string" ? parseIdOrNull("psh", id) : null;
  if (made && caller.pusherIds && !caller.pusherIds.includes(made))
    throw forbidden(
      "channel_restricted",
      createApiAndUiText(
        "This credential or its member no longer has access to the resource created with this idempotency key. Use a " +
          "credential that has access.",
        "You no longer have access to what was created with this form. Ask a workspace owner.",
      ),
    );
}

/** Rows that belong to a channel: the argument with their id, and the statement that finds their channel. */
const ROWS_OF_CHANNELS = [
  { code: "alert_not_found", argument: "alert_id", kind: "alr", statement: findAlertChannel },
  { code: "invite_not_found", argument: "invite_id", kind: "inv", statement: findChannelByInviteId },
] as const;

/**
 * Rethrows the error of a call. If the call named a row of another channel that the caller sees, the error names that
 * channel (rules#row-of-another-channel). The id of an invisible row stays a missing row.
 */
export const rethrowWithChannelOfRow =
  (orm: Orm, caller: Caller, input: Record<string, unknown>) =>
  async (error: unknown): Promise<never> => {
    const row = error instanceof ApiError && ROWS_OF_CHANNELS.find(({ code }) => code === error.code);
    const id = row && typeof input.pusher_id === "string" && parseIdOrNull(row.kind, String(input[row.argument]));
    if (!row || !id) throw error;
    const [found] = await runStatement(getKysely(orm), row.statement, { ...visibilityParameters(caller), id });
    if (!found) throw error;
    const channel = formatId("psh", found.pusher_id);
    throw channel === input.pusher_id
      ? error
      : new ApiError(
          row.code,
          `${error.message.replace(/\.$/, "")} in this channel. It is in ${channel}. Call again with that channel.`,
        );
  };

/**
 * Requires the role of an operation.
 * @throws 404 for a row that the caller cannot see, else 403
 */
export async function requireOperationRole(
  { role }: Pick<OwnerOperation, "role">,
  caller: Caller,
  input: Record<string, unknown>,
  orm: Orm,
): Promise<void> {
  if (isRoleAtLeast(caller.member.role, role)) return;
  await refuseInvisible(createFilteredEntityManager(orm, createVisibilityFilter(caller), null), caller, input);
  throw forbidden(
    "role_too_low",
    createApiAndUiText(
      "The role of this credential's member does not allow this. Ask an owner of the workspace.",
      "Your role does not allow this. Ask an owner of the workspace.",
    ),
  );
}

const CHANNEL_ARGUMENTS = ["pusher_id", "to_pusher_id"];

const isHandle = (text: string) => text.length <= LIMITS.handle && /^[a-z0-9_-]+$/.test(text);

/**
 * Replaces each channel handle in the input by its id (rules#handle-for-an-id). The handle of an invisible channel
 * stays, and the handler refuses it.
 */
export async function replaceHandlesWithChannelIds<I extends Record<string, unknown>>(
  input: I,
  orm: Orm,
  caller: Caller,
): Promise<I> {
  const named = CHANNEL_ARGUMENTS.filter((name) => {
    const value = input[name];
    return typeof value === "string" && isHandle(value) && parseIdOrNull("psh", value) === null;
  });
  if (named.length === 0) return input;
  const found = await Promise.all(
    named.map(async (name) => {
      const handle = input[name] as string;
      const [channel] = await runStatement(getKysely(orm), findChannelByHandle, {
        ...visibilityParameters(caller),
        handle,
      });
      return [name, channel ? formatId("psh", channel.id) : handle];
    }),
  );
  return { ...input, ...Object.fromEntries(found) };
}

/**
 * Returns the signed-in person. A key or an access token is not a person.
 * @throws 403
 */
export function requireSignedIn(
  { auth }: Pick<SessionOperation, "auth">,
  caller: PersonCaller | MemberCaller,
): { person: PersonCaller["person"]; member: MemberCaller | null } {
  const { person, credential = null } = caller as Partial<MemberCaller>;
  const bySession = credential === null ? auth === "person" : credential.type === "session";
  if (!person || !bySession)
    throw forbidden("session_required", "Only a person who is signed in to the console can do this.");
  return { person, member: auth === "member" ? (caller as MemberCaller) : null };
}

/** @throws 403. */
export function requireRole({ role }: Pick<SessionOperation, "role">, member: MemberCaller | null): void {
  if (role === null || (member && isRoleAtLeast(member.member.role, role))) return;
  throw forbidden("role_too_low", `This requires the role ${role} or higher. Your role is ${member?.member.role}.`);
}
