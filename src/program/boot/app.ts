// The connection of operations and transports: one fetch function for REST, the handset API and MCP, with request ids,
// the request log, health and metrics.

import { randomUUID } from "node:crypto";
import { setImmediate as yieldToLoop } from "node:timers/promises";
import { H3, type H3Event, HTTPError } from "h3";
import { OPERATIONS } from "../../../operations/index.ts";
import { addAssetRoutes } from "../../api/transports/asset_download_routes.ts";
import { addUploadRoutes } from "../../api/transports/console_upload_routes.ts";
import { addDocsRoutes } from "../../api/transports/docs_routes.ts";
import {
  createErrorResponse,
  getEventRequest,
  isPageResponse,
  setResponseHeader,
} from "../../api/transports/http_responses.ts";
import { addOAuthRoutes } from "../../api/transports/oauth_routes.ts";
import { findNodeRequestWithBody, limitBody, type RouteMeta } from "../../api/transports/request_body.ts";
import { addRestRoutes } from "../../api/transports/rest_routes.ts";
import type { AssetService } from "../../effects/assets/asset_service.ts";
import type { HandsetAuthenticator } from "../../handset/device_authentication.ts";
import { HANDSET_OPERATIONS } from "../../handset/handset_operations.ts";
import type { LongPolling } from "../../handset/live_updates/long_polling.ts";
import { type AuthenticateToken, getBearerToken } from "../../identity/auth/bearer_authentication.ts";
import { getSessionMemberCaller } from "../../identity/auth/console_sessions.ts";
import type { OAuthClients, OAuthScopeStepUps } from "../../identity/auth/oauth_clients.ts";
import type { SignInLibrary } from "../../identity/auth/sign_in_library.ts";
import { ApiError, notFound, overloaded, unauthorized } from "../../model/api_error.ts";
import { parseIdOrNull } from "../../model/domain/type_ids.ts";
import type { AlertWaits } from "../../operation/alert_waits.ts";
import { type HandsetOperation, MAX_BODY_BYTES, type OwnerOperation } from "../../operation/define_operation.ts";
import type { Dispatcher } from "../../operation/dispatcher.ts";
import type { ConsoleDeps } from "../../pages/console/page_definitions.ts";
import { addConsole } from "../../pages/console/routes.ts";
import { createMcpPageHandler } from "../../pages/public_pages/mcp_page.ts";
import { enforcePageViewLimit } from "../../pages/public_pages/mount_page.ts";
import { createNotFoundHandler } from "../../pages/public_pages/page_layout.ts";
import type { PublicPagesDeps } from "../../pages/public_pages/public_pages_deps.ts";
import { addPublicPages } from "../../pages/public_pages/routes.ts";
import { buildMcpResultCardPage } from "../../pages/web_app/mcp_card_page.ts";
import { addWebApp } from "../../pages/web_app/routes.ts";
import type { Config } from "../../store/config/all_settings.ts";
import { toApiError } from "../../store/db/database_unavailable_errors.ts";
import { lazy } from "../../store/db/lazy.ts";
import type { DiskSpaceMonitor } from "../../store/embedded/disk_space.ts";
import type { AnonymousCaller, Caller, DeviceCaller } from "../../store/handler_context.ts";
import { createClientReader, type RequestClient, rateLimitAddress } from "../../store/rate_limits/request_client.ts";
import { currentSpan } from "../../store/trace_spans.ts";
import { type AdmissionPass, createAdmissionControl, createAdmissionWaitContext } from "./admission.ts";
import { addProbeAndMetricsRoutes, PROBE_AND_METRICS_PATHS } from "./health_probes.ts";
import { createInboxPollHandler } from "./inbox_long_poll_handler.ts";
import type { createIngestRoutes } from "./ingest_routes.ts";
import { LazyRequestLog, type Logs, redactPath } from "./log.ts";
import type { Metrics } from "./metrics.ts";

interface HttpAppDeps {
  config: Pick<Config, "publicUrl" | "host" | "metricsPublic" | "trustedProxies" | "maxConcurrentRequests">;
  dispatcher: Dispatcher;
  authenticateKey: AuthenticateToken;
  /** An access token that an assistant got by consent; good at /mcp and nowhere else. */
  authenticateConnection(token: string): Promise<Caller | null>;
  library: SignInLibrary;
  clients: OAuthClients;
  stepUps: OAuthScopeStepUps;
  /** The dependencies of the console; the operations come from here. */
  console: Omit<ConsoleDeps, "dispatcher" | "tools">;
  publicPages: PublicPagesDeps;
  authenticateHandset: HandsetAuthenticator;
  ingest: ReturnType<typeof createIngestRoutes>;
  longPolling: LongPolling;
  waits: AlertWaits;
  assets: AssetService;
  /** The disk space for writes. */
  space: Pick<DiskSpaceMonitor, "isLow" | "assertNotLow">;
  /** Resolves with other problems when the database responds and every migration is applied; rejects otherwise. */
  ready(): Promise<{ degraded: string[] }>;
  metrics: Metrics;
  log: Logs["log"];
  requests: Logs["requests"];
}

interface RequestState {
  log: LazyRequestLog;
  client: RequestClient;
  /** The address for limits and shares. */
  owner: string | null;
  /** Milliseconds in which it waited without work. */
  heldMs: number;
  /** Null for requests that are served under any load. */
  pass: AdmissionPass | null;
}

/** The request ids that a trusted proxy may set, for its log and ours. */
const REQUEST_ID = /^[\w.:+/=-]{1,128}$/;

/** Our pages use nothing of a device, but for the app. */
const PERMISSIONS =
  "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), microphone=(), payment=(), usb=()";

export function createHttpApp(deps: HttpAppDeps) {
  const { config, dispatcher, longPolling, metrics, space } = deps;
  const { assertNotLow } = space;
  const secure = new URL(config.publicUrl).protocol === "https:";
  const readClient = createClientReader(config.trustedProxies);
  // Each request arrives with its state.
  const getRequestState = ({ context }: H3Event) => context.state as RequestState;
  const getRequestLog = (event: H3Event) => getRequestState(event).log;
  /** The address for limits; null for this machine, which is exempt. */
  const getLimitKey = (event: H3Event): string | null => {
    const { client, owner } = getRequestState(event);
    return client.local ? null : owner;
  };

  const createWaitContext = (event: H3Event) =>
    createAdmissionWaitContext(getEventRequest(event), getRequestState(event));

  const callerOfKey = async (event: H3Event): Promise<Caller> => {
    const caller = await deps.authenticateKey(getBearerToken(getEventRequest(event).headers));
    if (!caller) throw unauthorized();
    return caller;
  };

  const failed = (error: unknown, log: LazyRequestLog): Response => {
    try {
      log.error({ err: error }, "request failed");
    } catch {
      // A response is required all the same.
    }
    return createErrorResponse(toApiError(error));
  };

  const admission = createAdmissionControl(config.maxConcurrentRequests);
  const refuse = createNotFoundHandler(deps.publicPages);
  const app = new H3({
    silent: true,
    onError: (error, event) => {
      // The router's own errors (unknown route, invalid UTF-8) have no cause of ours.
      const cause = error.unhandled ? error.cause : error;
      if (cause instanceof ApiError) return refuse(event.req, cause);
      if (HTTPError.isError(cause) && cause.status < 500) return refuse(event.req, notFound("route"));
      return failed(cause, getRequestLog(event));
    },
  });

  // Before every route.
  const bound = (to: H3) =>
    to.use(({ req, context: { matchedRoute: { route = "", meta } = {} } }, next) => {
      currentSpan()?.describe({ "http.route": route }, `${req.method} ${route}`);
      limitBody(getEventRequest({ req }), (meta as Partial<RouteMeta> | undefined)?.maxBody ?? MAX_BODY_BYTES.usual);
      return next();
    });
  bound(app);

  addRestRoutes<OwnerOperation, Caller>(app, OPERATIONS, {
    getRequestLog,
    createWaitContext,
    authenticate: (_tool, event) => callerOfKey(event),
    authenticateAgain: (event) => () => callerOfKey(event),
    dispatch: (tool, caller, call) => dispatcher.run(tool, caller, call),
  });

  addRestRoutes<HandsetOperation, AnonymousCaller | DeviceCaller>(app, HANDSET_OPERATIONS, {
    getRequestLog,
    authenticate: (operation, event) =>
      deps.authenticateHandset(operation, getBearerToken(event.req.headers), getLimitKey(event)),
    dispatch: (operation, caller, call) => dispatcher.runHandset(operation, caller, call),
    hold: createInboxPollHandler({ longPolling, admission, getRequestLog, getLimitKey, getRequestState }),
  });

  const count = (event: H3Event) => enforcePageViewLimit(deps.publicPages, getLimitKey(event));
  const mounted = { getRequestLog, getLimitKey, count, serviceAddresses: deps.publicPages };
  const appsByHost = deps.ingest.mount(app, bound, OPERATIONS, mounted);

  addAssetRoutes(app, deps.assets);
  addDocsRoutes(app, {
    tools: OPERATIONS,
    handsetOperations: HANDSET_OPERATIONS,
    publicUrl: config.publicUrl,
    countView: count,
  });

  // Most who start a service do so for handsets or REST alone.
  let mcpOpened = false;
  const mcp = lazy(async () => {
    const { createMcpEndpoint } = await import("../../api/transports/mcp_endpoint.ts");
    mcpOpened = true;
    return createMcpEndpoint({
      tools: OPERATIONS,
      dispatcher,
      authenticate: async (request) => {
        const token = getBearerToken(request.headers);
        return (await deps.authenticateKey(token)) ?? (token === null ? null : deps.authenticateConnection(token));
      },
      onChallenge: (caller) => deps.stepUps.remember(caller),
      loadCard: buildMcpResultCardPage,
      ...config,
    });
  });
  const page = createMcpPageHandler(deps.publicPages);
  const serveMcpOverStdio = async (event: H3Event) =>
    page(getEventRequest(event)) ??
    (await mcp()).fetch(getEventRequest(event), getRequestLog(event), createWaitContext(event));
  app.all("/mcp", serveMcpOverStdio, { meta: { maxBody: MAX_BODY_BYTES.alerts } satisfies RouteMeta });

  const { library, clients, stepUps } = deps;
  addOAuthRoutes(app, { ...config, library, clients, stepUps, mustHaveRoom: assertNotLow, getRequestLog, getLimitKey });
  addUploadRoutes(app, {
    dispatcher,
    publicUrl: config.publicUrl,
    getRequestLog,
    // For a person in several workspaces, the header selects one.
    async callerOf({ headers }) {
      const session = await deps.console.people.session(headers);
      const named = headers.get("belfry-workspace");
      const only = session?.memberships.length === 1 ? (session.memberships[0]?.workspace_id ?? null) : null;
      const workspace = named === null ? only : parseIdOrNull("wsp", named);
      return session && workspace ? getSessionMemberCaller(session, workspace) : null;
    },
  });
  addConsole(
    app,
    { ...deps.console, dispatcher, tools: OPERATIONS },
    { mustHaveRoom: assertNotLow, getRequestLog, addressOf: (event) => getRequestState(event).client.address },
  );

  addWebApp(app);
  const probes = addProbeAndMetricsRoutes(app, {
    ...deps,
    ...config,
    getRequestLog,
    isLocal: (event) => getRequestState(event).client.local,
  });

  addPublicPages(app, deps.publicPages, { getRequestLog, getLimitKey });

  return {
    /** Serves one request. `peer` is its network address, or null. */
    async fetch(request: Request & { ip?: string }, peer: string | null = request.ip ?? null): Promise<Response> {
      const started = performance.now();
      const client = readClient(peer, request.headers);
      const given = client.byTrustedProxy ? request.headers.get("x-request-id") : null;
      const requestId = given !== null && REQUEST_ID.test(given) ? given : randomUUID();
      const log = new LazyRequestLog(deps.log, requestId);
      const { pathname, hostname } = new URL(request.url);
      const body = findNodeRequestWithBody(request);
      // A body that arrived with its headers is available one turn later.
      if (body) await yieldToLoop();
      const owner = client.address === null ? null : rateLimitAddress(client.address);
      const probe = PROBE_AND_METRICS_PATHS.has(pathname);
      const pass = probe ? null : admission.enter(owner, body);
      const state = { log, client, owner, heldMs: 0, pass };
      // A router that fails before it has a promise fails like any other.
      const routed = async () => (appsByHost.get(hostname) ?? app).request(request, undefined, { state });
      const response =
        pass || probe ? await routed().catch((error) => failed(error, log)) : createErrorResponse(overloaded(), 503);
      pass?.leave();
      setResponseHeader(response, "x-request-id", requestId);
      if (secure) setResponseHeader(response, "strict-transport-security", "max-age=31536000");
      // A page that needs device features sets its own header.
      if (isPageResponse(response) && !response.headers.has("permissions-policy"))
        response.headers.set("permissions-policy", PERMISSIONS);
      const ms = performance.now() - started - state.heldMs;
      metrics.request(request.method, pathname, response.status, ms / 1000);
      // rules#quiet-probes
      const write = probe && response.status < 400 ? deps.log.debug.bind(deps.log) : deps.requests.info;
      write(
        {
          request_id: requestId,
          method: request.method,
          path: redactPath(pathname),
          status: response.status,
          ms: Math.round(ms * 10) / 10,
          client: client.address,
          held_ms: state.heldMs > 0 ? Math.round(state.heldMs) : undefined,
          ...log.about,
        },
        "request",
      );
      return response;
    },
    /** /readyz now refuses new requests; all others are served as before. */
    stopping: probes.stopping,
    /** Ends all long polls, and starts no new ones. */
    ending(): void {
      deps.ingest.stop();
      void longPolling.stop();
      deps.waits.stop();
    },
    /** All routes in the router's format; an empty method means all others. */
    routes: app["~routes"] as readonly { method?: string; route?: string; meta?: Partial<RouteMeta> }[],
    close: async () => {
      if (mcpOpened) await (await mcp()).close();
    },
  };
}

export type HttpApp = ReturnType<typeof createHttpApp>;
