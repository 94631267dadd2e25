// What a credential may not do for want of a scope, and who can do it instead: whoever may write alerts and not publish them is led to a
// person, who decides on the alert's review page. Composing and publishing are two permissions (docs/rules.md#composing-is-not-publishing).

import { reviewInstead } from "../model/domain/review.ts";
import { type ApiError, insufficientScope } from "../model/errors.ts";
import type { Caller } from "../store/context.ts";
import type { Orm } from "../store/db/orm.ts";
import { withChannelIds } from "./handles.ts";
import { scopesFor, type Tool } from "./tool.ts";

const PUBLISH = "alerts:send";

/**
 * 403 for the scopes that the call needs and the credential lacks, in the order of the tool's record; null when it has them.
 * Who may not publish is told where a person can (docs/rules.md#review-url).
 */
export async function refuseScopes(
  tool: Tool,
  caller: Caller,
  args: unknown,
  { orm, publicUrl }: { orm: Orm; publicUrl: string },
): Promise<ApiError | null> {
  const missing = scopesFor(tool, args).filter((needed) => !caller.credential.scopes.includes(needed));
  if (missing.length === 0) return null;
  const refusal = insufficientScope(missing);
  if (!missing.includes(PUBLISH)) return refusal;
  const named = await withChannelIds((args ?? {}) as Record<string, unknown>, orm, caller);
  const { said, review } = reviewInstead(named, { publicUrl, workspaceId: caller.workspace.id });
  return insufficientScope(missing, `${refusal.message} ${said}`, review);
}

/** Whether a call that was refused with this would leave a draft if it did not publish. */
export const leavesDraft = (tool: Tool, { scopes }: ApiError): boolean =>
  tool.asDraft !== undefined && scopes.join() === PUBLISH;

/** The refusal once the draft is kept, so that nobody writes it again. */
export function refusedWithDraft(body: unknown): ApiError {
  const { id, pusher_id, review_url } = body as { id: string; pusher_id: string; review_url: string };
  return insufficientScope(
    [PUBLISH],
    `Nothing is published: this credential lacks the scope ${PUBLISH}. The alert is kept as the draft ${id}; do not create it again. Ask a person to send, edit or decline it in the console: ${review_url}`,
    { pusher_id, alert_id: id },
  );
}
