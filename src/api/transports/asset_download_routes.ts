// Routes that serve uploaded files to clients with their URL. Files can never act on our origin: types are exact,
// nothing is sniffed or run. Pages are downloads, and shown only in an inert frame.

import type { H3 } from "h3";
import type { AssetService } from "../../effects/assets/asset_service.ts";
import { contentDisposition } from "../../effects/assets/incoming_file.ts";
import { invalidRequest, methodNotAllowed, notFound } from "../../model/api_error.ts";
import { parseIdOrNull } from "../../model/domain/type_ids.ts";
import { createErrorResponse, getEventRequest, matchesEtag } from "./http_responses.ts";

/** The policy of a file that is opened as a page: nothing is allowed. */
const FILE_POLICY = "default-src 'none'; sandbox";
/** Scripts, forms, frames and requests are dead; a page keeps its own styles and pictures by https. */
const FRAME_POLICY = "sandbox; default-src 'none'; img-src https:; style-src 'unsafe-inline'";

const COMMON = {
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "cross-origin",
  "referrer-policy": "no-referrer",
  // Bytes under an id never change.
  "cache-control": "public, max-age=31536000, immutable",
};

type Part = "file" | "frame";

export function addAssetRoutes(app: H3, assets: AssetService): void {
  const routes: [string, Part][] = [
    ["/assets/:id/:token", "file"],
    ["/assets/:id/:token/frame", "frame"],
  ];
  for (const [path, part] of routes) {
    for (const method of ["GET", "HEAD"] as const)
      app.on(method, path, (event) => {
        const { id = "", token = "" } = event.context.params ?? {};
        return serve(assets, getEventRequest(event), id, token, part);
      });
    app.all(path, () => {
      throw methodNotAllowed("GET, HEAD");
    });
  }
}

async function serve(
  assets: AssetService,
  request: Request,
  wireId: string,
  token: string,
  part: Part,
): Promise<Response> {
  const id = parseIdOrNull("ast", wireId);
  const found = id && assets.opens(id, token) ? await assets.find(id) : null;
  if (!id || !found || (part === "frame" && found.kind !== "html")) throw notFound("file");
  const etag = `"${Buffer.from(found.sha256).toString("base64url")}"`;
  const { content_type: type, kind, name } = found;
  const headers: Record<string, string> = {
    ...COMMON,
    etag,
    "content-type": kind === "html" ? `${type}; charset=utf-8` : type,
    "content-security-policy": part === "frame" ? FRAME_POLICY : FILE_POLICY,
    ...(part === "frame"
      ? {}
      : { "content-disposition": contentDisposition(kind === "html" ? "attachment" : "inline", name, type) }),
    ...(kind === "audio" ? { "accept-ranges": "bytes" } : {}),
  };
  if (matchesEtag(request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
  const range = kind === "audio" ? rangeOf(request, found.bytes, etag) : null;
  if (range === "unsatisfiable") {
    const answer = createErrorResponse(
      invalidRequest("out_of_range", "The range extends beyond the end of the file. Correct the range.", "range"),
      416,
    );
    answer.headers.set("content-range", `bytes */${found.bytes}`);
    return answer;
  }
  const bytes = await assets.read(id, found.bytes);
  if (!range) return new Response(bytes, { headers: { ...headers, "content-length": `${bytes.length}` } });
  const { from, to } = range;
  const slice = bytes.subarray(from, to + 1);
  return new Response(slice, {
    status: 206,
    headers: { ...headers, "content-length": `${slice.length}`, "content-range": `bytes ${from}-${to}/${found.bytes}` },
  });
}

/** Returns one range of bytes, which players request; null for the whole file, also for several ranges. */
function rangeOf(request: Request, size: number, etag: string): { from: number; to: number } | "unsatisfiable" | null {
  const parts = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(request.headers.get("range") ?? "");
  const condition = request.headers.get("if-range");
  if (!parts || request.method === "HEAD" || (condition !== null && condition !== etag)) return null;
  const [, first = "", last = ""] = parts;
  if (first === "" && last === "") return null;
  if (first === "")
    return Number(last) === 0 ? "unsatisfiable" : { from: Math.max(0, size - Number(last)), to: size - 1 };
  const [from, to] = [Number(first), last === "" ? size - 1 : Math.min(Number(last), size - 1)];
  if (last !== "" && Number(last) < from) return null;
  return from < size ? { from, to } : "unsatisfiable";
}
