// The sign-in library as it is set up here: accounts, sessions and the authorization server on the ORM's own
// connection. Only sign_in_library.ts loads this file, since its packages are a third of all code that the service
// reads.

import { runWithAdapter } from "@better-auth/core/context";
import { kyselyAdapter } from "@better-auth/kysely-adapter";
import { mcp } from "@better-auth/mcp";
import { getOAuthProviderState } from "@better-auth/oauth-provider";
import { passkey } from "@better-auth/passkey";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { betterAuth } from "better-auth";
import { APIError } from "better-auth/api";
import { parseCookies } from "better-auth/cookies";
import { generateRandomString, symmetricDecrypt, symmetricEncrypt } from "better-auth/crypto";
import { jwt } from "better-auth/plugins";
import { twoFactor } from "better-auth/plugins/two-factor";
import type { KyselyPlugin } from "kysely";
import { LIMITS } from "../../model/limits.ts";
import { ALL_SCOPES } from "../../model/scopes.ts";
import { getSignInDatabaseSchema } from "../../store/db/citus_cell.ts";
import { rethrowSwallowedDatabaseError } from "../../store/db/connection_timeouts_and_client.ts";
import type { Orm } from "../../store/db/orm.ts";
import type { SignedInPerson } from "../../store/handler_context.ts";
import { getMcpResourceUrl } from "./canonical_resource_indicator.ts";
import { GRANT_TYPES } from "./client_metadata_fields.ts";
import { GRANT_CLAIM, type Grants } from "./consent_grants.ts";
import { hashOAuthSecret } from "./hash_oauth_secret.ts";
import {
  ACCESS_TOKEN_SECONDS,
  AUTH_PAGES,
  AUTH_PATH,
  OFFLINE_SCOPE,
  REFRESH_TOKEN_SECONDS,
} from "./oauth_discovery.ts";
import { createOidcPlugin, type OidcPluginOptions } from "./oidc_plugin.ts";
import { INTERNAL_OIDC_FINISH_PATH } from "./oidc_types.ts";
import { getPasskeyHost } from "./passkey_host.ts";
import { supportsOAuth } from "./redirect_uris.ts";
import { createAccessTokenReader, wrapHandlerWithTokenEndpoints } from "./token_endpoints.ts";

export interface CreateBetterAuthOptions {
  orm: Orm;
  grants: Grants;
  secret: string;
  /** Origin under which people and assistants reach the service. */
  publicUrl: string;
  /** Null where no provider is configured. */
  oidc?: OidcPluginOptions | null;
}

const SESSION_SECONDS = 7 * 24 * 3600;

/** The time for the second factor after the password. */
const CHALLENGE_SECONDS = 600;

const passkeyPath = (name: string) => `/passkey/${name}`;

/** A column of ours in the library's table. */
const LAST_USE = {
  id: "belfry-last-use",
  schema: { passkey: { fields: { lastUsedAt: { type: "date", required: false } } } },
} as const;

/** Rows of the library's plugins, and the encryption that it keeps some of their values in. */
export interface BetterAuthPluginStore {
  adapter: ReturnType<ReturnType<typeof kyselyAdapter>>;
  seal(text: string): Promise<string>;
  open(sealed: string): Promise<string>;
  /** Random digits and lowercase letters. */
  randomString(length: number): string;
}

/** Requires the code also after a sign-in with an OpenID Connect provider. */
function createTwoFactor() {
  const plugin = twoFactor({ issuer: "Belfry", twoFactorCookieMaxAge: CHALLENGE_SECONDS });
  for (const hook of plugin.hooks.after) {
    const { matcher } = hook;
    hook.matcher = (context) => matcher(context) || context.path === INTERNAL_OIDC_FINISH_PATH;
  }
  return plugin;
}

export function createBetterAuth({ orm, grants, secret, publicUrl, oidc = null }: CreateBetterAuthOptions) {
  const schemaName = getSignInDatabaseSchema(orm.config.get("clientUrl"));
  const library = betterAuth({
    appName: "Belfry",
    baseURL: publicUrl,
    basePath: AUTH_PATH,
    secret,
    telemetry: { enabled: false },
    logger: { disabled: true },
    database: { db: orm.em.fork().getKysely<unknown>().withPlugin(datesForSignIn), type: "postgres", schemaName },
    // Accounts are created by a link of the operator or an owner, never by a public form.
    emailAndPassword: { enabled: true, minPasswordLength: LIMITS.password_least, disableSignUp: true },
    session: { expiresIn: SESSION_SECONDS, cookieCache: { enabled: false } },
    // Counted by our own limits, which replicas share.
    rateLimit: { enabled: false },
    disabledPaths: [
      "/sign-up/email",
      "/change-email",
      "/delete-user",
      "/update-user",
      "/is-username-available",
      // Enrolment is operations of ours (account_security_service.ts), in one transaction with its audit line.
      ...["enable", "disable", "get-totp-uri", "generate-backup-codes", "send-otp", "verify-otp"].map(
        (name) => `/two-factor/${name}`,
      ),
      ...["generate-register-options", "verify-registration", "list-user-passkeys"].map(passkeyPath),
      ...["delete-passkey", "update-passkey"].map(passkeyPath),
    ],
    plugins: [
      // Before the authorization server, for which a user is only signed in after the second factor.
      createTwoFactor(),
      ...(oidc ? [createOidcPlugin(oidc, publicUrl)] : []),
      passkey({
        rpName: "Belfry",
        rpID: getPasskeyHost(publicUrl) ?? "passkeys.invalid",
        origin: publicUrl,
        authentication: {
          // It replaces both factors, so it must also verify its user.
          afterVerification: async ({ verification }) => {
            if (!verification.authenticationInfo.userVerified)
              throw new APIError("UNAUTHORIZED", { message: "The passkey did not verify its user." });
          },
        },
      }),
      LAST_USE,
      jwt({ disableSettingJwtHeader: true }),
      mcp({
        loginPage: AUTH_PAGES.signIn,
        consentPage: AUTH_PAGES.consent,
        // The library accepts no other URL. Without consent for assistants, none of their routes is served.
        resource: supportsOAuth(publicUrl) ? getMcpResourceUrl(publicUrl) : "https://no-consent.invalid/mcp",
        scopes: [OFFLINE_SCOPE, ...ALL_SCOPES],
        // Clients are registered by our own rules (oauth_clients.ts); the library looks them up and checks their
        // secrets.
        storeClientSecret: { hash: async (secret) => hashOAuthSecret(secret) },
        grantTypes: [...GRANT_TYPES],
        accessTokenExpiresIn: ACCESS_TOKEN_SECONDS,
        refreshTokenExpiresIn: REFRESH_TOKEN_SECONDS,
        // Repeats are handled before the library (refresh_token_reuse.ts). It sees each token once, and stores no
        // responses.
        refreshTokenReuseInterval: 0,
        postLogin: {
          page: AUTH_PAGES.consent,
          shouldRedirect: () => false,
          consentReferenceId: async ({ user }) =>
            grants.referenceOf(user.id, new URLSearchParams((await getOAuthProviderState())?.query)),
        },
        // No token without a live connection, also on refresh: the client must start again.
        customAccessTokenClaims: async ({ user, referenceId }) => {
          if (!(await grants.lives(referenceId, user?.id)))
            throw new APIError("BAD_REQUEST", {
              error: "invalid_grant",
              error_description: "The connection has ended. Request access again.",
            });
          return { [GRANT_CLAIM]: referenceId };
        },
        // Our pages use this in the process; the route is not served.
        allowPublicClientPrelogin: true,
      }),
    ],
  });
  /** Returns the user and grant of an access token for this resource; null for any other token. */
  const readAccessToken = createAccessTokenReader({
    jwks: () => library.api.getJwks(),
    issuer: publicUrl + AUTH_PATH,
    audience: getMcpResourceUrl(publicUrl),
  });
  const { handler } = library;
  const answer = wrapHandlerWithTokenEndpoints({ handler, base: AUTH_PATH, publicUrl, orm, grants, readAccessToken });
  return {
    /** The library itself, for tests. */
    library,

    readAccessToken: (token: string) => rethrowSwallowedDatabaseError(() => readAccessToken(token)),

    handler: (request: Request) => rethrowSwallowedDatabaseError(() => answer(request)),

    /** The session of a request's cookies; null for none. With `refresh`, one in use is prolonged once a day. */
    findSession: (headers: Headers, { refresh }: { refresh: boolean }) =>
      rethrowSwallowedDatabaseError(() => library.api.getSession({ headers, query: { disableRefresh: !refresh } })),

    /** The client of a request for access that this server signed; null for none. */
    findClient: (body: { client_id: string; oauth_query: string }) =>
      rethrowSwallowedDatabaseError(() => library.api.getOAuthClientPublicPrelogin({ body }).catch(() => null)),

    async hashPassword(password: string): Promise<string> {
      return (await library.$context).password.hash(password);
    },

    /** Is this the password of the account? An account without one has none that is right. */
    async provesPassword(userId: string, given: string): Promise<boolean> {
      const { internalAdapter, password } = await library.$context;
      const hash = (await internalAdapter.findCredentialAccount(userId))?.password;
      return !!hash && password.verify({ hash, password: given });
    },

    /** True for an account without a password whose session began after `since`. */
    async isFreshWithoutPassword({ id, sessionId }: SignedInPerson, since: Date): Promise<boolean> {
      const { internalAdapter } = await library.$context;
      if ((await internalAdapter.findCredentialAccount(id))?.password) return false;
      const session = (await internalAdapter.listSessions(id)).find((own) => own.id === sessionId);
      return session !== undefined && session.createdAt > since;
    },

    /** The account whose password this browser has shown, and which owes the second factor; null for none. */
    async findChallenged(headers: Headers): Promise<{ id: string; email: string; until: Date } | null> {
      const { createAuthCookie, internalAdapter } = await library.$context;
      const held = parseCookies(headers.get("cookie") ?? "").get(createAuthCookie("two_factor").name) ?? "";
      const identifier = held.slice(0, held.lastIndexOf("."));
      // The library itself checks the signature when the code comes; until then the name alone is secret enough.
      if (!/^2fa-(?!attempts-)[\w-]+$/.test(identifier)) return null;
      const found = await rethrowSwallowedDatabaseError(() => internalAdapter.findVerificationValue(identifier));
      const user = found && (await rethrowSwallowedDatabaseError(() => internalAdapter.findUserById(found.value)));
      return user && { id: user.id, email: user.email, until: found.expiresAt };
    },

    /** The page that follows the provider for a state; null for an unknown state. */
    async findOidcTarget(state: string): Promise<unknown> {
      const { internalAdapter } = await library.$context;
      if (!/^(?!2fa-)[\w-]{32}$/.test(state)) return null;
      const row = await rethrowSwallowedDatabaseError(() => internalAdapter.findVerificationValue(state));
      return row?.value.startsWith("{") ? (JSON.parse(row.value) as { target?: unknown }).target : null;
    },

    /** Has the library write its own rows inside a transaction of ours: they are committed with ours, or not at all. */
    async inTransaction<T>(
      em: SqlEntityManager,
      work: (accounts: Awaited<typeof library.$context>["internalAdapter"], rows: BetterAuthPluginStore) => Promise<T>,
    ): Promise<T> {
      const { options, internalAdapter, secretConfig: key } = await library.$context;
      const kysely = em.getKysely<unknown>().withPlugin(datesForSignIn).withSchema(schemaName);
      const adapter = kyselyAdapter(kysely, { type: "postgres" })(options);
      const seal = (data: string) => symmetricEncrypt({ key, data });
      const open = (data: string) => symmetricDecrypt({ key, data });
      const randomString = (length: number) => generateRandomString(length, "a-z", "0-9");
      return runWithAdapter(adapter, () => work(internalAdapter, { adapter, seal, open, randomString }));
    },
  };
}

export type AccountAdapter = Parameters<Parameters<BetterAuth["inTransaction"]>[1]>[0];
export type BetterAuth = ReturnType<typeof createBetterAuth>;

const TIMESTAMP = /^\d{4,}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00(:?00)?$/;
/** The library's own timestamp columns; any other text column may look like a timestamp and must stay text. */
const COLUMN = /(?:At|Time|Until)$|^revoked$/;

/**
 * Converts timestamps to dates. The ORM's connection returns texts, but the sign-in library compares dates. Without
 * this, an expired session would stay valid, because comparisons with text are never true.
 */
const datesForSignIn: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  async transformResult({ result }) {
    for (const row of result.rows)
      for (const [name, value] of Object.entries(row))
        if (typeof value === "string" && COLUMN.test(name) && TIMESTAMP.test(value))
          row[name] = new Date(value.replace(" ", "T").replace(/\+00(:?00)?$/, "Z"));
    return result;
  },
};
