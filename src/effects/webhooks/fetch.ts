// One GET of a small document at an address that a stranger named, by the rules of deliveries: https, the address that was
// checked and no other, no redirects, little time, few bytes. Must not know what the document says.

import { isUtf8 } from "node:buffer";
import type { Dispatcher } from "undici";
import { LIMITS } from "../../model/limits.ts";
import { dial, exchange } from "./connection.ts";
import { resolveTarget, type TargetRules } from "./target.ts";

export const FETCH_TIMEOUT_MS = 5000;
export const MAX_DOCUMENT_BYTES = LIMITS.client_document;

/**
 * `refused`: not an address that may be called. `unreachable`: no answer from it within the time. `answer`: another one
 * than 200 with JSON. `large`: more than may be read.
 */
export type Fetched =
  | { ok: true; text: string }
  | { ok: false; why: "refused" | "unreachable" | "answer" | "large" };

/** Fetches `address`. Never throws, and leaves no socket behind. */
export async function fetchDocument(
  address: string,
  rules: TargetRules,
  { timeoutMs = FETCH_TIMEOUT_MS }: { timeoutMs?: number } = {},
): Promise<Fetched> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const target = await resolveTarget(address, rules, { signal });
    if (!target.ok)
      return { ok: false, why: /^(url|address)$/.test(target.refusal) ? "refused" : "unreachable" };
    if (target.url.protocol !== "https:") return { ok: false, why: "refused" };
    const socket = await dial(target.url, target.addresses, signal, () => {});
    const headers = { accept: "application/json", "accept-encoding": "identity", "user-agent": "Belfry/1" };
    return await exchange(target.url, socket, { method: "GET", headers, signal }, documentIn);
  } catch {
    return { ok: false, why: "unreachable" };
  }
}

async function documentIn({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<Fetched> {
  const type = String(headers["content-type"] ?? "");
  if (statusCode !== 200 || !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type))
    return { ok: false, why: "answer" };
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
