// The routes of the authorization server: only those that an OAuth client needs, with responses in OAuth's format.
// Sign-in, consent and all other functions of the library use our pages.

import type { H3, H3Event } from "h3";
import type { OAuthClients, OAuthScopeStepUps } from "../../identity/auth/oauth_clients.ts";
import {
  AUTH_PATH,
  authorizationServerMetadata,
  protectedResourceMetadata,
} from "../../identity/auth/oauth_discovery.ts";
import { findOAuthSyntaxProblem, OAuthError, validateBasicHeaderCharacters } from "../../identity/auth/oauth_error.ts";
import { supportsOAuth } from "../../identity/auth/redirect_uris.ts";
import type { SignInLibrary } from "../../identity/auth/sign_in_library.ts";
import { ApiError } from "../../model/api_error.ts";
import { toApiError } from "../../store/db/database_unavailable_errors.ts";
import type { Log } from "../../store/handler_context.ts";
import { createJsonResponse, getEventRequest } from "./http_responses.ts";
import { parseJsonBodyOrError, readBodyBytesOrError } from "./request_body.ts";

interface OAuthRouteDeps {
  library: SignInLibrary;
  clients: OAuthClients;
  stepUps: OAuthScopeStepUps;
  publicUrl: string;
  /** @throws ApiError while nothing may be written. */
  mustHaveRoom(): void;
  getRequestLog(event: H3Event): Log;
  /** Returns the address for limits; null if exempt. */
  getLimitKey(event: H3Event): string | null;
}

/** Adds the routes, unless assistants can only connect with keys. */
export function addOAuthRoutes(app: H3, deps: OAuthRouteDeps): void {
  const { library, clients, publicUrl } = deps;
  if (!supportsOAuth(publicUrl)) return;

  /** Adds a route; errors of `answer` get OAuth's format. */
  const on = (method: "GET" | "POST", path: string, answer: (request: Request, event: H3Event) => Promise<Response>) =>
    app.on(method, path, async (event) => {
      try {
        if (method === "POST") deps.mustHaveRoom();
        return await inShape(await answer(getEventRequest(event), event));
      } catch (error) {
        if (!(error instanceof OAuthError)) deps.getRequestLog(event).error({ err: error }, "authorization failed");
        return refusal(error);
      }
    });

  const documents: [path: string, document: object][] = [
    ["/.well-known/oauth-protected-resource", protectedResourceMetadata(publicUrl)],
    ["/.well-known/oauth-protected-resource/mcp", protectedResourceMetadata(publicUrl)],
    [`/.well-known/oauth-authorization-server${AUTH_PATH}`, authorizationServerMetadata(publicUrl)],
    [`${AUTH_PATH}/.well-known/oauth-authorization-server`, authorizationServerMetadata(publicUrl)],
    // Clients of MCP 2025-03-26 look here alone, and read no metadata of the resource.
    ["/.well-known/oauth-authorization-server", authorizationServerMetadata(publicUrl)],
  ];
  for (const [path, document] of documents) on("GET", path, async () => createJsonResponse(200, document, SHORTLY));
  // The library gets nothing of the request, because its response is equal for all.
  on("GET", `${AUTH_PATH}/jwks`, () => library.handler(new Request(`${publicUrl}${AUTH_PATH}/jwks`)));
  on("POST", `${AUTH_PATH}/oauth2/register`, async (request, event) => {
    const { value, problem } = parseJsonBodyOrError(await bytesOf(request));
    if (problem) throw new OAuthError("invalid_client_metadata", problem.message);
    return createJsonResponse(201, await clients.register(value, deps.getLimitKey(event)), NO_STORE);
  });
  const pass = ({ url }: Request, headers: Headers, form: URLSearchParams) =>
    library.handler(new Request(url, { method: "POST", headers, body: form.toString() }));
  on("POST", `${AUTH_PATH}/oauth2/token`, async (request) => {
    const { headers, form } = await formOf(request);
    if (form.get("grant_type") === "refresh_token") await deps.stepUps.refuseRefresh(form.get("refresh_token") ?? "");
    return pass(request, headers, form);
  });
  on("POST", `${AUTH_PATH}/oauth2/revoke`, async (request) => {
    const { headers, form } = await formOf(request);
    const token = form.get("token") ?? "";
    // "Invalid tokens do not cause an error response" (RFC 7009 §2.2); the library takes one that it cannot verify
    // for a fault of its own.
    if (JWT.test(token) && !(await library.readAccessToken(token))) return new Response(null, { headers: NO_STORE });
    return pass(request, headers, form);
  });
}

const JWT = /^[^.]*\.[^.]*\.[^.]*$/;

const NO_STORE = { "cache-control": "no-store" };
/** Equal for all clients, and changed only by a release or a setting. */
const SHORTLY = { "cache-control": "public, max-age=15", "access-control-allow-origin": "*" };

async function bytesOf(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readBodyBytesOrError(request);
  if (bytes instanceof ApiError) throw new OAuthError("invalid_request", bytes.message);
  return bytes;
}

/**
 * A client's form, once every parameter in it is a text that can be looked for, with the headers that are looked at.
 */
async function formOf(request: Request): Promise<{ headers: Headers; form: URLSearchParams }> {
  const headers = new Headers(request.headers);
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers.get("content-type") ?? ""))
    throw new OAuthError(
      "invalid_request",
      "Send the parameters as a form: Content-Type: application/x-www-form-urlencoded.",
    );
  const form = new URLSearchParams(new TextDecoder().decode(await bytesOf(request)));
  const problem = findOAuthSyntaxProblem(form) ?? validateBasicHeaderCharacters(headers.get("authorization"));
  if (problem) throw new OAuthError("invalid_request", problem);
  // Tokens are bearer tokens, because /mcp requires no proof of possession; such a proof is ignored.
  for (const name of ["dpop", "cookie", "content-length"]) headers.delete(name);
  return { headers, form };
}

function refusal(error: unknown): Response {
  const known = error instanceof OAuthError ? error : faultInShape(toApiError(error));
  const body = { error: known.code, error_description: known.message };
  return createJsonResponse(known.status, body, { ...NO_STORE, ...known.headers });
}

/**
 * "The server is currently unable to handle the request due to a temporary overloading" has a word of its own (RFC
 * 6749).
 */
function faultInShape({ status, message, headers }: ApiError): OAuthError {
  return new OAuthError(status === 503 ? "temporarily_unavailable" : "server_error", message, { status, headers });
}

/** The library's messages for these repeat text of the client. */
const OWN_WORDS: Record<string, string> = {
  unsupported_grant_type: "This grant_type is not supported. See grant_types_supported.",
  invalid_scope: "A requested scope does not exist or was not granted.",
  invalid_target: "Access to the resource was not granted, or the resource does not exist on this server.",
};

/** Converts any error of the library to OAuth's format. */
async function inShape(answer: Response): Promise<Response> {
  if (answer.status < 400) return answer;
  const said = (await answer.json().catch(() => null)) as { error?: unknown; error_description?: unknown } | null;
  if (answer.status >= 500) throw new Error(`the library returned ${answer.status}`);
  const error = typeof said?.error === "string" ? said.error : "invalid_request";
  const description = Object.hasOwn(OWN_WORDS, error)
    ? OWN_WORDS[error]
    : typeof said?.error_description === "string"
      ? said.error_description
      : "The request is not valid.";
  const headers: Record<string, string> = { ...NO_STORE };
  for (const name of ["www-authenticate", "retry-after", "connection", "ratelimit", "ratelimit-policy"]) {
    const value = answer.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  // The library answers 400 to some of these; one status for all lets clients recover (RFC 6749 §5.2).
  const status = error === "invalid_client" ? 401 : answer.status;
  return createJsonResponse(status, { error, error_description: description }, headers);
}
