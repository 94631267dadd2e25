// What the token and revocation endpoints do beyond the library, and what an access token of ours says: who asks and under
// which grant. It is signed and asked of nobody, so the library cannot end it; ours end with their grant. A code or a refresh
// token that comes twice, and a revoked token of either kind, end the grant (RFC 7009 §2.1, RFC 9700 §4.14), and with it
// nothing of another grant. A refresh token whose answer was lost on the way is answered once more, within seconds and to its
// own client.

import { createHash } from "node:crypto";
import { verifyJwsAccessToken } from "better-auth/oauth2";
import { showId } from "../../model/domain/ids.ts";
import { auditLines, writeEnd } from "../../operation/audit.ts";
import type { Orm } from "../../store/db/orm.ts";
import { databaseOf, run } from "../../store/db/statement.ts";
import {
  findRefreshToken,
  grantsOfSpentCode,
  rememberCode,
  returnReplay,
  takeReplay,
} from "../../store/queries/connections.ts";
import { clientName } from "./client_metadata.ts";
import { GRANT_CLAIM, type Grants } from "./grants.ts";

type Handler = (request: Request) => Promise<Response>;

/** As the library keeps codes and refresh tokens. */
const hashOf = (secret: string) => createHash("sha256").update(secret).digest("base64url");

/** The fields of a form. Both endpoints take nothing else. */
async function fieldsOf(request: Request): Promise<{ fields: URLSearchParams; again: Request }> {
  const body = await request.arrayBuffer();
  const { url, method, headers } = request;
  return {
    fields: new URLSearchParams(new TextDecoder().decode(body)),
    again: new Request(url, { method, headers, body }),
  };
}

/** The client that a request says it is from; the library has checked it when it answers without a refusal. */
function clientOf(fields: URLSearchParams, headers: Headers): string | null {
  const named = fields.get("client_id");
  if (named) return named;
  try {
    const basic = /^Basic +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
    if (basic) return decodeURIComponent(Buffer.from(basic, "base64").toString("utf8").replace(/:.*/s, ""));
    const assertion = fields.get("client_assertion")?.split(".")[1] ?? "";
    return JSON.parse(Buffer.from(assertion, "base64url").toString("utf8")).sub ?? null;
  } catch {
    return null;
  }
}

const saidBy = async (answer: Response) =>
  (await answer
    .clone()
    .json()
    .catch(() => null)) as { error?: string } | null;

/** Runs work under the same key one after another, in this process. */
function createTurns() {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const own = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, own);
    try {
      return await own;
    } finally {
      if (last.get(key) === own) last.delete(key);
    }
  };
}

/** Puts itself in front of the library's handler; any other route goes through. `base` is the library's own path. */
export function withTokenEndpoints(options: {
  handler: Handler;
  base: string;
  orm: Orm;
  grants: Grants;
  readAccessToken: ReadAccessToken;
}): Handler {
  const { handler, base, orm, grants, readAccessToken } = options;
  const kysely = databaseOf(orm);
  const refreshToken = async (token: string) =>
    (await run(kysely, findRefreshToken, { token: hashOf(token) }))[0];
  type Held = NonNullable<Awaited<ReturnType<typeof refreshToken>>>;
  const inTurn = createTurns();

  /** Tells the workspace of the connection that a token came again. */
  async function note(held: Held, status: "failed" | null): Promise<void> {
    if (held.connection_id === null) return;
    const actor = {
      workspace_id: held.workspace_id,
      actor_type: "oauth",
      actor_id: showId("con", held.connection_id),
      actor_name: clientName(held.name),
      member_id: held.member_id,
      transport: "mcp",
    } as const;
    await writeEnd(kysely, auditLines(actor, "reuse_refresh_token", {}, { status }), []);
  }

  async function refresh(
    token: string,
    client: string | null,
    ask: () => Promise<Response>,
  ): Promise<Response> {
    const held = await refreshToken(token);
    if (!held?.spent || !held.grant_id) return ask();
    const [taken] =
      client === null ? [] : await run(kysely, takeReplay, { token: hashOf(token), client_id: client });
    if (taken) {
      const answer = await ask();
      if (answer.ok) await note(held, null);
      else await run(kysely, returnReplay, taken);
      return answer;
    }
    // The grant is ended before the library sees the request, because the library would end everything that the client
    // holds of this person.
    await grants.end(held.grant_id);
    await note(held, "failed");
    return ask();
  }

  async function exchange(request: Request): Promise<Response> {
    const { fields, again } = await fieldsOf(request);
    const type = fields.get("grant_type");
    if (type === "refresh_token") {
      const token = fields.get("refresh_token") ?? "";
      // A repeat at the same moment waits until there is an answer to repeat.
      return inTurn(hashOf(token), () =>
        refresh(token, clientOf(fields, request.headers), () => handler(again)),
      );
    }
    if (type !== "authorization_code") return handler(again);
    const code = hashOf(fields.get("code") ?? "");
    await run(kysely, rememberCode, { code });
    const answer = await handler(again);
    if (!answer.ok) for (const { id } of await run(kysely, grantsOfSpentCode, { code })) await grants.end(id);
    return answer;
  }

  async function revoke(request: Request): Promise<Response> {
    const { fields, again } = await fieldsOf(request);
    const token = (fields.get("token") ?? "").replace(/^(Bearer|DPoP) +/i, "");
    const read = await readAccessToken(token);
    const held =
      read ??
      (await refreshToken(token).then((row) => row && { grantId: row.grant_id, clientId: row.client_id }));
    const answer = await handler(again);
    const refusal = answer.ok ? null : await saidBy(answer);
    // Two refusals of the library are answered as success. In the first it knows the token, but cannot end a signed one. In
    // the second it knows no such token, which "does not cause an error response" (RFC 7009 §2.2).
    const signed = refusal?.error === "unsupported_token_type";
    const unknown = answer.status === 400 && refusal?.error === "invalid_request" && token !== "";
    if (!answer.ok && !signed && !unknown) return answer;
    if (held?.grantId && held.clientId === clientOf(fields, request.headers)) await grants.end(held.grantId);
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
      /** ISO 8601. */
      expiresAt: typeof claims.exp === "number" ? new Date(claims.exp * 1000).toISOString() : null,
    };
  };
}

export type ReadAccessToken = ReturnType<typeof createAccessTokenReader>;
