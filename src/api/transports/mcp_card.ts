// The card in a chat (MCP Apps, SEP-1865): the one resource of the server, for clients that declare the extension.
// Others get no resources. It contains no domain logic. rules#mcp-card

import { ProtocolError, ProtocolErrorCode, type Server } from "@modelcontextprotocol/server";

/** The extension, as clients and servers declare it. */
export const UI_EXTENSION = "io.modelcontextprotocol/ui";
export const CARD_URI = "ui://belfry/card.html";
export const MCP_APP_CONTENT_TYPE = "text/html;profile=mcp-app";

/** Checks that a client draws cards, by its capabilities. */
export function supportsMcpCards(capabilities: unknown): boolean {
  const { extensions } = (capabilities ?? {}) as { extensions?: Record<string, { mimeTypes?: unknown } | null> | null };
  const types = extensions?.[UI_EXTENSION]?.mimeTypes;
  return Array.isArray(types) && types.includes(MCP_APP_CONTENT_TYPE);
}

const unknownResource = (uri: unknown): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown resource. Use resources/list to get all resources.", {
    uri,
  });

/**
 * Answers `resources/read` of a client that does not draw cards: no resource exists. Without the capability, the server
 * accepts no handler for this method. It must receive this one request only, because the fallback answers all methods.
 */
export function addMcpResourceReadRefusal(server: Server): void {
  server.fallbackRequestHandler = async ({ params }) => {
    throw unknownResource(params?.uri);
  };
}

/** Serves the card, which `load` returns, to a client that draws cards. */
export function serveCard(server: Server, load: () => Promise<string>): void {
  const card = {
    uri: CARD_URI,
    name: "card",
    title: "Alert card",
    description: "Renders an alert as it appears on devices, or shows the alert's statistics.",
    mimeType: MCP_APP_CONTENT_TYPE,
  };
  const _meta = { ui: { prefersBorder: false } };
  server.setRequestHandler("resources/list", () => ({ resources: [{ ...card, _meta }] }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    if (uri !== CARD_URI) throw unknownResource(uri);
    return { contents: [{ uri, mimeType: MCP_APP_CONTENT_TYPE, text: await load(), _meta }] };
  });
}
