// Who sends a request: the one judgement that limits, logs, metrics and sessions share. What a header says of the
// client counts only when a proxy that we were told of wrote it.

import type { IncomingMessage } from "node:http";
import proxyAddr from "@fastify/proxy-addr";
import ipaddr from "ipaddr.js";

export interface RequestClient {
  /** In its shortest form; null for a call that came over no network. */
  address: string | null;
  /**
   * The connection comes from this machine, and no header says that it carries another one's request. Limits per
   * address and the closed /metrics do not concern it. An address that a header names is never local.
   */
  local: boolean;
  /** The peer is one of TRUSTED_PROXIES: what else it says of the request is believed, too. */
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

/** Remembers what was found of the last addresses: each asks many times. */
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

/** What limits per address count: an IPv6 network of 64 bits, since one host has all of its addresses. */
export const rateLimitAddress = remembering((address): string => {
  const known = ipaddr.isValid(address) ? ipaddr.process(address) : null;
  if (known?.kind() !== "ipv6") return known?.toString() ?? address;
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${known.toNormalizedString().replace(/%.*$/, "")}/64`);
  return `${network}/64`;
});

/** From where programs of this machine come, a proxy that nobody named among them. */
const HERE = ["127.0.0.1", "::1"];

/**
 * What a bound on connections counts: null for a proxy, whose clients are not those who connect, and for this
 * machine.
 */
export function createPeerReader(trusted: readonly string[]) {
  const isTrusted = proxyAddr.compile([...trusted]);
  return (peer: string): string | null => {
    const near = plain(peer);
    return near !== null && (HERE.includes(near) || isTrusted(near, 0)) ? null : rateLimitAddress(peer);
  };
}

/** `trusted` holds addresses, ranges and the names loopback, linklocal and uniquelocal. */
export function createClientReader(trusted: readonly string[]) {
  const isTrusted = proxyAddr.compile([...trusted]);
  const nearOf = remembering((peer) => {
    const near = plain(peer);
    return {
      plain: near,
      trusted: near !== null && isTrusted(near, 0),
      loopback: near !== null && isLoopback(near),
    };
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
    // From the peer on through the proxies that are trusted; what is no address was written by nobody whom we trust.
    const named = plain(proxyAddr(request, isTrusted));
    return { address: named ?? near, local, byTrustedProxy: true };
  };
}
