// One GET of a small document at an address that a stranger named, by the rules of deliveries: https, the address that was
// checked and no other, no redirects, little time, few bytes. Must not know what the document says.

import { clientOver, dial } from "./connection.ts";
import { resolveTarget, type TargetRules } from "./target.ts";

export const FETCH_TIMEOUT_MS = 5000;
export const MAX_DOCUMENT_BYTES = 16 * 1024;

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
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), timeoutMs);
  try {
    const target = await resolveTarget(address, rules, { signal: end.signal });
    if (!target.ok)
      return { ok: false, why: /^(url|address)$/.test(target.refusal) ? "refused" : "unreachable" };
    if (target.url.protocol !== "https:") return { ok: false, why: "refused" };
    const socket = await dial(target.url, target.addresses, end.signal, () => {});
    const client = await clientOver(target.url, socket);
    try {
      const { statusCode, headers, body } = await client.request({
        method: "GET",
        path: target.url.pathname + target.url.search,
        headers: { accept: "application/json", "accept-encoding": "identity", "user-agent": "Belfry/1" },
        reset: true,
        signal: end.signal,
      });
      body.on("error", () => {});
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
      return { ok: true, text: new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)) };
    } catch (error) {
      return { ok: false, why: error instanceof TypeError ? "answer" : "unreachable" };
    } finally {
      socket.destroy();
      await client.destroy();
    }
  } catch {
    return { ok: false, why: "unreachable" };
  } finally {
    clearTimeout(timer);
    end.abort();
  }
}
