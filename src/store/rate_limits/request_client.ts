// Identifies the sender of a request, for limits, logs, metrics and sessions. A header about the client counts only
// when a trusted proxy wrote it.

import type { IncomingMessage } from "node:http";
import proxyAddr from "@fastify/proxy-addr";
import ipaddr from "ipaddr.js";

export interface RequestClient {
  /** In its shortest form; null for a call that came over no network. */
  address: string | null;
  /**
   * The connection comes from this machine, and no header shows that it carries another client's request. Limits per
   * address and the closed /metrics do not apply to it. An address from a header is never local.
   */
  local: boolean;
  /** The peer is one of TRUSTED_PROXIES: its other headers about the request are also trusted. */
  byTrustedProxy: boolean;
}

/** A request with one of these headers comes from a proxy, and its client is another machine. */
const SIGNS_OF_A_PROXY = [
  ...["x-forwarded-for", "forwarded", "x-real-ip", "via", "x-forwarded-host", "x-forwarded-proto"],
  ...["x-forwarded-server", "x-client-ip", "true-client-ip", "cf-connecting-ip", "cdn-loop"],
];

/** The shortest spelling of an address, that of IPv4 where it is one in IPv6. Null for any other text. */
function plain(address: string): string | null {
  if (!ipaddr.isValid(address)) return null;
  return ipaddr.process(address).toString();
}

const MAX_KNOWN = 1_000;

/** Caches the results of the last addresses: each sends many requests. */
function remembering<T>(find: (address: string) => T): (address: string) => T {
  const known = new Map<string, T>();
  return (address) => {
    const found = known.get(address);
    if (found !== undefined) return found;
    const looked = find(address);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(address, looked);
    return looked;
  };
}

const isLoopback = (address: string) => ipaddr.process(address).range() === "loopback";

/** The key of limits per address: an IPv6 network of 64 bits, since one host has all of its addresses. */
export const rateLimitAddress = remembering((address): string => {
  const known = ipaddr.isValid(address) ? ipaddr.process(address) : null;
  if (known?.kind() !== "ipv6") return known?.toString() ?? address;
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${known.toNormalizedString().replace(/%.*$/, "")}/64`);
  return `${network}/64`;
});

/** The addresses of programs on this machine, which may include an unlisted proxy. */
const HERE = ["127.0.0.1", "::1"];

/** The key of connection limits: null for a proxy, whose clients are not the peers, and for this machine. */
export function createConnectionLimitKeyReader(trusted: readonly string[]) {
  const isTrusted = proxyAddr.compile([...trusted]);
  return (peer: string): string | null => {
    const near = plain(peer);
    return near !== null && (HERE.includes(near) || isTrusted(near, 0)) ? null : rateLimitAddress(peer);
  };
}

/** `trusted` contains addresses, ranges and the names loopback, linklocal and uniquelocal. */
export function createClientReader(trusted: readonly string[]) {
  const isTrusted = proxyAddr.compile([...trusted]);
  const nearOf = remembering((peer) => {
    const near = plain(peer);
    return { plain: near, trusted: near !== null && isTrusted(near, 0), loopback: near !== null && isLoopback(near) };
  });

  /** `peer` is the network address that the connection comes from. */
  return (peer: string | null, headers: Headers): RequestClient => {
    if (peer === null) return { address: null, local: true, byTrustedProxy: false };
    const { plain: near, trusted: isProxy, loopback } = nearOf(peer);
    if (near === null) return { address: peer, local: false, byTrustedProxy: false };
    const local = loopback && !SIGNS_OF_A_PROXY.some((name) => headers.has(name));
    if (!isProxy) return { address: near, local, byTrustedProxy: false };
    const request = {
      socket: { remoteAddress: near },
      headers: { "x-forwarded-for": headers.get("x-forwarded-for") ?? undefined },
    } as unknown as IncomingMessage;
    // From the peer through the trusted proxies. Text that is not an address does not come from a trusted proxy.
    const named = plain(proxyAddr(request, isTrusted));
    return { address: named ?? near, local, byTrustedProxy: true };
  };
}
