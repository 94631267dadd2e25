// A listening socket in front of an app, and an end to it that loses nothing in flight.

import type { Server as NodeServer } from "node:http";
import { createServer, type Socket } from "node:net";
import { serve } from "srvx";
import type { App } from "./app.ts";
import type { Config } from "./config.ts";
import { nodeTimes, readOnAfterAnswers, TIMES } from "./connections.ts";

/** How long requests in flight may still take after the signal to stop. */
const DRAIN_MS = 8_000;
const IDLE_SWEEP_MS = 50;

export interface Listening {
  /** Refuses new connections, finishes what is in flight within a bound, then cuts what is left. */
  close(): Promise<void>;
}

export async function listen(
  app: App,
  { host, port }: Pick<Config, "host" | "port">,
  times = TIMES,
): Promise<Listening> {
  const server = serve({
    hostname: host,
    port,
    silent: true,
    gracefulShutdown: false,
    node: nodeTimes(times),
    fetch: (request) => app.fetch(request as unknown as Request, request.ip ?? null),
  });
  await server.ready();
  const node = server.node!.server as NodeServer;
  node.timeout = times.silence;
  readOnAfterAnswers(node, times);
  const open = new Set<Socket>();
  node.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  return {
    async close() {
      // A kept-alive connection that was busy when the listening ended would be waited for until its own time-out, and
      // one that was opened in advance and never used, as browsers do, until the bound.
      const idle = setInterval(() => {
        node.closeIdleConnections();
        for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
      }, IDLE_SWEEP_MS);
      const hard = setTimeout(() => node.closeAllConnections(), DRAIN_MS);
      await server.close();
      clearInterval(idle);
      clearTimeout(hard);
    },
  };
}

/** A port that is free now, for PORT=0: addresses must be known before the app is made. */
export async function freePort(host: string): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once("error", reject);
    probe.listen(0, host, resolve);
  });
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
