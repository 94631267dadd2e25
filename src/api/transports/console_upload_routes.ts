// The uploads of a signed-in person as JSON, which no key can use (rules#uploads). The console identifies the person,
// and dispatch checks permissions. This file ensures that a page of another origin cannot make the browser upload or
// delete.

import type { H3, H3Event } from "h3";
import { IncomingFile } from "../../effects/assets/incoming_file.ts";
import { collectBytes } from "../../effects/assets/receive_upload.ts";
import { delete_file, list_files, upload_file } from "../../identity/session/uploaded_files.ts";
import { ApiError, forbidden, invalidRequest, methodNotAllowed, unauthorized } from "../../model/api_error.ts";
import { MAX_ASSET_BYTES } from "../../model/domain/asset_rules.ts";
import { ASSET_KINDS, type AssetKind } from "../../model/tables/asset.ts";
import type { Dispatcher } from "../../operation/dispatcher.ts";
import { toJsonSchema } from "../../operation/validation_errors.ts";
import type { Log, MemberCaller } from "../../store/handler_context.ts";
import { createEmptyResponse, createErrorResponse, createJsonResponse, getEventRequest } from "./http_responses.ts";
import { FORM_OVERHEAD, type RouteMeta } from "./request_body.ts";
import { convertQueryArguments, parseQuery } from "./rest_routes.ts";

interface UploadRouteDeps {
  dispatcher: Pick<Dispatcher, "runSession">;
  /** The signed-in person of this request; null without one. */
  callerOf(request: Request): Promise<MemberCaller | null>;
  /** PUBLIC_URL: an origin that the console is served from, with any proxy in between. */
  publicUrl: string;
  getRequestLog(event: H3Event): Log;
}

interface Visit {
  request: Request;
  caller: MemberCaller;
  log: Log;
  query: Record<string, string>;
  problem?: ApiError;
  id: string;
}

export function addUploadRoutes(app: H3, routes: UploadRouteDeps): void {
  const { runSession } = routes.dispatcher;
  const handle = (act: (context: Visit) => Promise<Response>) => {
    return async (event: H3Event): Promise<Response> => {
      const log = routes.getRequestLog(event);
      try {
        const request = getEventRequest(event);
        const caller = await routes.callerOf(request);
        if (!caller) throw unauthorized();
        if (request.method !== "GET") refuseOtherOrigins(request, routes.publicUrl);
        const { args: query, problem } = parseQuery(event.url.searchParams);
        return await act({ request, caller, log, query, problem, id: event.context.params?.id ?? "" });
      } catch (error) {
        if (!(error instanceof ApiError)) log.error({ err: error }, "upload route failed");
        return createErrorResponse(error);
      }
    };
  };

  app.on(
    "POST",
    "/console/assets",
    handle(async ({ request, caller, log, query: { name = "", ...args }, problem }) => {
      const file = fileOf(request, name, args.kind);
      return createJsonResponse(201, await runSession(upload_file, caller, { args: { ...args, file }, problem, log }));
    }),
    { meta: { maxBody: Math.max(...Object.values(MAX_ASSET_BYTES)) + FORM_OVERHEAD } satisfies RouteMeta },
  );
  app.on(
    "GET",
    "/console/assets",
    handle(async ({ caller, log, query, problem }) => {
      const args = convertQueryArguments(query, toJsonSchema(list_files.input));
      return createJsonResponse(200, await runSession(list_files, caller, { args, problem, log }));
    }),
  );
  app.on(
    "DELETE",
    "/console/assets/:id",
    handle(async ({ caller, log, id }) => {
      await runSession(delete_file, caller, { args: { file_id: id }, log });
      return createEmptyResponse(204);
    }),
  );
  app.all("/console/assets", () => createErrorResponse(methodNotAllowed("GET, POST")));
  app.all("/console/assets/:id", () => createErrorResponse(methodNotAllowed("DELETE")));
}

/** The console's own pages call with Sec-Fetch-Site or, on old browsers and plain http, with Origin. @throws 403 */
function refuseOtherOrigins(request: Request, publicUrl: string): void {
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  const own = [new URL(publicUrl).origin, new URL(request.url).origin];
  if (site === null ? origin !== null && own.includes(origin) : site === "same-origin") return;
  throw forbidden("origin_not_allowed", "This call is allowed only from console pages.");
}

/** The file of a request, as its body or in a form with one file; nothing is read before it is requested. */
function fileOf(request: Request, name: string, kind: string | undefined): IncomingFile {
  const contentType = request.headers.get("content-type") ?? "";
  const announced = Number(request.headers.get("content-length") ?? 0);
  const body = chunksOf(request);
  if (!/^multipart\/form-data\s*;/i.test(contentType)) return new IncomingFile(body, name, announced);
  // Any other kind is refused before a byte is read.
  const known = ASSET_KINDS.find((one) => one === kind) ?? "html";
  const chunks = fromForm(body, contentType, known, (own) => {
    file.name ||= own;
  });
  const file = new IncomingFile(chunks, name, announced - FORM_OVERHEAD);
  return file;
}

/** Leaving the rest unread must not cut the connection under the answer. */
async function* chunksOf(request: Request): AsyncGenerator<Uint8Array> {
  if (request.body) yield* request.body.values({ preventCancel: true });
}

/** The one file of a form, and its name. */
async function* fromForm(
  body: IncomingFile["chunks"],
  contentType: string,
  kind: AssetKind,
  called: (name: string) => void,
): AsyncGenerator<Uint8Array> {
  const whole = await collectBytes(body, MAX_ASSET_BYTES[kind] + FORM_OVERHEAD, kind);
  const form = await new Response(whole, { headers: { "content-type": contentType } }).formData().catch(() => {
    throw invalidRequest("malformed_body", "The form could not be read. Send the file as the body instead.", "file");
  });
  const files = [...form.values()].filter((value): value is File => typeof value !== "string");
  const [file] = files;
  if (!file || files.length !== 1)
    throw invalidRequest("wrong_item_count", "The form must contain exactly one file.", "file");
  called(file.name);
  yield new Uint8Array(await file.arrayBuffer());
}
