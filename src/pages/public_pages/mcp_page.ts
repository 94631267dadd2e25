// The page that a browser gets at the address of the MCP endpoint: what it is, and how to connect an assistant.

import { prefersHtml } from "../../api/transports/http_responses.ts";
import { html } from "../../ui/html.ts";
import { pageResponse, renderLayout } from "./page_layout.ts";
import { derivePublicPageBaseUrls, type PublicPagesDeps } from "./public_pages_deps.ts";

/** @returns the response to a browser's GET of `/mcp`; null for any other request */
export function createMcpPageHandler(deps: PublicPagesDeps): (request: Request) => Response | null {
  const places = derivePublicPageBaseUrls(deps);
  const address = `${places.publicUrl}/mcp`;
  const page = renderLayout(
    {
      title: "MCP endpoint · Belfry",
      hidden: true,
      body: html`<h1>This is the MCP endpoint</h1>
<p>AI assistants connect here to read and write alerts. It does not work in a browser.</p>
<p>Add <code>${address}</code> to your assistant as a remote MCP server with the Streamable HTTP transport. The
  assistant then asks you to sign in.</p>
<p>To use a key instead of signing in, send <code>Authorization: Bearer KEY</code>.</p>
<p><a class="button" href="${places.origin}/docs/start/connect-an-assistant">Connecting assistants</a></p>`,
    },
    places,
  );
  return (request) =>
    request.method === "GET" && prefersHtml(request)
      ? pageResponse(request, page, { places, status: 200, secret: true })
      : null;
}
