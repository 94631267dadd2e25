// The uploads of a signed-in person, which no operation does (docs/rules.md#uploads). Who is signed in,
// the console says; that a page of another origin cannot make the browser upload or delete, is held here.

import type { H3, H3Event } from "h3";
import type { Assets } from "../assets/surroundings.ts";
import { checkUploader, collect, tooLarge, type Upload } from "../assets/upload.ts";
import type { Caller, Log } from "../context.ts";
import { MAX_BYTES } from "../domain/assets.ts";
import { ASSET_KINDS, type AssetKind } from "../entities/asset.ts";
import { ApiError, forbidden, invalidRequest, noSuchMethod, unauthorized } from "../errors.ts";
import { showAsset } from "../shapes/asset.ts";
import { DEFAULT_LIMIT, instant } from "../shapes/fields.ts";
import { emptyAnswer, jsonAnswer, refusal } from "./answers.ts";
import type { RouteMeta } from "./body.ts";

export interface UploadRoutes {
  assets: Assets;
  /** Who is signed in with this request; null for nobody. */
  callerOf(request: Request): Promise<Caller | null>;
  /** PUBLIC_URL: an origin that the console is served from, whatever proxy stands in between. */
  publicUrl: string;
  logOf(event: H3Event): Log;
}

/** What a form adds to the file that it carries. */
const FORM_OVERHEAD = 16_384;

export function addUploadRoutes(app: H3, routes: UploadRoutes): void {
  const { assets } = routes;
  const handle = (act: (request: Request, caller: Caller, event: H3Event) => Promise<Response>) => {
    return async (event: H3Event): Promise<Response> => {
      try {
        const request = event.req as unknown as Request;
        const caller = await routes.callerOf(request);
        if (!caller) throw unauthorized();
        if (request.method !== "GET") refuseOtherOrigins(request, routes.publicUrl);
        checkUploader(caller);
        return await act(request, caller, event);
      } catch (error) {
        if (!(error instanceof ApiError)) routes.logOf(event).error({ err: error }, "upload route failed");
        return refusal(error);
      }
    };
  };

  app.on(
    "POST",
    "/console/assets",
    handle(async (request, caller, event) => {
      const { kind, name } = readQuery(event.url.searchParams, ["kind", "name"]);
      if (!isKind(kind)) throw invalidRequest(`kind must be one of ${ASSET_KINDS.join(", ")}.`, "kind");
      const row = await assets.receive(uploadOf(request, caller, kind, name ?? ""));
      return jsonAnswer(201, showAsset(row, assets));
    }),
    { meta: { maxBody: Math.max(...Object.values(MAX_BYTES)) + FORM_OVERHEAD } satisfies RouteMeta },
  );
  app.on(
    "GET",
    "/console/assets",
    handle(async (_request, caller, event) => {
      const { kind, limit, before } = readQuery(event.url.searchParams, ["kind", "limit", "before"]);
      if (kind !== undefined && !isKind(kind))
        throw invalidRequest(`kind must be one of ${ASSET_KINDS.join(", ")}.`, "kind");
      if (limit !== undefined && !/^([1-9]\d?|100)$/.test(limit))
        throw invalidRequest("limit must be a whole number from 1 to 100.", "limit");
      const start = instant().optional().safeParse(before);
      if (!start.success) throw invalidRequest("before must be an RFC 3339 instant.", "before");
      const page = { kind, limit: Number(limit ?? DEFAULT_LIMIT), before: start.data };
      const { rows, next_before } = await assets.list(caller, page);
      return jsonAnswer(200, { data: rows.map((row) => showAsset(row, assets)), meta: { next_before } });
    }),
  );
  app.on(
    "DELETE",
    "/console/assets/:id",
    handle(async (_request, caller, event) => {
      await assets.remove(caller, event.context.params?.id ?? "");
      return emptyAnswer(204);
    }),
  );
  const others: [string, string][] = [
    ["/console/assets", "GET, POST"],
    ["/console/assets/:id", "DELETE"],
  ];
  for (const [path, allow] of others)
    app.all(path, () => {
      return refusal(noSuchMethod(allow));
    });
}

const isKind = (text: string | undefined): text is AssetKind => ASSET_KINDS.includes(text as AssetKind);

/** The console's own pages call with Sec-Fetch-Site or, on old browsers and plain http, with Origin. @throws 403 */
export function refuseOtherOrigins(request: Request, publicUrl: string): void {
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  const own = [new URL(publicUrl).origin, new URL(request.url).origin];
  if (site === null ? origin !== null && own.includes(origin) : site === "same-origin") return;
  throw forbidden("This call is for the console's own pages.");
}

function readQuery(params: URLSearchParams, known: string[]): Record<string, string | undefined> {
  const args: Record<string, string> = Object.create(null);
  for (const [name, value] of params) {
    if (!known.includes(name))
      throw invalidRequest("This query parameter is not known here.", /^\w{1,64}$/.test(name) ? name : null);
    if (value === "" || Object.hasOwn(args, name))
      throw invalidRequest("A query parameter must be neither empty nor repeated.", name);
    args[name] = value;
  }
  return args;
}

/** The file of a request, as its body or in a form with one file; nothing of it is read before it is asked for. */
function uploadOf(request: Request, caller: Caller, kind: AssetKind, name: string): Upload {
  const contentType = request.headers.get("content-type") ?? "";
  const form = /^multipart\/form-data\s*;/i.test(contentType);
  const max = MAX_BYTES[kind] + (form ? FORM_OVERHEAD : 0);
  // Said at once where the client says it; believed by nobody.
  if (Number(request.headers.get("content-length") ?? 0) > max) throw tooLarge(kind);
  const body = chunksOf(request);
  const upload: Upload = { caller, kind, name, stream: body };
  if (form) upload.stream = fromForm(upload, body, contentType, max);
  return upload;
}

/** Leaving the rest unread must not cut the connection under the answer. */
async function* chunksOf(request: Request): AsyncGenerator<Uint8Array> {
  if (request.body) yield* request.body.values({ preventCancel: true });
}

/** The one file of a form, whose name is the upload's unless it has another one. */
async function* fromForm(
  upload: Upload,
  body: Upload["stream"],
  contentType: string,
  max: number,
): AsyncGenerator<Uint8Array> {
  const whole = await collect(body, max, upload.kind);
  const form = await new Response(whole, { headers: { "content-type": contentType } })
    .formData()
    .catch(() => {
      throw invalidRequest("The form could not be read; send the file as the body instead.", "file");
    });
  const files = [...form.values()].filter((value): value is File => typeof value !== "string");
  if (files.length !== 1) throw invalidRequest("The form must carry exactly one file.", "file");
  upload.name ||= files[0]!.name;
  yield new Uint8Array(await files[0]!.arrayBuffer());
}
