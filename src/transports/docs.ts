// The machine-readable description and its page: public, made once on the first request, told apart by ETag.

import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { H3 } from "h3";
import { DOCS_POLICY, docsPage } from "../docs_page/page.ts";
import { noSuchMethod } from "../errors.ts";
import { openApiDocument } from "../openapi/document.ts";
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
  const document = madeOnce(() => openApiDocument(tools, handsetOperations, { publicUrl }));
  addStatic(
    app,
    DOCUMENT_PATH,
    madeOnce(() =>
      prepare(JSON.stringify(document()), {
        "content-type": "application/json",
        "access-control-allow-origin": "*",
      }),
    ),
  );
  addStatic(
    app,
    PAGE_PATH,
    madeOnce(() =>
      prepare(docsPage(document(), DOCUMENT_PATH), {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": DOCS_POLICY,
        "referrer-policy": "no-referrer",
        "x-frame-options": "DENY",
      }),
    ),
  );
}

function madeOnce<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
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

function addStatic(app: H3, path: string, made: () => Static): void {
  const serve = (request: Request): Response => {
    const { plain, gzip, headers } = made();
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
