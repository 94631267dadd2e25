// The clients of the authorization server by raw SQL, in the sign-in library's own tables.

import { defineStatement } from "../db/statement.ts";

/**
 * Writes a client down, or what it says of itself now. $1 row id, $2 client id, $3 hash of its secret or null, $4 name,
 * $5 address of its home page, $6 redirect addresses, $7 grants, $8 responses, $9 how it shows who it is, $10 application
 * type, $11 id of the link to the resource, $12 resource; $6 to $8 as JSON texts.
 */
export const keepClient = defineStatement(
  "keep_client",
  `with kept as (
     insert into auth."oauthClient" ("id", "clientId", "clientSecret", "name", "uri", "redirectUris", "grantTypes",
       "responseTypes", "tokenEndpointAuthMethod", "applicationType", "disabled", "createdAt", "updatedAt")
     values ($1, $2, $3, $4, $5, $6::jsonb, $7::jsonb, $8::jsonb, $9, $10, false, now(), now())
     on conflict ("clientId") do update set "name" = excluded."name", "uri" = excluded."uri",
       "redirectUris" = excluded."redirectUris", "grantTypes" = excluded."grantTypes",
       "applicationType" = excluded."applicationType", "updatedAt" = now()
     returning "clientId")
   insert into auth."oauthClientResource" ("id", "clientId", "resourceId", "createdAt")
   select $11, "clientId", $12, now() from kept on conflict ("clientId", "resourceId") do nothing`,
);

/** What an authorization needs to know of a client. $1 client id, $2 user or null. */
export const findClient = defineStatement<{
  grant_types: string[] | null;
  /** Seconds since it was written down or looked at again. */
  age: number;
  /** Whether the person has let it in before. */
  approved: boolean;
}>(
  "find_client",
  `select "grantTypes" as grant_types, extract(epoch from now() - "updatedAt")::float8 as age,
     exists (select 1 from connection c where c.client_id = o."clientId" and c.user_id = $2) as approved
   from auth."oauthClient" o where "clientId" = $1`,
);

/** $1 connection. */
export const askForMore = defineStatement(
  "ask_for_more",
  `insert into step_up as s (user_id, client_id, asked_at) select user_id, client_id, now() from connection where id = $1
   on conflict (user_id, client_id) do update set asked_at = excluded.asked_at`,
);

/** One row for the first refresh after a client was told what it lacks. $1 hash of the refresh token, $2 seconds. */
export const takeStepUp = defineStatement<{ client_id: string }>(
  "take_step_up",
  `delete from step_up s using auth."oauthRefreshToken" t
   where t.token = $1 and s.user_id = t."userId" and s.client_id = t."clientId"
     and s.asked_at > now() - $2::int * interval '1 second' returning s.client_id`,
);
