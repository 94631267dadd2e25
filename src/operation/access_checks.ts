// Checks of the caller that all operations share: the role, and whether the named rows are visible. Also replaces a
// channel's handle by its id, where the caller sees the channel.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { ApiError, forbidden, notFound } from "../model/api_error.ts";
import { isRoleAtLeast } from "../model/domain/access_policy.ts";
import { formatId, parseChannelId, parseId } from "../model/domain/type_ids.ts";
import { createApiAndUiText } from "../model/error_messages.ts";
import { LIMITS } from "../model/limits.ts";
import { Invite } from "../model/tables/channel.ts";
import { WebhookEndpoint } from "../model/tables/webhook.ts";
import type { Orm } from "../store/db/orm.ts";
import { getKysely, runStatement } from "../store/db/statement.ts";
import type { Caller, MemberCaller, PersonCaller } from "../store/handler_context.ts";
import { alertExists, findAlertChannel } from "../store/queries/alerts.ts";
import {
  channelScopeParameters,
  findChannelByHandle,
  findInviteChannel,
  findVisibleChannel,
  visibilityParameters,
} from "../store/queries/channels.ts";
import type { SessionOperation } from "./define_operation.ts";

/** Throws 404 for rows that the caller cannot see. It runs before the check of the role, and also on repeats. */
async function refuseInvisible(em: SqlEntityManager, caller: Caller, input: Record<string, unknown>): Promise<void> {
  if (typeof input.webhook_id === "string") {
    const id = parseId("whk", input.webhook_id);
    if (!id || !(await em.findOne(WebhookEndpoint, { id }))) throw notFound("webhook");
  }
  if (typeof input.pusher_id !== "string") return;
  const what = typeof input.alert_id === "string" ? "alert" : "channel";
  const pusherId = parseChannelId(input.pusher_id, what);
  if (!(await runStatement(em, findVisibleChannel, channelScopeParameters(pusherId, caller)))[0]) throw notFound(what);
  if (typeof input.invite_id === "string") {
    const id = parseId("inv", input.invite_id);
    if (!id || !(await em.findOne(Invite, { id, pusher: pusherId }))) throw notFound("invite");
  }
  if (typeof input.alert_id !== "string") return;
  const alertId = parseId("alr", input.alert_id);
  if (
    !alertId ||
    !(await runStatement(em, alertExists, { ...channelScopeParameters(pusherId, caller), id: alertId }))[0]
  )
    throw notFound("alert");
}

/** Checks that the caller can still see the channel of the call and the created one (rules#idempotency-keys). */
export async function checkIdempotentReplayAccess(
  em: SqlEntityManager,
  caller: Caller,
  input: Record<string, unknown>,
  first: unknown,
): Promise<void> {
  // The original of a duplicate may be deleted by now, so only its channel and the target channel are checked.
  const { alert_id: _, to_pusher_id: to, ...channel } = input;
  await refuseInvisible(em, caller, channel);
  if (to !== undefined) await refuseInvisible(em, caller, { pusher_id: to });
  const { id } = first as { id?: unknown };
  const made = typeof id === "string" ? parseId("psh", id) : null;
  if (made && caller.pusherIds && !caller.pusherIds.includes(made))
    throw forbidden(
      "channel_restricted",
      createApiAndUiText(
        "This credential or its member has lost access to the resource that this idempotency key created. Use a " +
          "credential with access.",
        "You no longer have access to the resource that this form created. Ask an owner of the workspace.",
      ),
    );
}

/** Rows that belong to a channel: the argument with their id, and the statement that finds their channel. */
const ROWS_OF_CHANNELS = [
  { code: "alert_not_found", argument: "alert_id", kind: "alr", statement: findAlertChannel },
  { code: "invite_not_found", argument: "invite_id", kind: "inv", statement: findInviteChannel },
] as const;

/**
 * Rethrows the error of a call. If the call named a row of another channel that the caller sees, the error names that
 * channel (rules#row-of-another-channel). The id of an invisible row stays a missing row.
 */
export const explainRowOfAnotherChannel =
  (orm: Orm, caller: Caller, input: Record<string, unknown>) =>
  async (error: unknown): Promise<never> => {
    const row = error instanceof ApiError && ROWS_OF_CHANNELS.find(({ code }) => code === error.code);
    const id = row && typeof input.pusher_id === "string" && parseId(row.kind, String(input[row.argument]));
    if (!row || !id) throw error;
    const [found] = await runStatement(getKysely(orm), row.statement, { ...visibilityParameters(caller), id });
    if (!found) throw error;
    const channel = formatId("psh", found.pusher_id);
    throw channel === input.pusher_id
      ? error
      : new ApiError(
          row.code,
          `${error.message.replace(/\.$/, "")} in this channel. It is in ${channel}; call again with that channel.`,
        );
  };

export async function throwRoleError(
  em: SqlEntityManager,
  caller: Caller,
  input: Record<string, unknown>,
): Promise<never> {
  await refuseInvisible(em, caller, input);
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
export async function resolveChannelIds<I extends Record<string, unknown>>(
  input: I,
  orm: Orm,
  caller: Caller,
): Promise<I> {
  const named = CHANNEL_ARGUMENTS.filter((name) => {
    const value = input[name];
    return typeof value === "string" && isHandle(value) && parseId("psh", value) === null;
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
    throw forbidden("session_required", "This requires a person who is signed in to the console.");
  return { person, member: auth === "member" ? (caller as MemberCaller) : null };
}

/** @throws 403. */
export function requireRole({ role }: Pick<SessionOperation, "role">, member: MemberCaller | null): void {
  if (role === null || (member && isRoleAtLeast(member.member.role, role))) return;
  throw forbidden("role_too_low", `This requires the role ${role} or above. Your role is ${member?.member.role}.`);
}
