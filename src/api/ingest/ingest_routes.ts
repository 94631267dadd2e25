// Routes for other programs: the ingest route of a channel, ntfy's addresses and Gotify's. The last two are below /ntfy
// and /gotify. A setting can also put them at the root of a host name, since many programs accept only a bare host.

import { H3, type H3Event } from "h3";
import manifest from "../../../package.json" with { type: "json" };
import { ApiError, methodNotAllowed, notFound } from "../../model/api_error.ts";
import { LIMITS } from "../../model/limits.ts";
import { MAX_BODY_BYTES } from "../../operation/define_operation.ts";
import { toApiError } from "../../store/db/database_unavailable_errors.ts";
import type { Caller, Log } from "../../store/handler_context.ts";
import { createJsonResponse, getEventRequest } from "../transports/http_responses.ts";
import { FORM_OVERHEAD, type RouteMeta } from "../transports/request_body.ts";
import { detectAdapter, findAdapterByName } from "./adapters.ts";
import { formatQuantity } from "./formats/format_helpers.ts";
import { gotifyAdapter } from "./gotify.ts";
import { handleIngestRequest, type IngestDeps } from "./handle_ingest_request.ts";
import { ntfyAdapter } from "./ntfy.ts";
import { CLEAR_UNSUPPORTED_ERROR, cancelSequence } from "./ntfy_sequences.ts";
import { addNtfySubscribeRoutes, allowAnyOrigin, type NtfySubscribeRequest, setAnyOrigin } from "./ntfy_subscribe.ts";
import { extractToken, NTFY_ADDITIONAL_TOKEN_LOCATIONS } from "./read_ingest_request.ts";
import { createGotifyMissResponse, createGotifyUnsupportedError } from "./wrong_address_routes.ts";

export interface IngestRouteDeps extends IngestDeps {
  publicUrl: string;
  getRequestLog(event: H3Event): Log;
  /** Reports if the caller sees such a channel, by its id or handle. */
  canSeeChannel(caller: Caller, channel: string): Promise<boolean>;
  /** Handles subscriptions to channels. @throws ApiError */
  subscribe(event: H3Event, subscription: NtfySubscribeRequest): Promise<Response>;
}

const GOTIFY_TOKEN_LOCATIONS = { parameters: ["token"], headers: ["x-gotify-key"] };
const ALL_TOKEN_LOCATIONS = {
  ...GOTIFY_TOKEN_LOCATIONS,
  ...NTFY_ADDITIONAL_TOKEN_LOCATIONS,
  headers: ["x-gotify-key", "x-gitlab-token"],
};

const ALERTS: RouteMeta = { maxBody: MAX_BODY_BYTES.alerts };
/** A picture in base64 may be part of the message. */
const WITH_PICTURE: RouteMeta = { maxBody: Math.ceil((LIMITS.image_file * 4) / 3) + MAX_BODY_BYTES.usual };
const USUAL: RouteMeta = { maxBody: MAX_BODY_BYTES.usual };
/** The body may be a picture, or a form with one. */
const FILES: RouteMeta = { maxBody: LIMITS.image_file + FORM_OVERHEAD };

type RouteHandler = (event: H3Event) => Response | Promise<Response>;

/** Adds a path with the methods that it serves; any other method is refused in the adapter's format. */
function addPath(
  app: H3,
  path: string,
  methods: Record<string, RouteHandler>,
  refuse: typeof ntfyAdapter.refuse,
  meta?: RouteMeta,
  otherMethod: (allow: string) => ApiError = methodNotAllowed,
) {
  for (const [method, answer] of Object.entries(methods))
    app.on(method as "GET", path, answer, { meta: meta ?? USUAL });
  const allow = Object.keys(methods).join(", ");
  app.all(path, () => toRefusalResponse(refuse, otherMethod(allow)));
}

/** Methods of an address whose response does not depend on the request. */
const fixedAnswer = (body: unknown): Record<string, RouteHandler> => ({
  GET: () => createJsonResponse(200, body),
  HEAD: () => new Response(null, createJsonResponse(200, body)),
});

function toRefusalResponse(refuse: typeof ntfyAdapter.refuse, problem: ApiError): Response {
  const { status, body } = refuse(problem);
  return createJsonResponse(status, body, problem.headers);
}

export function addIngestRoutes(app: H3, routes: IngestRouteDeps): void {
  const handle = (event: H3Event, from: string | null, path: string) => {
    const adapter = from === null ? null : findAdapterByName(from);
    const route = { adapter, tokenLocations: ALL_TOKEN_LOCATIONS, channel: event.context.params?.id ?? "", path };
    // An unknown program is treated like an undetected one.
    const detect = from === null ? detectAdapter : () => null;
    return handleIngestRequest(getEventRequest(event), route, detect, routes.getRequestLog(event), routes);
  };
  const ingest = "/api/v1/pushers/:id/ingest";
  app.on("POST", ingest, (event) => handle(event, event.url.searchParams.get("from"), "/"), { meta: WITH_PICTURE });
  // The suffix that Prometheus adds to its configured prefix.
  const alerts = "/api/v2/alerts";
  app.on("POST", ingest + alerts, (event) => handle(event, "prometheus", alerts), { meta: ALERTS });
  for (const path of [ingest, ingest + alerts])
    app.all(path, () => {
      throw methodNotAllowed("POST");
    });
  addNtfyRoutes(app, "/ntfy", routes);
  addGotifyRoutes(app, "/gotify", routes);
  // A route that neither serves is refused in its own format.
  app.all("/ntfy/**", () => toRefusalResponse(ntfyAdapter.refuse, notFound("route")));
  app.all("/gotify/**", () => createGotifyMissResponse(createGotifyUnsupportedError(routes.publicUrl)));
}

function addNtfyRoutes(app: H3, root: string, routes: IngestRouteDeps): void {
  const handle = (event: H3Event, channel: string | null) => {
    const path = event.url.pathname.slice(root.length) || "/";
    const route = {
      adapter: ntfyAdapter,
      tokenLocations: NTFY_ADDITIONAL_TOKEN_LOCATIONS,
      channel,
      path,
      takesFiles: channel !== null,
    };
    return handleIngestRequest(getEventRequest(event), route, () => ntfyAdapter, routes.getRequestLog(event), routes);
  };
  allowAnyOrigin(app, root);
  const add = (path: string, methods: Record<string, RouteHandler>, meta?: RouteMeta) =>
    addPath(app, root + path, methods, ntfyAdapter.refuse, meta);
  const publishToTopic: RouteHandler = (event) => handle(event, event.context.params?.topic ?? "");
  const publishJson: RouteHandler = (event) => handle(event, null);
  add("/v1/health", fixedAnswer({ healthy: true }));
  if (root !== "") add("", { POST: publishJson, PUT: publishJson }, ALERTS);
  add("/", { POST: publishJson, PUT: publishJson }, ALERTS);
  add("/:topic", { POST: publishToTopic, PUT: publishToTopic }, FILES);
  add(
    "/:topic/:sequence",
    { POST: publishToTopic, PUT: publishToTopic, DELETE: (event) => deleteSequence(event, routes) },
    FILES,
  );
  for (const verb of ["clear", "read"])
    add(`/:topic/:sequence/${verb}`, { PUT: () => toRefusalResponse(ntfyAdapter.refuse, CLEAR_UNSUPPORTED_ERROR) });
  for (const verb of ["publish", "send", "trigger"]) add(`/:topic/${verb}`, { GET: publishToTopic });
  addNtfySubscribeRoutes(app, root, {
    subscribe: routes.subscribe,
    now: routes.now,
    logError: (event, error) => routes.getRequestLog(event).error({ err: error }, "the port could not be opened"),
    async canPublish(request, topic) {
      const caller = await routes.authenticate(extractToken(request, NTFY_ADDITIONAL_TOKEN_LOCATIONS));
      return caller !== null && routes.canSeeChannel(caller, topic);
    },
  });
}

/** ntfy's response to a message that is deleted by its sequence id. */
async function deleteSequence(event: H3Event, routes: IngestRouteDeps): Promise<Response> {
  const { topic = "", sequence = "" } = event.context.params ?? {};
  const log = routes.getRequestLog(event);
  try {
    const caller = await routes.authenticate(extractToken(getEventRequest(event), NTFY_ADDITIONAL_TOKEN_LOCATIONS));
    const { id, cancelled } = await cancelSequence({ caller, channel: topic, sequenceId: sequence }, routes, log);
    const time = Math.floor(routes.now().getTime() / 1000);
    const count = formatQuantity(cancelled, "alert");
    const outcome = `${count} cancelled. Handsets that already received a sent alert keep it.`;
    const body = { id, time, event: "message_delete", topic, sequence_id: sequence };
    return createJsonResponse(200, { ...body, belfry: { state: "cancelled", said: outcome } });
  } catch (error) {
    if (!(error instanceof ApiError)) log.error({ err: error }, "a message could not be deleted");
    return toRefusalResponse(ntfyAdapter.refuse, toApiError(error));
  }
}

function addGotifyRoutes(app: H3, root: string, routes: IngestRouteDeps): void {
  const add = (path: string, methods: Record<string, RouteHandler>, meta?: RouteMeta) =>
    addPath(app, root + path, methods, gotifyAdapter.refuse, meta, (allow) =>
      createGotifyUnsupportedError(routes.publicUrl, { allow }),
    );
  add(
    "/message",
    {
      POST: (event) => {
        const route = {
          adapter: gotifyAdapter,
          tokenLocations: GOTIFY_TOKEN_LOCATIONS,
          channel: null,
          path: "/message",
        };
        return handleIngestRequest(
          getEventRequest(event),
          route,
          () => gotifyAdapter,
          routes.getRequestLog(event),
          routes,
        );
      },
    },
    FILES,
  );
  // Programs never receive a Gotify version that this server does not implement.
  add("/version", fixedAnswer({ version: manifest.version, commit: "", buildDate: "" }));
  add("/health", fixedAnswer({ health: "green", database: "green" }));
}

/** The routes at the root of a host name of its own, and nothing else. */
const ROUTES_BY_HOST_KIND = { ntfy: [addNtfyRoutes, ntfyAdapter], gotify: [addGotifyRoutes, gotifyAdapter] } as const;

/** The app of such a host name. `prepare` adds the middleware of every route. */
export function createIngestHostApp(
  kind: keyof typeof ROUTES_BY_HOST_KIND,
  routes: IngestRouteDeps,
  prepare: (app: H3) => void,
): H3 {
  const [add, { refuse }] = ROUTES_BY_HOST_KIND[kind];
  const routeNotFound = kind === "gotify" ? createGotifyUnsupportedError(routes.publicUrl) : notFound("route");
  const app = new H3({
    silent: true,
    onError: (error, event) => {
      const cause = error.unhandled ? error.cause : error;
      const problem = cause instanceof ApiError ? cause : error.unhandled ? toApiError(cause) : routeNotFound;
      if (error.unhandled) routes.getRequestLog(event).error({ err: cause }, "request failed");
      if (problem === routeNotFound && kind === "gotify") return createGotifyMissResponse(problem);
      const response = toRefusalResponse(refuse, problem);
      return kind === "ntfy" ? setAnyOrigin(response) : response;
    },
  });
  prepare(app);
  add(app, "", routes);
  return app;
}
