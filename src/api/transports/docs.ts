// The machine-readable description and its page: public, loaded and made once on the first request, told apart by ETag.

import type { H3, H3Event } from "h3";
import type { HandsetOperation, Tool } from "../../operation/tool.ts";
import { lazy } from "../../store/db/lazy.ts";
import { addStatic, prepare } from "./static.ts";

export const DOCUMENT_PATH = "/api/v1/openapi.json";
export const PAGE_PATH = "/api/v1/docs";
const KEPT = "public, max-age=300";
const NOTHING = { "content-security-policy": "default-src 'none'" };

interface DocsOptions {
  tools: readonly Tool[];
  handsetOperations: readonly HandsetOperation[];
  publicUrl: string;
  /** rules#page-views. @throws 429 */
  countView(event: H3Event): Promise<void>;
}

export function addDocs(app: H3, { tools, handsetOperations, publicUrl, countView }: DocsOptions): void {
  const document = lazy(async () => {
    const { openApiDocument } = await import("../openapi/document.ts");
    return openApiDocument(tools, handsetOperations, { publicUrl });
  });
  type Made = [content: string, headers: Record<string, string>];
  const add = (path: string, made: () => Promise<Made>, count?: typeof countView) =>
    addStatic(
      app,
      path,
      lazy(async () => prepare(...(await made()))),
      count,
    );
  const json = {
    "content-type": "application/json",
    "cache-control": KEPT,
    "access-control-allow-origin": "*",
  };
  add(DOCUMENT_PATH, async () => [JSON.stringify(await document()), json], countView);
  const text = { "content-type": "text/plain; charset=utf-8", "cache-control": KEPT, ...NOTHING };
  add("/llms.txt", async () => [(await import("../openapi/words.ts")).llmsText(tools, publicUrl), text], countView);
  add("/static/docs_page.css", async () => {
    const { text, type } = (await import("../docs_page/page.ts")).DOCS_STYLES;
    return [text, { "content-type": type, "cache-control": "public, max-age=31536000, immutable", ...NOTHING }];
  });
  const page = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": KEPT,
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
  };
  const readPage = async (): Promise<Made> => {
    const { DOCS_POLICY, docsPage } = await import("../docs_page/page.ts");
    return [docsPage(await document(), DOCUMENT_PATH), { ...page, "content-security-policy": DOCS_POLICY }];
  };
  add(PAGE_PATH, readPage, countView);
}
