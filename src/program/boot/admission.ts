// Admission of requests: the number that run at once, and the share of one address. A request runs once its body has
// arrived. Until then it waits for its client, with a separate limit and a smaller share for each address. A call that
// waits for something else does not count as running, and its wait is not counted as work.
// It also ends bodies that arrive too slowly, and limits what is read of a body after its response.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { hasBody } from "../../api/transports/request_body.ts";
import { createSlots } from "../../store/rate_limits/in_memory_concurrency_limits.ts";
import type { WaitContext } from "../../store/wait_context.ts";
import type { HttpTimeouts } from "./http_connection_limits.ts";

/**
 * The share of one address: half of the running requests, and a quarter of the waiting bodies, which cost an attacker
 * nothing.
 */
const SHARE_OF_WORK = 1 / 2;
const SHARE_OF_BODIES = 1 / 4;

const shareOf = (max: number, share: number) => Math.max(1, Math.floor(max * share));

/** One admitted request. `leave`: it is no longer running, because it waits or has its response. */
export type AdmissionPass = { leave(): void };

export function createAdmissionControl(max: number) {
  const inFlight = createSlots(max, shareOf(max, SHARE_OF_WORK));
  const bodies = createSlots(max, shareOf(max, SHARE_OF_BODIES));
  return {
    /**
     * Null: there is too much to do already, in all or for this address. `incoming`: what its body comes by, if it
     * has one.
     */
    enter(subject: string | null, incoming: IncomingMessage | null): AdmissionPass | null {
      const comes = incoming !== null && !incoming.complete;
      const slots = comes ? bodies : inFlight;
      if (!slots.hasRoom(subject)) return null;
      let leave = slots.acquire(subject);
      let over = false;
      if (comes)
        incoming.once("end", () => {
          if (over) return;
          leave();
          leave = inFlight.acquire(subject);
        });
      return {
        leave() {
          over = true;
          leave();
        },
      };
    },
    /** Counts work that must run under any load. */
    async during<T>(work: () => Promise<T>): Promise<T> {
      const leave = inFlight.acquire(null);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}

export type AdmissionControl = ReturnType<typeof createAdmissionControl>;

export const createAdmissionWaitContext = (
  request: Request,
  state: { pass: AdmissionPass | null; heldMs: number },
): WaitContext => ({
  // Created on access, because few calls wait.
  get signal() {
    return request.signal;
  },
  async rest(waiting) {
    state.pass?.leave();
    const since = performance.now();
    await waiting;
    state.heldMs += performance.now() - since;
  },
});

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

  const measured = (request: IncomingMessage) => ({ at: performance.now(), bytes: request.socket.bytesRead });

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
    else socket.emit("error", Object.assign(new Error("the body was too slow"), { code: "ERR_HTTP_REQUEST_TIMEOUT" }));
    return true;
  }

  function checkAll(): void {
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
    looking ??= setInterval(checkAll, LOOK_MS).unref();
    response.once("finish", () => {
      if (request.complete || socket.destroyed) return;
      // The route that began to read has stopped. Further bytes must not pile up in its listeners.
      request.removeAllListeners("data");
      request.resume();
      Object.assign(one, measured(request), { answered: true });
    });
  });
}
