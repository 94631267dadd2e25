// The routes for other sender formats (ntfy, Gotify, webhooks), below our own paths and at the root of the configured
// host names. Those hosts serve nothing else, so they have no cookies. It also connects ntfy subscribers with the
// listeners: authentication, limits and their connections. rules#ntfy-listens

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { H3, H3Event } from "h3";
import { FastResponse } from "srvx";
import type { WebSocket } from "ws";
import { addIngestRoutes, createIngestHostApp, type IngestRouteDeps } from "../../api/ingest/ingest_routes.ts";
import { toSequenceMember } from "../../api/ingest/ntfy_sequences.ts";
import type { NtfySubscribeRequest } from "../../api/ingest/ntfy_subscribe.ts";
import { isBelfryToken } from "../../api/ingest/read_ingest_request.ts";
import { addWrongAddressRoutes, type ServiceAddresses } from "../../api/ingest/wrong_address_routes.ts";
import { createJsonResponse, getEventRequest } from "../../api/transports/http_responses.ts";
import { createSocketEventStream } from "../../api/transports/sse_response.ts";
import { canUpgrade, createWebSocketUpgradeResponse } from "../../api/transports/web_socket.ts";
import { type AssetService, removeUploadOfCaller } from "../../effects/assets/asset_service.ts";
import { IncomingFile } from "../../effects/assets/incoming_file.ts";
import { receiveUpload } from "../../effects/assets/receive_upload.ts";
import type { HandsetAuthenticator } from "../../handset/device_authentication.ts";
import type { LongPolling } from "../../handset/live_updates/long_polling.ts";
import type { StreamSink } from "../../handset/live_updates/stream_connection.ts";
import { createMessageHistory, splitBacklogBySize } from "../../handset/ntfy/message_history.ts";
import { createNtfyListeners, type NtfyListenersOptions } from "../../handset/ntfy/ntfy_listeners.ts";
import { encodeNtfyMessage, type NtfyStreamFormat } from "../../handset/ntfy/ntfy_message.ts";
import { DEVICE_TOKEN_PREFIX, looksLikeToken } from "../../identity/auth/bearer_authentication.ts";
import { forbidden, invalidRequest, overloaded, unauthorized } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { formatId, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { LIMITS } from "../../model/limits.ts";
import { getChannelScopeSqlParameters, replaceHandlesWithChannelIds } from "../../operation/access_checks.ts";
import { getSendLimitSubject } from "../../operation/alerts/alert_verb_helpers.ts";
import type { OwnerOperation } from "../../operation/define_operation.ts";
import type { Dispatcher } from "../../operation/dispatcher.ts";
import type { Config } from "../../store/config/all_settings.ts";
import type { Orm } from "../../store/db/orm.ts";
import { getKysely, runStatement } from "../../store/db/statement.ts";
import type { Caller, Log } from "../../store/handler_context.ts";
import { findAlertsByCollapseKey } from "../../store/queries/alerts_by_collapse_key.ts";
import { findChannelVisibleToCaller } from "../../store/queries/channels.ts";
import { createHttpStreamSink, createWebSocketSink } from "./http_and_websocket_stream_sinks.ts";
import type { Metrics } from "./metrics.ts";
import { createSenderRequestLog } from "./sender_request_log.ts";
import { createUnpublishedDraftStore } from "./unpublished_draft_store.ts";

const CONTENT_TYPES: Record<NtfyStreamFormat, string> = {
  json: "application/x-ndjson; charset=utf-8",
  sse: "text/event-stream; charset=utf-8",
  raw: "text/plain; charset=utf-8",
  ws: "application/json",
};

const EMPTY_BACKLOG = { all: [], more: false };

interface Options extends Omit<NtfyListenersOptions, "readMessages"> {
  orm: Orm;
  heartbeatMs: number;
  longPolling: Pick<LongPolling, "acquireStreamSlot">;
  publishDue(channels: string[]): Promise<boolean>;
  authenticateKey(token: string): Promise<Caller | null>;
  authenticateHandset: HandsetAuthenticator;
}

/** The app's data about a request. */
interface IngestRateLimiter {
  /** The client key for limits per address; null is exempt. */
  getLimitKey(event: H3Event): string | null;
  /**
   * Counts it towards the address's limit.
   * @throws 429
   */
  count(event: H3Event): Promise<void>;
}

export function createNtfySubscriptions({ longPolling, authenticateKey, authenticateHandset, ...options }: Options) {
  const messageHistory = createMessageHistory(options);
  const listeners = createNtfyListeners({ ...options, readMessages: messageHistory.readMessages });

  /**
   * Returns the device of a token; null for anonymous clients and publishing keys.
   * @throws 401
   */
  async function authenticateDevice(token: string | null, address: string | null): Promise<string | null> {
    // Another server's credential, as a proxy sets it, does not close what is open to everyone.
    if (token === null || !isBelfryToken(token)) return null;
    if (!looksLikeToken(DEVICE_TOKEN_PREFIX, token)) {
      if (await authenticateKey(token)) return null;
      throw unauthorized();
    }
    const caller = await authenticateHandset({ auth: "device" }, token, address);
    return "id" in caller ? caller.id : null;
  }

  async function subscribe(event: H3Event, subscription: NtfySubscribeRequest, limiter: IngestRateLimiter) {
    await limiter.count(event);
    const { topic, handles, format, since, poll, wants, token } = subscription;
    const request = getEventRequest(event);
    const address = limiter.getLimitKey(event);
    if (format === "ws" && !canUpgrade(request))
      throw invalidRequest(
        "malformed_request",
        "The request has no Upgrade header; a proxy may have removed it. Let the proxy pass Upgrade and " +
          "Connection on, or use /json over HTTP.",
        "upgrade",
      );
    const device = await authenticateDevice(token, address);
    const channels = await messageHistory.findChannels(handles, device);
    if (!channels && ((format === "auth" && token === null) || (token !== null && !isBelfryToken(token))))
      throw unauthorized();
    if (!channels)
      throw forbidden(
        "channel_restricted",
        "Channel not found, or it is private. Check the handle; handles are always lowercase. For a " +
          "private channel, send the token of a device that has joined it.",
      );
    if (format === "auth") return createJsonResponse(200, { success: true });
    const readBacklog = () =>
      since === null ? Promise.resolve(EMPTY_BACKLOG) : messageHistory.readBacklog(channels, since, device);
    const headers = { "content-type": CONTENT_TYPES[format] };
    const response = event.runtime?.node?.res;
    const nodeResponse = response && "useChunkedEncodingByDefault" in response ? response : null;
    // Without a connection that could stay, what was before is all.
    if (format !== "ws" && (poll || !nodeResponse)) {
      const parts = splitBacklogBySize((await readBacklog()).all);
      const read = async (ids: readonly string[]) =>
        (await messageHistory.readMessages(ids))
          .filter(({ message }) => wants(message))
          .map(({ message }) => encodeNtfyMessage(message, format))
          .join("");
      // A client that takes nothing has its connection ended as those do that stay.
      nodeResponse?.socket?.setTimeout(2 * options.heartbeatMs);
      // A single part is a text with a known length.
      const body = nodeResponse && parts.length > 1 ? streamParts(parts, read) : await joinParts(parts, read);
      return new FastResponse(body, { headers: { ...headers, "cache-control": "private, no-store" } });
    }
    const onEnd = await longPolling.acquireStreamSlot(address);
    if (!onEnd) throw overloaded();
    const rev = channels[0]?.device_rev ?? null;
    const joined = device !== null && rev !== null ? { id: device, rev } : null;
    const begin = (sink: StreamSink) =>
      listeners.listen(channels, { topic, format, device: joined, wants }, sink, {
        readBacklog,
        isOneTime: poll,
        onEnd,
      });
    return nodeResponse
      ? createSocketEventStream(nodeResponse, onStream(begin), onEnd, headers)
      : createWebSocketUpgradeResponse(request, onWebSocket(begin), onEnd);
  }

  return { subscribe, size: () => listeners.size(), stop: () => listeners.stop() };
}

type NtfySubscriptions = ReturnType<typeof createNtfySubscriptions>;

type ReadPart = (ids: readonly string[]) => Promise<string>;

async function joinParts(parts: string[][], read: ReadPart): Promise<string> {
  const texts: string[] = [];
  for (const ids of parts.toReversed()) texts.push(await read(ids));
  return texts.join("");
}

/** Writes a response part by part, each when its client has read the one before. */
function streamParts(parts: string[][], read: ReadPart): URLSearchParams {
  const send = async (response: ServerResponse) => {
    for (let ids = parts.pop(); ids && !response.destroyed; ids = parts.pop()) {
      const text = await read(ids);
      if (text !== "") await new Promise<unknown>((resolve) => response.write(text, resolve));
    }
    response.end();
  };
  // A body that pipes itself is written by the server directly.
  return Object.assign(new URLSearchParams(), {
    pipe: (response: ServerResponse) => void send(response).catch(() => response.destroy()),
  });
}

type StartListener = (sink: StreamSink) => { end(why: "gone"): void };

function endListenerOnClose(socket: Socket | WebSocket, listener: ReturnType<StartListener>): void {
  (socket as Socket).on("close", () => listener.end("gone"));
  (socket as Socket).on("error", () => listener.end("gone"));
}

// These do not reference the request, which would live as long as the connection.
const onStream = (begin: StartListener) => (socket: Socket) =>
  endListenerOnClose(socket, begin(createHttpStreamSink(socket)));
const onWebSocket = (begin: StartListener) => (socket: WebSocket, connection: Socket) =>
  endListenerOnClose(socket, begin(createWebSocketSink(socket, connection)));

interface Deps extends Pick<IngestRouteDeps, "authenticate" | "now"> {
  dispatcher: Pick<Dispatcher, "run" | "runOrDraft" | "findKeptAnswer" | "findScopeError" | "hasRoom">;
  orm: Orm;
  log: Log;
  isLow(): boolean;
  assets: Pick<AssetService, "store">;
  subscriptions: NtfySubscriptions;
  metrics: Pick<Metrics, "sender">;
  config: Pick<Config, "ntfyHost" | "gotifyHost">;
}

/** The parts of the app: itself, the functions before every route, and the operations. */
type Mount = (
  app: H3,
  prepare: (app: H3) => void,
  tools: readonly OwnerOperation[],
  support: IngestRateLimiter & {
    getRequestLog(event: H3Event): Log;
    serviceAddresses: Pick<ServiceAddresses, "publicUrl" | "channelBaseUrl">;
  },
) => ReadonlyMap<string, H3>;

/** `mount` adds the routes, and returns the apps of the configured hosts; `stop` ends the subscriptions. */
export function createIngestRoutes({ orm, log, isLow, assets, config, subscriptions, metrics, ...routeDeps }: Deps) {
  const db = getKysely(orm);
  /** The id of a channel as the wire has it; null where the caller sees no such channel. */
  async function findVisibleChannelId(caller: Caller, channel: string): Promise<string | null> {
    const { pusher_id } = await replaceHandlesWithChannelIds({ pusher_id: channel }, orm, caller);
    const id = parseIdOrNull("psh", pusher_id);
    return id &&
      (await runStatement(db, findChannelVisibleToCaller, getChannelScopeSqlParameters(id, caller))).length > 0
      ? pusher_id
      : null;
  }
  const pictures: Omit<IngestRouteDeps["pictures"], "accepts"> = {
    async keep(caller, { name, bytes }, itsLog) {
      const file = new IncomingFile([bytes], name, bytes.length);
      const upload = { em: orm.em.fork(), store: assets.store, log: itsLog, caller, kind: "image", file } as const;
      return formatId("ast", (await receiveUpload(upload)).id);
    },
    remove: (caller, id) =>
      removeUploadOfCaller(orm.em.fork(), assets.store, caller, id).catch((error: unknown) =>
        // The housekeeping deletes it after a day.
        log.warn({ err: error }, "a picture from a sender could not be removed"),
      ),
  };
  const sequences: Omit<IngestRouteDeps["sequences"], "cancel"> = {
    channelId: findVisibleChannelId,
    async find(pusherId, collapse_key, alertId) {
      const id = alertId === null ? null : parseIdOrNull("alr", alertId);
      const pusher_id = assertDefined(parseIdOrNull("psh", pusherId), "the channel is visible");
      const newest = LIMITS.ntfy_messages;
      return (await runStatement(db, findAlertsByCollapseKey, { pusher_id, collapse_key, id, newest })).map(
        toSequenceMember,
      );
    },
  };
  const mount: Mount = (app, prepare, tools, { getRequestLog, serviceAddresses, ...support }) => {
    const findTool = (tool: string) =>
      assertDefined(
        tools.find(({ name }) => name === tool),
        "alerts are created, cancelled and deleted",
      );
    const create = findTool("create_alert");
    const accepts: IngestRouteDeps["pictures"]["accepts"] = async (caller, channel) => {
      if (await routeDeps.dispatcher.findScopeError(create, caller, { pusher_id: channel })) return false;
      const id = parseIdOrNull("psh", (await findVisibleChannelId(caller, channel)) ?? "");
      return id !== null && routeDeps.dispatcher.hasRoom(create, getSendLimitSubject(caller, id));
    };
    const subscribe: IngestRouteDeps["subscribe"] = (event, request) =>
      subscriptions.subscribe(event, request, support);
    const routes = {
      ...routeDeps,
      ...createSenderRequestLog({ db, log, isLow, metrics, findVisibleChannelId }),
      canSeeChannel: async (caller: Caller, channel: string) => (await findVisibleChannelId(caller, channel)) !== null,
      pictures: { ...pictures, accepts },
      subscribe,
      create,
      drafts: createUnpublishedDraftStore(db, routeDeps.dispatcher, create, findTool("delete_alert")),
      sequences: { ...sequences, cancel: findTool("cancel_alert") },
      getRequestLog,
      publicUrl: serviceAddresses.publicUrl,
    };
    addIngestRoutes(app, routes);
    addWrongAddressRoutes(app, { ...serviceAddresses, ...config });
    const appsByHost = new Map<string, H3>();
    if (config.ntfyHost) appsByHost.set(config.ntfyHost, createIngestHostApp("ntfy", routes, prepare));
    if (config.gotifyHost) appsByHost.set(config.gotifyHost, createIngestHostApp("gotify", routes, prepare));
    return appsByHost;
  };
  return { mount, stop: () => subscriptions.stop() };
}
