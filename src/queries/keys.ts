// Keys by hash, and what operators do with them.

import { defineStatement } from "../db/statement.ts";
import type { Role } from "../entities/member.ts";
import { MEMBER_FACTS, type MemberFacts } from "./member_facts.ts";

export interface KeyRecord extends MemberFacts {
  id: string;
  name: string;
  scopes: string[];
  pusher_id: string | null;
  expires_at: string | null;
}

/** The live key behind a hash with everything that a call needs to know of its member and workspace. */
export const findKey = defineStatement<KeyRecord>(
  "find_key",
  `select k.id, k.name, k.scopes, k.pusher_id, k.expires_at, ${MEMBER_FACTS}
   from api_key k join member m on m.id = k.member_id join workspace w on w.id = m.workspace_id
   where k.hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`,
);

export const touchKey = defineStatement("touch_key", "update api_key set last_used_at = now() where id = $1");

export interface ListedKey {
  id: string;
  name: string;
  scopes: string[];
  pusher_id: string | null;
  handle: string | null;
  expires_at: string | null;
  last_used_at: string | null;
  member_id: string;
  email: string;
  member_name: string | null;
  role: Role;
  pusher_ids: string[] | null;
}

/** The live keys of a workspace, the newest first. $1 workspace. */
export const listWorkspaceKeys = defineStatement<ListedKey>(
  "list_workspace_keys",
  `select k.id, k.name, k.scopes, k.pusher_id, p.handle, k.expires_at, k.last_used_at, m.id as member_id, m.email,
     m.name as member_name, m.role, m.pusher_ids
   from api_key k join member m on m.id = k.member_id left join pusher p on p.id = k.pusher_id
   where m.workspace_id = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
   order by k.created_at desc`,
);
