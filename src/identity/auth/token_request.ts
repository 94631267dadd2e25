// A request to the token or revocation endpoint: its form, the client that it names, and the differences between
// clients that do not matter here.

import type { Kysely } from "kysely";
import { runStatement } from "../../store/db/statement.ts";
import { findOAuthClient } from "../../store/queries/connections.ts";
import { canonicalizeOwnResources } from "./canonical_resource_indicator.ts";
import { OAuthError } from "./oauth_error.ts";

export interface TokenRequest {
  fields: URLSearchParams;
  /** A registered client; null when the request names none. The library checks its secret. */
  clientId: string | null;
  /** The request as the library receives it, with the current fields. */
  forward(): Request;
}

/** User name and password of `Authorization: Basic`, each decoded (RFC 6749 §2.3.1); null for any other header. */
function basicPair(headers: Headers): { id: string; secret: string } | null {
  const encoded = /^Basic +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, "base64").toString("utf8")) ?? [];
  if (id === undefined || secret === undefined) return null;
  try {
    return { id: decodeURIComponent(id), secret: decodeURIComponent(secret) };
  } catch {
    return null;
  }
}

/** Puts a client's secret where the client registered to send it. The library verifies the secret itself. */
function placeSecret(headers: Headers, fields: URLSearchParams, id: string, secret: string, inHeader: boolean) {
  headers.delete("authorization");
  fields.delete("client_secret");
  fields.set("client_id", id);
  const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
  if (inHeader) headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
  else if (secret) fields.set("client_secret", secret);
}

/**
 * Reads a form and normalises it for the library. It drops a public client's secret or assertion, moves a known
 * client's secret to its registered method, and spells our own resource canonically (rules#assistant-tolerance).
 * @throws OAuthError 401 invalid_client for an unregistered client (RFC 6749 §5.2), so that it registers again; 400 for
 * a request with two clients
 */
export async function readTokenRequest(
  request: Request,
  kysely: Kysely<unknown>,
  publicUrl: string,
): Promise<TokenRequest> {
  const { url, method } = request;
  const headers = new Headers(request.headers);
  const fields = new URLSearchParams(await request.text());
  const forward = () => new Request(url, { method, headers, body: fields.toString() });
  canonicalizeOwnResources(fields, publicUrl);

  const pair = basicPair(headers);
  const clientId = fields.get("client_id") || pair?.id || null;
  if (clientId === null) return { fields, clientId, forward };
  const [client] = await runStatement(kysely, findOAuthClient, { client_id: clientId, user_id: null });
  if (!client)
    throw new OAuthError("invalid_client", "The client_id is not registered. Register the client again.", {
      status: 401,
      headers: headers.has("authorization") ? { "www-authenticate": "Basic" } : {},
    });
  if (client.auth_method === "none") {
    placeSecret(headers, fields, clientId, "", false);
    for (const name of ["client_assertion", "client_assertion_type"]) fields.delete(name);
  } else {
    if (pair && pair.id !== clientId)
      throw new OAuthError("invalid_request", "The form and the Authorization header identify different clients.");
    const secret = pair?.secret || fields.get("client_secret");
    if (secret) placeSecret(headers, fields, clientId, secret, client.auth_method === "client_secret_basic");
  }
  return { fields, clientId, forward };
}
