// The authorization server's own routes: only those that a client of OAuth needs. Signing in, consent and everything else
// that the library could serve goes through our pages.

import type { H3, H3Event } from "h3";
import type { SignInLibrary } from "../auth/sign_in_library.ts";
import { ApiError } from "../errors.ts";
import { ALL_SCOPES } from "../scopes.ts";
import { jsonAnswer } from "./answers.ts";
import { readBytes } from "./body.ts";

const ROUTES: [method: "GET" | "POST", path: string][] = [
  ["GET", "/.well-known/oauth-protected-resource"],
  ["GET", "/.well-known/oauth-protected-resource/mcp"],
  ["GET", "/.well-known/oauth-authorization-server/api/auth"],
  ["GET", "/api/auth/.well-known/oauth-authorization-server"],
  ["GET", "/api/auth/.well-known/openid-configuration"],
  ["GET", "/api/auth/jwks"],
  ["POST", "/api/auth/oauth2/token"],
  ["POST", "/api/auth/oauth2/revoke"],
];

export function addAuthorizationRoutes(app: H3, library: SignInLibrary): void {
  const handle = async (event: H3Event) => {
    const read = await readWhole(event.req as unknown as Request);
    return read instanceof ApiError ? oauthRefusal(read) : library.handler(read);
  };
  for (const [method, path] of ROUTES) app.on(method, path, handle);
  app.on("GET", "/api/auth/oauth2/authorize", (event) =>
    library.handler(withNamedScopes(event.req as unknown as Request)),
  );
  app.on("POST", "/api/auth/oauth2/register", async (event) => {
    const read = await readWhole(event.req as unknown as Request);
    return read instanceof ApiError ? oauthRefusal(read) : library.handler(await asNative(read));
  });
}

/** The same request with its body read: the library would read one without a bound, and fail in its own words. */
async function readWhole(request: Request): Promise<Request | ApiError> {
  const { url, method, headers } = request;
  if (method === "GET" || method === "HEAD") return new Request(url, { method, headers });
  const body = await readBytes(request);
  return body instanceof ApiError ? body : new Request(url, { method, headers, body });
}

/** "answers in OAuth's own error shape" (RFC 6749 §5.2, RFC 7591 §3.2.2). */
function oauthRefusal({ message }: ApiError): Response {
  return jsonAnswer(400, { error: "invalid_request", error_description: message });
}

/** What an assistant gets to ask for that names no scope: to look, never to change or send. */
const UNNAMED = ["offline_access", ...ALL_SCOPES.filter((scope) => scope.endsWith(":read"))].join(" ");

/** The library would take a request without scopes for one that names them all. */
function withNamedScopes(request: Request): Request {
  const url = new URL(request.url);
  if (url.searchParams.get("scope")?.trim()) return request;
  url.searchParams.set("scope", UNNAMED);
  return new Request(url, { headers: request.headers });
}

/**
 * Clients older than the 2026 protocol register without `application_type`. One whose every redirect goes to loopback
 * (or to a scheme of its own) is an application on the person's machine.
 */
async function asNative(request: Request): Promise<Request> {
  const body = (await request.json().catch(() => null)) as Record<string, unknown> | null;
  const uris = body?.redirect_uris;
  if (
    body &&
    body.application_type === undefined &&
    Array.isArray(uris) &&
    uris.length > 0 &&
    uris.every(isLocal)
  )
    body.application_type = "native";
  // What a client may ask for is decided by a person each time, also when it steps up beyond what it registered with.
  if (body) delete body.scope;
  const headers = new Headers(request.headers);
  headers.delete("content-length");
  return new Request(request.url, { method: "POST", headers, body: JSON.stringify(body) });
}

function isLocal(uri: unknown): boolean {
  const url = typeof uri === "string" ? URL.parse(uri) : null;
  if (!url) return false;
  if (url.protocol === "https:") return false;
  return url.protocol !== "http:" || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
}
