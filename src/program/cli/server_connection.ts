// The server that a command sends requests to, and its key: from flags, the environment, or the first start of a local
// server.

import type { Command } from "commander";
import { ApiError } from "../../model/api_error.ts";
import { explainTlsOrHostNameError, getErrorCode } from "../../model/connection_error_messages.ts";
import { loadClientSettings, loadNamedSettings } from "../../store/config/load_settings.ts";
import { parseHttpUrl } from "../../store/config/setting_types.ts";
import {
  describeDeniedCredentials,
  type FirstCredentials,
  readCredentials,
} from "../../store/secret/first_credentials_file.ts";
import {
  type Login,
  loginExpiredError,
  readLastServer,
  readLogin,
  readNewestAccessToken,
  refreshAccessToken,
} from "./login_store.ts";
import { printNote, UsageError } from "./output.ts";

const WAYS =
  "run belfry login, set --key or BELFRY_API_KEY, or use the DATA_DIR of a local server that has a credentials.json";

export interface CliConnectionOptions {
  url?: string;
  key?: string;
}

/** The help of `--url`. */
export const URL_OPTION_HELP = "the server; default: BELFRY_URL, the local server or the server of the last login";

/** --url and --key; where the tool has an argument of that name, only the one before the command's name is left. */
export function addConnectionOptions(command: Command): void {
  const taken = new Set(command.options.map(({ long }) => long));
  command.optionsGroup("Server:");
  if (!taken.has("--url")) command.option("--url <url>", URL_OPTION_HELP);
  else command.addHelpText("after", "\nTo set the server, put --url before the command name.");
  if (!taken.has("--key"))
    command.option("--key <key>", "API key; default: BELFRY_API_KEY or the key of the local server");
}

export interface ServerConnection {
  url: string;
  /** Null: a server was named, but no key for it. */
  key: string | null;
  /** The reason for this server, where it follows neither from a flag nor from BELFRY_URL nor from DATA_DIR alone. */
  because: string | null;
  /** The login that `key` is from. */
  login?: Login;
}

/**
 * Sends a request with the key of the connection. If the token of a login has expired, sends the request again. It
 * first tries the token that another process has stored, then a new one.
 * @throws ApiError 401 without a key, and for a login that has ended
 */
export async function sendAuthenticatedRequest(
  { key, login }: Pick<ServerConnection, "key" | "login">,
  send: (key: string | null) => Promise<Response>,
): Promise<Response> {
  let used = login ? readNewestAccessToken(login) : key;
  let response = await send(used);
  if (login && response.status === 401 && used !== readNewestAccessToken(login)) {
    await response.body?.cancel();
    used = readNewestAccessToken(login);
    response = await send(used);
  }
  if (response.status !== 401 || (key && !login)) return response;
  await response.body?.cancel();
  if (!login) throw missingKeyError();
  const again = await send(await refreshAccessToken(login));
  if (again.status === 401) throw loginExpiredError();
  return again;
}

function namedServer({ url }: Pick<CliConnectionOptions, "url">): string | null {
  const saved = loadClientSettings().url;
  return url ? parseHttpUrl(url, "--url") : saved && parseHttpUrl(saved, "BELFRY_URL");
}

/**
 * Finds the address and the key: from flags, then the environment, then the local server with the key of its first
 * start. That key is never sent to another address, nor used with settings of another server. @throws UsageError when
 * the settings contradict one another, ConfigError, 401 without any key for the local server.
 */
export function resolveServerConnection(options: CliConnectionOptions): ServerConnection {
  const settings = loadClientSettings();
  const named = namedServer(options);
  let key = (options.key ?? settings.key)?.trim() || null;
  if (key && !/^[\x21-\x7e]+$/.test(key))
    throw new UsageError("A key must consist of printable ASCII characters without spaces.");
  if (named && key) return { url: named, key, because: null };
  const byLogin = (url: string | null, because: string | null = null): ServerConnection | null => {
    const login = key === null && url !== null ? readLogin(url) : null;
    return login && { url: login.url, key: login.access_token, because, login };
  };
  const loggedIn = byLogin(named);
  if (loggedIn) return loggedIn;

  const { dataDir, publicUrl } = loadNamedSettings(["host", "port", "dataDir", "publicUrl"]);
  const local: Partial<FirstCredentials> | null = readCredentials(dataDir);
  if (settings.ownDatabase && !named) {
    const because = "from the settings, because DATABASE_URL is set";
    const loggedInThere = byLogin(publicUrl, because);
    if (loggedInThere) return loggedInThere;
    // The key stays valid when the server moves to DATABASE_URL.
    if (local?.url === publicUrl) key ??= local.key ?? null;
    if (key) return { url: publicUrl, key, because };
    if (!local?.key) throw missingKeyError(dataDir);
    throw new UsageError(
      `DATABASE_URL is set, and the key in DATA_DIR/credentials.json belongs to a server other than ${publicUrl}. ` +
        "Set --key or BELFRY_API_KEY (and --url or BELFRY_URL), or unset DATABASE_URL.",
    );
  }
  const moved = settings.address.length > 0 && local?.url !== publicUrl ? settings.address.join(" and ") : "";
  if (!named && local?.url && moved)
    throw new UsageError(
      `${moved} points to the server at ${publicUrl}, but DATA_DIR/credentials.json belongs to ${local.url}. ` +
        `Choose one with --url or BELFRY_URL, or unset ${moved}.`,
    );
  const ofLast = local?.url || named || moved ? null : byLogin(readLastServer(), "from belfry login");
  if (ofLast) return ofLast;
  const url = named || local?.url || publicUrl;
  const ofLocal = byLogin(url);
  if (ofLocal) return ofLocal;
  const given = key !== null;
  if (!key && local?.key && local.url === url) key = local.key;
  if (!key && !named) throw missingKeyError(dataDir);
  const because = given && !named ? "--url and BELFRY_URL are not set" : null;
  return { url, key, because };
}

/**
 * Where to send requests without a key: the flag, the environment, the local server, or that of the last login. The
 * last login does not count if the settings name an address or a database. @throws UsageError, ConfigError
 */
export function resolveServerUrl(options: Pick<CliConnectionOptions, "url">): string {
  const named = namedServer(options);
  if (named) return named;
  const { ownDatabase, address } = loadClientSettings();
  const { dataDir, publicUrl } = loadNamedSettings(["host", "port", "dataDir", "publicUrl"]);
  const ofLast = ownDatabase || address.length > 0 ? null : readLastServer();
  return (ownDatabase ? null : readCredentials(dataDir)?.url) ?? ofLast ?? publicUrl;
}

/** 401 with the ways to give one. `dataDir` is that of the local server, whose key another user may read. */
const missingKeyError = (dataDir?: string) =>
  new ApiError(
    "invalid_credential",
    (dataDir && describeDeniedCredentials(dataDir)) || `No key for this server: ${WAYS}.`,
  );

/** Prints once which server a command uses, where that is not obvious. */
export function printTarget({ url, because }: ServerConnection): void {
  if (because) printNote(`using ${url} (${because})`);
}

/** The error for a request without a response: its certificate or host name is wrong, or no server responds. */
export function createUnreachableError(url: string, error: unknown): ApiError {
  const other = `No server is responding at ${url}. Start one with belfry serve, or set --url or BELFRY_URL.`;
  return new ApiError("server_unreachable", explainTlsOrHostNameError(url, error)?.message ?? other);
}

/** Failures of TCP before a connection exists, so that nothing was sent. */
const NOT_CONNECTED = new Set([
  ...["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EHOSTDOWN", "EADDRNOTAVAIL", "UND_ERR_CONNECT_TIMEOUT"],
]);

/** The error for a failed request: no connection was made, or its response was lost. An ApiError stays the same. */
export function convertFetchError(url: string, error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const isUnsent = NOT_CONNECTED.has(getErrorCode(error) ?? "") || explainTlsOrHostNameError(url, error) !== null;
  return isUnsent ? createUnreachableError(url, error) : lostAnswerError(url);
}

/** A request may have had an effect, but its response is unknown. */
export const lostAnswerError = (url: string) =>
  new ApiError(
    "no_answer",
    `The response from ${url} was lost or took too long, so the call may have succeeded. Check the result before you ` +
      "retry.",
  );

/** A response without a result of Belfry: of a gateway that had no answer, or of another server. */
export const getUnknownAnswerError = (url: string, { status }: Response): ApiError =>
  status >= 500 ? lostAnswerError(url) : wrongServerError(url, status);

export const wrongServerError = (url: string, status: number) =>
  new ApiError("server_unreachable", `${url} is not a Belfry server (HTTP ${status}). Check --url or BELFRY_URL.`);

/** The limits of a REST response; an MCP result carries the same. */
const TOLD = ["ratelimit-policy", "ratelimit", "retry-after"];

export const getLimitHeaders = ({ headers }: Response): Record<string, string> =>
  Object.fromEntries(TOLD.map((name) => [name, headers.get(name) ?? ""]).filter(([, value]) => value));
