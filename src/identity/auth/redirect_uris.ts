// Validation of an assistant's redirect URIs, for registrations and metadata documents. The authorization itself
// compares the complete URI exactly. On loopback, the port is free (RFC 8252 §7.3) and all names are equal.

import { isAllowedPrivateRedirectScheme } from "../../model/domain/private_redirect_schemes.ts";
import { formatLimit, LIMITS } from "../../model/limits.ts";

const MAX_REDIRECT_LENGTH = LIMITS.url;

export const isLoopbackHost = (hostname: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);

/** The names of loopback in the URL standard's spelling. */
export const LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/**
 * An http redirect address under each name of loopback, since programs listen under one name and register another.
 * The empty path and "/" are the same. All lead to the person's own machine, where each answer needs a new consent
 * and its PKCE verifier. Any other address stays alone.
 */
export function loopbackAlternatives(address: string): string[] {
  const rest = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/?]|$)(.*)$/i.exec(address)?.[1];
  if (rest === undefined) return [address];
  const [, port] = /^(:\d+|)\/?$/.exec(rest) ?? [];
  const rests = port === undefined ? [rest] : [port, `${port}/`];
  return [address, ...LOOPBACK_HOSTS.flatMap((name) => rests.map((one) => `http://${name}${one}`))];
}

/**
 * Assistants connect by OAuth over https, or over http on loopback. On a plain http address in a network people can
 * sign in, and assistants use keys.
 */
export function supportsOAuth(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === "https:" || isLoopbackHost(hostname);
}

const REASONS = {
  shape:
    `A redirect URI must be an absolute URL of at most ${formatLimit("url")} printable ASCII characters, without a ` +
    "fragment, user name or password.",
  http: "An http redirect URI must use localhost, 127.0.0.1 or [::1]. Use https for other hosts.",
  scheme:
    "This redirect URI scheme is not allowed. Use https, http on loopback, a reverse-domain scheme " +
    "(com.example.app:/callback) or one from OAUTH_REDIRECT_SCHEMES.",
} as const;

/** Returns the problem of a redirect URI as a fixed sentence, or null. `more` has the operator's schemes. */
export function validateRedirectUri(address: string, more: readonly string[]): string | null {
  if (address.length > MAX_REDIRECT_LENGTH || !/^[\x21-\x7e]+$/.test(address)) return REASONS.shape;
  const url = URL.parse(address);
  // Parts that parsers repair differently (white space, backslashes, missing slashes) are refused.
  if (!url || /[#\\"<>]/.test(address) || url.username || url.password) return REASONS.shape;
  const scheme = url.protocol.slice(0, -1);
  if (!address.toLowerCase().startsWith(`${scheme}:/`)) return REASONS.shape;
  if (scheme === "https") return /^https:\/\/[^/]/i.test(address) ? null : REASONS.shape;
  if (scheme === "http") {
    // The text as well as what it parses to: 127.1 and 2130706433 are loopback to a parser only.
    const named = /^http:\/\/(\[[^\]]*\]|[^/?:]+)/i.exec(address)?.[1]?.toLowerCase();
    return named === url.hostname && isLoopbackHost(named) ? null : REASONS.http;
  }
  return isAllowedPrivateRedirectScheme(scheme, more) ? null : REASONS.scheme;
}
