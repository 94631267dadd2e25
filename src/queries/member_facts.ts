// What every credential's look-up has to know of the member behind it: one reading for keys, sessions and connections.

import type { Role } from "../entities/member.ts";

/** What a call needs to know of a member and its workspace. */
export interface MemberFacts {
  member_id: string;
  role: Role;
  pusher_ids: string[] | null;
  workspace_id: string;
  workspace_name: string;
  /** Whether any webhook endpoint of the workspace is to hear of changes. */
  listening: boolean;
}

/** Selects them of a member `m` and its workspace `w`. */
export const MEMBER_FACTS = `m.id as member_id, m.role, m.pusher_ids, w.id as workspace_id, w.name as workspace_name,
  exists (select 1 from webhook_endpoint e where e.workspace_id = w.id and e.disabled_at is null) as listening`;
