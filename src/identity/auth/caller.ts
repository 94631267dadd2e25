// From a member and a credential to a caller, the same for keys, connected assistants and sessions.

import { visiblePushers } from "../../model/domain/visibility.ts";
import type { ValuesOf } from "../../model/fields/sql.ts";
import type { Caller } from "../../store/context.ts";
import type { MEMBER_FACTS } from "../../store/queries/member_facts.ts";

/** No credential does more than its member may (docs/rules.md#key-acts-for-its-member). */
export function callerWith(
  member: ValuesOf<typeof MEMBER_FACTS.columns>,
  credential: Caller["credential"],
): Caller {
  return {
    workspace: { id: member.workspace_id, name: member.workspace_name, listening: member.listening },
    member: { id: member.member_id, role: member.role, pusherIds: member.pusher_ids },
    credential,
    pusherIds: visiblePushers(member.pusher_ids, credential.pusherId),
  };
}
