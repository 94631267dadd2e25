// What MCP serves, for HTTP and standard input alike: the list of tools, and calls of them with the answers that assistants
// get. And calls that their clients cancel by a message of its own, as those of 2025 do over HTTP: it names the call by the id that the client
// gave it, so a session tells apart the clients of a credential. One of 2026 closes its request, which needs nothing here. What is
// cancelled in another process than the one that holds it ends by its own time. Holds no business word.

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
import { ApiError, serverError } from "../../model/errors.ts";
import type { Outcome } from "../../operation/perform.ts";
import { hasView, type Tool } from "../../operation/tool.ts";
import type { Caller } from "../../store/context.ts";
import type { Patience } from "../../store/patience.ts";
import { fitted, type ToolAnswer, toolResult, written } from "./mcp_answers.ts";
import { listOf } from "./mcp_list.ts";
import type { Message } from "./mcp_plain.ts";
import { servePrompts } from "./mcp_prompts.ts";

/** Who answers, with the icon of the pages where their address is known. */
export const serverInfoAt = (publicUrl?: string) => ({
  name: "belfry",
  title: "Belfry alert channels",
  version: packageJson.version,
  ...(publicUrl ? { icons: [{ src: `${publicUrl}/static/icon.svg`, mimeType: "image/svg+xml", sizes: ["any"] }] } : {}),
});

/** How long clients may keep the lists, which only change with a release, and that nobody else may. */
export const LIST_HINTS = { ttlMs: 3_600_000, cacheScope: "private" as const };

export type CallTool = (tool: Tool, args: Record<string, unknown>) => Promise<Outcome>;

type McpRequest = ServerContext["mcpReq"];

/** Answers a call in place of `call` alone, where a person may have to be asked. */
export type Ask = (
  tool: Tool,
  args: Record<string, unknown>,
  request: McpRequest,
) => Promise<ToolAnswer | InputRequiredResult>;

/** A call that waits says so every few seconds to whoever wants to be told. */
const BEAT_MS = 5_000;

async function withProgress<T>({ _meta, notify }: McpRequest, work: () => Promise<T>): Promise<T> {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return work();
  let progress = 0;
  const tell = () =>
    notify({ method: "notifications/progress", params: { progressToken, progress: progress++ } }).catch(
      // Nobody listens any more.
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

/** A protocol server over the list of tools; `call` runs one of them. */
export function createToolServer(tools: readonly Tool[], call: CallTool, publicUrl?: string, ask?: Ask): Server {
  const { instructions, tools: listed } = listOf(tools);
  const server = new Server(serverInfoAt(publicUrl), {
    capabilities: { tools: {}, prompts: {} },
    instructions,
    cacheHints: { "tools/list": LIST_HINTS, "prompts/list": LIST_HINTS },
  });
  servePrompts(server);
  server.setRequestHandler("tools/list", () => ({ tools: listed }) as ListToolsResult);
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown tool; tools/list names them all.");
    const args = params.arguments ?? {};
    const waits = tool.waits || mcpReq.requestState() !== undefined;
    const work = () => (ask ? ask(tool, args, mcpReq) : answerOf(tool, args, call));
    const answered = await (waits ? withProgress(mcpReq, work) : work());
    return isInputRequiredResult(answered) ? answered : toolResult(answered);
  });
  return server;
}

/** What a call of a tool answers, refusals included. */
export async function answerOf(tool: Tool, given: Record<string, unknown>, call: CallTool): Promise<ToolAnswer> {
  try {
    const args = withView(tool, given);
    const { body, headers } = await call(tool, args);
    const shown = tool.toAssistants?.(body) ?? body;
    return { ...fitted(tool, shown, args), isError: false, headers };
  } catch (error) {
    const refused = error instanceof ApiError ? error : serverError();
    const { "www-authenticate": _, ...headers } = refused.headers;
    return { ...written(refused.toEnvelope()), isError: true, headers };
  }
}

/** An assistant pays for what it reads: where it may choose, it gets the short form unless it asks for the whole. */
const withView = (tool: Tool, args: Record<string, unknown>) =>
  hasView(tool) && args.view === undefined ? { ...args, view: "brief" } : args;

/** What names a call among all that are held; null for a client without a session. */
function named({ headers }: Request, { credential }: Caller, id: unknown): string | null {
  const session = headers.get("mcp-session-id");
  return session && id !== undefined ? JSON.stringify([credential.id, session, id]) : null;
}

export function createCancels() {
  const held = new Map<string, AbortController>();
  return {
    /** Ends the call that a message cancels, if it is held here. */
    hear(request: Request, message: unknown, caller: Caller): void {
      const { method, params } = (message ?? {}) as Message;
      if (method !== "notifications/cancelled") return;
      held.get(named(request, caller, params?.requestId) ?? "")?.abort();
    },
    /** Runs the call of `message` with a patience that ends when its client cancels it. */
    async during<T>(
      request: Request,
      message: unknown,
      caller: Caller,
      patience: Patience | undefined,
      run: (patience: Patience | undefined) => Promise<T>,
    ): Promise<T> {
      const name = named(request, caller, (message as Message).id);
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
