// The IP addresses that may be called: globally reachable unicast by IANA's special-purpose address registries, as in
// ipaddr.js; a test compares each of their blocks. It does not depend on names, DNS, URLs or settings.

import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** The only IPv6 space that IANA assigns as global unicast; all other addresses are refused. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");
/** 6bone, returned to IANA (RFC 3701): the library takes it for any other network. */
const RETURNED = ipaddr.IPv6.parseCIDR("3ffe::/16");

/**
 * Checks that `ip`, in plain textual form (no brackets, no octal, no short forms), is a globally reachable unicast
 * address. An address with a zone (`fe80::1%eth0`) and any other text are not public. Blocks that are reachable but
 * shared infrastructure (AS112, AMT, anycast) are refused, because they have no receivers. So are forms that embed an
 * IPv4 address (mapped, compatible, NAT64, 6to4, Teredo), even a public one, because their translation is outside our
 * control.
 */
export function isPublicAddress(ip: string): boolean {
  if (typeof ip !== "string" || ip.includes("%") || isIP(ip) === 0) return false;
  const address = ipaddr.parse(ip);
  if (address.range() !== "unicast") return false;
  return address instanceof ipaddr.IPv4 || (address.match(GLOBAL_IPV6) && !address.match(RETURNED));
}
