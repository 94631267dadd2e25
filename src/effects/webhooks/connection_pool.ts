// Connections to one origin that are kept for many requests. Each is made as a delivery's is: the origin is resolved and
// judged anew, and the connection goes to an address that was judged and to no other. Must not know what is asked over them.

import type { Pool } from "undici";
import { dial, library } from "./connection.ts";
import { resolveTarget, type TargetRules } from "./target.ts";

/** A server may ask to keep a connection for longer; after so long it is judged again. */
const KEPT_MS = 30_000;

/** `origin` as a URL has it; at most so many `connections`, each made within `timeoutMs`. */
export async function poolTo(
  origin: string,
  rules: TargetRules,
  { connections, timeoutMs }: { connections: number; timeoutMs: number },
): Promise<Pool> {
  const { Pool } = await library();
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
    if (!target.ok) throw new Error("not an address that may be called");
    return await dial(target.url, target.addresses, late.signal, () => {});
  } finally {
    clearTimeout(timer);
  }
}
