// The address table, block by block: first, last and the neighbours just outside; and the textual forms.

import { describe, expect, test } from "vitest";
import { isPublicAddress } from "../../src/effects/webhooks/public_address.ts";

/** A block in CIDR notation and the name under which the registry lists it. */
type SpecialBlock = readonly [cidr: string, name: string];

/** Every IPv4 block of the registry (2025-10-09), refused for any value of its "Globally Reachable" column. */
const SPECIAL_IPV4: readonly SpecialBlock[] = [
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

const GLOBAL_IPV6 = "2000::/3";

/** The IPv6 blocks to refuse; those outside 2000::/3 are listed so that the table is the whole registry. */
const SPECIAL_IPV6: readonly SpecialBlock[] = [
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

// Own arithmetic, so that the table is not checked by the code that reads it.
function toNumber(ip: string): bigint {
  if (!ip.includes(":")) return ip.split(".").reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
  const [head = "", tail] = ip.split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":"));
  const zeros = 8 - groups(head).length - groups(tail ?? "").length;
  const all = tail === undefined ? groups(head) : [...groups(head), ...Array(zeros).fill("0"), ...groups(tail)];
  return all.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}
function toText(value: bigint, bits: 32 | 128): string {
  const step = bits === 32 ? 8n : 16n;
  const parts = Array.from({ length: bits === 32 ? 4 : 8 }, (_, index) =>
    ((value >> (step * BigInt(bits === 32 ? 3 - index : 7 - index))) & ((1n << step) - 1n)).toString(
      bits === 32 ? 10 : 16,
    ),
  );
  return parts.join(bits === 32 ? "." : ":");
}
function range(cidr: string): { first: bigint; last: bigint; bits: 32 | 128 } {
  const [network = "", prefix] = cidr.split("/");
  const bits = network.includes(":") ? 128 : 32;
  const size = 1n << BigInt(bits - Number(prefix));
  const first = toNumber(network);
  expect(first % size, cidr).toBe(0n);
  return { first, last: first + size - 1n, bits };
}
const all = [...SPECIAL_IPV4, ...SPECIAL_IPV6];
const within = (value: bigint, bits: number, cidr: string) => {
  const { first, last, bits: own } = range(cidr);
  return own === bits && value >= first && value <= last;
};
const expected = (value: bigint, bits: number) =>
  !all.some(([cidr]) => within(value, bits, cidr)) && (bits === 32 || within(value, bits, GLOBAL_IPV6));

describe("every block of the registries", () => {
  test.each(all)("%s %s", (cidr) => {
    const { first, last, bits } = range(cidr);
    for (const inside of [first, first + 1n, (first + last) / 2n, last - 1n, last]) {
      if (inside < first || inside > last) continue;
      expect(isPublicAddress(toText(inside, bits)), toText(inside, bits)).toBe(false);
    }
    for (const outside of [first - 1n, last + 1n]) {
      if (outside < 0n || outside >= 1n << BigInt(bits)) continue;
      expect(isPublicAddress(toText(outside, bits)), toText(outside, bits)).toBe(expected(outside, bits));
    }
  });

  test("the edges of global unicast", () => {
    expect(isPublicAddress("1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")).toBe(false);
    expect(isPublicAddress("2000::")).toBe(true);
    expect(isPublicAddress("3ffd:ffff:ffff:ffff:ffff:ffff:ffff:ffff")).toBe(true);
    expect(isPublicAddress("4000::")).toBe(false);
  });
});

test.each([
  // Written out from the registries' text, not from the table.
  ...(
    "0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 " + "169.254.169.254"
  ).split(" "),
  ..."172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.9 192.0.0.170 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1".split(
    " ",
  ),
  ..."198.19.255.255 198.51.100.7 203.0.113.7 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255".split(" "),
  ...(
    ":: ::1 ::127.0.0.1 ::7f00:1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:0:8.8.8.8 " + "0:0:0:0:0:ffff:7f00:1"
  ).split(" "),
  ...(
    "64:ff9b::8.8.8.8 64:ff9b::a00:1 64:ff9b:1::1 100::1 100:0:0:1::1 2001::1 " + "2001:0:4136:e378:8000:63bf:3fff:fdd2"
  ).split(" "),
  ..."2001:1::1 2001:2::1 2001:3::1 2001:4:112::1 2001:10::1 2001:20::1 2001:30::1 2001:db8::1 2002:808:808::1".split(
    " ",
  ),
  ..."3fff::1 3fff:fff::1 5f00::1 fc00::1 fd12:3456:789a::1 fe80::1 fec0::1 ff02::1 FE80::1 4000::1 e000::1".split(" "),
  // Zones, and texts that are not an address in this form.
  ...(
    "fe80::1%eth0 2606:4700::1%1 ::1%lo [::1] [2606:4700::1] 0177.0.0.1 0x7f.0.0.1 2130706433 127.1 1.1.1 " +
    "1.1.1.1.1"
  ).split(" "),
  ..."256.1.1.1 08.8.8.8 8.8.8.8/32 8.8.8.8:53 example.com localhost ::g 1::2::3 12345::1".split(" "),
  "",
  " 8.8.8.8",
  "8.8.8.8 ",
  "8.8.8.8\n",
  "８.8.8.8",
])("%j is not public", (ip) => {
  expect(isPublicAddress(ip)).toBe(false);
});

test.each(
  (
    "1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 " +
    "169.253.255.255 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.167.255.255 192.169.0.0 " +
    "198.17.255.255 198.20.0.0 223.255.255.255 2606:4700:4700::1111 2001:4860:4860::8888 2001:200::1 " +
    "2a00:1450::1 2400:cb00::1 2003::1 2620:0:2d0::1"
  ).split(" "),
)("%s is public", (ip) => {
  expect(isPublicAddress(ip)).toBe(true);
});

test("a value that is not a text is not public", () => {
  for (const value of [undefined, null, 2130706433, {}, ["8.8.8.8"]])
    expect(isPublicAddress(value as string)).toBe(false);
});
