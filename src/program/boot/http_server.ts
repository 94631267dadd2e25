// The HTTP server of an app, with a stop that loses no running request. It also works in two processes, one that
// accepts and others that serve.

import { once } from "node:events";
import type { Server as NodeServer } from "node:http";
import { createServer, type Socket, Server as SocketServer } from "node:net";
import { networkInterfaces } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { serve } from "srvx";
import { serveUpgrades } from "../../api/transports/web_socket.ts";
import { overloaded } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import type { Config } from "../../store/config/all_settings.ts";
import { createConnectionLimitKeyReader } from "../../store/rate_limits/request_client.ts";
import { endSlowBodies } from "./admission.ts";
import type { HttpApp } from "./app.ts";
import { drainAcceptQueue } from "./drain_accept_queue.ts";
import {
  HTTP_TIMEOUTS,
  installMalformedRequestHandler,
  limitConnectionsAndRequests,
  toHttpServerOptions,
} from "./http_connection_limits.ts";

/**
 * The queue of connections to accept; the system may limit it. After a start, thousands of handsets connect at once.
 * One that finds no space retries after one, three and seven seconds.
 */
const BACKLOG = 4_096;
/** The time for running requests after the stop signal. */
const DRAIN_MS = 8_000;
const IDLE_SWEEP_MS = 50;
/** The idle time after which no further request is expected; a slow proxy needs time to use its connections. */
const IDLE_MS = 3_000;

export interface ListeningServer {
  /**
   * Reports the stop at /readyz and continues for SHUTDOWN_DELAY_MS. Then it refuses new connections and closes each
   * one with its response. It closes idle ones, and after a timeout all others.
   */
  close(): Promise<void>;
}

/** The parts of an app that a socket uses. */
type ServableHttpApp = Pick<HttpApp, "fetch" | "stopping" | "ending">;

export async function listenHttp(
  app: ServableHttpApp,
  { host, ...config }: Pick<Config, "host" | "port"> & Partial<Config>,
  times = HTTP_TIMEOUTS,
): Promise<ListeningServer> {
  const listeners: ListeningServer[] = [];
  const close = async () => {
    await Promise.all(listeners.map((listener) => listener.close()));
  };
  try {
    for (const address of addressesOf(host)) listeners.push(await listenAt(app, { ...config, host: address }, times));
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
}

/** `localhost` may resolve to either address, so both are used. */
const addressesOf = (host: string): string[] => {
  if (host !== "localhost") return [host];
  const here = Object.values(networkInterfaces()).flat();
  return ["127.0.0.1", "::1"].filter((own) => own !== "::1" || here.some((at) => at?.address === own));
};

async function listenAt(
  app: ServableHttpApp,
  { shutdownDelayMs = 0, ...at }: ListenAddress,
  times: typeof HTTP_TIMEOUTS,
): Promise<ListeningServer> {
  const { server, node, gate } = createHttp(app, at, times);
  await server.serve();
  return {
    async close() {
      app.stopping();
      if (shutdownDelayMs > 0) await pause(shutdownDelayMs);
      await drainAcceptQueue(node);
      await drain(app, node, gate, shutdownDelayMs);
    },
  };
}

type ListenAddress = Pick<Config, "host" | "port"> & Partial<Config>;
type Http = ReturnType<typeof createHttp>;

/** Creates the HTTP handling of connections with its limits, without a listener. */
function createHttp(
  app: ServableHttpApp,
  { host, port, maxConnectionsPerIp = Number.POSITIVE_INFINITY, trustedProxies = [] }: ListenAddress,
  times: typeof HTTP_TIMEOUTS,
) {
  const server = serve({
    hostname: host,
    port,
    silent: true,
    manual: true,
    gracefulShutdown: false,
    node: { ...toHttpServerOptions(times), backlog: BACKLOG },
    fetch: app.fetch,
  });
  const node = server.node?.server as NodeServer;
  node.timeout = times.silence;
  const { headers, body, whole } = createOverloadResponses();
  const gate = limitConnectionsAndRequests(node, {
    refuse: (_request, response) => response.writeHead(503, headers).end(body),
    max: maxConnectionsPerIp,
    ownerOf: createConnectionLimitKeyReader(trustedProxies),
    tooMany: whole,
    unreadMs: times.unread,
  });
  endSlowBodies(node, times);
  installMalformedRequestHandler(node);
  serveUpgrades(node, (request, peer) => app.fetch(request, peer));
  return { server, node, gate };
}

/** Creates the responses under overload, `whole` for connections without a request. */
export function createOverloadResponses() {
  const refused = overloaded();
  const body = JSON.stringify(refused.toEnvelope());
  const headers = {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    ...refused.headers,
  };
  const lines = Object.entries({ ...headers, connection: "close" }).map(([name, value]) => `${name}: ${value}\r\n`);
  return { headers, body, whole: `HTTP/1.1 503 Service Unavailable\r\n${lines.join("")}\r\n${body}` };
}

/** Waits for existing connections after the listener is closed. */
async function drain(
  app: ServableHttpApp,
  node: NodeServer,
  gate: Http["gate"],
  shutdownDelayMs: number,
): Promise<void> {
  // Node's own close() would cut idle connections at once, and with them requests that are already on their way.
  const closed = new Promise((resolve) => SocketServer.prototype.close.call(node, resolve));
  const emptied = gate.emptied();
  gate.closing();
  // After that, each of their responses closes its connection, so no client can send another request.
  app.ending();
  // This runs right after the event loop has read what came, so that a connection with a new request counts as busy.
  const sweep = () => setImmediate(() => gate.closeIdle(shutdownDelayMs > 0 ? IDLE_MS : 0));
  const idle = setInterval(sweep, IDLE_SWEEP_MS);
  const hard = setTimeout(() => {
    node.closeAllConnections();
    gate.closeAll();
  }, DRAIN_MS);
  await Promise.all([closed, emptied]);
  clearInterval(idle);
  clearTimeout(hard);
  // Ends the server's own timers.
  node.close(() => {});
}

/** Serves connections that another process has accepted, and bounded by their addresses. */
export function serveAcceptedConnections(app: HttpApp, config: Config) {
  const bounded = { ...config, maxConnectionsPerIp: Number.POSITIVE_INFINITY };
  const { node, gate } = createHttp(app, bounded, HTTP_TIMEOUTS);
  // A server begins to watch over the times of its connections when it listens.
  node.emit("listening");
  return {
    /** @param left called after the end of the connection, or of its last request */
    take(socket: Socket, left: () => void): void {
      // As those that the server accepts itself: a client that has closed its side may still read.
      socket.allowHalfOpen = true;
      socket.once("close", left);
      node.emit("connection", socket);
    },
    close: () => drain(app, node, gate, config.shutdownDelayMs),
  };
}

/** Listens for connections that worker processes serve. Reads nothing from them. */
export async function acceptConnectionsForWorkers(
  { host, port }: Pick<Config, "host" | "port">,
  take: (socket: Socket) => void,
): Promise<ListeningServer> {
  const listeners = addressesOf(host).map(() =>
    createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, take),
  );
  const close = async () => {
    const listening = listeners.filter((listener) => listener.listening);
    await Promise.all(listening.map(drainAcceptQueue));
    for (const listener of listening) listener.close();
  };
  try {
    for (const [i, address] of addressesOf(host).entries()) {
      const listener = assertDefined(listeners[i], "every address has a server");
      listener.listen({ host: address, port, backlog: BACKLOG });
      await once(listener, "listening");
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
}

/** A port that is free now, for PORT=0: addresses must be known before the app is made. */
export async function findFreePort(host: string): Promise<number> {
  const probe = createServer();
  probe.listen(0, host);
  await once(probe, "listening");
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
