// The limits of a connection: timeouts for headers, bodies and silence, simultaneous requests, and connections of one
// address. This module does not depend on the served content.
// It also answers requests that Node's parser refuses before any route receives them (rules#malformed-http).

import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { SOCKET_REPLACED_EVENT } from "../../api/transports/sse_response.ts";
import { ApiError } from "../../model/api_error.ts";
import { createSlots } from "../../store/rate_limits/in_memory_concurrency_limits.ts";
import { isErrorOfReplacedParser, retryWithUnfoldedHeaders, UnfoldedConnection } from "./unfold_request_headers.ts";

/** Milliseconds. */
export const HTTP_TIMEOUTS = {
  /** From a connection, or the first byte of a request, to the end of its headers. */
  headers: 10_000,
  /** From the first byte of a request to the end of its body. */
  body: 60_000,
  /** The period in which a body may be slower than its minimum rate. */
  pace: 10_000,
  /** Between two requests; longer than the 60 s for which proxies keep a connection, so that they close first. */
  idle: 75_000,
  /** Silence in both directions during a response; above the longest long poll. */
  silence: 120_000,
  /** The time limit for a client that does not read a complete response. */
  unread: 40_000,
  /** The time for which the rest of a body is discarded after its response. */
  rest: 30_000,
};
export type HttpTimeouts = typeof HTTP_TIMEOUTS;

/** The same as options of Node's server. */
export const toHttpServerOptions = (times: HttpTimeouts) => ({
  headersTimeout: times.headers,
  requestTimeout: times.body,
  keepAliveTimeout: times.idle,
  // By default a time that has passed is noticed 30 seconds later. Each check wakes an idle process.
  connectionsCheckingInterval: Math.min(5_000, times.headers),
  maxHeaderSize: 16 * 1024,
});

type Handle = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Requests of one connection that run at once, and that wait behind them. Browsers and clients pipeline none. */
const AT_ONCE = 4;
const WAITING = 64;
/** The number of pipelined requests that start in one turn of the event loop. Single requests run first. */
const BEHIND_A_TURN = 8;

interface ConnectionLimitOptions {
  /** Refuses a request that waits for too many others of its connection. */
  refuse: Handle;
  max: number;
  /** The address of a connection; null if exempt from limits. */
  ownerOf(peer: string): string | null;
  /** The response to a connection above the limit, for any request. */
  tooMany: string;
  /** Milliseconds in which the client of a complete response reads some of it. */
  unreadMs: number;
}

/** Puts a gate in front of a server's handler, and one in front of its connections. */
export function limitConnectionsAndRequests(
  node: Server,
  { refuse, max, ownerOf, tooMany, unreadMs }: ConnectionLimitOptions,
) {
  interface Line {
    running: number;
    waiting: (() => void)[];
    idleSince: number;
    /** Bytes that had come at the last look, and whether the connection was idle then. */
    bytes: number;
    foundIdle: boolean;
  }
  const [handle] = node.listeners("request") as Handle[];
  const lines = new Map<Socket, Line>();
  /** Event streams, which HTTP's server no longer knows. */
  const streams = new Set<Socket>();
  const running = new Set<ServerResponse>();
  const slots = createSlots(Number.POSITIVE_INFINITY, max);
  const behind: (() => void)[] = [];
  let closing = false;

  let planned = false;
  const plan = () => {
    if (planned || behind.length === 0) return;
    planned = true;
    setImmediate(() => {
      planned = false;
      for (const start of behind.splice(0, BEHIND_A_TURN)) start();
      plan();
    });
  };
  const startLater = (start: () => void) => {
    behind.push(start);
    plan();
  };

  node.on("connection", (socket: Socket) => {
    const { remoteAddress } = socket;
    // A joined connection has the place of its socket.
    const isExempt = remoteAddress === undefined || socket instanceof UnfoldedConnection;
    const owner = isExempt ? null : ownerOf(remoteAddress);
    // An address above its limit is refused before its request, and gets no further connection.
    if (!slots.hasRoom(owner)) return void socket.end(tooMany, () => socket.destroy());
    socket.once("close", slots.acquire(owner));
    const waiting: Line["waiting"] = [];
    lines.set(socket, { running: 0, waiting, idleSince: performance.now(), bytes: 0, foundIdle: false });
    socket.once("close", () => lines.delete(socket));
    socket.once(SOCKET_REPLACED_EVENT, (stream: Socket) => {
      streams.add(stream);
      stream.once("close", () => streams.delete(stream));
    });
    // Reading the body of a running request resumes the socket.
    socket.on("resume", () => waiting.length > 0 && socket.pause());
  });

  node.removeAllListeners("request");
  node.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const line = lines.get(request.socket);
    if (!line) return;
    const { socket } = request;
    const start = () => {
      running.add(response);
      if (closing) response.setHeader("connection", "close");
      // Until now the response was being built. From now on it is memory that only the client can free.
      response.once("prefinish", () => socket.writableLength > 0 && socket.setTimeout(unreadMs));
      response.once("close", () => {
        running.delete(response);
        line.idleSince = performance.now();
        line.bytes = socket.bytesRead;
        line.foundIdle = false;
        const next = socket.destroyed ? undefined : line.waiting.shift();
        if (next && line.waiting.length === 0) socket.resume();
        // It takes the place of this one.
        if (next) startLater(next);
        else line.running--;
      });
      handle?.(request, response);
    };
    if (line.running < AT_ONCE) {
      if (line.running++ === 0) start();
      else startLater(start);
    } else if (line.waiting.length < WAITING) {
      line.waiting.push(start);
      // The socket is paused, so unread responses do not accumulate.
      socket.pause();
    } else refuse(request, response);
  });

  return {
    /**
     * Every response now closes its connection. The idle time of all connections restarts, because a proxy that cannot
     * open new ones uses its existing ones.
     */
    closing(): void {
      closing = true;
      for (const line of lines.values()) line.idleSince = performance.now();
      for (const response of running) if (!response.headersSent) response.setHeader("connection", "close");
    },
    /** Resolves when no connection is left. */
    async emptied(): Promise<void> {
      const open = () => [...lines.keys(), ...streams];
      for (let some = open(); some.length > 0; some = open())
        await Promise.all(some.map((socket) => new Promise((resolve) => socket.once("close", resolve))));
    },
    /**
     * Ends every connection that is left, event streams and WebSockets among them, which Node's server no longer
     * knows.
     */
    closeAll(): void {
      for (const socket of [...lines.keys(), ...streams]) socket.destroy();
    },
    /**
     * Closes connections without requests for this long. A connection must be idle twice: while this process was busy,
     * a request may have arrived unread.
     */
    closeIdle(ms: number): void {
      for (const [socket, line] of lines) {
        const idle = line.running === 0 && socket.bytesRead === line.bytes;
        if (!idle || performance.now() - line.idleSince < ms) continue;
        if (line.foundIdle) socket.destroy();
        line.foundIdle = true;
      }
    },
  };
}

interface ParseError extends Error {
  code?: string;
  /** A fixed text of the parser, without anything of the request. */
  reason?: string;
  /** The bytes that came last. */
  rawPacket?: Buffer;
}

const ON_ONE_LINE = "Send it on one line. Encode non-ASCII text as encoded words (RFC 2047).";

const PROBLEMS: Record<string, [status: number, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, "The headers are larger than 16 KB. Send long texts in the body."],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "The chunk extensions are too large. Send the body without them."],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request did not arrive in time. Send it again."],
};

function invalidMessage(reason = ""): string {
  if (reason === "Unexpected whitespace after header value")
    return `A header is folded over several lines. ${ON_ONE_LINE}`;
  if (/header value/.test(reason)) return `A header value contains a line break or a control character. ${ON_ONE_LINE}`;
  return "The request is not valid HTTP/1.1. Check its request line, header names and lengths.";
}

function problemOf({ code = "", reason }: ParseError): ApiError {
  const [status, message] = PROBLEMS[code] ?? [400, invalidMessage(reason)];
  return new ApiError("malformed_request", message, { status });
}

/**
 * Reads a request with folded headers. Responds to any other in the one envelope instead of without a body, and ends
 * the connection as Node does.
 */
export function installMalformedRequestHandler(node: Server): void {
  /** The responses of each connection that have not ended. */
  const open = new WeakMap<Socket, Set<ServerResponse>>();
  node.on("connection", (socket: Socket) => open.set(socket, new Set()));
  node.on("request", ({ socket }, response) => {
    const responses = open.get(socket);
    responses?.add(response);
    response.once("close", () => responses?.delete(response));
  });
  node.on("clientError", (error: ParseError, socket: Socket) => {
    const { code, rawPacket } = error;
    if (isErrorOfReplacedParser(socket, code)) return;
    if (code === "HPE_INVALID_HEADER_TOKEN" && rawPacket && retryWithUnfoldedHeaders(node, socket, rawPacket)) return;
    // A second response inside the first one would be read as a part of it.
    const isResponding = [...(open.get(socket) ?? [])].some(({ headersSent }) => headersSent);
    if (socket.writable && !isResponding) socket.write(answerOf(problemOf(error)));
    socket.destroy(error);
  });
}

function answerOf(problem: ApiError): string {
  const { status } = problem;
  const body = JSON.stringify(problem.toEnvelope());
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: application/json",
    "cache-control: no-store",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}
