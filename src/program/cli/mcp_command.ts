// MCP over standard input for a local assistant. Each message is sent to /mcp of the server with the key, and the
// response is written unchanged. Tools, results and refusals are therefore the server's own, also of a newer one.
// Standard output has protocol messages only. Nothing of the service is loaded (rules#mcp-over-stdio).

import { createInterface } from "node:readline";
import { ApiError, parseApiError } from "../../model/api_error.ts";
import {
  type CliConnectionOptions,
  convertFetchError,
  getLimitHeaders,
  printTarget,
  resolveServerConnection,
  type ServerConnection,
  sendAuthenticatedRequest,
  wrongServerError,
} from "./server_connection.ts";
import { parseEventStream } from "./sse_parser.ts";

/** The place of the version in a message of the protocol of 2026. */
const VERSION = "io.modelcontextprotocol/protocolVersion";

const SESSION = "mcp-session-id";

/** JSON-RPC's own code for a fault that is not the message's. */
const INTERNAL_ERROR = -32_603;

interface Message {
  id?: string | number;
  method?: string;
  params?: { name?: string; uri?: string; requestId?: string | number; _meta?: Record<string, unknown> };
  result?: { protocolVersion?: string };
}

/** The time that calls in flight have after the end of standard input. */
const LAST_ANSWERS_MS = 60_000;

/** The stream of changes, which ends only with the client. */
const SUBSCRIPTION = "subscriptions/listen";

/**
 * Serves until standard input ends, and then answers the calls in flight. The server's address is read again for each
 * message, because it may change in between.
 */
export async function serveMcpOverStdio(options: CliConnectionOptions): Promise<void> {
  checkNames(options);
  const calls = new Map<Message["id"], AbortController>();
  const passing = new Set<Promise<void>>();
  const ended = new AbortController();
  /** The version that `initialize` agreed on, for clients that send it once, and the session of its response. */
  let agreed: string | undefined;
  let session: string | null = null;

  const say = (message: Message) => {
    agreed = message.result?.protocolVersion ?? agreed;
    process.stdout.write(`${JSON.stringify(message)}\n`);
  };

  async function pass(message: Message): Promise<void> {
    const { id, method, params } = message;
    if (method === "notifications/cancelled") calls.get(params?.requestId)?.abort();
    const call = new AbortController();
    const signal = method === SUBSCRIPTION ? AbortSignal.any([call.signal, ended.signal]) : call.signal;
    if (id !== undefined) calls.set(id, call);
    try {
      const connection = resolveServerConnection(options);
      const said = (params?._meta?.[VERSION] as string | undefined) ?? null;
      const headers = headersOf(message, said, agreed);
      if (session !== null && said === null) headers[SESSION] = session;
      const response = await ask(message, connection, headers, signal);
      session = response.headers.get(SESSION) ?? session;
      for await (const answer of answersIn(response, message, connection)) say(answer);
    } catch (error) {
      if (id !== undefined && !signal.aborted) say(refused(message, error));
    } finally {
      calls.delete(id);
    }
  }

  // Later messages need the version and the session of `initialize`.
  let initialized = Promise.resolve();
  for await (const line of createInterface({ input: process.stdin })) {
    const message = parsed(line);
    if (message) {
      const passed = initialized.then(() => pass(message)).finally(() => passing.delete(passed));
      passing.add(passed);
      if (message.method === "initialize") initialized = passed;
    } else if (line.trim()) say({ error: { code: -32_700, message: "Parse error" }, id: null } as object);
  }
  // A script may close its input at once and still read the answers.
  ended.abort();
  const deadline = setTimeout(() => process.exit(0), LAST_ANSWERS_MS);
  await Promise.allSettled(passing);
  clearTimeout(deadline);
  process.exit(0);
}

/** An invalid address stops the start; a missing key is reported in the responses, since it may be added later. */
function checkNames(options: CliConnectionOptions): void {
  try {
    printTarget(resolveServerConnection(options));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

/** The protocol of 2026 repeats parts of the message in headers, so that gateways need not parse it. */
function headersOf(
  { method, params }: Message,
  said: string | null,
  agreed: string | undefined,
): Record<string, string> {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const version = said ?? agreed;
  if (version) headers["mcp-protocol-version"] = version;
  if (said === null || method === undefined) return headers;
  headers["mcp-method"] = asHeader(method);
  const name = params?.name ?? params?.uri;
  if (name !== undefined) headers["mcp-name"] = asHeader(name);
  return headers;
}

/** Text that a header cannot carry is sent as the protocol's base64. */
const asHeader = (text: string) =>
  /^[!-~]([ -~]*[!-~])?$/.test(text) && !text.startsWith("=?")
    ? text
    : `=?base64?${Buffer.from(text).toString("base64")}?=`;

/** @throws ApiError without a response, or if access requires a key */
async function ask(
  message: Message,
  connection: ServerConnection,
  headers: Record<string, string>,
  signal: AbortSignal,
) {
  const body = JSON.stringify(message);
  return sendAuthenticatedRequest(connection, (key) =>
    // A redirect is not followed: the key is for this address.
    fetch(`${connection.url}/mcp`, {
      method: "POST",
      headers: key ? { ...headers, authorization: `Bearer ${key}` } : headers,
      body,
      redirect: "manual",
      signal,
    }).catch((error) => {
      throw convertFetchError(connection.url, error);
    }),
  );
}

/** The server's responses to a message: one, or those of a stream. @throws ApiError */
async function* answersIn(response: Response, message: Message, { url }: ServerConnection): AsyncGenerator<Message> {
  let answered = message.id === undefined;
  for await (const text of textsOf(response)) {
    const answer = parsed(text);
    if (!answer || !("jsonrpc" in answer))
      throw parseApiError(answer, getLimitHeaders(response)) ?? wrongServerError(url, response.status);
    answered ||= answer.id === message.id;
    yield answer;
  }
  if (!answered) throw wrongServerError(url, response.status);
}

/** The JSON texts of an answer: its body, or the data of its events. */
async function* textsOf(response: Response): AsyncGenerator<string> {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    const text = await response.text();
    if (text) yield text;
    return;
  }
  for await (const { data } of parseEventStream(response.body)) if (data) yield data;
}

/** A refusal in the server's own format: of a call in its result, of anything else as an error of the protocol. */
function refused({ id, method, params }: Message, error: unknown): Message {
  const known = error instanceof ApiError ? error : new ApiError("no_answer", "The connection to the server was lost.");
  const jsonrpc = { jsonrpc: "2.0", id };
  if (method !== "tools/call")
    return { ...jsonrpc, error: { code: INTERNAL_ERROR, message: known.message } } as Message;
  const envelope = known.toEnvelope();
  const result = {
    content: [{ type: "text", text: JSON.stringify(envelope) }],
    structuredContent: envelope,
    isError: true,
    ...(params?._meta?.[VERSION] ? { resultType: "complete" } : {}),
    ...(Object.keys(known.headers).length > 0 ? { _meta: known.headers } : {}),
  };
  return { ...jsonrpc, result } as Message;
}

function parsed(text: string): Message | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && !Array.isArray(value) ? (value as Message) : null;
  } catch {
    return null;
  }
}
