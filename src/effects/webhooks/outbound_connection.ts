// A connection to an address that was checked, and to no other, for one request; and those to one origin that are
// kept for many, each made as a delivery's is: the origin is resolved and judged anew. Must not know what is asked
// over them. One GET of a small document at an address that a stranger named, by the rules of deliveries: https, no
// redirects, little time, few bytes. Must not know what it says.

import { isUtf8 } from "node:buffer";
import { isIP, type LookupFunction, connect as netConnect, type Socket } from "node:net";
import { connect as tlsConnect } from "node:tls";
import type { Dispatcher, Pool } from "undici";
import { LIMITS } from "../../model/limits.ts";
import { getPort, removeFinalDot, resolveTarget, type TargetRules } from "./target_check.ts";

/** Loaded by the first call, since most services start often and call nobody; kept, so that later ones do not wait. */
let loading: Promise<typeof import("undici")> | undefined;
export const loadHttpClient = () => {
  loading ??= import("undici");
  return loading;
};

/**
 * Connects to one of `addresses`, tried in turn, and to nothing else: the look-up that the socket would make is
 * answered from them. TLS asks for, and verifies, the certificate of the URL's host.
 */
export async function openConnection(
  url: URL,
  addresses: readonly string[],
  signal: AbortSignal,
  onTcp: () => void,
): Promise<Socket> {
  // Before the connection stands: a receiver that speaks at once must not have spoken before it was asked.
  await loadHttpClient();
  const checked = addresses.map((address) => ({ address, family: isIP(address) }));
  const lookup: LookupFunction = (_host, options, callback) => {
    if (options.all) callback(null, checked);
    else callback(null, checked[0]?.address ?? "", checked[0]?.family);
  };
  const name = removeFinalDot(url.hostname);
  const literal = isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0;
  const host = literal ? (addresses[0] ?? "") : name;
  const options = { host, port: getPort(url), lookup, signal, autoSelectFamily: true };
  return new Promise((resolve, reject) => {
    let socket: Socket;
    if (url.protocol === "https:") {
      // An address has no server name (RFC 6066); its certificate is then verified for the address itself.
      const tls = {
        ALPNProtocols: ["http/1.1"],
        rejectUnauthorized: true,
        ...(literal ? {} : { servername: name }),
      };
      socket = tlsConnect({ ...options, ...tls }, () => resolve(socket));
      socket.once("connect", onTcp);
    } else {
      socket = netConnect(options, () => resolve(socket));
    }
    socket.on("error", reject);
    socket.once("close", () => reject(new Error("closed while connecting")));
  });
}

/**
 * Makes one request over that connection alone, without time limits of its own, and has its answer read. Neither the
 * connection nor its client is left afterwards, whatever became of them.
 */
export async function sendRequest<T>(
  url: URL,
  socket: Socket,
  request: Omit<Dispatcher.RequestOptions, "path">,
  read: (answer: Dispatcher.ResponseData) => Promise<T>,
): Promise<T> {
  const { Client } = await loadHttpClient();
  let unused: Socket | null = socket;
  const client = new Client(url.origin, {
    // The socket is handed out once: whatever goes wrong, there is no second connection and no second request.
    connect: (_options, callback) => {
      const ready = unused;
      unused = null;
      // Not before the client has returned: it loses a connection that is there while it still asks for one.
      queueMicrotask(() => {
        if (ready === null || ready.destroyed) callback(new Error("the connection is gone"), null);
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

/** A server may ask to keep a connection for longer; after so long it is judged again. */
const KEPT_MS = 30_000;

/** `origin` as a URL has it; at most so many `connections`, each made within `timeoutMs`. */
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

/** @throws where it may not be called, and where nobody answers in time. */
async function connect(origin: string, rules: TargetRules, timeoutMs: number) {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  try {
    const target = await resolveTarget(`${origin}/`, rules, { signal: late.signal });
    if (!target.ok) throw new Error("the address is not allowed");
    return await openConnection(target.url, target.addresses, late.signal, () => {});
  } finally {
    clearTimeout(timer);
  }
}

export const FETCH_TIMEOUT_MS = 5000;
export const MAX_DOCUMENT_BYTES = LIMITS.client_document;

/**
 * `refused`: the address is not allowed. `unreachable`: no answer from it within the time. `answer`: another one
 * than 200 with JSON. `large`: more than may be read.
 */
export type FetchedDocument =
  | { ok: true; text: string }
  | { ok: false; why: "refused" | "unreachable" | "answer" | "large" };

/** Fetches `address`. Never throws, and leaves no socket behind. */
export async function fetchDocument(
  address: string,
  rules: TargetRules,
  { timeoutMs = FETCH_TIMEOUT_MS }: { timeoutMs?: number } = {},
): Promise<FetchedDocument> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const target = await resolveTarget(address, rules, { signal });
    // One answer for a private address and for no such name: else names of an inner network could be told apart.
    if (!target.ok) return { ok: false, why: target.refusal === "resolver" ? "unreachable" : "refused" };
    if (target.url.protocol !== "https:") return { ok: false, why: "refused" };
    const socket = await openConnection(target.url, target.addresses, signal, () => {});
    const headers = { accept: "application/json", "accept-encoding": "identity", "user-agent": "Belfry/1" };
    return await sendRequest(target.url, socket, { method: "GET", headers, signal }, documentIn);
  } catch {
    return { ok: false, why: "unreachable" };
  }
}

async function documentIn({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<FetchedDocument> {
  const type = String(headers["content-type"] ?? "");
  if (statusCode !== 200 || !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) return { ok: false, why: "answer" };
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_DOCUMENT_BYTES) return { ok: false, why: "large" };
    chunks.push(chunk);
  }
  const read = Buffer.concat(chunks);
  return isUtf8(read) ? { ok: true, text: new TextDecoder().decode(read) } : { ok: false, why: "answer" };
}
