// The clients of the authorization server by raw SQL, in the sign-in library's own tables.

import { boolean, float8, int, jsonb, nullable, text, uuid } from "../../model/fields/sql.ts";
import { statementsOf } from "../db/statement.ts";

const defineStatement = statementsOf("library");

/**
 * Writes a client down, or what it says of itself now. `id` and `link_id` are new rows', that of the client and that of
 * its link to the resource; `secret` is a hash.
 */
export const keepClient = defineStatement("keep_client", {
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

/** What an authorization needs to know of a client; `user_id` null is nobody. */
export const findClient = defineStatement.reading("find_client", {
  parameters: { client_id: text, user_id: nullable(text) },
  columns: {
    grant_types: nullable(jsonb<string[]>()),
    /** Seconds since it was written down or looked at again. */
    age: nullable(float8),
    /** Whether the person has let it in before. */
    approved: boolean,
  },
  text: `select "grantTypes" as grant_types, extract(epoch from now() - "updatedAt")::float8 as age,
      exists (select 1 from connection c where c.client_id = o."clientId" and c.user_id = $user_id) as approved
    from auth."oauthClient" o where "clientId" = $client_id`,
});

export const askForMore = defineStatement("ask_for_more", {
  parameters: { connection_id: uuid },
  text: `insert into step_up as s (user_id, client_id, asked_at)
    select user_id, client_id, clock_timestamp() from connection where id = $connection_id
    on conflict (user_id, client_id) do update set asked_at = excluded.asked_at`,
});

/** One row for the first refresh within so many seconds after a client was told what it lacks. `token` is a hash. */
export const takeStepUp = defineStatement("take_step_up", {
  parameters: { token: text, seconds: int },
  columns: { client_id: text },
  text: `delete from step_up s using auth."oauthRefreshToken" t
    where t.token = $token and s.user_id = t."userId" and s.client_id = t."clientId"
      and s.asked_at > now() - $seconds::int * interval '1 second' returning s.client_id`,
});
