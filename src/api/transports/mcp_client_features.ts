// The optional features of MCP clients. A client of 2026 declares them in each request. A client of 2025 declares them
// once, so its session id stores them, and the server stores nothing. It contains no domain logic.

import { randomUUID } from "node:crypto";
import { CLIENT_CAPABILITIES_META_KEY } from "@modelcontextprotocol/server";
import { supportsMcpCards } from "./mcp_card.ts";
import { type McpMessage, MODERN_MCP_PROTOCOL } from "./mcp_fast_path.ts";

function opensUrls(capabilities: unknown): boolean {
  const { elicitation } = (capabilities ?? {}) as { elicitation?: { url?: unknown } | null };
  return typeof elicitation?.url === "object" && elicitation.url !== null;
}

/** The name in a session id → the check of a client's capabilities. */
const FEATURES = { url: opensUrls, ui: supportsMcpCards };

type Feature = keyof typeof FEATURES;

const NAMES = Object.keys(FEATURES) as Feature[];

const featuresOf = (capabilities: unknown): Feature[] => NAMES.filter((name) => FEATURES[name](capabilities));

/** Returns the features of a message's client: `url` opens addresses (elicitation), `ui` draws cards (MCP Apps). */
export function getClientFeatures(message: unknown, headers: Headers): readonly Feature[] {
  const { method, params } = (message ?? {}) as McpMessage;
  if (headers.get("mcp-protocol-version") === MODERN_MCP_PROTOCOL)
    return featuresOf(params?._meta?.[CLIENT_CAPABILITIES_META_KEY]);
  if (method === "initialize") return featuresOf(params?.capabilities);
  const stored = headers.get("mcp-session-id")?.split(".").slice(1) ?? [];
  return NAMES.filter((name) => stored.includes(name));
}

/**
 * Creates the session id of a client of 2025, which distinguishes its calls from those of other clients. Null if no
 * session is needed.
 */
export function createMcpSessionId(message: unknown): string | null {
  const { method, params } = (message ?? {}) as McpMessage;
  return method === "initialize" ? [randomUUID(), ...featuresOf(params?.capabilities)].join(".") : null;
}
