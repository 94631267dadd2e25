// WebSockets: an upgrade request passes through the middleware of every request, and its handler chooses the first
// message. This module does not interpret messages.

import { type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { lazy } from "../../store/db/lazy.ts";

interface Upgrade {
  begin: (socket: WebSocket, connection: Socket) => void;
  never: () => void;
}

/** Requests that may become one, and who begins on it. */
const upgrades = new WeakMap<Request, Upgrade | null>();

export const canUpgrade = (request: Request): boolean => upgrades.has(request);

/** `never`: it was closed by then. */
export function createWebSocketUpgradeResponse(
  request: Request,
  begin: Upgrade["begin"],
  never: Upgrade["never"],
): Response {
  upgrades.set(request, { begin, never });
  return new Response(null, { status: 204 });
}

/** Messages of clients are ignored. */
const MAX_PAYLOAD = 4 * 1024;

const server = lazy(async () => {
  const { WebSocketServer } = await import("ws");
  return new WebSocketServer({ noServer: true, clientTracking: false, maxPayload: MAX_PAYLOAD });
});

/** Any other wish to upgrade is passed over, as it was before. */
const isWish = ({ method, url = "", headers }: IncomingMessage) =>
  method === "GET" && headers.upgrade?.toLowerCase() === "websocket" && /^[^?]*\/ws(\?|$)/.test(url);

export function serveUpgrades(node: Server, fetch: (request: Request, peer: string | null) => Promise<Response>): void {
  Object.assign(node, { shouldUpgradeCallback: isWish });
  node.on("upgrade", (asked: IncomingMessage, duplex: Duplex, head: Buffer) => {
    const socket = duplex as Socket;
    socket.on("error", () => socket.destroy());
    upgrade(asked, socket, head, fetch).catch(() => socket.destroy());
  });
}

async function upgrade(
  asked: IncomingMessage,
  socket: Socket,
  head: Buffer,
  fetch: (request: Request, peer: string | null) => Promise<Response>,
): Promise<void> {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(asked.headersDistinct))
    for (const value of values) headers.append(name, value);
  const request = new Request(new URL(asked.url ?? "/", `http://${asked.headers.host ?? "localhost"}`), { headers });
  upgrades.set(request, null);
  const answer = await fetch(request, socket.remoteAddress ?? null);
  const found = upgrades.get(request);
  if (!found) return refuse(socket, answer);
  let begun = false;
  const abandon = () => begun || found.never();
  if (socket.destroyed) return void abandon();
  socket.once("close", abandon);
  (await server()).handleUpgrade(asked, socket, head, (one) => {
    begun = true;
    found.begin(one, socket);
  });
}

async function refuse(socket: Socket, answer: Response): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer());
  const lines = [...answer.headers, ["content-length", String(body.length)], ["connection", "close"]];
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.write(`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${text}\r\n`);
  socket.end(body, () => socket.destroySoon());
}
