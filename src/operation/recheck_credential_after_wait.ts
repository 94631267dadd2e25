// The second authentication of a call that has waited: its credential may have been revoked or narrowed in the
// meantime. rules#wait-credential

import type { Orm } from "../store/db/orm.ts";
import type { WaitContext } from "../store/wait_context.ts";
import { createVisibilityFilter, findScopeError, requireOperationRole } from "./access_checks.ts";
import type { OwnerOperation } from "./define_operation.ts";
import type { Invocation } from "./handler_attempt.ts";
import type { OperationCallInput } from "./operation_call.ts";

/**
 * Creates the wait context of a call that authenticates again at its end: 401 for its credential, 403 for scopes and
 * role.
 */
export function createWaitWithFinalReauthentication(
  where: { orm: Orm; publicUrl: string },
  tool: OwnerOperation,
  { patience, authenticateAgain, args }: OperationCallInput,
  performance: Invocation,
  input: Record<string, unknown>,
): WaitContext | undefined {
  if (!patience || !authenticateAgain) return patience;
  return {
    get signal() {
      return patience.signal;
    },
    async rest(waiting) {
      await patience.rest(waiting);
      const caller = await authenticateAgain();
      const missing = await findScopeError(tool, caller, args, where);
      if (missing) throw missing;
      await requireOperationRole(tool, caller, input, where.orm);
      // The handler reads its rows again, with what this caller may see.
      Object.assign(performance, { caller, visible: createVisibilityFilter(caller) });
    },
  };
}
