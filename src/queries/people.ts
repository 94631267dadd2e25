// Members, links and sessions' members by raw SQL.

import { defineStatement } from "../db/statement.ts";
import type { Role } from "../entities/member.ts";
import { MEMBER_FACTS, type MemberFacts } from "./member_facts.ts";

/** The same of a person that signs in, with the address. */
export interface MemberRecord extends MemberFacts {
  email: string;
}

/** A person's memberships, the oldest first. $1 user. */
export const membershipsOf = defineStatement<MemberRecord>(
  "memberships_of",
  `select m.email, ${MEMBER_FACTS} from member m join workspace w on w.id = m.workspace_id where m.user_id = $1 order by m.created_at`,
);

/** $1 token hash, $2 member, $3 seconds that it holds. */
export const insertLink = defineStatement(
  "insert_link",
  "insert into member_link (token_hash, member_id, expires_at) values ($1, $2, now() + $3::int * interval '1 second')",
);

/** The member that a live link stands for. $1 token hash. */
export const findLink = defineStatement<{
  member_id: string;
  email: string;
  workspace_id: string;
  workspace_name: string;
}>(
  "find_link",
  `select m.id as member_id, m.email, w.id as workspace_id, w.name as workspace_name
   from member_link l join member m on m.id = l.member_id join workspace w on w.id = m.workspace_id
   where l.token_hash = $1 and l.expires_at > now()`,
);

/** Uses up every link of the member. One row for exactly one of simultaneous uses. $1 token hash. */
export const useLink = defineStatement<{ member_id: string }>(
  "use_link",
  "delete from member_link where token_hash = $1 and expires_at > now() returning member_id",
);

export const dropLinks = defineStatement("drop_links", "delete from member_link where member_id = $1");

export const attachUser = defineStatement(
  "attach_user",
  "update member set user_id = $2, name = $3, email = $4 where id = $1",
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
     exists (select 1 from member_link l where l.member_id = m.id and l.expires_at > now()) as invited
   from member m where m.workspace_id = $1
   order by array_position(array['owner', 'admin', 'editor', 'viewer'], m.role), m.created_at`,
);
