// The MCP server for HTTP and standard input: the list of tools, and calls with their results. It also handles
// cancellation messages of 2025 clients over HTTP. They name the call by the client's id, so a session distinguishes
// the clients of a credential. A 2026 client closes its request instead. A call that another process runs ends by its
// own timeout. It contains no domain logic.

import {
  type InputRequiredResult,
  isInputRequiredResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import packageJson from "../../../package.json" with { type: "json" };
import { ApiError, serverError } from "../../model/api_error.ts";
import { hasViewArgument, type OwnerOperation } from "../../operation/define_operation.ts";
import type { OperationResponse } from "../../operation/execute.ts";
import { prefixErrorWithEffect, refuseInvalidClearArgument } from "../../operation/lenient_arguments.ts";
import type { Caller } from "../../store/handler_context.ts";
import type { WaitContext } from "../../store/wait_context.ts";
import { serveCard, UI_EXTENSION } from "./mcp_card.ts";
import type { McpMessage } from "./mcp_fast_path.ts";
import { servePrompts } from "./mcp_prompts.ts";
import { createBodyAndJsonText, createToolResult, limitToolAnswerSize, type ToolAnswer } from "./mcp_results.ts";
import { getToolList } from "./mcp_tool_list.ts";

/** Returns the server's name, with the icon if its URL is known. */
export const getServerInfo = (publicUrl?: string) => ({
  name: "belfry",
  title: "Belfry alert channels",
  version: packageJson.version,
  ...(publicUrl ? { icons: [{ src: `${publicUrl}/static/icon.svg`, mimeType: "image/svg+xml", sizes: ["any"] }] } : {}),
});

/** The time for which clients may cache the lists privately; they only change with a release. */
export const LIST_CACHE_HINTS = { ttlMs: 3_600_000, cacheScope: "private" as const };

export type CallTool = (tool: OwnerOperation, args: Record<string, unknown>) => Promise<OperationResponse>;

type McpRequest = ServerContext["mcpReq"];

/** Answers a call that may need a person's decision, instead of `call` alone. */
type CallWithReview = (
  tool: OwnerOperation,
  args: Record<string, unknown>,
  request: McpRequest,
) => Promise<ToolAnswer | InputRequiredResult>;

/** The interval of progress messages of a waiting call. */
const BEAT_MS = 5_000;

async function withProgress<T>({ _meta, notify }: McpRequest, work: () => Promise<T>): Promise<T> {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return work();
  let progress = 0;
  const tell = () =>
    notify({ method: "notifications/progress", params: { progressToken, progress: progress++ } }).catch(
      // The client has disconnected.
      () => undefined,
    );
  await tell();
  const beat = setInterval(tell, BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
  }
}

interface ToolServerOptions {
  publicUrl?: string;
  ask?: CallWithReview;
  /** Loads the card; undefined for a client that does not draw cards. */
  loadCard?: (() => Promise<string>) | undefined;
  outputSchemas?: boolean;
}

const CACHED = ["tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"] as const;

/** A protocol server over the list of tools; `call` runs one of them. */
export function createToolServer(
  tools: readonly OwnerOperation[],
  call: CallTool,
  { publicUrl, ask, loadCard, outputSchemas = false }: ToolServerOptions,
): Server {
  const { instructions, tools: listed } = getToolList(tools, { cards: loadCard !== undefined, outputSchemas });
  const cards = loadCard && { resources: {}, extensions: { [UI_EXTENSION]: {} } };
  const server = new Server(getServerInfo(publicUrl), {
    capabilities: { tools: {}, prompts: {}, ...cards },
    instructions,
    cacheHints: Object.fromEntries(CACHED.map((method) => [method, LIST_CACHE_HINTS])),
  });
  servePrompts(server);
  if (loadCard) serveCard(server, loadCard);
  server.setRequestHandler("tools/list", () => ({ tools: listed }) as ListToolsResult);
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown tool. Use tools/list to get all tools.");
    const args = params.arguments ?? {};
    const waits = tool.waits || mcpReq.requestState() !== undefined;
    const work = () => (ask ? ask(tool, args, mcpReq) : runToolCall(tool, args, call));
    const answered = await (waits ? withProgress(mcpReq, work) : work());
    return isInputRequiredResult(answered) ? answered : createToolResult(answered);
  });
  return server;
}

/** Returns the result of a tool call, including errors. */
export async function runToolCall(
  tool: OwnerOperation,
  given: Record<string, unknown>,
  call: CallTool,
): Promise<ToolAnswer> {
  try {
    refuseInvalidClearArgument(tool, given);
    const args = withView(tool, given);
    // The place of the next page follows from whole rows.
    const { body, headers } = await call(tool, args.view === "titles" ? { ...args, view: "full" } : args);
    const shown = tool.toAssistants?.(body) ?? body;
    return { ...limitToolAnswerSize(tool, shown, args), isError: false, headers };
  } catch (error) {
    const refused = error instanceof ApiError ? prefixErrorWithEffect(error, tool, given) : serverError();
    const { "www-authenticate": _, ...headers } = refused.headers;
    return { ...createBodyAndJsonText(refused.toEnvelope()), isError: true, headers };
  }
}

/** Selects the brief view by default, because an assistant pays for each byte. */
const withView = (tool: OwnerOperation, args: Record<string, unknown>) =>
  hasViewArgument(tool) && args.view === undefined ? { ...args, view: "brief" } : args;

/** Returns the key of a waiting call; null for a client without a session. */
function named({ headers }: Request, { credential }: Caller, id: unknown): string | null {
  const session = headers.get("mcp-session-id");
  return session && id !== undefined ? JSON.stringify([credential.id, session, id]) : null;
}

export function createCallCancellations() {
  const held = new Map<string, AbortController>();
  return {
    /** Ends the call that a message cancels, if this process runs it. */
    hear(request: Request, message: unknown, caller: Caller): void {
      const { method, params } = (message ?? {}) as McpMessage;
      if (method !== "notifications/cancelled") return;
      held.get(named(request, caller, params?.requestId) ?? "")?.abort();
    },
    /** Runs the call of `message` with a patience that ends when its client cancels it. */
    async during<T>(
      request: Request,
      message: unknown,
      caller: Caller,
      patience: WaitContext | undefined,
      run: (patience: WaitContext | undefined) => Promise<T>,
    ): Promise<T> {
      const name = named(request, caller, (message as McpMessage).id);
      if (!patience || !name || held.has(name)) return run(patience);
      const cancelled = new AbortController();
      held.set(name, cancelled);
      const signal = AbortSignal.any([patience.signal, cancelled.signal]);
      try {
        return await run({ signal, rest: (waiting) => patience.rest(waiting) });
      } finally {
        held.delete(name);
      }
    },
  };
}
