// Members and sessions' members by raw SQL; links and connections stand beside.

import { defineStatement } from "../db/statement.ts";
import type { Role } from "../entities/member.ts";
import { MEMBER_FACTS, type MemberFacts } from "./member_facts.ts";

/** The same of a person that signs in, with the address. */
export interface MemberRecord extends MemberFacts {
  email: string;
}

/** Held until the transaction ends: what counts or replaces something of one member happens in turn. $1 member. */
export const lockMember = defineStatement<{ id: string }>(
  "lock_member",
  "select id from member where id = $1 for no key update",
);

/** A person's memberships, the oldest first. $1 user. */
export const membershipsOf = defineStatement<MemberRecord>(
  "memberships_of",
  `select m.email, ${MEMBER_FACTS} from member m join workspace w on w.id = m.workspace_id where m.user_id = $1 order by m.created_at`,
);

/** The owners first, then by age. $1 workspace. */
export const listWorkspaceMembers = defineStatement<{
  id: string;
  email: string;
  name: string | null;
  role: Role;
  pusher_ids: string[] | null;
  handles: string[] | null;
  joined: boolean;
  invited: boolean;
}>(
  "list_workspace_members",
  `select m.id, m.email, m.name, m.role, m.pusher_ids, m.user_id is not null as joined,
     (select array_agg(p.handle order by p.handle) from pusher p
       where p.workspace_id = m.workspace_id and p.id = any(m.pusher_ids)) as handles,
     exists (select 1 from member_link l where l.member_id = m.id and l.expires_at > now()
       and l.used_at is null and l.replaced_at is null) as invited
   from member m where m.workspace_id = $1
   order by array_position(array['owner', 'admin', 'editor', 'viewer'], m.role), m.created_at`,
);
