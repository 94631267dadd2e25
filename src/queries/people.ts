// Members, links, sessions' members and connections by raw SQL.

import { defineStatement } from "../db/statement.ts";
import type { Role } from "../entities/member.ts";
import { MEMBER_FACTS, type MemberFacts } from "./member_facts.ts";

/** The same of a person that signs in, with the address. */
export interface MemberRecord extends MemberFacts {
  email: string;
}

const MEMBER = `m.email, ${MEMBER_FACTS}`;

/** A person's memberships, the oldest first. $1 user. */
export const membershipsOf = defineStatement<MemberRecord>(
  "memberships_of",
  `select ${MEMBER} from member m join workspace w on w.id = m.workspace_id where m.user_id = $1 order by m.created_at`,
);

/** The live connection of a person's assistant. $1 user, $2 client. */
export const findConnection = defineStatement<
  MemberRecord & { id: string; pusher_id: string | null; scopes: string[]; name: string | null }
>(
  "find_connection",
  `select c.id, c.pusher_id, c.scopes, o.name, ${MEMBER} from connection c
   join member m on m.id = c.member_id and m.user_id = c.user_id join workspace w on w.id = m.workspace_id
   left join auth."oauthClient" o on o."clientId" = c.client_id
   where c.user_id = $1 and c.client_id = $2 and not coalesce(o.disabled, false)`,
);

/** $1 id, $2 user, $3 client, $4 member, $5 channel or null, $6 scopes. A client that asks again gets its row changed. */
export const connect = defineStatement<{ id: string }>(
  "connect",
  `insert into connection as c (id, user_id, client_id, member_id, pusher_id, scopes) values ($1, $2, $3, $4, $5, $6)
   on conflict (user_id, client_id) do update
   set member_id = excluded.member_id, pusher_id = excluded.pusher_id, scopes = excluded.scopes returning c.id`,
);

export const touchConnection = defineStatement(
  "touch_connection",
  "update connection set last_used_at = now() where id = $1",
);

export interface ConnectionRecord {
  id: string;
  client_id: string;
  name: string | null;
  uri: string | null;
  scopes: string[];
  pusher_id: string | null;
  handle: string | null;
  last_used_at: string | null;
  created_at: string;
}

/** $1 user, $2 workspace. */
export const listConnections = defineStatement<ConnectionRecord>(
  "list_connections",
  `select c.id, c.client_id, o.name, o.uri, c.scopes, c.pusher_id, p.handle, c.last_used_at, c.created_at
   from connection c join member m on m.id = c.member_id
   left join auth."oauthClient" o on o."clientId" = c.client_id left join pusher p on p.id = c.pusher_id
   where c.user_id = $1 and m.workspace_id = $2 order by c.created_at desc`,
);

/** $1 user, $2 connection. */
export const removeConnection = defineStatement<{ client_id: string }>(
  "remove_connection",
  "delete from connection where user_id = $1 and id = $2 returning client_id",
);

/** With the connection go the tokens and the remembered consent, so that nothing can be refreshed. $1 user, $2 client. */
export const removeRefreshTokens = defineStatement(
  "remove_refresh_tokens",
  `delete from auth."oauthRefreshToken" where "userId" = $1 and "clientId" = $2`,
);
export const removeAccessTokens = defineStatement(
  "remove_access_tokens",
  `delete from auth."oauthAccessToken" where "userId" = $1 and "clientId" = $2`,
);
export const removeConsents = defineStatement(
  "remove_consents",
  `delete from auth."oauthConsent" where "userId" = $1 and "clientId" = $2`,
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

/** $1 member. */
export const connectionsOfMember = defineStatement<{ user_id: string; client_id: string }>(
  "connections_of_member",
  "select user_id, client_id from connection where member_id = $1",
);
