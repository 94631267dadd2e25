// Routes of the OpenAPI document, its page, and the descriptions for assistants: public, rendered once on the first
// request, with ETags.

import type { H3, H3Event } from "h3";
import type { HandsetOperation, OwnerOperation } from "../../operation/define_operation.ts";
import { lazy } from "../../store/db/lazy.ts";
import { addStaticRoute, prepareStatic } from "./static_content.ts";

export const OPENAPI_PATH = "/api/v1/openapi.json";
/** The document with one path for each operation, for generated clients. */
const SPLIT_ACTIONS_OPENAPI_PATH = "/api/v1/openapi-named.json";
export const DOCS_PAGE_PATH = "/api/v1/docs";
const KEPT = "public, max-age=300";
const NOTHING = { "content-security-policy": "default-src 'none'" };

/** A page of another origin may read it, and send the validator of a stored copy. */
const READ_BY_PAGES = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET",
  "access-control-allow-headers": "Content-Type, If-None-Match",
  "access-control-expose-headers": "ETag",
};

interface DocsOptions {
  tools: readonly OwnerOperation[];
  handsetOperations: readonly HandsetOperation[];
  publicUrl: string;
  /** rules#page-views. @throws 429 */
  countView(event: H3Event): Promise<void>;
}

export function addDocsRoutes(app: H3, { tools, handsetOperations, publicUrl, countView }: DocsOptions): void {
  const document = lazy(async () => {
    const { createOpenApiDocument } = await import("../openapi/openapi_document.ts");
    return createOpenApiDocument(tools, handsetOperations, { publicUrl });
  });
  type Made = [content: string, headers: Record<string, string>];
  const add = (path: string, made: () => Promise<Made>, count?: typeof countView) =>
    addStaticRoute(
      app,
      path,
      lazy(async () => prepareStatic(...(await made()))),
      count,
    );
  const json = { "content-type": "application/json", "cache-control": KEPT, "access-control-allow-origin": "*" };
  add(OPENAPI_PATH, async () => [JSON.stringify(await document()), json], countView);
  const readNamed = async (): Promise<Made> => {
    const { createOpenApiDocument } = await import("../openapi/openapi_document.ts");
    const named = createOpenApiDocument(tools, handsetOperations, { publicUrl, splitActions: true });
    return [JSON.stringify(named), json];
  };
  add(SPLIT_ACTIONS_OPENAPI_PATH, readNamed, countView);
  const text = { "content-type": "text/plain; charset=utf-8", "cache-control": KEPT, ...NOTHING };
  add(
    "/llms.txt",
    async () => [(await import("../openapi/introduction.ts")).createLlmsText(tools, publicUrl), text],
    countView,
  );
  type ServerCards = typeof import("./server_card.ts");
  /** A document by which MCP clients find the server (rules#mcp-discovery). */
  const addDiscovery = (path: string, type: string, create: (cards: ServerCards) => object) => {
    const headers = { "content-type": type, "cache-control": "public, max-age=3600", ...NOTHING, ...READ_BY_PAGES };
    add(path, async () => [JSON.stringify(create(await import("./server_card.ts"))), headers], countView);
    app.on("OPTIONS", path, () => new Response(null, { status: 204, headers: READ_BY_PAGES }));
  };
  addDiscovery("/mcp/server-card", "application/mcp-server-card+json", (cards) => cards.createServerCard(publicUrl));
  addDiscovery("/.well-known/ai-catalog.json", "application/ai-catalog+json", (cards) =>
    cards.createAiCatalog(publicUrl),
  );
  add("/static/docs_page.css", async () => {
    const { text, type } = (await import("../docs_page/render_page.ts")).DOCS_STYLESHEET;
    return [text, { "content-type": type, "cache-control": "public, max-age=31536000, immutable", ...NOTHING }];
  });
  const page = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": KEPT,
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
  };
  const readPage = async (): Promise<Made> => {
    const { DOCS_PAGE_CSP, renderDocsPage } = await import("../docs_page/render_page.ts");
    return [renderDocsPage(await document(), OPENAPI_PATH), { ...page, "content-security-policy": DOCS_PAGE_CSP }];
  };
  add(DOCS_PAGE_PATH, readPage, countView);
}
