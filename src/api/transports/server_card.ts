// The MCP server card and the catalog that names it, for clients that find the server by its address (SEP-2127). Both
// are public and describe how to connect. They list no tools.

import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import packageJson from "../../../package.json" with { type: "json" };
import { MODERN_MCP_PROTOCOL } from "./mcp_fast_path.ts";
import { getServerInfo } from "./mcp_server.ts";

/** The identity of the server in the registry, and in its own card. */
export const REGISTRY_IDENTITY = {
  name: packageJson.mcpName,
  title: getServerInfo().title,
  description: "Publish alerts on channels, request human review, and read statistics based on device reports.",
  version: packageJson.version,
};

const AUTHORIZATION = {
  name: "Authorization",
  description: "Optional. Without it, the person signs in with a browser.",
  isSecret: true,
  placeholder: "Bearer <key>",
};

/** Returns the card of the server at `publicUrl`. */
export const createServerCard = (publicUrl: string) => ({
  $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
  ...REGISTRY_IDENTITY,
  websiteUrl: `${publicUrl}/docs/start/connect-an-assistant`,
  icons: getServerInfo(publicUrl).icons,
  remotes: [
    {
      type: "streamable-http",
      url: `${publicUrl}/mcp`,
      headers: [AUTHORIZATION],
      supportedProtocolVersions: [MODERN_MCP_PROTOCOL, ...SUPPORTED_PROTOCOL_VERSIONS],
    },
  ],
});

/** Returns the catalog of the domain of `publicUrl`: the card. */
export const createAiCatalog = (publicUrl: string) => ({
  specVersion: "1.0",
  entries: [
    {
      identifier: `urn:air:${new URL(publicUrl).hostname}:mcp:belfry`,
      type: "application/mcp-server-card+json",
      displayName: REGISTRY_IDENTITY.title,
      url: `${publicUrl}/mcp/server-card`,
    },
  ],
});
