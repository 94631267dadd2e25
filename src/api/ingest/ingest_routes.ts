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
import { type IngestDeps, publishRequest } from "./handle_ingest_request.ts";
import { ntfyAdapter } from "./ntfy.ts";
import { CLEAR_UNSUPPORTED_ERROR, cancelSequence } from "./ntfy_sequences.ts";
import { addNtfySubscribeRoutes, allowAnyOrigin, type NtfySubscribeRequest, setAnyOrigin } from "./ntfy_subscribe.ts";
import { extractToken, NTFY_ADDITIONAL_TOKEN_LOCATIONS } from "./read_ingest_request.ts";
import { createGotifyMissResponse, createGotifyUnsupportedError } from "./wrong_address_routes.ts";

export interface IngestRouteDeps extends IngestDeps {
  publicUrl: string;
  logOf(event: H3Event): Log;
  /** Reports if the caller sees such a channel, by its id or handle. */
  sees(caller: Caller, channel: string): Promise<boolean>;
  /** Handles subscriptions to channels. @throws ApiError */
  listen(event: H3Event, asked: NtfySubscribeRequest): Promise<Response>;
}

const GOTIFY_PLACES = { parameters: ["token"], headers: ["x-gotify-key"] };
const ALL_PLACES = {
  ...GOTIFY_PLACES,
  ...NTFY_ADDITIONAL_TOKEN_LOCATIONS,
  headers: ["x-gotify-key", "x-gitlab-token"],
};

const ALERTS: RouteMeta = { maxBody: MAX_BODY_BYTES.alerts };
/** A picture in base64 may be part of the message. */
const WITH_PICTURE: RouteMeta = { maxBody: Math.ceil((LIMITS.image_file * 4) / 3) + MAX_BODY_BYTES.usual };
const USUAL: RouteMeta = { maxBody: MAX_BODY_BYTES.usual };
/** The body may be a picture, or a form with one. */
const FILES: RouteMeta = { maxBody: LIMITS.image_file + FORM_OVERHEAD };

type Answer = (event: H3Event) => Response | Promise<Response>;

/** Adds a path with the methods that it serves; any other method is refused in the adapter's format. */
function addPath(
  app: H3,
  path: string,
  methods: Record<string, Answer>,
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
const reading = (body: unknown): Record<string, Answer> => ({
  GET: () => createJsonResponse(200, body),
  HEAD: () => new Response(null, createJsonResponse(200, body)),
});

function toRefusalResponse(refuse: typeof ntfyAdapter.refuse, problem: ApiError): Response {
  const { status, body } = refuse(problem);
  return createJsonResponse(status, body, problem.headers);
}

export function addIngestRoutes(app: H3, routes: IngestRouteDeps): void {
  const receive = (event: H3Event, from: string | null, path: string) => {
    const tongue = from === null ? null : findAdapterByName(from);
    const door = { tongue, places: ALL_PLACES, channel: event.context.params?.id ?? "", path };
    // An unknown program is treated like an undetected one.
    const recognise = from === null ? detectAdapter : () => null;
    return publishRequest(getEventRequest(event), door, recognise, routes.logOf(event), routes);
  };
  const ingest = "/api/v1/pushers/:id/ingest";
  app.on("POST", ingest, (event) => receive(event, event.url.searchParams.get("from"), "/"), { meta: WITH_PICTURE });
  // The suffix that Prometheus adds to its configured prefix.
  const alerts = "/api/v2/alerts";
  app.on("POST", ingest + alerts, (event) => receive(event, "prometheus", alerts), { meta: ALERTS });
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

export function addNtfyRoutes(app: H3, root: string, routes: IngestRouteDeps): void {
  const receive = (event: H3Event, channel: string | null) => {
    const path = event.url.pathname.slice(root.length) || "/";
    const door = {
      tongue: ntfyAdapter,
      places: NTFY_ADDITIONAL_TOKEN_LOCATIONS,
      channel,
      path,
      takesFiles: channel !== null,
    };
    return publishRequest(getEventRequest(event), door, () => ntfyAdapter, routes.logOf(event), routes);
  };
  allowAnyOrigin(app, root);
  const add = (path: string, methods: Record<string, Answer>, meta?: RouteMeta) =>
    addPath(app, root + path, methods, ntfyAdapter.refuse, meta);
  const toTopic: Answer = (event) => receive(event, event.context.params?.topic ?? "");
  const asJson: Answer = (event) => receive(event, null);
  add("/v1/health", reading({ healthy: true }));
  if (root !== "") add("", { POST: asJson, PUT: asJson }, ALERTS);
  add("/", { POST: asJson, PUT: asJson }, ALERTS);
  add("/:topic", { POST: toTopic, PUT: toTopic }, FILES);
  add("/:topic/:sequence", { POST: toTopic, PUT: toTopic, DELETE: (event) => deleted(event, routes) }, FILES);
  for (const verb of ["clear", "read"])
    add(`/:topic/:sequence/${verb}`, { PUT: () => toRefusalResponse(ntfyAdapter.refuse, CLEAR_UNSUPPORTED_ERROR) });
  for (const verb of ["publish", "send", "trigger"]) add(`/:topic/${verb}`, { GET: toTopic });
  addNtfySubscribeRoutes(app, root, {
    listen: routes.listen,
    now: routes.now,
    failed: (event, error) => routes.logOf(event).error({ err: error }, "the port could not be opened"),
    async publishes(request, topic) {
      const caller = await routes.authenticate(extractToken(request, NTFY_ADDITIONAL_TOKEN_LOCATIONS));
      return caller !== null && routes.sees(caller, topic);
    },
  });
}

/** ntfy's response to a message that is deleted by its sequence id. */
async function deleted(event: H3Event, routes: IngestRouteDeps): Promise<Response> {
  const { topic = "", sequence = "" } = event.context.params ?? {};
  const log = routes.logOf(event);
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

export function addGotifyRoutes(app: H3, root: string, routes: IngestRouteDeps): void {
  const add = (path: string, methods: Record<string, Answer>, meta?: RouteMeta) =>
    addPath(app, root + path, methods, gotifyAdapter.refuse, meta, (allow) =>
      createGotifyUnsupportedError(routes.publicUrl, { allow }),
    );
  add(
    "/message",
    {
      POST: (event) => {
        const door = { tongue: gotifyAdapter, places: GOTIFY_PLACES, channel: null, path: "/message" };
        return publishRequest(getEventRequest(event), door, () => gotifyAdapter, routes.logOf(event), routes);
      },
    },
    FILES,
  );
  // Programs never receive a Gotify version that this server does not implement.
  add("/version", reading({ version: manifest.version, commit: "", buildDate: "" }));
  add("/health", reading({ health: "green", database: "green" }));
}

/** The routes at the root of a host name of its own, and nothing else. */
const AT_ROOT = { ntfy: [addNtfyRoutes, ntfyAdapter], gotify: [addGotifyRoutes, gotifyAdapter] } as const;

/** The app of such a host name. `prepare` adds the middleware of every route. */
export function createIngestHostApp(
  kind: keyof typeof AT_ROOT,
  routes: IngestRouteDeps,
  prepare: (app: H3) => void,
): H3 {
  const [add, { refuse }] = AT_ROOT[kind];
  const missed = kind === "gotify" ? createGotifyUnsupportedError(routes.publicUrl) : notFound("route");
  const app = new H3({
    silent: true,
    onError: (error, event) => {
      const cause = error.unhandled ? error.cause : error;
      const problem = cause instanceof ApiError ? cause : error.unhandled ? toApiError(cause) : missed;
      if (error.unhandled) routes.logOf(event).error({ err: cause }, "request failed");
      if (problem === missed && kind === "gotify") return createGotifyMissResponse(problem);
      const response = toRefusalResponse(refuse, problem);
      return kind === "ntfy" ? setAnyOrigin(response) : response;
    },
  });
  prepare(app);
  add(app, "", routes);
  return app;
}
