// The second authentication of a call that has waited: its credential may have been revoked or narrowed in the meantime.
// rules#wait-credential

import { roleReaches } from "../model/domain/standing.ts";
import { visibilityOf } from "../store/context.ts";
import { managerFor, type Orm } from "../store/db/orm.ts";
import type { Patience } from "../store/patience.ts";
import type { Performance } from "./attempt.ts";
import type { Call } from "./call.ts";
import { refuseRole } from "./refusals.ts";
import { refuseScopes } from "./scopes.ts";
import type { Tool } from "./tool.ts";

/** The patience of a call that is refused as a new call would be when its wait ends: 401 for its credential, 403 for scopes and role. */
export function authenticatingPatience(
  where: { orm: Orm; publicUrl: string },
  tool: Tool,
  { patience, authenticateAgain, args }: Call,
  performance: Performance,
  input: Record<string, unknown>,
): Patience | undefined {
  if (!patience || !authenticateAgain) return patience;
  return {
    get signal() {
      return patience.signal;
    },
    async rest(waiting) {
      await patience.rest(waiting);
      const caller = await authenticateAgain();
      const missing = await refuseScopes(tool, caller, args, where);
      if (missing) throw missing;
      const visible = visibilityOf(caller);
      if (!roleReaches(caller.member.role, tool.role))
        await refuseRole(managerFor(where.orm, visible, null), caller, input);
      // The handler reads its rows again, with what this caller may see.
      Object.assign(performance, { caller, visible });
    },
  };
}
