// Streams of inboxes between the router and what follows channels: whose one is, how many there may be, and what it is opened with.

import type { Socket } from "node:net";
import type { H3Event } from "h3";
import { refusal } from "../../api/transports/answers.ts";
import { eventStream, eventText } from "../../api/transports/event_stream.ts";
import { requestOf } from "../../api/transports/request.ts";
import type { Hold } from "../../handset/held/hold.ts";
import type { Following } from "../../handset/held/streams.ts";
import { bearerToken } from "../../identity/auth/tokens.ts";
import { overloaded } from "../../model/errors.ts";
import { DEFAULT_LIMIT } from "../../store/shapes/fields.ts";

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
  if (!response || !("useChunkedEncodingByDefault" in response))
    return eventText((await answer.json()) as string);
  const leave = hold.placeOfStream(address);
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
  return (sink) => {
    const stream = hold.stream({ ...following, sink });
    sink.on("close", () => stream.end("gone"));
  };
}
