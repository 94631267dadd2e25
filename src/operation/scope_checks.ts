// Checks of scopes and approval, from the record of an operation. They return the hints for clients, and detect calls
// that make something public. A caller who may write but not publish is sent to a person, who decides on the alert's
// review page. Composing and publishing are two permissions (rules#composing-is-not-publishing), and a caller with both
// may still need approval (rules#asks-first).

import { type ApiError, approvalRequired, insufficientScope, type ReviewTarget } from "../model/api_error.ts";
import { formatApprovalMessage, getConsoleUrl, getReviewFallback } from "../model/domain/alert_review.ts";
import { PUBLISH_SCOPE, type Scope } from "../model/scopes.ts";
import type { Orm } from "../store/db/orm.ts";
import type { Caller, HandlerContext } from "../store/handler_context.ts";
import { resolveChannelIds } from "./access_checks.ts";
import { isReadOnly, type OwnerOperation } from "./define_operation.ts";

const opensChannels = ({ input }: OwnerOperation): boolean => Object.hasOwn(input.shape, "is_public");

/**
 * Returns the hints for clients before a call, so that they can request a confirmation. Operations that can make
 * something public are destructive, because it cannot be undone.
 */
export function getToolHints(tool: OwnerOperation) {
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

export type ToolHints = ReturnType<typeof getToolHints>;

/** Checks by the raw arguments if a call makes something public: an alert, or a channel with its content. */
export function isPublishingCall(tool: OwnerOperation, raw: unknown): boolean {
  const body = toArgumentRecord(raw);
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
export function requireApproval({ caller, services }: HandlerContext, path: string): void {
  if (!caller.credential.asksFirst) return;
  const page = getConsoleUrl({ publicUrl: services.publicUrl, workspaceId: caller.workspace.id }, path);
  throw approvalRequired(formatApprovalMessage(page), page);
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
  const missing = lacking(caller, getRequiredScopes(tool, args), isPublishingCall(tool, args));
  if (missing === null) return null;
  const refusal = insufficientScope(missing);
  if (missing.length > 0 && !missing.includes(PUBLISH_SCOPE)) return refusal;
  const named = await resolveChannelIds((args ?? {}) as Record<string, unknown>, orm, caller);
  const { said, approval, review } = getReviewFallback(named, { publicUrl, workspaceId: caller.workspace.id });
  const message = missing.length === 0 ? approval : `${refusal.message} ${said}`;
  // The source of another alert is not the alert to decide about.
  return insufficientScope(missing, message, tool.asDraft ? null : review);
}

/** Checks that a refused call can leave a draft. */
export const canSaveRefusedCallAsDraft = (tool: OwnerOperation, { scopes }: ApiError): boolean =>
  tool.asDraft !== undefined && scopes.every((scope) => scope === PUBLISH_SCOPE);

/** The outcome of a call whose alert was kept as a draft, because only a person may publish it. */
export interface ReviewRequired {
  /** The draft. */
  needs_review: ReviewTarget;
  /** Explains why nothing was published, and where a person decides. */
  refusal: ApiError;
}

/** `missing`: the refusal of the call; `body`: the response with the draft. */
export function createReviewRequired({ scopes }: ApiError, body: unknown): ReviewRequired {
  const { id, pusher_id, review_url } = body as { id: string; pusher_id: string; review_url: string };
  const why =
    scopes.length > 0
      ? `this credential lacks the scope ${PUBLISH_SCOPE}`
      : "this credential needs human approval before it can publish";
  const needs_review = { pusher_id, alert_id: id };
  const message =
    `The alert was not published: ${why}. It was saved as draft ${id}, so do not create it again; ` +
    `ask a person to review it in the console: ${review_url}`;
  return { needs_review, refusal: insufficientScope(scopes, message, needs_review) };
}

/** Returns the fields of raw arguments; empty if they are not an object. */
export const toArgumentRecord = (raw: unknown) =>
  typeof raw === "object" && raw !== null ? (raw as Record<string, unknown>) : {};

/** Returns all scopes of a call from its raw arguments: the tool's own, then those that depend on the body. */
export function getRequiredScopes(tool: OwnerOperation, raw: unknown): Scope[] {
  const body = toArgumentRecord(raw);
  const extra = Object.entries(tool.alsoRequires ?? {}).filter(([, asked]) => asked(body));
  return [tool.scope, ...(extra.map(([scope]) => scope) as Scope[])];
}

/** Returns the argument with the expected version of the row, or null. */
export function getVersionArgument({ version, input }: Pick<OwnerOperation, "version" | "input">): string | null {
  const name = `expected_${version}`;
  return version !== undefined && Object.hasOwn(input.shape, name) ? name : null;
}

/** Checks for an edit: absent fields stay, null clears them. */
export const isEditOperation = ({
  http: { method, when },
  takesChanges,
}: Pick<OwnerOperation, "http" | "takesChanges">): boolean => takesChanges === true || (method === "PATCH" && !when);
