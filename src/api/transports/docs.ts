// The machine-readable description and its page: public, loaded and made once on the first request, told apart by ETag.

import type { H3, H3Event } from "h3";
import type { HandsetOperation, Tool } from "../../operation/tool.ts";
import { lazy } from "../../store/db/lazy.ts";
import { addStatic, prepare } from "./static.ts";

export const DOCUMENT_PATH = "/api/v1/openapi.json";
export const PAGE_PATH = "/api/v1/docs";
const KEPT = "public, max-age=300";

interface DocsOptions {
  tools: readonly Tool[];
  handsetOperations: readonly HandsetOperation[];
  publicUrl: string;
  /** docs/rules.md#page-views. @throws 429 */
  countView(event: H3Event): Promise<void>;
}

export function addDocs(app: H3, { tools, handsetOperations, publicUrl, countView }: DocsOptions): void {
  const document = lazy(async () => {
    const { openApiDocument } = await import("../openapi/document.ts");
    return openApiDocument(tools, handsetOperations, { publicUrl });
  });
  addStatic(
    app,
    DOCUMENT_PATH,
    lazy(async () =>
      prepare(JSON.stringify(await document()), {
        "content-type": "application/json",
        "cache-control": KEPT,
        "access-control-allow-origin": "*",
      }),
    ),
    countView,
  );
  addStatic(
    app,
    "/llms.txt",
    lazy(async () => {
      const { llmsText } = await import("../openapi/llms.ts");
      return prepare(llmsText(tools, publicUrl), {
        "content-type": "text/plain; charset=utf-8",
        "cache-control": KEPT,
        "content-security-policy": "default-src 'none'",
      });
    }),
    countView,
  );
  addStatic(
    app,
    "/static/docs_page.css",
    lazy(async () => {
      const { text, type } = (await import("../docs_page/page.ts")).DOCS_STYLES;
      return prepare(text, {
        "content-type": type,
        "cache-control": "public, max-age=31536000, immutable",
        "content-security-policy": "default-src 'none'",
      });
    }),
  );
  addStatic(
    app,
    PAGE_PATH,
    lazy(async () => {
      const { DOCS_POLICY, docsPage } = await import("../docs_page/page.ts");
      return prepare(docsPage(await document(), DOCUMENT_PATH), {
        "content-type": "text/html; charset=utf-8",
        "cache-control": KEPT,
        "content-security-policy": DOCS_POLICY,
        "referrer-policy": "no-referrer",
        "x-frame-options": "DENY",
      });
    }),
    countView,
  );
}
