// Connections to checked addresses only: one for a single request, or a pool for an origin. Each connection has a new
// look-up and check. Also a GET of a small document at a stranger's URL, by the rules of deliveries: https, no
// redirects, a short timeout, few bytes. This module does not depend on the content.

import { isUtf8 } from "node:buffer";
import { isIP, type LookupFunction, connect as netConnect, type Socket } from "node:net";
import { connect as tlsConnect } from "node:tls";
import type { Dispatcher, Pool } from "undici";
import { LIMITS } from "../../model/limits.ts";
import { getUrlPort, removeFinalDot, resolveTarget, type TargetRules } from "./target_check.ts";

/** Loaded on first use, because most starts make no call, and kept for later ones. */
let loading: Promise<typeof import("undici")> | undefined;
const loadHttpClient = () => {
  loading ??= import("undici");
  return loading;
};

/**
 * Connects to one of `addresses`, in order, and to nothing else: the socket's own look-up is answered from them. TLS
 * requests and verifies the certificate of the URL's host.
 */
export async function connectToResolvedAddresses(
  url: URL,
  addresses: readonly string[],
  signal: AbortSignal,
  onTcp: () => void,
): Promise<Socket> {
  // Before connecting, because a receiver may send first.
  await loadHttpClient();
  const checked = addresses.map((address) => ({ address, family: isIP(address) }));
  const lookup: LookupFunction = (_host, options, callback) => {
    if (options.all) callback(null, checked);
    else callback(null, checked[0]?.address ?? "", checked[0]?.family);
  };
  const name = removeFinalDot(url.hostname);
  const literal = isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0;
  const host = literal ? (addresses[0] ?? "") : name;
  const options = { host, port: getUrlPort(url), lookup, signal, autoSelectFamily: true };
  return new Promise((resolve, reject) => {
    let socket: Socket;
    if (url.protocol === "https:") {
      // An address has no server name (RFC 6066); its certificate is then verified for the address itself.
      const tls = { ALPNProtocols: ["http/1.1"], rejectUnauthorized: true, ...(literal ? {} : { servername: name }) };
      socket = tlsConnect({ ...options, ...tls }, () => resolve(socket));
      socket.once("connect", onTcp);
    } else {
      socket = netConnect(options, () => resolve(socket));
    }
    socket.on("error", reject);
    socket.once("close", () => reject(new Error("the connection was closed while connecting")));
  });
}

/**
 * Makes one request over that connection, without timeouts of its own, and reads its response. The connection and its
 * client are closed afterwards in any case.
 */
export async function sendRequestOverSocket<T>(
  url: URL,
  socket: Socket,
  request: Omit<Dispatcher.RequestOptions, "path">,
  read: (answer: Dispatcher.ResponseData) => Promise<T>,
): Promise<T> {
  const { Client } = await loadHttpClient();
  let unused: Socket | null = socket;
  const client = new Client(url.origin, {
    // The socket is used once, so there is never a second connection or request.
    connect: (_options, callback) => {
      const ready = unused;
      unused = null;
      // In a later turn: the client ignores a connection that is available during its call.
      queueMicrotask(() => {
        if (ready === null || ready.destroyed) callback(new Error("the connection was closed"), null);
        else callback(null, ready);
      });
    },
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  try {
    const answer = await client.request({ ...request, path: url.pathname + url.search, reset: true });
    answer.body.on("error", () => {});
    return await read(answer);
  } finally {
    socket.destroy();
    await client.destroy();
  }
}

/** A server may request to keep a connection for longer; after this time it is checked again. */
const KEPT_MS = 30_000;

/** Creates a pool for `origin`, in the format of URL, with at most `connections`, each opened within `timeoutMs`. */
export async function createOriginPool(
  origin: string,
  rules: TargetRules,
  { connections, timeoutMs }: { connections: number; timeoutMs: number },
): Promise<Pool> {
  const { Pool } = await loadHttpClient();
  return new Pool(origin, {
    connections,
    pipelining: 1,
    connect: (_options, callback) => {
      connect(origin, rules, timeoutMs).then(
        (socket) => callback(null, socket),
        (error) => callback(error, null),
      );
    },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveMaxTimeout: KEPT_MS,
  });
}

/** @throws if the origin is not allowed, or does not respond in time */
async function connect(origin: string, rules: TargetRules, timeoutMs: number) {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  try {
    const target = await resolveTarget(`${origin}/`, rules, { signal: late.signal });
    if (!target.ok) throw new Error("the address is not allowed");
    return await connectToResolvedAddresses(target.url, target.addresses, late.signal, () => {});
  } finally {
    clearTimeout(timer);
  }
}

const FETCH_TIMEOUT_MS = 5000;
const MAX_FETCHED_DOCUMENT_BYTES = LIMITS.client_document;

/**
 * `refused`: the address is not allowed. `unreachable`: no answer from it within the time. `answer`: another one
 * than 200 with JSON. `large`: more than may be read.
 */
type FetchDocumentResult =
  | { ok: true; text: string }
  | { ok: false; why: "refused" | "unreachable" | "answer" | "large" };

/** Fetches `address`. Never throws, and leaves no socket behind. */
export async function fetchDocument(
  address: string,
  rules: TargetRules,
  { timeoutMs = FETCH_TIMEOUT_MS }: { timeoutMs?: number } = {},
): Promise<FetchDocumentResult> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const target = await resolveTarget(address, rules, { signal });
    // One result for a private address and a missing name, so that names of an internal network cannot be
    // distinguished.
    if (!target.ok) return { ok: false, why: target.refusal === "resolver" ? "unreachable" : "refused" };
    if (target.url.protocol !== "https:") return { ok: false, why: "refused" };
    const socket = await connectToResolvedAddresses(target.url, target.addresses, signal, () => {});
    const headers = { accept: "application/json", "accept-encoding": "identity", "user-agent": "Belfry/1" };
    return await sendRequestOverSocket(target.url, socket, { method: "GET", headers, signal }, documentIn);
  } catch {
    return { ok: false, why: "unreachable" };
  }
}

async function documentIn({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<FetchDocumentResult> {
  const type = String(headers["content-type"] ?? "");
  if (statusCode !== 200 || !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) return { ok: false, why: "answer" };
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_FETCHED_DOCUMENT_BYTES) return { ok: false, why: "large" };
    chunks.push(chunk);
  }
  const read = Buffer.concat(chunks);
  return isUtf8(read) ? { ok: true, text: new TextDecoder().decode(read) } : { ok: false, why: "answer" };
}
