// Header lines that are folded over several lines, as PHP's mb_encode_mimeheader and Python's email package write long
// titles. Node's parser joins them only in a mode that also accepts ambiguous lengths, by which requests could be
// smuggled. So its refusal is caught here, and the lines are joined (RFC 9112 5.2). The same strict parser reads the
// result.

import type { Server } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";

/** Only messages have long titles; streams and upgrades take over the whole socket. */
const REQUEST_LINE = /^(?:POST|PUT) [^\s]+ HTTP\/1\.1$/;
/** Headers that decide where a message ends, and for whom it is. A proxy may have read them in another way. */
const FRAMING = /^(?:transfer-encoding|content-length|connection|host|expect|upgrade|trailer|te)[ \t]*:/i;

/**
 * Joins the folded lines of a request. Its connection then ends after the response.
 * @param packet The bytes from the first one of the request. The whole head must be in them.
 * @returns The same request on single lines. Null if nothing is folded, if the head is incomplete, or if a header that
 *   frames the message is folded.
 */
function unfoldHeaders(packet: Buffer): Buffer | null {
  const end = packet.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const head = packet.toString("latin1", 0, end);
  const [requestLine = "", ...lines] = head.split(/\r\n(?![ \t])/);
  const folded = lines.filter((line) => line.includes("\r\n"));
  if (!REQUEST_LINE.test(requestLine) || folded.length === 0 || folded.some((line) => FRAMING.test(line))) return null;
  const joined = [requestLine, "connection: close", ...lines.map((line) => line.split(/\r\n[ \t]+/).join(" "))].join(
    "\r\n",
  );
  return Buffer.concat([Buffer.from(joined, "latin1"), packet.subarray(end)]);
}

/** The rest of a connection whose first bytes have changed. Node's server reads it as it reads a socket. */
export class UnfoldedConnection extends Duplex {
  readonly #socket: Socket;

  constructor(socket: Socket, first: Buffer) {
    super();
    this.#socket = socket;
    this.push(first);
    // The parser that refused the request reads nothing more.
    for (const event of ["data", "end", "drain"]) socket.removeAllListeners(event);
    socket.on("data", (chunk) => {
      if (!this.push(chunk)) socket.pause();
    });
    socket.on("end", () => this.push(null));
    socket.on("error", () => this.destroy());
    socket.on("close", () => this.destroy());
  }
  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }
  get bytesRead(): number {
    return this.#socket.bytesRead;
  }
  /** The socket's own listener ends it after that time. */
  setTimeout(ms: number): this {
    this.#socket.setTimeout(ms);
    return this;
  }
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once("finish", () => this.destroy());
  }
  override _read(): void {
    this.#socket.resume();
  }
  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, encoding, done);
  }
  override _final(done: () => void): void {
    this.#socket.end(done);
  }
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

/** Sockets whose first parser has ended. Node's server still measures its time. */
const handedOver = new WeakSet<Socket>();

/** True for an error of a parser that has read all it should. The connection continues. */
export const isErrorOfReplacedParser = (socket: Socket, code: string | undefined): boolean =>
  handedOver.has(socket) || (socket instanceof UnfoldedConnection && code === "HPE_CLOSED_CONNECTION");

/**
 * Gives a request that the parser refused to the server again, on single lines. It must be the first one of its
 * connection, so that nothing else is read as a request.
 * @param packet The bytes that came last.
 * @returns False if the request must be refused.
 */
export function retryWithUnfoldedHeaders(node: Server, socket: Socket, packet: Buffer): boolean {
  if (socket instanceof UnfoldedConnection || socket.bytesRead !== packet.length) return false;
  const request = unfoldHeaders(packet);
  if (!request) return false;
  handedOver.add(socket);
  node.emit("connection", new UnfoldedConnection(socket, request));
  return true;
}
