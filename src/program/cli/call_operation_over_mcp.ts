// One call of an operation with a login. Its access tokens are valid only at /mcp, so the call is that of a tool.

import { ApiError, parseApiError } from "../../model/api_error.ts";
import { CLI_USER_AGENT } from "../../operation/build_rest_request.ts";
import { hasViewArgument, type OwnerOperation } from "../../operation/define_operation.ts";
import { isRecord, toTerminalSafeText } from "./render_for_terminal.ts";
import {
  convertFetchError,
  getLimitHeaders,
  getUnknownAnswerError,
  lostAnswerError,
  type ServerConnection,
  sendAuthenticatedRequest,
} from "./server_connection.ts";
import { parseEventStream } from "./sse_parser.ts";

/** Longer than a call waits for a review. */
const ANSWER_MS = 60_000;

interface ToolAnswer {
  result?: { structuredContent?: unknown; isError?: boolean; _meta?: Record<string, string> };
  /** An error of JSON-RPC, or an envelope of the service. */
  error?: unknown;
}

/** Calls the tool, with the full view as over REST. Its answers end at the limit of MCP. @throws ApiError */
export async function callTool(
  tool: OwnerOperation,
  args: Record<string, unknown>,
  connection: ServerConnection,
): Promise<unknown> {
  const { url } = connection;
  const view = hasViewArgument(tool) ? { view: "full" } : {};
  const params = { name: tool.name, arguments: { ...view, ...args } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const response = await sendAuthenticatedRequest(connection, (key) =>
    fetch(`${url}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "user-agent": CLI_USER_AGENT,
      },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_MS),
    }).catch((error) => {
      throw convertFetchError(url, error);
    }),
  );
  const answer = await readAnswer(response, url).catch((error) => {
    if (error instanceof SyntaxError) return undefined;
    throw convertFetchError(url, error);
  });
  const { structuredContent, isError, _meta = {} } = answer?.result ?? {};
  if (structuredContent !== undefined && !isError) return structuredContent;
  const refused = parseApiError(structuredContent ?? answer, { ...getLimitHeaders(response), ..._meta });
  throw refused ?? protocolError(url, answer?.error) ?? getUnknownAnswerError(url, response);
}

/** An error of JSON-RPC with the server's message, or null. */
function protocolError(url: string, error: unknown): ApiError | null {
  if (!isRecord(error) || typeof error.message !== "string") return null;
  return new ApiError("no_answer", `${url} did not complete the call: ${toTerminalSafeText(error.message)}`);
}

async function readAnswer(response: Response, url: string): Promise<ToolAnswer | undefined> {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream"))
    return (await response.json()) as ToolAnswer;
  for await (const { data } of parseEventStream(response.body)) {
    const message = data ? JSON.parse(data) : {};
    if (message.id === 1) return message;
  }
  // The stream ended before the response.
  throw lostAnswerError(url);
}
