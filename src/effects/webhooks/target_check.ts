// The check of URLs that may be called, at registration and at each delivery: "The endpoint URL is validated at
// registration and re-checked at delivery." It does not depend on endpoints, rows or deliveries.

import { isIP, isIPv6 } from "node:net";
import { formatLimit, LIMITS } from "../../model/limits.ts";
import { type DnsLookupResult, resolveHostName, resolveHostNameBySystem } from "./dns_lookup.ts";
import { isPublicAddress } from "./public_address.ts";

/** The operator's settings for targets, parsed once by parseTargetRules(). */
export interface TargetRules {
  /** Host as a URL writes it → the ports that are exempt; null for all of them. */
  readonly allowed: ReadonlyMap<string, ReadonlySet<number> | null>;
  /** Name servers as `ip` or `ip:port`; the machine's own when empty. */
  readonly dnsServers: readonly string[];
}

/**
 * `url`: a refused URL, for any DNS result. `address`: an address that is not public. `missing`: not in DNS, or without
 * an address. `resolver`: DNS did not respond.
 */
type TargetRefusal = "url" | "address" | "missing" | "resolver";

type TargetResult =
  /** `addresses` is what a delivery may dial; it is empty only if registration got no response from DNS. */
  | { ok: true; url: URL; addresses: readonly string[] }
  /** `reason` is a fixed sentence of ours with a solution, and echoes nothing. */
  | { ok: false; refusal: TargetRefusal; reason: string };

const MAX_URL_LENGTH = LIMITS.url;
const REGISTRATION_LOOKUP_MS = 2000;

const REASONS = {
  shape: "Enter an absolute https URL with a full host name, such as https://hooks.example.com/belfry.",
  scheme:
    "Enter an https URL, such as https://hooks.example.com/belfry. For a receiver inside your own network, the " +
    "operator can allow its host with WEBHOOK_ALLOW_HOSTS.",
  long: `Enter a URL of at most ${formatLimit("url")} characters.`,
  credentials: "Remove the user name and password from the URL; verify X-Webhook-Signature instead.",
  port: "Enter a port from 1 to 65535, or omit it to use 443.",
  // One sentence for a private address and a missing name, so that names of an internal network cannot be
  // distinguished.
  unreachable:
    "Enter a host whose public DNS addresses are all reachable from the internet. For a receiver inside your own " +
    "network, the operator can allow its host with WEBHOOK_ALLOW_HOSTS.",
  resolver: "The host name could not be resolved. Check its DNS records.",
} as const;

/**
 * Names outside public DNS: IANA's special-use domain names, and those of private networks in RFC 6762 (appendix G).
 * `true` if the operator's own name servers may serve the name: RFC 6761 reserves test and example for such zones, and
 * every address is still checked.
 */
const SPECIAL_NAMES: ReadonlyMap<string, boolean> = new Map([
  ["localhost", false],
  ["localdomain", false],
  ["local", false],
  ["internal", false],
  ["arpa", false],
  ["onion", false],
  ["alt", false],
  ["invalid", false],
  ["intranet", false],
  ["private", false],
  ["corp", false],
  ["home", false],
  ["lan", false],
  ["test", true],
  ["example", true],
]);

/**
 * Reads the settings WEBHOOK_ALLOW_HOSTS (exact `host` or `host:port`) and WEBHOOK_DNS_SERVERS (`ip` or `ip:port`).
 * An entry without a port allows every port of that host. Throws an Error that names the setting.
 */
export function parseTargetRules(
  settings: { allowHosts?: readonly string[]; dnsServers?: readonly string[] } = {},
): TargetRules {
  const allowed = new Map<string, Set<number> | null>();
  for (const entry of settings.allowHosts ?? []) {
    const { host, port } = hostAndPort(isIPv6(entry) ? `[${entry}]` : entry);
    const url = URL.parse(`http://${host}/`);
    if (host === "" || url === null || Number.isNaN(port)) {
      throw new Error("WEBHOOK_ALLOW_HOSTS must be a comma-separated list of host or host:port entries.");
    }
    const name = removeFinalDot(url.hostname);
    const ports = allowed.get(name);
    if (port === null || ports === null) allowed.set(name, null);
    else allowed.set(name, new Set([...(ports ?? []), port]));
  }
  for (const entry of settings.dnsServers ?? []) {
    const { host, port } = hostAndPort(isIPv6(entry) ? `[${entry}]` : entry);
    if (isIP(host.replace(/^\[(.*)\]$/, "$1")) === 0 || Number.isNaN(port)) {
      throw new Error(
        "WEBHOOK_DNS_SERVERS must be a comma-separated list of ip or ip:port entries. Write an IPv6 address with a " +
          "port as [ip]:port.",
      );
    }
  }
  return { allowed, dnsServers: [...(settings.dnsServers ?? [])] };
}

/** `port` is null if absent and NaN if invalid; `host` is empty for an invalid text. */
function hostAndPort(entry: string): { host: string; port: number | null } {
  const match = /^(\[[0-9a-f:.]+\]|[^\s:/?#@[\]\\]+)(?::(\d+))?$/i.exec(entry);
  if (match?.[1] === undefined) return { host: "", port: null };
  if (match[2] === undefined) return { host: match[1], port: null };
  const port = Number(match[2]);
  return { host: match[1], port: port >= 1 && port <= 65535 ? port : Number.NaN };
}

/** A fully qualified `example.com.` is the same host as `example.com`. */
export function removeFinalDot(hostname: string): string {
  return hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
}

/** The port that a URL means, its scheme's when it names none. */
export function getUrlPort(url: URL): number {
  return url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
}

function refuse(refusal: TargetRefusal, reason: keyof typeof REASONS): TargetResult {
  return { ok: false, refusal, reason: REASONS[reason] };
}

/** Everything that the text alone shows. */
function readUrl(text: string, rules: TargetRules): { url: URL; allowed: boolean } | TargetResult {
  if (text.length > 2 * MAX_URL_LENGTH || [...text].length > MAX_URL_LENGTH) return refuse("url", "long");
  // Parts that URL parsers repair differently (white space, backslashes, missing slashes) are refused.
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (authority === undefined || /[\u0000-\u0020\u007f\\]/.test(text)) return refuse("url", "shape");
  if (authority.includes("@")) return refuse("url", "credentials");
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "") return refuse("url", "shape");
  const port = getUrlPort(url);
  if (port === 0) return refuse("url", "port");
  const ports = rules.allowed.get(removeFinalDot(url.hostname));
  const allowed = ports === null || ports?.has(port) === true;
  if (url.protocol !== "https:" && !allowed) return refuse("url", "scheme");
  return { url, allowed };
}

/** Checks that a name, without its final dot, can exist in public DNS. */
function isDnsName(name: string, rules: TargetRules): boolean {
  const labels = name.split(".");
  if (labels.length < 2 || name.length > 253) return false;
  if (labels.some((label) => label === "" || label.length > 63)) return false;
  const served = SPECIAL_NAMES.get(labels.at(-1) ?? "");
  return served === undefined || (served && rules.dnsServers.length > 0);
}

/** Checks, without a look-up, that the text can be an allowed URL. Each delivery checks again, with the look-up. */
export const isPossibleTarget = (text: string, rules: TargetRules): boolean => !("ok" in readTarget(text, rules));

/** Everything that is known before a look-up. */
function readTarget(text: string, rules: TargetRules) {
  const read = readUrl(text, rules);
  if ("ok" in read) return read;
  const name = removeFinalDot(read.url.hostname);
  const literal = name.startsWith("[") ? name.slice(1, -1) : name;
  if (isIP(literal) !== 0 && !read.allowed && !isPublicAddress(literal)) return refuse("address", "unreachable");
  if (isIP(literal) === 0 && !read.allowed && !isDnsName(name, rules)) return refuse("url", "unreachable");
  return { ...read, name, literal };
}

async function lookUpHost(
  name: string,
  allowed: boolean,
  rules: TargetRules,
  signal: AbortSignal,
): Promise<DnsLookupResult> {
  // Only the machine itself knows localhost and the one-word names of a container network.
  const local = allowed && (rules.dnsServers.length === 0 || !name.includes(".") || name.endsWith(".localhost"));
  return local ? resolveHostNameBySystem(name, signal) : resolveHostName(name, rules.dnsServers, signal);
}

/**
 * Returns the allowed addresses of `url` at delivery, by exactly one look-up for each address family, or the refusal.
 * One address that is not public refuses all. Never throws; `signal` limits the look-up.
 */
export async function resolveTarget(
  text: string,
  rules: TargetRules,
  { signal }: { signal: AbortSignal },
): Promise<TargetResult> {
  const read = readTarget(text, rules);
  if ("ok" in read) return read;
  const { url, allowed, name, literal } = read;
  if (isIP(literal) !== 0) return { ok: true, url, addresses: [literal] };
  const outcome = await lookUpHost(name, allowed, rules, signal);
  if (!outcome.found) {
    return outcome.why === "missing" ? refuse("missing", "unreachable") : refuse("resolver", "resolver");
  }
  if (!allowed && !outcome.addresses.every(isPublicAddress)) return refuse("address", "unreachable");
  return { ok: true, url, addresses: outcome.addresses };
}

/**
 * Checks a URL at registration like resolveTarget, within two seconds. However, "a resolver that fails for another
 * reason does not refuse", because every delivery checks again.
 */
export async function resolveTargetAtRegistration(
  text: string,
  rules: TargetRules,
  { timeoutMs = REGISTRATION_LOOKUP_MS }: { timeoutMs?: number } = {},
): Promise<TargetResult> {
  const result = await resolveTarget(text, rules, { signal: AbortSignal.timeout(timeoutMs) });
  if (result.ok || result.refusal !== "resolver") return result;
  return { ok: true, url: new URL(text), addresses: [] };
}
