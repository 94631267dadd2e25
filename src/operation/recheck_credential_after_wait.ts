// The second authentication of a call that has waited: its credential may have been revoked or narrowed in the
// meantime. rules#wait-credential

import { isRoleAtLeast } from "../model/domain/access_policy.ts";
import { createEntityManager, type Orm } from "../store/db/orm.ts";
import { toVisibility } from "../store/handler_context.ts";
import type { WaitContext } from "../store/wait_context.ts";
import { throwRoleError } from "./access_checks.ts";
import type { OwnerOperation } from "./define_operation.ts";
import type { Invocation } from "./handler_attempt.ts";
import type { OperationCall } from "./operation_call.ts";
import { findScopeError } from "./scope_checks.ts";

/**
 * Creates the wait context of a call that authenticates again at its end: 401 for its credential, 403 for scopes and
 * role.
 */
export function createReauthenticatingWait(
  where: { orm: Orm; publicUrl: string },
  tool: OwnerOperation,
  { patience, authenticateAgain, args }: OperationCall,
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
      const visible = toVisibility(caller);
      if (!isRoleAtLeast(caller.member.role, tool.role))
        await throwRoleError(createEntityManager(where.orm, visible, null), caller, input);
      // The handler reads its rows again, with what this caller may see.
      Object.assign(performance, { caller, visible });
    },
  };
}
