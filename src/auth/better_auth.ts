// The sign-in library as it is set up here: accounts, sessions and the authorization server on the ORM's own connection.
// Only sign_in_library.ts loads this file, since its packages are a third of all code that the service reads.

import { runWithAdapter } from "@better-auth/core/context";
import { kyselyAdapter } from "@better-auth/kysely-adapter";
import { mcp } from "@better-auth/mcp";
import { getOAuthProviderState } from "@better-auth/oauth-provider";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { betterAuth } from "better-auth";
import { APIError } from "better-auth/api";
import { jwt } from "better-auth/plugins";
import type { Orm } from "../db/orm.ts";
import { unlessAway } from "../db/unavailable.ts";
import { MIN_PASSWORD } from "../domain/passwords.ts";
import { ALL_SCOPES } from "../scopes.ts";
import { createAccessTokenReader } from "./access_tokens.ts";
import { ACCESS_TOKEN_SECONDS, AUTH_PATH, PAGES, REFRESH_TOKEN_SECONDS } from "./authorization_server.ts";
import { GRANT_TYPES } from "./client_metadata.ts";
import { hashSecret } from "./clients.ts";
import { datesForSignIn } from "./dates.ts";
import { GRANT_CLAIM, type Grants } from "./grants.ts";
import { withTokenEndpoints } from "./token_endpoints.ts";

export interface LibraryOptions {
  orm: Orm;
  grants: Grants;
  secret: string;
  /** Origin under which people and assistants reach the service. */
  publicUrl: string;
}

const SESSION_SECONDS = 7 * 24 * 3600;

const SCHEMA = "auth";

export function createBetterAuth({ orm, grants, secret, publicUrl }: LibraryOptions) {
  const library = betterAuth({
    appName: "Belfry",
    baseURL: publicUrl,
    basePath: AUTH_PATH,
    secret,
    telemetry: { enabled: false },
    logger: { disabled: true },
    database: {
      db: orm.em.fork().getKysely<any>().withPlugin(datesForSignIn),
      type: "postgres",
      schemaName: SCHEMA,
    },
    // Accounts come from a link that the operator or an owner hands out, never from a form that anybody finds.
    emailAndPassword: { enabled: true, minPasswordLength: MIN_PASSWORD, disableSignUp: true },
    session: { expiresIn: SESSION_SECONDS, cookieCache: { enabled: false } },
    // Counted by our own limits, which replicas share.
    rateLimit: { enabled: false },
    disabledPaths: [
      "/sign-up/email",
      "/change-email",
      "/delete-user",
      "/update-user",
      "/is-username-available",
    ],
    plugins: [
      jwt({ disableSettingJwtHeader: true }),
      mcp({
        loginPage: PAGES.signIn,
        consentPage: PAGES.consent,
        resource: `${publicUrl}/mcp`,
        scopes: ["offline_access", ...ALL_SCOPES],
        // Clients are registered by our own rules (clients.ts); the library looks them up and checks their secrets.
        storeClientSecret: { hash: hashSecret },
        grantTypes: [...GRANT_TYPES],
        accessTokenExpiresIn: ACCESS_TOKEN_SECONDS,
        refreshTokenExpiresIn: REFRESH_TOKEN_SECONDS,
        postLogin: {
          page: PAGES.consent,
          shouldRedirect: () => false,
          consentReferenceId: async ({ user }) =>
            grants.referenceOf(user.id, new URLSearchParams((await getOAuthProviderState())?.query)),
        },
        // No token without a live connection, refreshed ones included: the client starts again and asks.
        customAccessTokenClaims: async ({ user, referenceId }) => {
          if (!(await grants.lives(referenceId, user?.id)))
            throw new APIError("BAD_REQUEST", {
              error: "invalid_grant",
              error_description: "The connection has ended; ask for access again.",
            });
          return { [GRANT_CLAIM]: referenceId };
        },
        // Our pages ask in process who a signed request is from; the route is not served.
        allowPublicClientPrelogin: true,
      }),
    ],
  });
  /** Who an access token for this very resource is from, and under which grant; null for any other token. */
  const readAccessToken = createAccessTokenReader({
    jwks: () => library.api.getJwks(),
    issuer: publicUrl + AUTH_PATH,
    audience: `${publicUrl}/mcp`,
  });
  const { handler } = library;
  const answer = withTokenEndpoints({ handler, base: AUTH_PATH, orm, grants, readAccessToken });
  return {
    /** The library itself, for tests. */
    library,

    readAccessToken: (token: string) => unlessAway(() => readAccessToken(token)),

    handler: (request: Request) => unlessAway(() => answer(request)),

    /** The session of a request's cookies; null for none. With `refresh`, one in use is prolonged once a day. */
    findSession: (headers: Headers, { refresh }: { refresh: boolean }) =>
      unlessAway(() => library.api.getSession({ headers, query: { disableRefresh: !refresh } })),

    /** The client of a request for access that this server signed; null for none. */
    findClient: (body: { client_id: string; oauth_query: string }) =>
      unlessAway(() => library.api.getOAuthClientPublicPrelogin({ body }).catch(() => null)),

    async hashPassword(password: string): Promise<string> {
      return (await library.$context).password.hash(password);
    },

    /** Is this the password of the account? An account without one has none that is right. */
    async provesPassword(userId: string, given: string): Promise<boolean> {
      const { internalAdapter, password } = await library.$context;
      const hash = (await internalAdapter.findCredentialAccount(userId))?.password;
      return !!hash && password.verify({ hash, password: given });
    },

    /** Lets the library write its own rows inside a transaction of ours: they are there with ours, or not at all. */
    async inTransaction<T>(
      em: SqlEntityManager,
      work: (accounts: Awaited<typeof library.$context>["internalAdapter"]) => Promise<T>,
    ): Promise<T> {
      const { options, internalAdapter } = await library.$context;
      const kysely = em.getKysely<any>().withPlugin(datesForSignIn).withSchema(SCHEMA);
      const adapter = kyselyAdapter(kysely, { type: "postgres" })(options);
      return runWithAdapter(adapter, () => work(internalAdapter));
    },
  };
}

export type BetterAuth = ReturnType<typeof createBetterAuth>;
