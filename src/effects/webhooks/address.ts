// Which IP addresses may be called: globally reachable unicast by IANA's special-purpose address registries.
// A table and one question. Must not know names, DNS, URLs or settings.

import { BlockList, isIP } from "node:net";

/** A block in CIDR notation and the name under which the registry lists it. */
export type SpecialBlock = readonly [cidr: string, name: string];

/**
 * Every IPv4 block of the registry (2025-10-09), refused whatever its "Globally Reachable" column says: the few that are
 * reachable (AS112, AMT, the anycast addresses in 192.0.0.0/24) are shared infrastructure, and no receiver lives there.
 */
export const SPECIAL_IPV4: readonly SpecialBlock[] = [
  ["0.0.0.0/8", "This network"],
  ["10.0.0.0/8", "Private-Use"],
  ["100.64.0.0/10", "Shared Address Space"],
  ["127.0.0.0/8", "Loopback"],
  ["169.254.0.0/16", "Link Local"],
  ["172.16.0.0/12", "Private-Use"],
  ["192.0.0.0/24", "IETF Protocol Assignments"],
  ["192.0.2.0/24", "Documentation (TEST-NET-1)"],
  ["192.31.196.0/24", "AS112-v4"],
  ["192.52.193.0/24", "AMT"],
  ["192.88.99.0/24", "Deprecated (6to4 Relay Anycast)"],
  ["192.168.0.0/16", "Private-Use"],
  ["192.175.48.0/24", "Direct Delegation AS112 Service"],
  ["198.18.0.0/15", "Benchmarking"],
  ["198.51.100.0/24", "Documentation (TEST-NET-2)"],
  ["203.0.113.0/24", "Documentation (TEST-NET-3)"],
  ["224.0.0.0/4", "Multicast"],
  ["240.0.0.0/4", "Reserved, and Limited Broadcast"],
];

/** The only IPv6 space that IANA hands out as global unicast; what lies outside it is refused unseen. */
export const GLOBAL_IPV6 = "2000::/3";

/**
 * The IPv6 blocks to refuse. Forms that embed an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo) are refused even
 * where the embedded address is public: who unpacks it, and where, is not ours to know. Those outside 2000::/3 are listed
 * so that the table is the whole registry.
 */
export const SPECIAL_IPV6: readonly SpecialBlock[] = [
  ["::/96", "Unspecified, Loopback and IPv4-compatible (deprecated)"],
  ["::ffff:0:0/96", "IPv4-mapped Address"],
  ["::ffff:0:0:0/96", "IPv4-translated (SIIT)"],
  ["64:ff9b::/96", "IPv4-IPv6 Translation (NAT64)"],
  ["64:ff9b:1::/48", "IPv4-IPv6 Translation (local use)"],
  ["100::/64", "Discard-Only Address Block"],
  ["100:0:0:1::/64", "Dummy IPv6 Prefix"],
  ["2001::/23", "IETF Protocol Assignments: Teredo, Benchmarking, AMT, AS112, ORCHID, DETs"],
  ["2001:db8::/32", "Documentation"],
  ["2002::/16", "6to4"],
  ["2620:4f:8000::/48", "Direct Delegation AS112 Service"],
  ["3ffe::/16", "6bone, returned to IANA (RFC 3701)"],
  ["3fff::/20", "Documentation"],
  ["5f00::/16", "Segment Routing (SRv6) SIDs"],
  ["fc00::/7", "Unique-Local"],
  ["fe80::/10", "Link-Local Unicast"],
  ["fec0::/10", "Site-Local Unicast (deprecated)"],
  ["ff00::/8", "Multicast"],
];

function blockList(family: "ipv4" | "ipv6", cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [network = "", prefix] = cidr.split("/");
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}

const specialIpv4 = blockList(
  "ipv4",
  SPECIAL_IPV4.map(([cidr]) => cidr),
);
const globalIpv6 = blockList("ipv6", [GLOBAL_IPV6]);
const specialIpv6 = blockList(
  "ipv6",
  SPECIAL_IPV6.map(([cidr]) => cidr),
);

/**
 * Whether `ip`, in plain textual form (no brackets, no octal, no short forms), is a globally reachable unicast address.
 * An address with a zone (`fe80::1%eth0`) and any text that is not an address are not public.
 */
export function isPublicAddress(ip: string): boolean {
  if (typeof ip !== "string" || ip.includes("%")) return false;
  const family = isIP(ip);
  if (family === 4) return !specialIpv4.check(ip, "ipv4");
  if (family === 6) return globalIpv6.check(ip, "ipv6") && !specialIpv6.check(ip, "ipv6");
  return false;
}
