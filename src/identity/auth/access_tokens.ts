// What an access token of ours says. It says who asks and under which grant; what that allows is not in it.

import { verifyJwsAccessToken } from "better-auth/oauth2";
import { GRANT_CLAIM } from "./grants.ts";

export interface AccessToken {
  userId: string;
  clientId: string;
  grantId: string;
  scopes: string[];
  /** ISO 8601. */
  expiresAt: string | null;
}

export type ReadAccessToken = (token: string) => Promise<AccessToken | null>;

/** Reads tokens signed by `jwks` for this issuer and this very resource; null for any other. */
export function createAccessTokenReader(options: {
  jwks: Extract<Parameters<typeof verifyJwsAccessToken>[1]["jwksFetch"], () => unknown>;
  issuer: string;
  audience: string;
}): ReadAccessToken {
  const { jwks, issuer, audience } = options;
  const jwksCacheKey = {};
  return async (token) => {
    const claims = await verifyJwsAccessToken(token, {
      jwksFetch: jwks,
      jwksCacheKey,
      verifyOptions: { issuer, audience },
    }).catch(() => null);
    if (!claims) return null;
    // A token bound to a key of its client is worth nothing without the proof, which is not asked for here.
    if (claims.cnf !== undefined) return null;
    const { sub, [GRANT_CLAIM]: grantId } = claims;
    const clientId = claims.azp ?? claims.client_id;
    if (typeof sub !== "string" || typeof clientId !== "string" || typeof grantId !== "string") return null;
    return {
      userId: sub,
      clientId,
      grantId,
      scopes: String(claims.scope ?? "")
        .split(" ")
        .filter(Boolean),
      expiresAt: typeof claims.exp === "number" ? new Date(claims.exp * 1000).toISOString() : null,
    };
  };
}
