// The token and revocation endpoints in front of the library's, and the claims of our access tokens: client and grant.
// An access token is signed and not looked up, so the library cannot end it; ours end with their grant. A repeated code
// and a revoked token of either kind end the grant (RFC 7009 §2.1, RFC 9700 §4.14), and nothing of another grant.

import { verifyJwsAccessToken } from "better-auth/oauth2";
import type { Orm } from "../../store/db/orm.ts";
import { getKysely, runStatement } from "../../store/db/statement.ts";
import {
  findGrantsOfUsedCode,
  findRedirectUriOfCode,
  storePresentedCodeOnGrant,
} from "../../store/queries/connections.ts";
import { GRANT_CLAIM, type Grants } from "./consent_grants.ts";
import { hashOAuthSecret } from "./hash_oauth_secret.ts";
import { createRefreshTokens } from "./refresh_token_reuse.ts";
import { readTokenRequest } from "./token_request.ts";

type Handler = (request: Request) => Promise<Response>;

const saidBy = async (answer: Response) =>
  (await answer
    .clone()
    .json()
    .catch(() => null)) as { error?: string } | null;

/** Wraps the library's handler; other routes pass through. `base` is the library's own path. */
export function wrapHandlerWithTokenEndpoints(options: {
  handler: Handler;
  base: string;
  publicUrl: string;
  orm: Orm;
  grants: Grants;
  readAccessToken: ReadAccessToken;
}): Handler {
  const { handler, base, publicUrl, orm, grants, readAccessToken } = options;
  const kysely = getKysely(orm);
  const refreshTokens = createRefreshTokens({ orm, grants });

  async function exchange(request: Request): Promise<Response> {
    const read = await readTokenRequest(request, kysely, publicUrl);
    const type = read.fields.get("grant_type");
    if (type === "refresh_token") return refreshTokens.refresh(read, handler);
    if (type !== "authorization_code") return handler(read.forward());
    const code = hashOAuthSecret(read.fields.get("code") ?? "");
    // OAuth 2.1 and the first MCP clients send none, because the PKCE verifier identifies the requester of the code.
    if (!read.fields.get("redirect_uri") && read.fields.get("code_verifier")) {
      const [sent] = await runStatement(kysely, findRedirectUriOfCode, { code });
      read.fields.set("redirect_uri", sent?.redirect_uri ?? "");
    }
    await runStatement(kysely, storePresentedCodeOnGrant, { code });
    const answer = await handler(read.forward());
    if (!answer.ok)
      for (const { id } of await runStatement(kysely, findGrantsOfUsedCode, { code })) await grants.end(id);
    return answer;
  }

  async function revoke(request: Request): Promise<Response> {
    const { fields, clientId, forward } = await readTokenRequest(request, kysely, publicUrl);
    const token = (fields.get("token") ?? "").replace(/^(Bearer|DPoP) +/i, "");
    const read = await readAccessToken(token);
    const held =
      read ??
      (await refreshTokens.find(token).then((row) => row && { grantId: row.grant_id, clientId: row.client_id }));
    const answer = await handler(forward());
    const refusal = answer.ok ? null : await saidBy(answer);
    // Two refusals of the library are answered as success. In the first it knows the token, but cannot end a signed
    // one. In the second it knows no such token, which "does not cause an error response" (RFC 7009 §2.2).
    const signed = refusal?.error === "unsupported_token_type";
    const unknown = answer.status === 400 && refusal?.error === "invalid_request" && token !== "";
    if (!answer.ok && !signed && !unknown) return answer;
    if (held?.grantId && held.clientId === clientId) await grants.end(held.grantId);
    return answer.ok ? answer : new Response(null, { status: 200, headers: { "cache-control": "no-store" } });
  }

  return (request) => {
    const { pathname } = new URL(request.url);
    if (request.method === "POST" && pathname === `${base}/oauth2/token`) return exchange(request);
    if (request.method === "POST" && pathname === `${base}/oauth2/revoke`) return revoke(request);
    return handler(request);
  };
}

/** Reads tokens signed by `jwks` for this issuer and this very resource; null for any other. */
export function createAccessTokenReader(options: {
  jwks: Extract<Parameters<typeof verifyJwsAccessToken>[1]["jwksFetch"], () => unknown>;
  issuer: string;
  audience: string;
}) {
  const { jwks, issuer, audience } = options;
  const jwksCacheKey = {};
  return async (token: string) => {
    const claims = await verifyJwsAccessToken(token, {
      jwksFetch: jwks,
      jwksCacheKey,
      verifyOptions: { issuer, audience },
    }).catch(() => null);
    if (!claims) return null;
    // A token with a client's key needs a proof, which is not supported here.
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
      /** ISO 8601. */
      expiresAt: typeof claims.exp === "number" ? new Date(claims.exp * 1000).toISOString() : null,
    };
  };
}

type ReadAccessToken = ReturnType<typeof createAccessTokenReader>;
