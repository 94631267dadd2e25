// The messages between the card and the chat host that shows it (MCP Apps, SEP-1865). The classes of the package would
// make the file four times as large as its limit, so only its types are used.

import type {
  McpUiHostCapabilities,
  McpUiHostContext,
  McpUiInitializeRequest,
  McpUiInitializeResult,
} from "@modelcontextprotocol/ext-apps";
import type { ToolResultStructuredContent } from "./tool_result_card.ts";

const PROTOCOL_VERSION = "2026-01-26";

/** Requests of a host that need no work. */
const ACKNOWLEDGED = ["ping", "ui/resource-teardown"];

export interface ToolResult {
  structuredContent?: ToolResultStructuredContent;
  /** The same as JSON, in a text. */
  content?: { text?: string }[];
  isError?: boolean;
}

interface McpHostEventHandlers {
  "ui/notifications/tool-result"(params: ToolResult): void;
  "ui/notifications/tool-cancelled"(params: unknown): void;
  "ui/notifications/host-context-changed"(params: McpUiHostContext): void;
}

export interface McpHost {
  capabilities: McpUiHostCapabilities;
  /** Calls a tool that only reads; null if the host cannot or the tool refuses. */
  callTool(name: string, args: Record<string, unknown>): Promise<unknown>;
  /** Opens an address outside of the card; false if the host refuses. */
  openLink(url: string): Promise<boolean>;
  reportSize(width: number, height: number): void;
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Connects to the frame around this one. `events` are called from then on, the context first. */
export async function connectToMcpHost(events: McpHostEventHandlers): Promise<McpHost> {
  const pending = new Map<unknown, Pending>();
  let lastId = 0;
  const post = (message: object) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const request = <T>(method: string, params: unknown): Promise<T> =>
    new Promise((resolve, reject) => {
      lastId += 1;
      pending.set(lastId, { resolve: resolve as Pending["resolve"], reject });
      post({ id: lastId, method, params });
    });

  addEventListener("message", ({ source, data }) => {
    if (source !== parent || data?.jsonrpc !== "2.0") return;
    const { id, method, params, result, error } = data;
    if (method === undefined) {
      const waiting = pending.get(id);
      pending.delete(id);
      if (error) waiting?.reject(error);
      else waiting?.resolve(result);
      return;
    }
    if (Object.hasOwn(events, method)) events[method as keyof McpHostEventHandlers](params ?? {});
    if (id === undefined) return;
    const isKnown = ACKNOWLEDGED.includes(method);
    post(isKnown ? { id, result: {} } : { id, error: { code: -32_601, message: "Method not found" } });
  });

  const params: McpUiInitializeRequest["params"] = {
    appInfo: { name: "belfry-card", version: "1" },
    appCapabilities: {},
    protocolVersion: PROTOCOL_VERSION,
  };
  const { hostCapabilities, hostContext } = await request<McpUiInitializeResult>("ui/initialize", params);
  events["ui/notifications/host-context-changed"](hostContext);
  post({ method: "ui/notifications/initialized" });

  return {
    capabilities: hostCapabilities,
    async callTool(name, args) {
      if (!hostCapabilities.serverTools) return null;
      const answered = request<ToolResult>("tools/call", { name, arguments: args });
      const result = await answered.catch(() => null);
      return result && !result.isError ? (result.structuredContent ?? null) : null;
    },
    async openLink(url) {
      const opened = request<{ isError?: boolean }>("ui/open-link", { url });
      return opened.then(
        ({ isError }) => !isError,
        () => false,
      );
    },
    reportSize: (width, height) => post({ method: "ui/notifications/size-changed", params: { width, height } }),
  };
}
