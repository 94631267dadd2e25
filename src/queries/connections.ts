// Connections and their grants by raw SQL, and the sign-in library's rows that hang on a grant by its id.

import { defineStatement } from "../db/statement.ts";
import { MEMBER_FACTS, type MemberFacts } from "./member_facts.ts";

/** The live connection that a grant belongs to. $1 user, $2 client, $3 grant. */
export const findGranted = defineStatement<
  MemberFacts & { id: string; pusher_id: string | null; scopes: string[]; name: string | null }
>(
  "find_granted",
  `select c.id, c.pusher_id, c.scopes, o.name, ${MEMBER_FACTS}
   from connection_grant g join connection c on c.id = g.connection_id
   join member m on m.id = c.member_id and m.user_id = c.user_id join workspace w on w.id = m.workspace_id
   left join auth."oauthClient" o on o."clientId" = c.client_id
   where g.id = $3 and c.user_id = $1 and c.client_id = $2 and not coalesce(o.disabled, false)`,
);

/** A person's connections of one client, the last consented to first. $1 user, $2 client. */
export const connectionsOfClient = defineStatement<{
  member_id: string;
  pusher_id: string | null;
  scopes: string[];
}>(
  "connections_of_client",
  `select c.member_id, c.pusher_id, c.scopes from connection c
   join member m on m.id = c.member_id and m.user_id = c.user_id
   where c.user_id = $1 and c.client_id = $2
   order by (select max(g.created_at) from connection_grant g where g.connection_id = c.id) desc nulls last, c.id`,
);

/** $1 id, $2 user, $3 client, $4 member, $5 channel or null, $6 scopes. A client that asks again gets its row changed. */
export const connect = defineStatement<{ id: string }>(
  "connect",
  `insert into connection as c (id, user_id, client_id, member_id, pusher_id, scopes) values ($1, $2, $3, $4, $5, $6)
   on conflict (user_id, client_id, member_id) do update
   set pusher_id = excluded.pusher_id, scopes = excluded.scopes returning c.id`,
);

/** $1 id, $2 connection. */
export const insertGrant = defineStatement(
  "insert_grant",
  "insert into connection_grant (id, connection_id) values ($1, $2)",
);

/** What an earlier consent remembered; the last one counts. $1 connection, $2 the last grant. */
export const forgetEarlierConsents = defineStatement(
  "forget_earlier_consents",
  `delete from auth."oauthConsent"
   where "referenceId" in (select g.id::text from connection_grant g where g.connection_id = $1 and g.id <> $2)`,
);

/**
 * The grant under which a client may come back without a page: the last one, unless the person connected the client in
 * several workspaces, when only the person can say which is meant. $1 user, $2 client.
 */
export const rememberedGrant = defineStatement<{ id: string }>(
  "remembered_grant",
  `select g.id from connection_grant g join connection c on c.id = g.connection_id
   join member m on m.id = c.member_id and m.user_id = c.user_id
   where c.user_id = $1 and c.client_id = $2
     and not exists (select 1 from connection o where o.user_id = $1 and o.client_id = $2 and o.id <> c.id)
   order by g.created_at desc, g.id desc limit 1`,
);

/** Whether tokens may be made from a grant. $1 grant, $2 user. */
export const grantLives = defineStatement<{ id: string }>(
  "grant_lives",
  `select g.id from connection_grant g join connection c on c.id = g.connection_id
   join member m on m.id = c.member_id and m.user_id = c.user_id where g.id = $1 and c.user_id = $2`,
);

/** Holds the connection of a grant, so that nothing is added to it meanwhile. $1 grant. */
export const lockConnectionOfGrant = defineStatement<{ id: string }>(
  "lock_connection_of_grant",
  `select c.id from connection c where c.id = (select connection_id from connection_grant where id = $1) for update`,
);

export const removeGrant = defineStatement("remove_grant", "delete from connection_grant where id = $1");

/** A connection that no grant is left of is none. $1 connection. */
export const removeIfBare = defineStatement(
  "remove_if_bare",
  "delete from connection c where c.id = $1 and not exists (select 1 from connection_grant g where g.connection_id = c.id)",
);

/** The grants of connections. $1 connections. */
export const grantsOf = defineStatement<{ id: string }>(
  "grants_of",
  "select id from connection_grant where connection_id = any($1::uuid[])",
);

/** With a grant go its tokens and the remembered consent, so that nothing can be refreshed. $1 grants. */
export const removeRefreshTokens = defineStatement(
  "remove_refresh_tokens",
  `delete from auth."oauthRefreshToken" where "referenceId" = any($1::text[])`,
);
export const removeAccessTokens = defineStatement(
  "remove_access_tokens",
  `delete from auth."oauthAccessToken" where "referenceId" = any($1::text[])`,
);
export const removeConsents = defineStatement(
  "remove_consents",
  `delete from auth."oauthConsent" where "referenceId" = any($1::text[])`,
);

/** $1 connection. */
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

/** The connection, held, if it is this person's. $1 user, $2 connection. */
export const lockConnection = defineStatement<{ id: string }>(
  "lock_connection",
  "select id from connection where user_id = $1 and id = $2 for update",
);

/** $1 connections. */
export const removeConnections = defineStatement(
  "remove_connections",
  "delete from connection where id = any($1::uuid[])",
);

/** $1 member. */
export const connectionsOfMember = defineStatement<{ id: string }>(
  "connections_of_member",
  "select id from connection where member_id = $1 for update",
);

/** A refresh token as it was stored. $1 its hash. */
export const findRefreshToken = defineStatement<{
  grant_id: string | null;
  client_id: string;
  /** Exchanged or revoked before, and no longer answered as a retry. */
  spent: boolean;
}>(
  "find_refresh_token",
  `select "referenceId" as grant_id, "clientId" as client_id,
     revoked is not null and coalesce("rotatedAt" is null or "rotationReplayExpiresAt" < now(), true) as spent
   from auth."oauthRefreshToken" where token = $1`,
);

/** How many codes of one grant are remembered; they are good for ten minutes, and one consent makes few. */
const CODES_KEPT = 20;

/** Writes down that a code, which is still there, is presented. $1 the code's hash. */
export const rememberCode = defineStatement(
  "remember_code",
  `update connection_grant set codes = (array_prepend($1::text, codes))[1:${CODES_KEPT}]
   where id = (select (value::jsonb->>'referenceId')::uuid from auth.verification where identifier = $1)
     and not codes @> array[$1::text]`,
);

/** The grants of a code that was used up. $1 the code's hash. */
export const grantsOfSpentCode = defineStatement<{ id: string }>(
  "grants_of_spent_code",
  `select g.id from connection_grant g where g.codes @> array[$1::text]
     and not exists (select 1 from auth.verification v where v.identifier = $1)`,
);
