// The commands `belfry login`, `belfry logout` and `belfry open`. A login is the OAuth flow of native programs
// (RFC 8252): a browser, a redirect to this machine, and PKCE.

import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { LOOPBACK_HOSTS, supportsOAuth } from "../../identity/auth/redirect_uris.ts";
import { ApiError } from "../../model/api_error.ts";
import { ALL_SCOPES, isScope } from "../../model/scopes.ts";
import { type Login, postForm, readLogin, removeLogin, requestTokens, storeLogin } from "./login_store.ts";
import { printNote, printResult, UsageError } from "./output.ts";
import { createUnreachableError, wrongServerError } from "./server_connection.ts";

const CLIENT_NAME = "Belfry command line";
/** The time that a person has to sign in. */
const CONSENT_MS = 10 * 60_000;
const ANSWER_MS = 30_000;

interface Metadata {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  registration_endpoint: string;
  revocation_endpoint: string;
  scopes_supported: string[];
}

/** Opens the console of the server in a browser. */
export async function openConsole(url: string): Promise<void> {
  const address = `${url}/console`;
  printResult({ url: address, opened: await openBrowser(address) });
}

/**
 * Signs in with a browser and stores the tokens. `scopes`: `all`, or a comma-separated list.
 * @throws ApiError, UsageError
 */
export async function logIn(url: string, scopes: string): Promise<void> {
  const asked = parseScopes(scopes);
  if (!supportsOAuth(url)) throw unsupportedLoginError(url);
  const { resource } = await getJson<{ resource: string }>(url, "/.well-known/oauth-protected-resource/mcp");
  const server = await getJson<Metadata>(url, "/.well-known/oauth-authorization-server");
  const { issuer, authorization_endpoint, token_endpoint, registration_endpoint, revocation_endpoint } = server;
  const endpoints = [authorization_endpoint, token_endpoint, registration_endpoint, revocation_endpoint];
  checkOrigins(url, [resource, issuer, ...endpoints]);
  if (!Array.isArray(server.scopes_supported)) throw wrongServerError(url, 200);
  const [verifier, state] = [randomBytes(32), randomBytes(16)].map((bytes) => bytes.toString("base64url")) as [
    string,
    string,
  ];
  const callback = await listenForCallback(state, issuer);
  try {
    const redirect_uri = callback.address;
    // The client of an earlier login may have been removed on the server.
    const client_id = await registerClient(registration_endpoint, redirect_uri);
    const address = new URL(authorization_endpoint);
    const query = {
      response_type: "code",
      client_id,
      redirect_uri,
      state,
      resource,
      scope: (asked ? ["offline_access", ...asked] : server.scopes_supported).join(" "),
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
    };
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
    printNote(`sign in at ${address.href}`);
    await openBrowser(address.href);
    const code = await callback.code;
    const tokens = await requestTokens(token_endpoint, {
      grant_type: "authorization_code",
      client_id,
      redirect_uri,
      code,
      resource,
      code_verifier: verifier,
    });
    if (!tokens)
      throw new ApiError("invalid_credential", "The server did not accept the sign-in. Run belfry login again.");
    const earlier = readLogin(url);
    storeLogin({ url, client_id, token_endpoint, revocation_endpoint, resource, ...tokens });
    if (earlier) await revokeTokens(earlier);
    printResult({ url, logged_in: true, scope: tokens.scope ?? query.scope });
  } finally {
    callback.close();
  }
}

/** Removes the tokens of a login and revokes them. @throws UsageError; ApiError if the server did not revoke them */
export async function logOut(url: string): Promise<void> {
  const login = readLogin(url);
  if (!login) throw new UsageError(`You are not logged in to ${url}.`);
  // The file is removed first: a server that is away must not keep the login here.
  removeLogin(url);
  if (!(await revokeTokens(login)))
    throw new ApiError(
      "no_answer",
      "The tokens were removed from this machine, but the server did not revoke them. End the connection in the " +
        "console.",
    );
  printResult({ url, logged_in: false });
}

/** Revokes the tokens of a login. Returns false if the server did not revoke them. */
const revokeTokens = ({ client_id, refresh_token, revocation_endpoint }: Login): Promise<boolean> =>
  postForm(revocation_endpoint, { client_id, token: refresh_token, token_type_hint: "refresh_token" }).then(
    ({ ok }) => ok,
    () => false,
  );

/** Returns the scopes of a comma-separated list; null for `all`. @throws UsageError */
function parseScopes(text: string): string[] | null {
  const scopes = text.split(",").map((scope) => scope.trim());
  if (scopes.join() === "all") return null;
  if (!scopes.every(isScope))
    throw new UsageError(`--scopes must be "all" or a comma-separated list of ${ALL_SCOPES.join(", ")}.`);
  return [...new Set(scopes)];
}

async function getJson<T>(url: string, path: string): Promise<T> {
  const response = await fetch(url + path, { redirect: "manual", signal: AbortSignal.timeout(ANSWER_MS) }).catch(
    (error) => {
      throw createUnreachableError(url, error);
    },
  );
  if (response.status === 404) throw unsupportedLoginError(url);
  const answer = (await response.json().catch(() => null)) as T | null;
  if (!response.ok || answer === null) throw wrongServerError(url, response.status);
  return answer;
}

const unsupportedLoginError = (url: string) =>
  new UsageError(
    `${url} does not support belfry login, which requires https or a server on this machine. Use a key from the ` +
      "console.",
  );

/**
 * Refuses a server whose metadata names another one. Otherwise it could receive a code that the person granted for the
 * other one (RFC 9700 §4.4). The names of the loopback address are equal. @throws ApiError
 */
function checkOrigins(url: string, addresses: readonly unknown[]): void {
  const originOf = (address: unknown) => {
    const { protocol, hostname = "", port } = URL.parse(String(address)) ?? {};
    return `${protocol}//${LOOPBACK_HOSTS.includes(hostname) ? "localhost" : hostname}:${port}`;
  };
  if (addresses.some((address) => originOf(address) !== originOf(url)))
    throw new ApiError(
      "server_unreachable",
      `The metadata at ${url} gives a different address. Set --url to the server's public address.`,
    );
}

async function registerClient(endpoint: string, redirectUri: string): Promise<string> {
  const body = {
    client_name: CLIENT_NAME,
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  const response = await fetch(endpoint, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    redirect: "manual",
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch(() => null);
  const answer = (await response?.json().catch(() => null)) as { client_id?: string } | null;
  if (!response?.ok || typeof answer?.client_id !== "string")
    throw new ApiError("no_answer", "The server did not register this program. Try again in a minute.");
  return answer.client_id;
}

const PAGE_START = '<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">';
const PAGE = (text: string) => `${PAGE_START}<title>Belfry</title><p>${text}</p>`;

/** Listens on this machine for the redirect of the sign-in. */
async function listenForCallback(state: string, issuer: string) {
  const { promise: code, resolve, reject } = Promise.withResolvers<string>();
  code.catch(() => {});
  const server = createServer((request, response) => {
    const address = URL.parse(request.url ?? "/", "http://127.0.0.1");
    if (!address) {
      response.writeHead(400, { connection: "close" }).end();
      return;
    }
    const { pathname, searchParams } = address;
    const isOurs = pathname === "/callback" && searchParams.get("state") === state;
    const isIssuer = searchParams.get("iss") === issuer;
    const given = searchParams.get("code");
    const isDone = isOurs && isIssuer && given !== null;
    response.writeHead(isOurs ? 200 : 404, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'",
      "cache-control": "no-store",
      connection: "close",
    });
    // The page is sent before the result closes all connections.
    response.once("close", () => {
      if (isDone) resolve(given);
      else if (isOurs)
        reject(new ApiError("invalid_credential", "The sign-in was declined. Run belfry login to try again."));
    });
    response.end(PAGE(isDone ? "You are signed in. You can close this page." : "The sign-in was not completed."));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const timer = setTimeout(
    () => reject(new ApiError("no_answer", "The sign-in was not completed in time. Run belfry login again.")),
    CONSENT_MS,
  );
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    code,
    close: () => {
      clearTimeout(timer);
      server.close();
      // Browsers open connections in advance, and the process would wait for them.
      server.closeAllConnections();
    },
  };
}

const OPENERS: Partial<Record<NodeJS.Platform, [program: string, ...args: string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens an address in the user's browser. Returns false if no program can open it. */
function openBrowser(address: string): Promise<boolean> {
  const [program, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...args, address], { stdio: "ignore", detached: true });
  child.unref();
  return new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("spawn", () => resolve(true));
  });
}
