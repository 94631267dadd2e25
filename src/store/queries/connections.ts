// SQL for connections and their grants, and for rows of the sign-in library that refer to a grant, including clients of
// the authorization server.

import {
  array,
  boolean,
  float8,
  int,
  jsonb,
  nullable,
  nullableByOuterJoin,
  text,
  timestamptz,
  uuid,
} from "../../model/fields/sql_statement_types.ts";
import { createStatementDefiner } from "../db/statement.ts";
import { CALLER_MEMBER_COLUMNS } from "./api_keys.ts";

const defineStatement = createStatementDefiner("library");
const defineLookUp = createStatementDefiner("credentials");
const defineList = createStatementDefiner("lists");
const defineClaim = createStatementDefiner("claims");
const defineLock = createStatementDefiner("locks");

/** The live connection that a grant belongs to. */
export const findConnectionOfGrant = defineLookUp.reading("find_connection_of_grant", {
  parameters: { user_id: text, client_id: text, grant_id: uuid },
  columns: {
    id: uuid,
    pusher_id: nullable(uuid),
    scopes: array(text),
    name: nullable(text),
    requires_approval: boolean,
    ...CALLER_MEMBER_COLUMNS.columns,
  },
  text: `select c.id, c.pusher_id, c.scopes, o.name, c.requires_approval, ${CALLER_MEMBER_COLUMNS.text}
    from connection_grant g join connection c on c.id = g.connection_id
    join member m on m.id = c.member_id and m.user_id = c.user_id join workspace w on w.id = m.workspace_id
    left join auth."oauthClient" o on o."clientId" = c.client_id
    where g.id = $grant_id and c.user_id = $user_id and c.client_id = $client_id and not coalesce(o.disabled, false)`,
});

/** A person's connections of one client, the last consented to first. */
export const listUserConnectionsOfClient = defineList.reading("connections_of_client", {
  parameters: { user_id: text, client_id: text },
  columns: { member_id: uuid, pusher_id: nullable(uuid), scopes: array(text), requires_approval: boolean },
  text: `select c.member_id, c.pusher_id, c.scopes, c.requires_approval from connection c
    join member m on m.id = c.member_id and m.user_id = c.user_id
    where c.user_id = $user_id and c.client_id = $client_id
    order by (select max(g.created_at) from connection_grant g where g.connection_id = c.id) desc nulls last, c.id`,
});

/** A client that connects again gets its row updated. */
export const upsertConnection = defineClaim("upsert_connection", {
  parameters: {
    id: uuid,
    user_id: text,
    client_id: text,
    member_id: uuid,
    pusher_id: nullable(uuid),
    scopes: array(text),
    requires_approval: boolean,
  },
  columns: { id: uuid },
  text: `insert into connection as c (id, user_id, client_id, member_id, pusher_id, scopes, requires_approval)
    values ($id, $user_id, $client_id, $member_id, $pusher_id, $scopes, $requires_approval)
    on conflict (user_id, client_id, member_id) do update set pusher_id = excluded.pusher_id,
      scopes = excluded.scopes, requires_approval = excluded.requires_approval returning c.id`,
});

/** Deletes remembered consents except that of the last grant. */
export const deleteEarlierConsents = defineStatement("forget_earlier_consents", {
  parameters: { connection_id: uuid, last_grant_id: uuid },
  text: `delete from auth."oauthConsent" where "referenceId" in (
    select g.id::text from connection_grant g where g.connection_id = $connection_id and g.id <> $last_grant_id)`,
});

/**
 * The grant for a client that reconnects without a page: the last one. If the person connected it in several
 * workspaces, the person must choose.
 */
export const findRememberedGrant = defineLookUp.reading("remembered_grant", {
  parameters: { user_id: text, client_id: nullable(text) },
  columns: { id: uuid },
  text: `select g.id from connection_grant g join connection c on c.id = g.connection_id
    join member m on m.id = c.member_id and m.user_id = c.user_id
    where c.user_id = $user_id and c.client_id = $client_id and not exists (
      select 1 from connection o where o.user_id = $user_id and o.client_id = $client_id and o.id <> c.id)
    order by g.created_at desc, g.id desc limit 1`,
});

/** Checks that a grant may issue tokens. */
export const findLiveGrant = defineLookUp.reading("find_live_grant", {
  parameters: { grant_id: uuid, user_id: text },
  columns: { id: uuid },
  text: `select g.id from connection_grant g join connection c on c.id = g.connection_id
    join member m on m.id = c.member_id and m.user_id = c.user_id where g.id = $grant_id and c.user_id = $user_id`,
});

/** Locks the connection of a grant against additions. */
export const lockConnectionOfGrant = defineLock("lock_connection_of_grant", {
  parameters: { grant_id: uuid },
  columns: { id: uuid },
  text: `select c.id from connection c
    where c.id = (select connection_id from connection_grant where id = $grant_id) for update`,
});

/** Deletes a connection without remaining grants. */
export const removeConnectionWithoutGrants = defineClaim("remove_unused_connection", {
  parameters: { id: uuid },
  text: `delete from connection c
    where c.id = $id and not exists (select 1 from connection_grant g where g.connection_id = c.id)`,
});

/** With a grant go its tokens and the remembered consent, so that nothing can be refreshed. */
const removeOfGrants = (name: string, table: string) =>
  defineStatement(name, {
    parameters: { grants: array(text) },
    text: `delete from auth."${table}" where "referenceId" = any($grants)`,
  });
export const removeRefreshTokensOfGrants = removeOfGrants("remove_refresh_tokens", "oauthRefreshToken");
export const removeAccessTokensOfGrants = removeOfGrants("remove_access_tokens", "oauthAccessToken");
export const removeConsentsOfGrants = removeOfGrants("remove_consents", "oauthConsent");

export const noteConnectionUse = defineLookUp("note_connection_use", {
  parameters: { id: uuid },
  text: "update connection set last_used_at = now() where id = $id",
});

export const listConnections = defineList.reading("list_connections", {
  parameters: { user_id: text, workspace_id: uuid },
  columns: {
    id: uuid,
    client_id: text,
    name: nullable(text),
    uri: nullable(text),
    scopes: array(text),
    requires_approval: boolean,
    pusher_id: nullable(uuid),
    handle: nullableByOuterJoin(text),
    last_used_at: nullable(timestamptz),
    created_at: timestamptz,
  },
  text: `select c.id, c.client_id, o.name, o.uri, c.scopes, c.requires_approval, c.pusher_id, p.handle,
      c.last_used_at, c.created_at from connection c join member m on m.id = c.member_id
    left join auth."oauthClient" o on o."clientId" = c.client_id left join pusher p on p.id = c.pusher_id
    where c.user_id = $user_id and m.workspace_id = $workspace_id order by c.created_at desc`,
});

/** A refresh token as it was stored, and the live connection that it is of. `token` is its hash. */
export const findRefreshToken = defineStatement.reading("find_refresh_token", {
  parameters: { token: text },
  columns: {
    grant_id: nullable(text),
    client_id: text,
    name: nullable(text),
    /** Exchanged or revoked before. */
    spent: boolean,
    scopes: jsonb<string[]>(),
  },
  joined: { connection_id: uuid, member_id: uuid, workspace_id: uuid },
  text: `select t."referenceId" as grant_id, t."clientId" as client_id, o.name, t.revoked is not null as spent,
      t.scopes, c.id as connection_id, m.id as member_id, m.workspace_id
    from auth."oauthRefreshToken" t left join auth."oauthClient" o on o."clientId" = t."clientId"
    left join (connection_grant g join connection c on c.id = g.connection_id join member m on m.id = c.member_id)
      on g.id = t."referenceId"::uuid
    where t.token = $token`,
});

/**
 * Copies a refresh token under another secret, as long as it answers: it was never used, or was first used at most
 * `seconds` ago. `token` and `copy` are hashes.
 */
export const copyRefreshToken = defineStatement("copy_refresh_token", {
  parameters: { token: text, client_id: text, id: text, copy: text, seconds: int },
  columns: { id: text },
  // The found row is a part of its own, because Citus writes a faulty condition when it pushes the whole down.
  text: `with t as materialized (
      select * from auth."oauthRefreshToken" where token = $token and "clientId" = $client_id
        and (revoked is null or "rotatedAt" > now() - $seconds::int * interval '1 second'))
    insert into auth."oauthRefreshToken" ("id", "token", "clientId", "sessionId", "userId", "referenceId",
      "authorizationCodeId", "resources", "requestedUserInfoClaims", "expiresAt", "createdAt", "authTime",
        "confirmation", "scopes")
    select $id, $copy, "clientId", "sessionId", "userId", "referenceId", "authorizationCodeId", "resources",
      "requestedUserInfoClaims", "expiresAt", "createdAt", "authTime", "confirmation", "scopes" from t returning id`,
});

/** Marks a refresh token as used and removes its copy; one row for the first use. `token` is a hash, `copy` an id. */
export const consumeRefreshToken = defineClaim("consume_refresh_token", {
  parameters: { token: text, copy: text },
  columns: { id: text },
  text: `with used as (delete from auth."oauthRefreshToken" where id = $copy)
    update auth."oauthRefreshToken" set revoked = now(), "rotatedAt" = now()
    where token = $token and revoked is null returning id`,
});

export const deleteRefreshToken = defineStatement("drop_refresh_token", {
  parameters: { id: text },
  text: 'delete from auth."oauthRefreshToken" where id = $id',
});

/** One row for the first repeat of a used token. `token` is its hash. */
export const claimRefreshTokenReplay = defineClaim("claim_refresh_token_replay", {
  parameters: { token: text },
  columns: { id: text },
  text: `update auth."oauthRefreshToken" set "replayedAt" = now()
    where token = $token and revoked is not null and "replayedAt" is null returning id`,
});

/** The number of remembered codes for each grant. They are valid for ten minutes, and one consent creates few. */
const CODES_KEPT = 20;

/** Writes down that a code, which is still there, is presented. `code` is its hash. */
export const storePresentedCodeOnGrant = defineStatement("remember_code", {
  parameters: { code: text },
  text: `update connection_grant set code_hashes = (array_prepend($code::text, code_hashes))[1:${CODES_KEPT}]
    where id = (select (value::jsonb->>'referenceId')::uuid from auth.verification where identifier = $code)
      and not code_hashes @> array[$code::text]`,
});

/** The redirect address that a code was sent to. `code` is its hash. */
export const findRedirectUriOfCode = defineStatement.reading("redirect_of_code", {
  parameters: { code: text },
  columns: { redirect_uri: nullable(text) },
  text: "select value::jsonb->'query'->>'redirect_uri' as redirect_uri from auth.verification where identifier = $code",
});

/** The grants of a code that was used up. `code` is its hash. */
export const findGrantsOfUsedCode = defineStatement.reading("grants_of_spent_code", {
  parameters: { code: text },
  columns: { id: uuid },
  text: `select g.id from connection_grant g where g.code_hashes @> array[$code::text]
      and not exists (select 1 from auth.verification v where v.identifier = $code)`,
});

/**
 * Stores a client or updates its metadata. `id` and `link_id` are for new rows: the client, and its link to the
 * resource. `secret` is a hash.
 */
export const storeOAuthClient = defineStatement("store_o_auth_client", {
  parameters: {
    id: text,
    client_id: text,
    secret: nullable(text),
    name: nullable(text),
    uri: nullable(text),
    redirect_uris: jsonb<string[]>(),
    grant_types: jsonb<string[]>(),
    response_types: jsonb<string[]>(),
    auth_method: text,
    application_type: text,
    link_id: text,
    resource: text,
  },
  text: `with kept as (
      insert into auth."oauthClient" ("id", "clientId", "clientSecret", "name", "uri", "redirectUris", "grantTypes",
        "responseTypes", "tokenEndpointAuthMethod", "applicationType", "disabled", "createdAt", "updatedAt")
      values ($id, $client_id, $secret, $name, $uri, $redirect_uris, $grant_types, $response_types, $auth_method,
        $application_type, false, now(), now())
      on conflict ("clientId") do update set "name" = excluded."name", "uri" = excluded."uri",
        "redirectUris" = excluded."redirectUris", "grantTypes" = excluded."grantTypes",
        "applicationType" = excluded."applicationType", "updatedAt" = excluded."updatedAt"
      returning "clientId")
    insert into auth."oauthClientResource" ("id", "clientId", "resourceId", "createdAt")
    select $link_id, "clientId", $resource, now() from kept on conflict ("clientId", "resourceId") do nothing`,
});

/** The columns of a client for an authorization; `user_id` is null without a user. */
export const findOAuthClient = defineStatement.reading("find_o_auth_client", {
  parameters: { client_id: text, user_id: nullable(text) },
  columns: {
    grant_types: nullable(jsonb<string[]>()),
    /** The authentication method at the token endpoint. */
    auth_method: nullable(text),
    /** Seconds since it was written down or looked at again. */
    age: nullable(float8),
    /** True if the person has approved it before. */
    approved: boolean,
  },
  text: `select "grantTypes" as grant_types, "tokenEndpointAuthMethod" as auth_method,
      extract(epoch from now() - "updatedAt")::float8 as age,
      exists (select 1 from connection c where c.client_id = o."clientId" and c.user_id = $user_id) as approved
    from auth."oauthClient" o where "clientId" = $client_id`,
});

export const storeScopeChallenge = defineStatement("store_step_up", {
  parameters: { connection_id: uuid },
  text: `insert into step_up as s (user_id, client_id, requested_at)
    select user_id, client_id, clock_timestamp() from connection where id = $connection_id
    on conflict (user_id, client_id) do update set requested_at = excluded.requested_at`,
});

/** One row for the first refresh within some seconds after a scope challenge. `token` is a hash. */
export const claimScopeChallenge = defineStatement("claim_step_up", {
  parameters: { token: text, seconds: int },
  columns: { client_id: text },
  text: `delete from step_up s using auth."oauthRefreshToken" t
    where t.token = $token and s.user_id = t."userId" and s.client_id = t."clientId"
      and s.requested_at > now() - $seconds::int * interval '1 second' returning s.client_id`,
});
