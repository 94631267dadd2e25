// A fast path for nearly all MCP requests: a list of tools, or one call of a tool, in the form of common clients. They
// are answered like in the SDK, but without a server, a stream and a second serialisation. All other forms use the SDK.
// It contains no domain logic.

import {
  BAGGAGE_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  isJsonContentType,
  isSpecType,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
  TRACEPARENT_META_KEY,
  TRACESTATE_META_KEY,
} from "@modelcontextprotocol/server";
import { FastResponse } from "srvx";

/** The protocol in which every request contains the client and its capabilities. */
export const MODERN_MCP_PROTOCOL = "2026-07-28";

interface McpFastPathRequest {
  era: "modern" | "legacy";
  id: string | number;
  /** The tool that is called; null for the list of tools. */
  name: string | null;
  args: Record<string, unknown>;
  progress: boolean;
}

type Fields = Record<string, unknown>;

/** The used fields of a message of either protocol, untrusted. */
export interface McpMessage {
  id?: unknown;
  method?: unknown;
  params?: {
    name?: unknown;
    arguments?: unknown;
    requestId?: unknown;
    requestState?: unknown;
    capabilities?: unknown;
    _meta?: Fields;
  };
}

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const hasOnly = (value: Fields, allowed: readonly string[]): boolean =>
  Object.keys(value).every((key) => allowed.includes(key));

const isId = (value: unknown): value is string | number => typeof value === "string" || Number.isSafeInteger(value);

const MESSAGE = ["jsonrpc", "id", "method", "params"];
/** Fields of the client's trace, which do not affect a response. */
const TRACE = [TRACEPARENT_META_KEY, TRACESTATE_META_KEY, BAGGAGE_META_KEY];
const META = [PROTOCOL_VERSION_META_KEY, CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, "progressToken", ...TRACE];

/** Parses a request; null if the SDK must handle it. `message` is its body. */
export function parseMcpFastPathRequest({ headers }: Request, message: unknown): McpFastPathRequest | null {
  if (!isObject(message) || !hasOnly(message, MESSAGE)) return null;
  const { jsonrpc, id, method, params = {} } = message;
  if (jsonrpc !== "2.0" || !isId(id) || !isObject(params)) return null;
  const isCall = method === "tools/call";
  if (!isCall && method !== "tools/list") return null;
  if (!hasOnly(params, isCall ? ["name", "arguments", "_meta"] : ["_meta"])) return null;
  const { name = null, arguments: args = {}, _meta: meta = {} } = params;
  if (isCall !== (typeof name === "string") || !isObject(args) || !isObject(meta)) return null;
  if (!hasOnly(meta, META) || (meta.progressToken !== undefined && !isId(meta.progressToken))) return null;
  if (!isJsonContentType(headers.get("content-type"))) return null;
  const era = eraOf(headers, method as string, name as string | null, meta);
  return era && { era, id, name: name as string | null, args, progress: meta.progressToken !== undefined };
}

/** Returns the protocol of the headers and the body; null if they differ, or if it is unknown. */
function eraOf(headers: Headers, method: string, name: string | null, meta: Fields): McpFastPathRequest["era"] | null {
  const version = headers.get("mcp-protocol-version");
  if (version === MODERN_MCP_PROTOCOL) {
    const client = meta[CLIENT_INFO_META_KEY];
    const agreed =
      meta[PROTOCOL_VERSION_META_KEY] === MODERN_MCP_PROTOCOL &&
      headers.get("mcp-method") === method &&
      headers.get("mcp-name") === name &&
      isSpecType.ClientCapabilities(meta[CLIENT_CAPABILITIES_META_KEY]) &&
      (client === undefined || isSpecType.Implementation(client));
    return agreed ? "modern" : null;
  }
  if (version !== null && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return null;
  const accept = headers.get("accept");
  const agreed =
    Object.keys(meta).every((key) => key === "progressToken" || TRACE.includes(key)) &&
    !headers.has("mcp-method") &&
    !headers.has("mcp-name") &&
    accept?.includes("application/json") &&
    accept.includes("text/event-stream");
  return agreed ? "legacy" : null;
}

/** Further fields of a modern result. */
const COMPLETE = { resultType: "complete" };

const STREAMED = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  connection: "keep-alive",
  "x-accel-buffering": "no",
};

/** `hints`: how long, and by whom, a modern list may be kept. */
export function createMcpFastPathResponder(serverInfo: object, hints: object) {
  const server = { [SERVER_INFO_META_KEY]: serverInfo };
  const written = (tools: readonly object[]): Record<McpFastPathRequest["era"], Buffer> => ({
    modern: Buffer.from(opened(JSON.stringify({ tools, ...hints, ...COMPLETE, _meta: server }))),
    legacy: Buffer.from(`${EVENT}${opened(JSON.stringify({ tools }))}`),
  });
  const known = new WeakMap<readonly object[], Record<McpFastPathRequest["era"], Buffer>>();
  return {
    /** A list of tools, which is written once. */
    list({ era, id }: McpFastPathRequest, tools: readonly object[]): Response {
      const lists = known.get(tools) ?? written(tools);
      known.set(tools, lists);
      const end = Buffer.from(`${closed(id)}${era === "legacy" ? END : ""}`);
      return answer(era, Buffer.concat([lists[era], end]));
    },
    /**
     * Returns the result of a call; `fields` is its JSON without the closing brace, `meta` the content of its `_meta`.
     */
    call({ era, id }: McpFastPathRequest, fields: string, meta: Record<string, string>): Response {
      if (era === "modern") {
        const rest = JSON.stringify({ ...COMPLETE, _meta: { ...meta, ...server } });
        return answer(era, `${opened(`${fields},${rest.slice(1)}`)}${closed(id)}`);
      }
      const rest = Object.keys(meta).length > 0 ? `,"_meta":${JSON.stringify(meta)}` : "";
      return answer(era, `${EVENT}${opened(`${fields}${rest}}`)}${closed(id)}${END}`);
    },
  };
}

const EVENT = "event: message\ndata: ";
const END = "\n\n";
const opened = (result: string) => `{"result":${result}`;
const closed = (id: string | number) => `,"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;

const answer = (era: McpFastPathRequest["era"], body: string | Buffer): Response =>
  new FastResponse(body as ConstructorParameters<typeof FastResponse>[0], {
    status: 200,
    headers: era === "modern" ? { "content-type": "application/json" } : STREAMED,
  });
