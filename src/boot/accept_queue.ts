// The end of a listening socket that resets nobody who was let in. The system lets connections in ahead of us, into a queue,
// and closing resets those that wait in it or are half way in, with the requests that they bring; so the door is shut first,
// and the queue found empty.

import { readFileSync } from "node:fs";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** What Node keeps below a server and a socket; the only way to the two calls of the system that this takes. */
interface Handle {
  listen(backlog: number): number;
  getpeername(into: object): number;
}
const handleOf = (of: Server | Socket) => (of as { _handle?: Handle | null })._handle;

/** Somebody who never ends a handshake must not hold up a stop. */
const PATIENCE_MS = 3_000;
const HANDSHAKE_MS = 20;

/**
 * Resolves in a turn of the event loop in which nobody waits in the queue, nobody is half way in and nobody gets in: the
 * listener is to be closed in that turn. Who knocks meanwhile is not heard, knocks again a second later and is refused then,
 * which a proxy takes to another replica. So on Linux; elsewhere the moment between the last look at the queue and the close
 * is left.
 */
export async function shutQueue(server: Server): Promise<void> {
  const { port, address } = server.address() as AddressInfo;
  const host = address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : address;
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; ) {
    // What waited by then has been taken.
    await new Promise((resolve) => setImmediate(resolve));
    // The queue is one place long from now on, and that place is ours unless somebody was quicker.
    if (handleOf(server)?.listen(0) !== 0) return;
    const own = connect(port, host).on("error", () => {});
    // It sets out in the next tick, and within a machine it has arrived when that call is over.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const shut = handleOf(own)?.getpeername({}) === 0;
    setImmediate(() => own.destroy());
    if (!shut) continue;
    if (!hasHandshakes(port)) return;
    // Their last packet was not taken while the place was ours; it comes again with what they ask.
    await pause(HANDSHAKE_MS);
  }
}

/** Whether anybody is between the first and the last packet of a handshake with this port, as far as the system tells. */
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
