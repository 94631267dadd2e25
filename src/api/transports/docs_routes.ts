// Routes of the OpenAPI document and its page: public, rendered once on the first request, with ETags.

import type { H3, H3Event } from "h3";
import type { HandsetOperation, OwnerOperation } from "../../operation/define_operation.ts";
import { lazy } from "../../store/db/lazy.ts";
import { addStaticRoute, prepareStatic } from "./static_content.ts";

export const OPENAPI_PATH = "/api/v1/openapi.json";
export const DOCS_PAGE_PATH = "/api/v1/docs";
const KEPT = "public, max-age=300";
const NOTHING = { "content-security-policy": "default-src 'none'" };

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
  const json = {
    "content-type": "application/json",
    "cache-control": KEPT,
    "access-control-allow-origin": "*",
  };
  add(OPENAPI_PATH, async () => [JSON.stringify(await document()), json], countView);
  const text = { "content-type": "text/plain; charset=utf-8", "cache-control": KEPT, ...NOTHING };
  add(
    "/llms.txt",
    async () => [(await import("../openapi/introduction.ts")).createLlmsText(tools, publicUrl), text],
    countView,
  );
  add("/static/docs_page.css", async () => {
    const { text, type } = (await import("../docs_page/render_page.ts")).DOCS_STYLES;
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
