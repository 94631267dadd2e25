// The sign-in library: accounts, sessions and the authorization server on the ORM's own connection. What a signed-in
// person or a connected assistant may do here is decided elsewhere (people.ts and connections.ts beside it).

import { mcp } from "@better-auth/mcp";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { betterAuth } from "better-auth";
import { jwt } from "better-auth/plugins";
import { ALL_SCOPES } from "../scopes.ts";
import { datesForSignIn } from "./dates.ts";

export interface LibraryOptions {
  em: SqlEntityManager;
  secret: string;
  /** Origin under which people and assistants reach the service. */
  publicUrl: string;
}

/** Where the library's own routes live, and so the issuer of tokens. */
export const AUTH_PATH = "/api/auth";

/** Our own pages that the library sends people to. */
export const PAGES = { signIn: "/console/sign-in", consent: "/console/consent" } as const;

/**
 * Assistants connect by OAuth over https, or over http on loopback. On a plain http address in a network people can sign
 * in, and assistants use keys.
 */
export function supportsConsent(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === "https:" || hostname === "localhost" || hostname === "[::1]" || /^127\./.test(hostname);
}

/** Access tokens are looked at again on every request, so their length only bounds how long a key set must be kept. */
const ACCESS_TOKEN_SECONDS = 3600;
const SESSION_SECONDS = 7 * 24 * 3600;
export const MIN_PASSWORD = 10;

export function createSignInLibrary({ em, secret, publicUrl }: LibraryOptions) {
  return betterAuth({
    appName: "Belfry",
    baseURL: publicUrl,
    basePath: AUTH_PATH,
    secret,
    telemetry: { enabled: false },
    logger: { disabled: true },
    database: {
      db: em.getKysely().withPlugin(datesForSignIn) as never,
      type: "postgres",
      schemaName: "auth",
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
        allowDynamicClientRegistration: true,
        allowUnauthenticatedClientRegistration: true,
        accessTokenExpiresIn: ACCESS_TOKEN_SECONDS,
        // Our pages ask in process who a signed request is from; the route is not served.
        allowPublicClientPrelogin: true,
      }),
    ],
  });
}

export type SignInLibrary = ReturnType<typeof createSignInLibrary>;
