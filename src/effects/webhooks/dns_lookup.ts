// Turns a host name into every address that DNS gives for it, once, within a caller's time.
// Must not know which addresses are allowed: that is target_check.ts.

import { Resolver, lookup as systemLookup } from "node:dns/promises";

/** `missing`: DNS reports no such name, or no address for it. `failed`: no reliable response. */
export type DnsLookupResult =
  | { found: true; addresses: readonly string[] }
  | { found: false; why: "missing" | "failed" };

/** Once one family has answered with addresses, the other is given this long (milliseconds). */
const SECOND_FAMILY_MS = 1000;

const NO_SUCH_NAME = new Set(["ENOTFOUND", "EBADNAME"]);
const NO_SUCH_RECORD = "ENODATA";

/**
 * Queries A and AAAA once each; the resolver follows CNAMEs. `servers` are `ip` or `ip:port`, or the system's own if
 * empty. Never throws; an abort of `signal` is an ordinary result.
 *
 * This uses DNS directly instead of getaddrinfo, which cannot be cancelled and occupies one of a few threads. A few
 * names with silent servers would block every other delivery.
 */
export async function resolveHostName(
  host: string,
  servers: readonly string[],
  signal: AbortSignal,
): Promise<DnsLookupResult> {
  if (signal.aborted) return { found: false, why: "failed" };
  const resolver = new Resolver({ timeout: 1500, tries: 3 });
  if (servers.length > 0) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });

  let patience: NodeJS.Timeout | undefined;
  const ask = async (query: Promise<string[]>): Promise<string[] | string> => {
    try {
      const addresses = await query;
      if (addresses.length === 0) return NO_SUCH_RECORD;
      // Some servers answer A and stay silent on AAAA. Only received addresses are checked and dialled.
      patience ??= setTimeout(cancel, SECOND_FAMILY_MS);
      return addresses;
    } catch (error) {
      return String((error as NodeJS.ErrnoException).code);
    }
  };

  try {
    const answers = await Promise.all([ask(resolver.resolve4(host)), ask(resolver.resolve6(host))]);
    const addresses = answers.filter((answer) => typeof answer !== "string").flat();
    if (addresses.length > 0) return { found: true, addresses };
    const codes = answers as string[];
    const missing = codes.some((code) => NO_SUCH_NAME.has(code)) || codes.every((code) => code === NO_SUCH_RECORD);
    return { found: false, why: missing ? "missing" : "failed" };
  } finally {
    clearTimeout(patience);
    signal.removeEventListener("abort", cancel);
  }
}

/**
 * The same question to the machine itself, its hosts file included: for names that only the operator's network knows.
 */
export async function resolveHostNameBySystem(host: string, signal: AbortSignal): Promise<DnsLookupResult> {
  const stopped = new Promise<DnsLookupResult>((resolve) => {
    const stop = () => resolve({ found: false, why: "failed" });
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  const asked = systemLookup(host, { all: true }).then(
    (answers): DnsLookupResult => ({ found: true, addresses: answers.map((answer) => answer.address) }),
    (error: NodeJS.ErrnoException): DnsLookupResult => ({
      found: false,
      why: error.code === "ENOTFOUND" || error.code === NO_SUCH_RECORD ? "missing" : "failed",
    }),
  );
  return Promise.race([asked, stopped]);
}
