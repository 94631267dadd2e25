// Long polls and streams of inboxes between the router and the long-polling module. It has their limits, their counts,
// the start of a stream, and the time at which a client returns after an early end. `Prefer: wait=N` (RFC 7240)
// requests a long poll, and `Preference-Applied` confirms it. Malformed and unknown preferences are ignored
// (rules#held-inbox).

import type { Socket } from "node:net";
import type { H3Event } from "h3";
import {
  createEmptyResponse,
  createErrorResponse,
  createJsonResponse,
  getEventRequest,
} from "../../api/transports/http_responses.ts";
import { parseEtags } from "../../api/transports/rest_routes.ts";
import { createFixedEventStream, createSocketEventStream } from "../../api/transports/sse_response.ts";
import { parseFirstInboxPageQuery } from "../../handset/inbox_page.ts";
import type { InboxStreamRequest } from "../../handset/live_updates/inbox_streams.ts";
import type { LongPolling } from "../../handset/live_updates/long_polling.ts";
import { getBearerToken } from "../../identity/auth/bearer_authentication.ts";
import { overloaded } from "../../model/api_error.ts";
import { LIMITS } from "../../model/limits.ts";
import type { HandsetOperation } from "../../operation/define_operation.ts";
import { DEFAULT_PAGE_SIZE } from "../../store/response_schemas/shared_parameters_and_pages.ts";
import type { AdmissionControl, AdmissionPass } from "./admission.ts";
import { createHttpStreamSink } from "./http_and_websocket_stream_sinks.ts";
import type { LazyRequestLog } from "./log.ts";

/** A preference up to its parameters, which are ignored here. Quotes may contain a comma. */
const PREFERENCE = /(?:"(?:\\.|[^"\\])*"?|[^",])+/g;
const BARE = /^(?:"(?:\\.|[^"\\])*"?|[^";])*/;

const preferences = (header: string): string[] =>
  (header.match(PREFERENCE) ?? []).map((one) => BARE.exec(one)?.[0] ?? "");

/**
 * `wait`: the seconds that the client would wait for a response; null if missing or not in digits. The first of several
 * counts.
 */
function parseWaitSeconds(headers: Headers): number | null {
  const header = headers.get("prefer");
  if (header === null) return null;
  const wait = preferences(header).find((preference) => /^\s*wait\s*(=|$)/i.test(preference));
  const [, plain, quoted] = /=\s*(?:(\d{1,9})|"(\d{1,9})")\s*$/.exec(wait ?? "") ?? [];
  const digits = plain ?? quoted;
  return digits === undefined ? null : Number(digits);
}

/** The seconds for which a response may be delayed; null for an immediate response. */
function getLongPollSeconds(request: Request): number | null {
  // An older page is requested by a reader, and HEAD has no body to wait for.
  if (request.method !== "GET" || !request.headers.has("if-none-match")) return null;
  const plain = /^[^?]*(\?limit=\d*)?([?&]view=\w*)?$/.test(request.url);
  if (!plain && new URL(request.url).searchParams.has("before")) return null;
  const seconds = parseWaitSeconds(request.headers);
  return seconds === null || seconds === 0 ? null : Math.min(seconds, LIMITS.held_seconds);
}

interface PollsOptions {
  longPolling: LongPolling;
  admission: AdmissionControl;
  getRequestLog(event: H3Event): LazyRequestLog;
  /** The address for limits; null if exempt. */
  getLimitKey(event: H3Event): string | null;
  getRequestState(event: H3Event): { pass: AdmissionPass | null; heldMs: number };
}

/** Wraps the responses of handset operations. */
export function createInboxPollHandler({
  longPolling,
  admission,
  getRequestLog,
  getLimitKey,
  getRequestState,
}: PollsOptions) {
  return async (operation: HandsetOperation, event: H3Event, ask: () => Promise<Response>): Promise<Response> => {
    if (operation.streams) return openInboxStream(longPolling, event, getLimitKey(event), ask);
    if (!operation.validated) return ask();
    const request = getEventRequest(event);
    const state = getRequestState(event);
    const address = getLimitKey(event);
    const seconds = getLongPollSeconds(request);
    if (seconds === null) {
      // After a start all of them come at once. They wait for their turn, and none is turned away because others wait.
      const immediateAnswer = longPolling.pollNow(address, ask);
      if (immediateAnswer) state.pass?.leave();
      return immediateAnswer ?? ask();
    }
    getRequestLog(event).note({ operation: operation.name });
    // A long poll does not count as running and has a separate limit; thousands may be answered at once.
    state.pass?.leave();
    const first = parseFirstInboxPageQuery(event.url.search);
    const { answer, granted, again, restedMs } = await longPolling.poll({
      token: getBearerToken(request.headers) ?? "",
      address,
      ms: seconds * 1000,
      signal: request.signal,
      page: first && { ...first, tags: parseEtags(request.headers.get("if-none-match")) },
      readInbox: () => admission.during(ask),
      isUnchanged: ({ status }) => status === 304,
      toAnswer: ({ tag, json }) =>
        json ? createJsonResponse(200, json, { etag: tag }) : createEmptyResponse(304, { etag: tag }),
    });
    state.heldMs = restedMs;
    if (granted) answer.headers.set("preference-applied", `wait=${seconds}`);
    // A client whose poll ended early repeats it after this time.
    else if (again !== null) answer.headers.set("retry-after", String(again));
    return answer;
  };
}

/** `ask` has checked token and query. */
async function openInboxStream(
  longPolling: LongPolling,
  event: H3Event,
  address: string | null,
  ask: () => Promise<Response>,
): Promise<Response> {
  const answer = await ask();
  const request = getEventRequest(event);
  if (answer.status !== 200 || request.method !== "GET") return answer;
  const response = event.runtime?.node?.res;
  // Without a connection that could stay.
  if (!response || !("useChunkedEncodingByDefault" in response))
    return createFixedEventStream((await answer.json()) as string);
  const leave = await longPolling.acquireStreamSlot(address);
  if (!leave) return createErrorResponse(overloaded(), 503);
  const query = event.url.searchParams;
  const page: InboxStreamRequest["page"] = {
    limit: Number(query.get("limit") ?? DEFAULT_PAGE_SIZE),
    view: query.get("view") === "lean" ? "lean" : "full",
  };
  const token = getBearerToken(request.headers) ?? "";
  const last = request.headers.get("last-event-id");
  return createSocketEventStream(response, startStream(longPolling, { token, page, last, onEnd: leave }), leave);
}

/** Apart from the request, which would otherwise live as long as the stream. */
function startStream(longPolling: LongPolling, request: Omit<InboxStreamRequest, "sink">): (socket: Socket) => void {
  return (socket) => {
    const stream = longPolling.stream({ ...request, sink: createHttpStreamSink(socket) });
    socket.on("close", () => stream.end("gone"));
  };
}
