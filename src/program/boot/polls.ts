// Polls and streams of inboxes between the router and what holds them: which may be held and how many there may be, what they count for
// meanwhile, what a stream is opened with, and when a client comes again that was not held to the end.

import type { Socket } from "node:net";
import type { H3Event } from "h3";
import { refusal } from "../../api/transports/answers.ts";
import { eventStream, eventText } from "../../api/transports/event_stream.ts";
import { applied, heldFor, isUnchanged, putOff, showFound } from "../../api/transports/prefer.ts";
import { requestOf } from "../../api/transports/request.ts";
import { tagsOf } from "../../api/transports/rest.ts";
import type { Hold } from "../../handset/held/hold.ts";
import type { Following } from "../../handset/held/streams.ts";
import { firstPage } from "../../handset/inbox_page.ts";
import { bearerToken } from "../../identity/auth/tokens.ts";
import { overloaded } from "../../model/errors.ts";
import type { HandsetOperation } from "../../operation/tool.ts";
import { DEFAULT_LIMIT } from "../../store/shapes/fields.ts";
import type { Admission, Pass } from "./admission.ts";
import type { RequestLog } from "./log.ts";
import { streamSink } from "./sinks.ts";

interface PollsOptions {
  hold: Hold;
  admission: Admission;
  logOf(event: H3Event): RequestLog;
  /** What limits per address count; null is exempt. */
  countedOf(event: H3Event): string | null;
  stateOf(event: H3Event): { pass: Pass | null; heldMs: number };
}

/** Stands around the answers of handset operations. */
export function createPolls({ hold, admission, logOf, countedOf, stateOf }: PollsOptions) {
  return async (operation: HandsetOperation, event: H3Event, ask: () => Promise<Response>): Promise<Response> => {
    if (operation.streams) return openStream(hold, event, countedOf(event), ask);
    if (!operation.validated) return ask();
    const request = requestOf(event);
    const state = stateOf(event);
    const address = countedOf(event);
    const seconds = heldFor(request);
    if (seconds === null) {
      // After a start all of them come at once. They wait for their turn, and none is turned away because others wait.
      const turn = hold.once(address, ask);
      if (turn) state.pass?.leave();
      return turn ?? ask();
    }
    logOf(event).note({ operation: operation.name });
    // What is held is not in flight, and has a bound of its own; thousands may be answered in one moment.
    state.pass?.leave();
    const first = firstPage(event.url.search);
    const { answer, granted, again, restedMs } = await hold.poll({
      token: bearerToken(request.headers) ?? "",
      address,
      ms: seconds * 1000,
      signal: request.signal,
      page: first && { ...first, tags: tagsOf(request.headers.get("if-none-match")) },
      ask: () => admission.during(ask),
      unchanged: isUnchanged,
      show: showFound,
    });
    state.heldMs = restedMs;
    if (granted) return applied(answer, seconds);
    return again === null ? answer : putOff(answer, again);
  };
}

/** `ask` has seen to it that token and query are good. */
export async function openStream(
  hold: Hold,
  event: H3Event,
  address: string | null,
  ask: () => Promise<Response>,
): Promise<Response> {
  const answer = await ask();
  const request = requestOf(event);
  if (answer.status !== 200 || request.method !== "GET") return answer;
  const response = event.runtime?.node?.res;
  // Without a connection that could stay.
  if (!response || !("useChunkedEncodingByDefault" in response)) return eventText((await answer.json()) as string);
  const leave = await hold.placeOfStream(address);
  if (!leave) return refusal(overloaded(), 503);
  const asked = event.url.searchParams;
  const page: Following["page"] = {
    limit: Number(asked.get("limit") ?? DEFAULT_LIMIT),
    view: asked.get("view") === "lean" ? "lean" : "full",
  };
  const token = bearerToken(request.headers) ?? "";
  const last = request.headers.get("last-event-id");
  return eventStream(response, beginning(hold, { token, page, last, left: leave }), leave);
}

/** Apart from the request, which would otherwise live as long as the stream. */
function beginning(hold: Hold, following: Omit<Following, "sink">): (socket: Socket) => void {
  return (socket) => {
    const stream = hold.stream({ ...following, sink: streamSink(socket) });
    socket.on("close", () => stream.end("gone"));
  };
}
