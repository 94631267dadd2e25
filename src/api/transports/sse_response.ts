// Responses with server-sent events that stay open on their connection. This module does not depend on the events.

import type { IncomingMessage, ServerResponse } from "node:http";
import { Socket, type SocketConstructorOpts } from "node:net";
import { FastResponse } from "srvx";

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "private, no-store",
  "x-content-type-options": "nosniff",
  // nginx passes each event on as it comes.
  "x-accel-buffering": "no",
};

/** An event stream of nothing but this text. */
export const createFixedEventStream = (text: string): Response =>
  new FastResponse(text, { status: 200, headers: HEADERS });

/**
 * Creates an event stream that ends with its connection. After its head, `begin` gets the connection exclusively;
 * `never` is called if it was closed by then.
 */
export function createSocketEventStream(
  response: ServerResponse<IncomingMessage>,
  begin: (socket: Socket) => void,
  never: () => void,
  more: Record<string, string> = {},
): Response {
  // Without chunks: what is written to many streams is the same bytes for all, and their end is that of the connection.
  response.useChunkedEncodingByDefault = false;
  // A body that pipes itself is written by the server directly, regardless of its other properties.
  const body = Object.assign(new URLSearchParams(), {
    pipe() {
      response.flushHeaders();
      const socket = takeOver(response);
      if (!socket) return never();
      closeOnRequest(socket);
      begin(socket);
    },
    destroy: never,
  });
  return new FastResponse(body, { status: 200, headers: { ...HEADERS, ...more } });
}

function noRequest(this: Socket): void {
  this.destroy();
}

/**
 * No further request arrives on the connection. Listeners reference neither request nor response, which would live as
 * long as the stream.
 */
function closeOnRequest(socket: Socket): void {
  socket.on("error", noRequest);
  socket.on("data", noRequest);
  socket.on("end", noRequest);
}

/** Emitted by a connection whose client gets an event stream, with the socket that replaces it. */
export const SOCKET_REPLACED_EVENT = "detached";

/**
 * The connection of a response without HTTP's own state: parser, request and response take three times the memory of a
 * socket. A new socket gets the handle, and the old one ends. Node has no public API for this.
 */
function takeOver(response: ServerResponse<IncomingMessage>): Socket | null {
  const { socket } = response;
  if (!socket || socket.destroyed) return null;
  const handle: unknown = Reflect.get(socket, "_handle");
  if (!handle || socket.writableLength > 0) return socket;
  socket.setTimeout(0);
  // The parser reads the handle directly until another listener is added.
  socket.on("readable", () => {});
  const bare = new Socket({ handle } as SocketConstructorOpts);
  Object.assign(socket, { _handle: null });
  socket.emit(SOCKET_REPLACED_EVENT, bare);
  socket.destroy();
  return bare;
}
