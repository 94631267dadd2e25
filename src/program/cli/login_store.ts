// The tokens of `belfry login`: one file for each server, readable only by its user, and the server of the last login.
// A refused access token is refreshed.

import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ApiError } from "../../model/api_error.ts";
import { explainTlsOrHostNameError } from "../../model/connection_error_messages.ts";
import { loadClientSettings } from "../../store/config/load_settings.ts";
import { writePrivateFile } from "../../store/secret/private_file.ts";

export interface Login {
  /** The server as it was named. */
  url: string;
  client_id: string;
  token_endpoint: string;
  revocation_endpoint: string;
  resource: string;
  access_token: string;
  refresh_token: string;
  /** The granted scopes, separated by spaces; absent if the server did not name them. */
  scope?: string;
}

/** The folder for files of this user's programs. */
export const getStateFolder = (): string =>
  join(loadClientSettings().stateHome || join(homedir(), ".local/state"), "belfry");

const fileOf = (url: string) => join(getStateFolder(), `login-${Buffer.from(url).toString("base64url")}.json`);
const lastFile = () => join(getStateFolder(), "last-login.json");

function readFile<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

/** The login to a server, or null. */
export const readLogin = (url: string): Login | null => readFile(fileOf(url));

/** The server of the last login, or null. */
export const readLastServer = (): string | null => readFile<{ url: string }>(lastFile())?.url ?? null;

/** Stores a login, so that its server is the default. */
export function storeLogin(login: Login): void {
  mkdirSync(getStateFolder(), { recursive: true, mode: 0o700 });
  writePrivateFile(fileOf(login.url), `${JSON.stringify(login)}\n`);
  writePrivateFile(lastFile(), `${JSON.stringify({ url: login.url })}\n`);
}

export function removeLogin(url: string): void {
  rmSync(fileOf(url), { force: true });
  if (readLastServer() === url) rmSync(lastFile(), { force: true });
}

export const loginExpiredError = (): ApiError =>
  new ApiError("invalid_credential", "The login has expired or was revoked. Run belfry login again.");

const ANSWER_MS = 30_000;

/** The access token of a login, as another process may have refreshed it. */
export const readNewestAccessToken = (login: Login): string => readLogin(login.url)?.access_token ?? login.access_token;

/**
 * Returns a new access token for a login, and stores it. If another process stored a new one first, returns that one.
 * @throws ApiError 401 if the login has ended
 */
export async function refreshAccessToken({ url }: Login): Promise<string> {
  const login = readLogin(url);
  if (!login) throw loginExpiredError();
  const { client_id, refresh_token, resource } = login;
  const fields = { grant_type: "refresh_token", client_id, refresh_token, resource };
  const tokens = await requestTokens(login.token_endpoint, fields);
  const stored = readLogin(url);
  if (!stored) throw loginExpiredError();
  if (stored.refresh_token !== refresh_token) return stored.access_token;
  if (!tokens) throw loginExpiredError();
  writePrivateFile(fileOf(url), `${JSON.stringify({ ...login, ...tokens })}\n`);
  return tokens.access_token;
}

type Tokens = Pick<Login, "access_token" | "refresh_token" | "scope">;

/** A request to the token endpoint; null if it is refused. @throws ApiError if the server does not answer */
export async function requestTokens(endpoint: string, fields: Record<string, string>): Promise<Tokens | null> {
  const response = await postForm(endpoint, fields);
  const answer = (await response.json().catch(() => null)) as Partial<Tokens> | null;
  if (response.status >= 500 || response.status === 429)
    throw new ApiError("no_answer", "The server could not issue a token. Try again later.");
  if (!response.ok || typeof answer?.access_token !== "string") return null;
  const { access_token, refresh_token = fields.refresh_token ?? "", scope } = answer;
  return { access_token, refresh_token, ...(scope && { scope }) };
}

/** Sends a form to an endpoint of the authorization server. Redirects are not followed, because it has secrets. */
export const postForm = (endpoint: string, fields: Record<string, string>): Promise<Response> =>
  fetch(endpoint, {
    method: "POST",
    body: new URLSearchParams(fields),
    redirect: "manual",
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch((error) => {
    const other = `The server at ${new URL(endpoint).origin} is not responding. Try again later.`;
    throw new ApiError("server_unreachable", explainTlsOrHostNameError(endpoint, error)?.message ?? other);
  });
