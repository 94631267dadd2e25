// What every credential's look-up has to know of the member behind it: one reading for keys, sessions and connections.

import { ROLES } from "../../model/entities/member.ts";
import { array, boolean, nullable, oneOf, text, uuid } from "../../model/fields/sql.ts";

/** What a call needs to know of a member `m` and its workspace `w`. */
export const MEMBER_FACTS = {
  columns: {
    member_id: uuid,
    role: oneOf(ROLES),
    pusher_ids: nullable(array(uuid)),
    workspace_id: uuid,
    workspace_name: text,
    /** Whether any webhook endpoint of the workspace is to hear of changes. */
    listening: boolean,
  },
  text: `m.id as member_id, m.role, m.pusher_ids, w.id as workspace_id, w.name as workspace_name,
    exists (select 1 from webhook_endpoint e where e.workspace_id = w.id and e.disabled_at is null) as listening`,
};
