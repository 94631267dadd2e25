// Clients of the authorization server: their registration, with limits in size and per minute and address. The rows
// belong to the sign-in library; this file checks their content. It also handles the step-up of clients with a refresh
// token. SDK 1 reacts to "insufficient_scope" with a refresh, which returns the same scopes, and then gives up. So a
// refresh directly after that error is refused with a code that sends the client to the person. Other refreshes are not
// affected.

import { randomBytes } from "node:crypto";
import { newUuid, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { LIMITS } from "../../model/limits.ts";
import type { Orm } from "../../store/db/orm.ts";
import { getKysely, runStatement } from "../../store/db/statement.ts";
import type { Caller } from "../../store/handler_context.ts";
import { claimScopeChallenge, storeOAuthClient, storeScopeChallenge } from "../../store/queries/connections.ts";
import { createRateLimitHeaders, type RateLimiter } from "../../store/rate_limits/rate_limits.ts";
import { type ClientMetadata, parseClientMetadata } from "./client_metadata_fields.ts";
import { hashOAuthSecret } from "./hash_oauth_secret.ts";
import { OAuthError } from "./oauth_error.ts";
import { loopbackAlternatives } from "./redirect_uris.ts";
import type { SignInLibrary } from "./sign_in_library.ts";

export type OAuthClients = ReturnType<typeof createOAuthClients>;

export function createOAuthClients(options: {
  orm: Orm;
  library: Pick<SignInLibrary, "prepare">;
  limits: RateLimiter;
  resource: string;
  /** Schemes that the operator adds to the known ones. */
  schemes: readonly string[];
  /** Registrations of one address in a minute. */
  perMinute: number;
  now: () => Date;
}) {
  const { orm, library, limits, resource, schemes, perMinute, now } = options;
  const kysely = getKysely(orm);
  const policy = { name: "client-registrations", max: perMinute, seconds: LIMITS.window_seconds };

  /** Stores a client under its id, or updates a known one. */
  async function keep(id: string, metadata: ClientMetadata, secret: string | null): Promise<void> {
    await library.prepare();
    await runStatement(kysely, storeOAuthClient, {
      id: newUuid(),
      client_id: id,
      secret: secret && hashOAuthSecret(secret),
      name: metadata.client_name ?? null,
      uri: metadata.client_uri ?? null,
      redirect_uris: [...new Set(metadata.redirect_uris.flatMap(loopbackAlternatives))],
      grant_types: metadata.grant_types,
      response_types: metadata.response_types,
      auth_method: metadata.token_endpoint_auth_method,
      application_type: metadata.application_type,
      link_id: newUuid(),
      resource,
    });
  }

  return {
    keep,

    /**
     * Registers a client (RFC 7591). `address` is what registrations are counted by; null is not counted.
     * @throws OAuthError
     */
    async register(said: unknown, address: string | null) {
      const metadata = parseClientMetadata(said, { schemes, method: "client_secret_basic" });
      // The call is counted last, so that a refused registration uses up nothing.
      if (address !== null) {
        const taken = await limits.take(policy, address);
        if (!taken.allowed)
          throw new OAuthError(
            "temporarily_unavailable",
            `Too many registrations from this address. Try again in ${taken.resetSeconds} seconds.`,
            { status: 429, headers: createRateLimitHeaders(policy, taken) },
          );
      }
      const id = randomBytes(24).toString("base64url");
      const secret = metadata.token_endpoint_auth_method === "none" ? null : randomBytes(32).toString("base64url");
      await keep(id, metadata, secret);
      return {
        client_id: id,
        client_id_issued_at: Math.floor(now().getTime() / 1000),
        // Shown once, only to a client that needs one; 0 means no expiry.
        ...(secret === null ? {} : { client_secret: secret, client_secret_expires_at: 0 }),
        ...metadata,
      };
    },
  };
}

/** A client that means to step up comes back at once. */
const WITHIN_SECONDS = 15;

export type OAuthScopeStepUps = ReturnType<typeof createOAuthScopeStepUps>;

/** @param isLow true if writes are refused; then tokens are not refreshed either */
export function createOAuthScopeStepUps({ orm, isLow }: { orm: Orm; isLow: () => boolean }) {
  const kysely = getKysely(orm);
  return {
    /** Records the scope challenge of this caller; nothing for one that cannot request more. */
    async remember({ credential }: Caller): Promise<void> {
      if (isLow()) return;
      const connection = credential.type === "oauth" ? parseIdOrNull("con", credential.id) : null;
      if (connection) await runStatement(kysely, storeScopeChallenge, { connection_id: connection });
    },

    /** @throws OAuthError once, if the holder of this refresh token just got a scope challenge */
    async refuseRefresh(token: string): Promise<void> {
      const [taken] = await runStatement(kysely, claimScopeChallenge, {
        token: hashOAuthSecret(token),
        seconds: WITHIN_SECONDS,
      });
      if (taken)
        throw new OAuthError(
          "interaction_required",
          "A refresh token cannot add scopes. Send the user to the authorization endpoint to grant more.",
        );
    },
  };
}
