// One call of an operation by REST: which server and with which key, the request within bounded time, and a refusal read
// back from its envelope. Shared by the tool commands and the stdio server; knows no operation by name.

import { ApiError, fromEnvelope, invalidRequest } from "../../model/errors.ts";
import { LIMITS } from "../../model/limits.ts";
import type { Outcome } from "../../operation/perform.ts";
import { invalidInput } from "../../operation/problems.ts";
import { CLI, requestFor, type STDIO } from "../../operation/request.ts";
import { pathArguments, REPEAT_ARGUMENTS, type Tool } from "../../operation/tool.ts";
import { clientSettings, loadSettings } from "../../store/config/load.ts";
import { httpUrl } from "../../store/config/setting.ts";
import { type Credentials, readCredentials } from "../../store/secret/credentials.ts";
import { remark, UsageError } from "./output.ts";

const ANSWER_MS = 30_000;

/** What REST tells of the limits; an MCP result carries the same. */
const TOLD = ["ratelimit-policy", "ratelimit", "retry-after"];

const WAYS =
  "give --key or BELFRY_API_KEY (with --url or BELFRY_URL for another server), or run beside a server whose first start left DATA_DIR/credentials.json";

export interface ConnectionOptions {
  url?: string;
  key?: string;
}

export interface Connection {
  url: string;
  /** Null: a server was named, but no key for it. */
  key: string | null;
  /** Why this server, where it goes without saying neither from a flag nor from BELFRY_URL nor from DATA_DIR alone. */
  because: string | null;
}

/**
 * Where to speak and with which key: flags, then the environment, then the local server with the key of its first start.
 * That key is never sent to another address, nor used beside settings that speak of another server.
 * @throws UsageError when the settings contradict one another, ConfigError, 401 without any key for the local server.
 */
export function connectionFor(options: ConnectionOptions): Connection {
  const settings = clientSettings();
  const named = options.url
    ? httpUrl(options.url, "--url")
    : settings.url && httpUrl(settings.url, "BELFRY_URL");
  let key = (options.key ?? settings.key)?.trim() || null;
  if (key && !/^[\x21-\x7e]+$/.test(key)) throw new UsageError("A key is printable ASCII without spaces.");
  if (named && key) return { url: named, key, because: null };

  const { dataDir, publicUrl } = loadSettings(["host", "port", "dataDir", "publicUrl"]);
  const left: Partial<Credentials> | null = readCredentials(dataDir);
  if (settings.ownDatabase && !named) {
    if (!key && left?.key)
      throw new UsageError(
        "DATABASE_URL is set, so the key in DATA_DIR/credentials.json is another server's: give --key or BELFRY_API_KEY (and --url or BELFRY_URL), or unset DATABASE_URL.",
      );
    if (!key) throw noKey();
    return { url: publicUrl, key, because: "the address of these settings, since DATABASE_URL is set" };
  }
  const local = settings.ownDatabase ? null : left;
  const moved = settings.address.length > 0 && local?.url !== publicUrl ? settings.address.join(" and ") : "";
  if (!named && local?.url && moved)
    throw new UsageError(
      `${moved} would put the server at ${publicUrl}, but DATA_DIR/credentials.json is of the one at ${local.url}: name the one you mean with --url or BELFRY_URL, or unset ${moved}.`,
    );
  const url = named || local?.url || publicUrl;
  const given = key !== null;
  if (!key && local?.key && local.url === url) key = local.key;
  if (!key && !named) throw noKey();
  const because = given && !named ? "no --url or BELFRY_URL names another" : null;
  return { url, key, because };
}

const noKey = () => new ApiError("unauthorized", `No key for this server: ${WAYS}.`);

/** Says once which server a command speaks to, where that is not obvious. */
export function stateTarget({ url, because }: Connection): void {
  if (because) remark(`speaking to ${url} (${because})`);
}

/** Runs the operation on the server. @throws ApiError, and nothing else. */
export async function callByRest(
  tool: Tool,
  args: Record<string, unknown>,
  { url, key }: Pick<Connection, "url" | "key">,
  agent: typeof CLI | typeof STDIO = CLI,
): Promise<Outcome> {
  refuseUnsendable(tool, args);
  const { method, path, headers, body } = requestFor(tool, args);
  headers["user-agent"] = agent;
  if (key) headers.authorization = `Bearer ${key}`;
  let response: Response;
  let text: string;
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    // A redirect is not followed: the key is for this address.
    response = await fetch(`${url}${path}`, { method, headers, body, redirect: "manual", signal });
    text = await response.text();
  } catch (error) {
    throw new ApiError(
      "server_error",
      (error as Error).name === "TimeoutError"
        ? `The server at ${url} did not answer within ${ANSWER_MS / 1000} seconds; the call may have been carried out.`
        : `No server answers at ${url}; start one with belfry serve, or name another with --url or BELFRY_URL.`,
    );
  }
  if (response.status === 401 && !key) throw noKey();
  const answerHeaders = Object.fromEntries(
    TOLD.flatMap((name) => (response.headers.has(name) ? [[name, response.headers.get(name) ?? ""]] : [])),
  );
  if (response.status === 204) return { body: deleted(tool, args), headers: answerHeaders };
  const answer = parsed(text);
  if (response.ok && answer !== undefined) return { body: answer, headers: answerHeaders };
  throw (
    fromEnvelope(answer, answerHeaders) ??
    new ApiError(
      "server_error",
      `What answers at ${url} is no Belfry server (HTTP ${response.status}); check --url or BELFRY_URL.`,
    )
  );
}

/** docs/rules.md#deleted-answer */
function deleted(tool: Tool, args: Record<string, unknown>) {
  return { deleted: true, id: args[pathArguments(tool.http.path).at(-1) ?? ""] };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Refuses, in the service's own words, what no request can carry as it was meant: an absent path argument would name
 * another route, and a field `action` would turn an edit into a send.
 */
function refuseUnsendable(tool: Tool, args: Record<string, unknown>): void {
  const { idempotency_key: key, ...rest } = args;
  if (tool.creates && Object.hasOwn(args, "idempotency_key"))
    if (typeof key !== "string" || !new RegExp(`^[\\x20-\\x7e]{1,${LIMITS.idempotency_key}}$`).test(key))
      throw invalidRequest(
        `An idempotency key is 1 to ${LIMITS.idempotency_key} printable ASCII characters.`,
        "idempotency_key",
      );
  const inPath = pathArguments(tool.http.path);
  const result = tool.input.safeParse(tool.creates ? rest : args, { reportInput: true });
  const issue = result.error?.issues.find(
    ({ code, path }) =>
      (code === "unrecognized_keys" && path.length === 0) || inPath.includes(String(path[0])),
  );
  if (issue) throw invalidInput({ issues: [issue] }, tool.input, tool.creates ? REPEAT_ARGUMENTS : []);
}
