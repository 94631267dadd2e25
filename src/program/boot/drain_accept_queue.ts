// Ends a listening socket without resetting any client. The system accepts connections into a queue before we take
// them. Closing the socket resets those in the queue and those in the middle of their handshake, together with their
// requests. So this file first stops new ones from entering, and then waits until the queue is empty.

import { readFileSync } from "node:fs";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** Node's private handle of servers and sockets, the only access to two system calls that are needed here. */
interface Handle {
  listen(backlog: number): number;
  getpeername(into: object): number;
}
const handleOf = (of: Server | Socket) => (of as { _handle?: Handle | null })._handle;

/** A client that never ends its handshake must not delay the stop. */
const PATIENCE_MS = 3_000;
const HANDSHAKE_MS = 20;

/**
 * Resolves in a turn of the event loop in which the queue is empty and no handshake is running or can begin. The
 * listener must be closed in that turn. A client that connects in between gets no response, retries a second later and
 * is then refused. A proxy sends such a request to another replica. This works on Linux. On other systems, a connection
 * may be lost between the last check and the close.
 */
export async function drainAcceptQueue(server: Server): Promise<void> {
  const { port, address } = server.address() as AddressInfo;
  const host = address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : address;
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; ) {
    // One turn of the event loop later, everything that waited in the queue has been taken.
    await new Promise((resolve) => setImmediate(resolve));
    // From now on the queue has one place. Our own connection takes it, unless a client was quicker.
    if (handleOf(server)?.listen(0) !== 0) return;
    const own = connect(port, host).on("error", () => {});
    // Our connection starts in the next tick. Within one machine it has arrived when that call returns.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const shut = handleOf(own)?.getpeername({}) === 0;
    setImmediate(() => own.destroy());
    if (!shut) continue;
    if (!hasHandshakes(port)) return;
    // The last packet of these handshakes was ignored during the check. The clients send it again with their requests.
    await pause(HANDSHAKE_MS);
  }
}

/** Checks for unfinished handshakes with this port, as far as the system reports them. */
function hasHandshakes(port: number): boolean {
  const SYN_RECV = "03";
  const local = port.toString(16).toUpperCase().padStart(4, "0");
  const line = new RegExp(`: [0-9A-F]+:${local} [0-9A-F]+:[0-9A-F]{4} ${SYN_RECV} `);
  return ["tcp", "tcp6"].some((protocol) => {
    try {
      return line.test(readFileSync(`/proc/self/net/${protocol}`, "latin1"));
    } catch {
      return false;
    }
  });
}
