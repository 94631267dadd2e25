// An authorization request, from the browser that brought it to where that browser goes next: sign-in, consent, or the
// assistant. Nobody is sent to a stranger's address by this server: an error goes there only for somebody who is signed in
// and has let that assistant in before; anybody else reads it here.

import { type ApiError, invalidRequest } from "../../model/errors.ts";
import { BASE_SCOPES } from "../../model/scopes.ts";
import type { Orm } from "../../store/db/orm.ts";
import { databaseOf, run } from "../../store/db/statement.ts";
import { findClient } from "../../store/queries/connections.ts";
import type { ClientDocuments } from "./client_documents.ts";
import { AUTH_PATH } from "./discovery.ts";
import { parameterProblem } from "./oauth_error.ts";
import type { SignInLibrary } from "./sign_in_library.ts";

/** What is understood; "unrecognized request parameters" are ignored (RFC 6749 §3.1). */
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

const OFFLINE = "offline_access";
/** The scopes of an assistant that names none: it may look and write drafts, and never send. */
const UNNAMED = [OFFLINE, ...BASE_SCOPES];

const AGAIN = "Remove this server in the assistant and add it again.";
const UNASKED =
  "The assistant wanted to go on without asking you, and may not. Start again from the assistant.";

/** What a person can do about each error that the library would send to the assistant. */
const SENTENCES: Record<string, string> = {
  invalid_client: `This server does not know the assistant that sent you, or no longer does. ${AGAIN}`,
  invalid_redirect: `The assistant wants its answer at an address that it did not register. ${AGAIN}`,
  invalid_scope: `The assistant asked for a permission that does not exist here. Update it, or: ${AGAIN}`,
  invalid_target:
    "The assistant asked for access to another service than this one. Check the address under which this server was added to it.",
  login_required: UNASKED,
  consent_required: UNASKED,
  interaction_required: UNASKED,
  account_selection_required: UNASKED,
};

function refused(error: string | null): ApiError {
  return invalidRequest(
    (error !== null && Object.hasOwn(SENTENCES, error) && SENTENCES[error]) ||
      `The assistant sent a request that cannot be carried on. Start again from the assistant; if it stays so: ${AGAIN}`,
  );
}

export interface Onward {
  /** A page of ours, or the assistant's own address. */
  goTo: string;
  cookies: string[];
}

export type Authorize = ReturnType<typeof createAuthorize>;

export function createAuthorize(options: {
  orm: Orm;
  library: SignInLibrary;
  documents: ClientDocuments;
  publicUrl: string;
}) {
  const { orm, library, documents, publicUrl } = options;
  const kysely = databaseOf(orm);
  const own = new URL(publicUrl).origin;

  /**
   * `userId` is the signed-in person's, `address` the visitor's.
   * @throws 422 with what the person can do about it, 429.
   */
  return async (request: Request, userId: string | null, address: string | null): Promise<Onward> => {
    const sent = new URL(request.url).searchParams;
    if (parameterProblem(sent)) throw refused(null);
    const clientId = sent.get("client_id") ?? "";
    await documents.know(clientId, address);
    const [client] = await run(kysely, findClient, { client_id: clientId, user_id: userId });

    const url = new URL(`${publicUrl}${AUTH_PATH}/oauth2/authorize`);
    for (const name of UNDERSTOOD)
      for (const value of sent.getAll(name)) url.searchParams.append(name, value);
    // The library would take a request without scopes for one that names them all.
    const named = (sent.get("scope") ?? "").split(" ").filter(Boolean);
    const scopes = new Set(named.length > 0 ? named : UNNAMED);
    // Whoever registered for refresh tokens means to get one, though older clients never ask.
    if (client?.grant_types?.includes("refresh_token")) scopes.add(OFFLINE);
    url.searchParams.set("scope", [...scopes].join(" "));

    // The request is made as a browser makes it, so that the answer is always a redirect.
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
    // A code is given at once only for what the person granted before. The client's own address may hold anything, so a
    // parameter named code in it proves nothing when there is an error as well, or when nobody is signed in.
    const code = userId !== null && error === null && next.hash === "" && next.searchParams.has("code");
    if (code || client?.approved) return onward;
    throw refused(error);
  };
}
