// What a credential may not do for want of a scope, or before a person has decided, and who can do it instead: whoever may write alerts
// and not publish them is led to a person, who decides on the alert's review page. Composing and publishing are two permissions
// (docs/rules.md#composing-is-not-publishing), and who has both may still have to ask first (docs/rules.md#asks-first).

import { reviewInstead } from "../model/domain/review.ts";
import { type ApiError, insufficientScope } from "../model/errors.ts";
import { PUBLISH, type Scope } from "../model/scopes.ts";
import type { Caller } from "../store/context.ts";
import type { Orm } from "../store/db/orm.ts";
import { withChannelIds } from "./handles.ts";
import { publishes } from "./hints.ts";
import { scopesFor, type Tool } from "./tool.ts";

/** The scopes that a caller lacks for what it does; null when it may do it. None of them: a person has to be asked first. */
function lacking(
  { credential: { scopes, asksFirst } }: Caller,
  needed: readonly Scope[],
  isPublishing: boolean,
): Scope[] | null {
  const missing = needed.filter((scope) => !scopes.includes(scope));
  return missing.length > 0 || (asksFirst && isPublishing) ? missing : null;
}

/** The same for whatever is published. */
export const lackingToPublish = (caller: Caller): Scope[] | null => lacking(caller, [PUBLISH], true);

/**
 * 403 for the scopes that the call needs and the credential lacks, in the order of the tool's record, or for what its person wants to be
 * asked about first; null when it may. Who may not publish is told where a person can (docs/rules.md#review-url).
 */
export async function refuseScopes(
  tool: Tool,
  caller: Caller,
  args: unknown,
  { orm, publicUrl }: { orm: Orm; publicUrl: string },
): Promise<ApiError | null> {
  const missing = lacking(caller, scopesFor(tool, args), publishes(tool, args));
  if (missing === null) return null;
  const refusal = insufficientScope(missing);
  if (missing.length > 0 && !missing.includes(PUBLISH)) return refusal;
  const named = await withChannelIds((args ?? {}) as Record<string, unknown>, orm, caller);
  const { said, review } = reviewInstead(named, { publicUrl, workspaceId: caller.workspace.id });
  // What another alert would be made of is not the one to decide about.
  return insufficientScope(missing, `${refusal.message} ${said}`, tool.asDraft ? null : review);
}

/** Whether a call that was refused with this would leave a draft if it did not publish. */
export const leavesDraft = (tool: Tool, { scopes }: ApiError): boolean =>
  tool.asDraft !== undefined && scopes.every((scope) => scope === PUBLISH);

/** The refusal once the draft is kept, so that nobody writes it again. */
export function refusedWithDraft({ scopes }: ApiError, body: unknown): ApiError {
  const { id, pusher_id, review_url } = body as { id: string; pusher_id: string; review_url: string };
  const why =
    scopes.length > 0 ? `this credential lacks the scope ${PUBLISH}` : "its person wants to be asked first";
  return insufficientScope(
    scopes,
    `Nothing is published or withdrawn: ${why}. The alert is kept as the draft ${id}; do not create it again. Ask a person to send, edit or decline it in the console: ${review_url}`,
    { pusher_id, alert_id: id },
  );
}
