// Responses that are built once and stay the same, with an ETag, for GET and HEAD. Text is compressed for clients that
// accept it.

import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip, gzipSync } from "node:zlib";
import type { H3, H3Event } from "h3";
import { FastResponse } from "srvx";
import { methodNotAllowed } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { getEventRequest } from "./http_responses.ts";

const zip = promisify(gzip);

/** Below this size in bytes, compression gains nothing. */
const WORTH = 1024;

export const acceptsGzip = ({ headers }: Request): boolean => /\bgzip\b/.test(headers.get("accept-encoding") ?? "");

/**
 * A page for one person. It is not compressed if another site opened it. That site could guess secrets by the
 * compressed length if it chose the text near them (BREACH).
 */
export async function compressHtmlPage(request: Request, page: Response): Promise<Response> {
  const from = request.headers.get("sec-fetch-site") ?? "none";
  const { status, headers } = page;
  if (!headers.get("content-type")?.startsWith("text/html")) return page;
  headers.set("vary", "accept-encoding, sec-fetch-site");
  if (!acceptsGzip(request) || !["none", "same-origin"].includes(from)) return page;
  const body = Buffer.from(await page.arrayBuffer());
  if (body.length < WORTH) return new Response(body, { status, headers });
  headers.set("content-encoding", "gzip");
  return new Response(await zip(body), { status, headers });
}

/** Text is also kept compressed; bytes are kept as they are. `headers` contain the type and the cache lifetime. */
export function prepareStatic(content: string | Uint8Array, headers: Record<string, string>) {
  const plain = new Uint8Array(Buffer.from(content));
  return {
    plain,
    /** Null for what compressing makes no smaller: pictures. */
    gzip: typeof content === "string" ? gzipSync(plain, { level: 9 }) : null,
    headers: {
      ...headers,
      "x-content-type-options": "nosniff",
      vary: "accept-encoding",
      // Weak, because the compressed form is the same answer in other bytes.
      etag: `W/"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`,
    },
  };
}

export type StaticContent = ReturnType<typeof prepareStatic>;

function staticAnswer(request: Request, { plain, gzip, headers }: StaticContent): Response {
  const held = request.headers.get("if-none-match");
  if (held && (held === "*" || held.includes(assertDefined(headers.etag, "the response was prepared with an ETag"))))
    return new Response(null, { status: 304, headers });
  const compressed = gzip !== null && acceptsGzip(request);
  const body = request.method === "HEAD" ? null : compressed ? gzip : plain;
  // These bytes are written without a copy: a thousand slow clients share them.
  return new FastResponse(body, { headers: { ...headers, ...(compressed ? { "content-encoding": "gzip" } : {}) } });
}

/**
 * Serves under `path` what `made` finds for a request; another method is 404 with those that there are. `count` comes
 * first, and may refuse.
 */
export function addStaticRoute(
  app: H3,
  path: string,
  made: (request: Request) => Promise<StaticContent>,
  count?: (event: H3Event) => Promise<void>,
): void {
  for (const method of ["GET", "HEAD"] as const)
    app.on(method, path, async (event) => {
      await count?.(event);
      const request = getEventRequest(event);
      return staticAnswer(request, await made(request));
    });
  app.all(path, () => {
    throw methodNotAllowed("GET, HEAD");
  });
}
