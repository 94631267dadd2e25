// Bodies that are not complete yet: their minimum rate, and the part that is read after the response. This module is
// independent of routes.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { hasBody } from "../../api/transports/request_body.ts";
import type { HttpTimeouts } from "./connection_limits.ts";

/** Bytes a second, once the first time of `HttpTimeouts.pace` is over. */
const LOWEST_RATE = 1024;
/** The maximum size of a body that is discarded after its response. */
const REST_BYTES = 32 * 1024 * 1024;
const LOOK_MS = 50;

interface Coming {
  request: IncomingMessage;
  /** It is not read for its content any more. */
  answered: boolean;
  /** Since when it has been measured, and the bytes that had come by then. */
  at: number;
  bytes: number;
}

/**
 * Ends bodies that are too slow, in addition to Node's own timeout.
 *
 * An error is often sent before the body has arrived. If the connection was closed then, the client's system would
 * discard the response with its unsent data. So the rest is read and discarded, with limits, and only the sending side
 * is closed.
 */
export function endSlowBodies(node: Server, times: HttpTimeouts): void {
  const coming = new Map<Socket, Coming>();
  let looking: NodeJS.Timeout | undefined;

  const measured = (request: IncomingMessage) => ({
    at: performance.now(),
    bytes: request.socket.bytesRead,
  });

  /** Checks that this body needs no more checks. */
  function isOver(socket: Socket, one: Coming): boolean {
    const { request, answered } = one;
    if (request.complete || socket.destroyed) {
      if (answered && socket.writableEnded) socket.destroy();
      return true;
    }
    // It waits for its route to read on, and not for its client.
    if (!answered && request.readableLength > 0) Object.assign(one, measured(request));
    const ms = performance.now() - one.at;
    const bytes = socket.bytesRead - one.bytes;
    const isSlow = bytes * 1000 < LOWEST_RATE * (ms - times.pace);
    const isEnough = answered && (ms > times.rest || bytes > REST_BYTES);
    if (!isSlow && !isEnough) return false;
    if (answered) socket.destroy();
    // Node returns 408 for it, as for a request that takes too long.
    else socket.emit("error", Object.assign(new Error("a slow body"), { code: "ERR_HTTP_REQUEST_TIMEOUT" }));
    return true;
  }

  function look(): void {
    for (const [socket, one] of coming) if (isOver(socket, one)) coming.delete(socket);
    if (coming.size > 0) return;
    clearInterval(looking);
    looking = undefined;
  }

  node.on("connection", (socket: Socket) => {
    const cut = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      const one = coming.get(socket);
      if (one && !one.request.complete) socket.end();
      else cut();
    };
  });

  node.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
    if (!hasBody(request)) return;
    const { socket } = request;
    const one = { request, answered: false, ...measured(request) };
    coming.set(socket, one);
    looking ??= setInterval(look, LOOK_MS).unref();
    response.once("finish", () => {
      if (request.complete || socket.destroyed) return;
      // The route that began to read has stopped. Further bytes must not pile up in its listeners.
      request.removeAllListeners("data");
      request.resume();
      Object.assign(one, measured(request), { answered: true });
    });
  });
}
