// The machine-readable description and its page: public, loaded and made once on the first request, told apart by ETag.

import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { H3 } from "h3";
import { once } from "../db/once.ts";
import { noSuchMethod } from "../errors.ts";
import type { HandsetOperation, Tool } from "../operation/tool.ts";
import { requestOf } from "./request.ts";

export const DOCUMENT_PATH = "/api/v1/openapi.json";
export const PAGE_PATH = "/api/v1/docs";

interface DocsOptions {
  tools: readonly Tool[];
  handsetOperations: readonly HandsetOperation[];
  publicUrl: string;
}

export function addDocs(app: H3, { tools, handsetOperations, publicUrl }: DocsOptions): void {
  const document = once(async () => {
    const { openApiDocument } = await import("../openapi/document.ts");
    return openApiDocument(tools, handsetOperations, { publicUrl });
  });
  addStatic(
    app,
    DOCUMENT_PATH,
    once(async () =>
      prepare(JSON.stringify(await document()), {
        "content-type": "application/json",
        "access-control-allow-origin": "*",
      }),
    ),
  );
  addStatic(
    app,
    PAGE_PATH,
    once(async () => {
      const { DOCS_POLICY, docsPage } = await import("../docs_page/page.ts");
      return prepare(docsPage(await document(), DOCUMENT_PATH), {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": DOCS_POLICY,
        "referrer-policy": "no-referrer",
        "x-frame-options": "DENY",
      });
    }),
  );
}

interface Static {
  plain: Uint8Array<ArrayBuffer>;
  gzip: Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
}

function prepare(text: string, headers: Record<string, string>): Static {
  const plain = Buffer.from(text);
  return {
    plain,
    gzip: gzipSync(plain, { level: 9 }),
    headers: {
      ...headers,
      "cache-control": "public, max-age=300",
      "x-content-type-options": "nosniff",
      vary: "accept-encoding",
      // Weak, because the compressed form is the same answer in other bytes.
      etag: `W/"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`,
    },
  };
}

function addStatic(app: H3, path: string, made: () => Promise<Static>): void {
  const serve = async (request: Request): Promise<Response> => {
    const { plain, gzip, headers } = await made();
    const held = request.headers.get("if-none-match");
    if (held && (held === "*" || held.includes(headers.etag!)))
      return new Response(null, { status: 304, headers });
    const compressed = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
    const body = request.method === "HEAD" ? null : compressed ? gzip : plain;
    return new Response(body, {
      headers: { ...headers, ...(compressed ? { "content-encoding": "gzip" } : {}) },
    });
  };
  for (const method of ["GET", "HEAD"] as const) app.on(method, path, (event) => serve(requestOf(event)));
  app.all(path, () => {
    throw noSuchMethod("GET, HEAD");
  });
}
