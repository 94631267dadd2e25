// What a call of an operation can do to others, read from its record: what clients are told before they call, and
// whether a call with these arguments makes something public. What a credential may not do for want of a scope, or
// before a person has decided, and who can do it instead: whoever may write alerts and not publish them is led to a
// person, who decides on the alert's review page. Composing and publishing are two permissions
// (rules#composing-is-not-publishing), and who has both may still have to ask first (rules#asks-first).

import { type ApiError, approvalRequired, insufficientScope, type ReviewTarget } from "../model/api_error.ts";
import { formatApprovalMessage, getConsoleUrl, getReviewFallback } from "../model/domain/alert_review.ts";
import { PUBLISH_SCOPE, type Scope } from "../model/scopes.ts";
import type { Orm } from "../store/db/orm.ts";
import type { Caller, Context } from "../store/handler_context.ts";
import { resolveChannelIds } from "./access_checks.ts";
import { isReadOnly, type OwnerOperation } from "./define_operation.ts";

const opensChannels = ({ input }: OwnerOperation): boolean => Object.hasOwn(input.shape, "is_public");

/**
 * What a client is told before it calls, so that a person may be asked first: from what the record says it does.
 * Whatever can make something public is destructive: nobody takes back what others have read.
 */
export function getHints(tool: OwnerOperation) {
  const readOnly = isReadOnly(tool);
  const scopes = [tool.scope, ...Object.keys({ ...tool.alsoRequires, ...tool.mayRequire })];
  const publishes = scopes.includes(PUBLISH_SCOPE) || opensChannels(tool);
  return {
    readOnly,
    destructive: !readOnly && (publishes || tool.http.method === "DELETE" || tool.destroys === true),
    idempotent: !tool.creates,
    openWorld: tool.reachesOut === true,
  };
}

export type OperationHints = ReturnType<typeof getHints>;

/**
 * Whether a call makes something public, as far as its raw arguments say it: an alert, or a channel with what it
 * holds.
 */
export function isPublishingCall(tool: OwnerOperation, raw: unknown): boolean {
  const body = toArgumentRecord(raw);
  if (opensChannels(tool)) return tool.creates ? body.is_public !== false : body.is_public === true;
  return getRequiredScopes(tool, raw).includes(PUBLISH_SCOPE) && !tool.publishesNothing?.(body);
}

/**
 * The scopes that a caller lacks for what it does; null when it may do it. None of them: a person has to be asked
 * first.
 */
function lacking(
  { credential: { scopes, asksFirst } }: Caller,
  needed: readonly Scope[],
  isPublishing: boolean,
): Scope[] | null {
  const missing = needed.filter((scope) => !scopes.includes(scope));
  return missing.length > 0 || (asksFirst && isPublishing) ? missing : null;
}

/** The same for whatever is published. */
export const getMissingPublishScopes = (caller: Caller): Scope[] | null => lacking(caller, [PUBLISH_SCOPE], true);

/** The same for withdrawing one alert, for which no person has to be asked (rules#asks-first). */
export const getMissingWithdrawScopes = (caller: Caller): Scope[] | null => lacking(caller, [PUBLISH_SCOPE], false);

/**
 * Refuses what needs a person's approval beside publishing: cancelling more than one alert, deleting a channel,
 * evicting subscribers. `path`: the console's page for it, below the workspace's own. @throws 403 insufficient_scope
 * for a credential that asks first (rules#asks-first).
 */
export function requireApproval({ caller, services }: Context, path: string): void {
  if (!caller.credential.asksFirst) return;
  const page = getConsoleUrl({ publicUrl: services.publicUrl, workspaceId: caller.workspace.id }, path);
  throw approvalRequired(formatApprovalMessage(page), page);
}

/**
 * 403 for the scopes that the call needs and the credential lacks, in the order of the tool's record, or for what its
 * person wants to be asked about first; null when it may. Who may not publish is told where a person can
 * (rules#review-url).
 */
export async function findScopeError(
  tool: OwnerOperation,
  caller: Caller,
  args: unknown,
  { orm, publicUrl }: { orm: Orm; publicUrl: string },
): Promise<ApiError | null> {
  const missing = lacking(caller, getRequiredScopes(tool, args), isPublishingCall(tool, args));
  if (missing === null) return null;
  const refusal = insufficientScope(missing);
  if (missing.length > 0 && !missing.includes(PUBLISH_SCOPE)) return refusal;
  const named = await resolveChannelIds((args ?? {}) as Record<string, unknown>, orm, caller);
  const { said, approval, review } = getReviewFallback(named, { publicUrl, workspaceId: caller.workspace.id });
  const message = missing.length === 0 ? approval : `${refusal.message} ${said}`;
  // What another alert would be made of is not the one to decide about.
  return insufficientScope(missing, message, tool.asDraft ? null : review);
}

/** Whether a call that was refused with this would leave a draft if it did not publish. */
export const canSaveAsDraft = (tool: OwnerOperation, { scopes }: ApiError): boolean =>
  tool.asDraft !== undefined && scopes.every((scope) => scope === PUBLISH_SCOPE);

/** The outcome of a call whose alert was kept as a draft, because only a person may publish it. */
export interface ReviewRequired {
  /** The draft. */
  needs_review: ReviewTarget;
  /** Says why nothing was published, and where a person decides. */
  refusal: ApiError;
}

/** `missing`: the refusal of the call; `body`: the answer that the draft had. */
export function createReviewRequired({ scopes }: ApiError, body: unknown): ReviewRequired {
  const { id, pusher_id, review_url } = body as { id: string; pusher_id: string; review_url: string };
  const why =
    scopes.length > 0
      ? `this credential lacks the scope ${PUBLISH_SCOPE}`
      : "this credential needs human approval before it can publish";
  const needs_review = { pusher_id, alert_id: id };
  const message = `The alert was not published: ${why}. It was saved as draft ${id}, so do not create it again; ask a person to review it in the console: ${review_url}`;
  return { needs_review, refusal: insufficientScope(scopes, message, needs_review) };
}

/** The fields of raw arguments; none of what is no object. */
export const toArgumentRecord = (raw: unknown) =>
  typeof raw === "object" && raw !== null ? (raw as Record<string, unknown>) : {};

/** Every scope that a call needs, read from its raw arguments: the tool's own, then those that the body asks for. */
export function getRequiredScopes(tool: OwnerOperation, raw: unknown): Scope[] {
  const body = toArgumentRecord(raw);
  const extra = Object.entries(tool.alsoRequires ?? {}).filter(([, asked]) => asked(body));
  return [tool.scope, ...(extra.map(([scope]) => scope) as Scope[])];
}

/** The argument that names the version of the row which the call shall change; null where there is none. */
export function getVersionArgument({ version, input }: Pick<OwnerOperation, "version" | "input">): string | null {
  const name = `expected_${version}`;
  return version !== undefined && Object.hasOwn(input.shape, name) ? name : null;
}

/** Whether its fields are changes of what is there: absent stays, null empties. */
export const isEdit = ({
  http: { method, when },
  takesChanges,
}: Pick<OwnerOperation, "http" | "takesChanges">): boolean => takesChanges === true || (method === "PATCH" && !when);
