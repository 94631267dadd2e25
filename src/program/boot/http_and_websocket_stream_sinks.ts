// HTTP connections and WebSockets as what streams are written to.

import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { StreamSink } from "../../handset/live_updates/stream_connection.ts";
import { createSocketSendQueueLookup } from "./read_socket_send_queues.ts";

/** The time for a client to read the last message. */
const FAREWELL_MS = 2_000;

/** The maximum of unanswered pings: the first response may wait behind data in a proxy. */
const MOST_UNANSWERED = 2;

/** Ends a connection whose client does not read; the system also discards its buffered data. */
const reset = (socket: Socket) => void (socket.destroyed || socket.resetAndDestroy());

export const createHttpStreamSink = (socket: Socket): StreamSink => ({
  pendingBytes: () => socket.writableLength,
  unacknowledgedBytes: createSocketSendQueueLookup(socket),
  write: (bytes) => void socket.write(bytes),
  writeAll(pieces, taken) {
    socket.cork();
    for (const [i, piece] of pieces.entries()) socket.write(piece, i === pieces.length - 1 ? () => taken() : undefined);
    socket.uncork();
  },
  end(now) {
    if (now) return reset(socket);
    socket.destroySoon();
    setTimeout(() => socket.destroy(), FAREWELL_MS).unref();
  },
});

/** One message of a WebSocket is one frame. Its client returns a ping, which no proxy does for it. */
export function createWebSocketSink(socket: WebSocket, connection: Socket): StreamSink {
  let unanswered = 0;
  socket.on("pong", () => {
    unanswered = 0;
  });
  return {
    ping() {
      if (unanswered === MOST_UNANSWERED) return false;
      unanswered++;
      socket.ping();
      return true;
    },
    pendingBytes: () => socket.bufferedAmount,
    unacknowledgedBytes: createSocketSendQueueLookup(connection),
    write: (bytes) => socket.send(bytes, { binary: false }),
    writeAll(pieces, taken) {
      for (const [i, piece] of pieces.entries())
        socket.send(piece, { binary: false }, i === pieces.length - 1 ? () => taken() : undefined);
    },
    end(now) {
      if (now) return reset(connection);
      socket.close(1001);
      setTimeout(() => socket.terminate(), FAREWELL_MS).unref();
    },
  };
}
