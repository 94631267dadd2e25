// Authorization requests: from the browser's request to its next page, which is sign-in, consent or the assistant. This
// server never redirects to a stranger's URL: an error is only sent there for a signed-in person who approved that
// assistant before. All others see it here.

import { type ApiError, invalidRequest } from "../../model/api_error.ts";
import { ALL_SCOPES, INITIAL_ASSISTANT_SCOPES } from "../../model/scopes.ts";
import type { Orm } from "../../store/db/orm.ts";
import { getKysely, runStatement } from "../../store/db/statement.ts";
import { findOAuthClient } from "../../store/queries/connections.ts";
import { canonicalizeOwnResources, getMcpResourceUrl } from "./canonical_resource_indicator.ts";
import type { ClientMetadataDocuments } from "./client_metadata_documents.ts";
import { AUTH_PATH, OFFLINE_SCOPE } from "./oauth_discovery.ts";
import { findOAuthSyntaxProblem } from "./oauth_error.ts";
import type { SignInLibrary } from "./sign_in_library.ts";

/** The supported parameters; "unrecognized request parameters" are ignored (RFC 6749 §3.1). */
const UNDERSTOOD = [
  "client_id",
  "response_type",
  "redirect_uri",
  "scope",
  "state",
  "code_challenge",
  "code_challenge_method",
  "resource",
  "prompt",
  "max_age",
];

const AGAIN = "Remove this server in the assistant and add it again.";
const UNASKED = "The assistant tried to connect without your consent. Start again from the assistant.";

/** The advice for a person about each error that the library would send to the assistant. */
const SENTENCES: Record<string, string> = {
  invalid_client: `This assistant is not registered on this server. ${AGAIN}`,
  invalid_redirect: `The assistant did not register this redirect address. ${AGAIN}`,
  invalid_target:
    "The assistant requested access to a different service. Check the server address in the assistant's settings.",
  login_required: UNASKED,
  consent_required: UNASKED,
  interaction_required: UNASKED,
  account_selection_required: UNASKED,
};

function refused(error: string | null): ApiError {
  return invalidRequest(
    "invalid_value",
    (error !== null && Object.hasOwn(SENTENCES, error) && SENTENCES[error]) ||
      `The assistant’s request is not valid. Start again from the assistant. If that fails: ${AGAIN}`,
  );
}

/**
 * Keeps the known scopes of a request. Without any, an assistant may read and write drafts, and never send. A client
 * that registered for refresh tokens gets one, because older clients do not request it.
 */
function scopesOf(requested: string | null, grants: readonly string[]): string[] {
  const known = ALL_SCOPES.filter((scope) => (requested ?? "").split(" ").includes(scope));
  return [
    ...(grants.includes("refresh_token") ? [OFFLINE_SCOPE] : []),
    ...(known.length > 0 ? known : INITIAL_ASSISTANT_SCOPES),
  ];
}

interface AuthorizeRedirect {
  /** A page of ours, or the assistant's own address. */
  goTo: string;
  cookies: string[];
}

export type AuthorizeHandler = ReturnType<typeof createAuthorizeHandler>;

export function createAuthorizeHandler(options: {
  orm: Orm;
  library: SignInLibrary;
  documents: ClientMetadataDocuments;
  publicUrl: string;
}) {
  const { orm, library, documents, publicUrl } = options;
  const kysely = getKysely(orm);
  const own = new URL(publicUrl).origin;

  /**
   * `userId` is the signed-in person's, `address` the visitor's.
   * @throws 422 with what the person can do about it, 429.
   */
  return async (request: Request, userId: string | null, address: string | null): Promise<AuthorizeRedirect> => {
    const sent = new URL(request.url).searchParams;
    if (findOAuthSyntaxProblem(sent)) throw refused(null);
    const clientId = sent.get("client_id") ?? "";
    await documents.know(clientId, address);
    const [client] = await runStatement(kysely, findOAuthClient, { client_id: clientId, user_id: userId });

    const url = new URL(`${publicUrl}${AUTH_PATH}/oauth2/authorize`);
    for (const name of UNDERSTOOD) for (const value of sent.getAll(name)) url.searchParams.append(name, value);
    url.searchParams.set("scope", scopesOf(sent.get("scope"), client?.grant_types ?? []).join(" "));
    canonicalizeOwnResources(url.searchParams, publicUrl);
    // Clients of older protocol versions name no resource; a token for none would be refused by /mcp.
    if (!url.searchParams.has("resource")) url.searchParams.set("resource", getMcpResourceUrl(publicUrl));

    // The request is made like a browser's, so that the response is always a redirect.
    const headers = new Headers({ "sec-fetch-mode": "navigate", accept: "text/html" });
    const cookie = request.headers.get("cookie");
    if (cookie) headers.set("cookie", cookie);
    const answer = await library.handler(new Request(url, { headers }));
    const location = answer.headers.get("location");
    if (location === null) throw refused(null);
    const next = new URL(location, own);
    const onward = { goTo: location, cookies: answer.headers.getSetCookie() };

    if (next.origin === own && next.pathname.startsWith("/console/")) return onward;
    const error = next.searchParams.get("error") ?? new URLSearchParams(next.hash.slice(1)).get("error");
    if (next.origin === own && next.pathname === `${AUTH_PATH}/error`) throw refused(error);
    // A code is only issued at once for earlier permissions. The client's own URL may contain anything, so a parameter
    // named code proves nothing with an error, or without a signed-in person.
    const code = userId !== null && error === null && next.hash === "" && next.searchParams.has("code");
    if (code || client?.approved) return onward;
    throw refused(error);
  };
}
