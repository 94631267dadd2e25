// Responses to requests that Node's parser refuses before any route receives them (rules#malformed-http).

import { type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { ApiError } from "../../model/api_error.ts";

interface ParseError extends Error {
  code?: string;
  /** A fixed text of the parser, without anything of the request. */
  reason?: string;
}

const ON_ONE_LINE = "Send it as one line, and text beyond ASCII as encoded words (RFC 2047) on that line.";

const PROBLEMS: Record<string, [status: number, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, "The headers are larger than 16 KB. Send long texts in the body."],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "The chunk extensions are too large. Send the body without them."],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request did not arrive in time. Send it again."],
};

/**
 * The parser joins folded lines only in a mode that also reads ambiguous lengths, by which requests could be
 * smuggled.
 */
function invalidMessage(reason = ""): string {
  if (reason === "Unexpected whitespace after header value")
    return `A header is folded over several lines. ${ON_ONE_LINE}`;
  if (/header value/.test(reason)) return `A header value contains a line end or a control character. ${ON_ONE_LINE}`;
  return "The request is not valid HTTP/1.1. Check its request line, header names and lengths.";
}

function problemOf({ code = "", reason }: ParseError): ApiError {
  const [status, message] = PROBLEMS[code] ?? [400, invalidMessage(reason)];
  return new ApiError("malformed_request", message, { status });
}

/** Responds in the one envelope instead of without a body, and ends the connection as Node does. */
export function answerMalformed(node: Server): void {
  /** The responses of each connection that have not ended. */
  const open = new WeakMap<Socket, Set<ServerResponse>>();
  node.on("connection", (socket: Socket) => open.set(socket, new Set()));
  node.on("request", ({ socket }, response) => {
    const responses = open.get(socket);
    responses?.add(response);
    response.once("close", () => responses?.delete(response));
  });
  node.on("clientError", (error: ParseError, socket: Socket) => {
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
