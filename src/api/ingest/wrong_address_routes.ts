// Addresses that programs try although they are elsewhere here. Each is refused in the program's own format, with the
// right address (rules#wrong-addresses). The response does not depend on existing channels.

import type { H3, H3Event } from "h3";
import { ApiError, notFound } from "../../model/api_error.ts";
import { createErrorResponse, createJsonResponse, getEventRequest, prefersHtml } from "../transports/http_responses.ts";
import { gotifyAdapter } from "./gotify.ts";
import { ntfyAdapter } from "./ntfy.ts";

export interface ServiceAddresses {
  publicUrl: string;
  /** Where the pages of channels are. */
  channelBaseUrl: string;
  ntfyHost: string | null;
  gotifyHost: string | null;
}

const formatHostHint = (host: string | null) => (host ? `, or to the host ${host}` : "");

/**
 * Reports if a request may come from a program of ntfy: a message, or a GET of a publishing verb. A POST without a
 * body, and JSON anywhere but at the root, are answered in the service's own envelope, as every unknown route
 * (rules#error-envelope).
 */
function mayBeNtfyRequest(request: Request): boolean {
  if (request.method === "GET") return true;
  const isJson = (request.headers.get("content-type") ?? "").includes("json");
  return request.body !== null && (!isJson || new URL(request.url).pathname === "/");
}

/** The refusal of what is not served of Gotify's API. */
export const createGotifyUnsupportedError = (publicUrl: string, headers: Record<string, string> = {}): ApiError =>
  new ApiError(
    "route_not_found",
    "Belfry supports only /version, /health and POST /message of Gotify's API; cancel alerts in the " +
      `console. To receive alerts, use the app at ${publicUrl}/app, an ntfy app or belfry listen.`,
    { headers },
  );

/** A miss in Gotify's format. */
export function createGotifyMissResponse(problem: ApiError): Response {
  const { status, body } = gotifyAdapter.refuse(problem);
  return createJsonResponse(status, body, problem.headers);
}

export function addWrongAddressRoutes(
  app: H3,
  { publicUrl, channelBaseUrl, ntfyHost, gotifyHost }: ServiceAddresses,
): void {
  const missing = (message: string) => new ApiError("route_not_found", message);
  const mcp = () =>
    createErrorResponse(
      missing(
        `The MCP endpoint is ${publicUrl}/mcp. It uses Streamable HTTP; send POST requests to this exact address.`,
      ),
    );
  const toNtfy = (request: Request) => {
    const problem = missing(
      `ntfy's API is at ${publicUrl}/ntfy: POST to /ntfy/HANDLE, or JSON to /ntfy${formatHostHint(ntfyHost)}. MCP is ` +
        `at ${publicUrl}/mcp.`,
    );
    if (!mayBeNtfyRequest(request)) return createErrorResponse(problem);
    const { status, body } = ntfyAdapter.refuse(problem);
    return createJsonResponse(status, body);
  };
  const toGotify = (problem: ApiError) => (event: H3Event) => {
    const request = getEventRequest(event);
    if (request.method === "GET" && prefersHtml(request)) throw notFound("route");
    return createGotifyMissResponse(problem);
  };
  const wantsStream = (request: Request) => (request.headers.get("accept") ?? "").includes("text/event-stream");

  // Channels may have such a handle, and their pages are read.
  for (const path of ["/sse", "/mcp/sse", "/MCP", "/Mcp", "/messages"])
    app.use(path, (event, next) => {
      const request = getEventRequest(event);
      const reads = request.method === "GET" || request.method === "HEAD";
      return (reads && !wantsStream(request)) || request.method === "OPTIONS" ? next() : mcp();
    });
  app.all("/mcp/**", (event) => {
    if (prefersHtml(getEventRequest(event)) && event.req.method === "GET")
      return new Response(null, { status: 308, headers: { location: `${publicUrl}/mcp` } });
    return mcp();
  });
  const base = new URL(channelBaseUrl).pathname.replace(/\/+$/, "");
  // The front page and the page of a channel can be read there, as Allow shows.
  const posted = (event: H3Event, isPage: boolean) => {
    const response = wantsStream(getEventRequest(event)) ? mcp() : toNtfy(getEventRequest(event));
    if (isPage) response.headers.set("allow", "GET, HEAD");
    return response;
  };
  for (const method of ["POST", "PUT"] as const) {
    app.on(method, "/", (event) => posted(event, true));
    app.on(method, "/:topic", (event) => posted(event, base === ""));
    if (base !== "") app.on(method, `${base}/:topic`, (event) => posted(event, true));
  }
  for (const verb of ["publish", "send", "trigger", "json", "sse", "raw", "ws", "auth"])
    app.get(`/:topic/${verb}`, (event) =>
      event.context.params?.topic === "mcp" ? mcp() : toNtfy(getEventRequest(event)),
    );
  const messages = toGotify(
    missing(`Gotify's API is at ${publicUrl}/gotify: POST to /gotify/message${formatHostHint(gotifyHost)}.`),
  );
  for (const path of new Set(["/message", "/:topic/message", `${base}/:topic/message`])) app.on("POST", path, messages);
  const unsupported = toGotify(createGotifyUnsupportedError(publicUrl));
  for (const path of GOTIFY_PATHS) {
    // A channel at the root may be called client.
    const isPage = base === "" && !path.slice(1).includes("/");
    if (!isPage) app.get(path, unsupported);
    if (path !== "/message") app.post(path, unsupported);
    for (const method of ["PUT", "DELETE"] as const) app.on(method, path, unsupported);
  }
  const ingest = () =>
    createErrorResponse(
      missing(
        `The ingest address of a channel is ${publicUrl}/api/v1/pushers/HANDLE/ingest. Send a POST request to it.`,
      ),
    );
  for (const path of new Set(["/ingest", "/ingest/:topic", "/:topic/ingest", `${base}/:topic/ingest`]))
    for (const method of ["POST", "PUT"] as const) app.on(method, path, ingest);
}

/** Addresses of Gotify's API that programs request at the root. */
const GOTIFY_PATHS = [
  ...["/message", "/stream", "/current/user", "/version", "/client", "/application"],
  ...["/message/**", "/client/**", "/application/**"],
];
