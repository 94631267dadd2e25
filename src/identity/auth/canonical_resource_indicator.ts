// The resource indicator (RFC 8707) of /mcp: the canonical one, and the other spellings that clients send.

import { LOOPBACK_HOSTS } from "./redirect_uris.ts";

/** The identifier of the protected resource and the audience of access tokens. `publicUrl` is an origin. */
export const getMcpResourceUrl = (publicUrl: string): string => `${publicUrl}/mcp`;

const PATHS = new Set(["/", "/mcp", "/mcp/"]);

function isOwn(resource: string, publicUrl: string): boolean {
  const url = URL.parse(resource);
  if (!url || url.username || url.password || /[?#\\]/.test(resource)) return false;
  const own = new URL(publicUrl);
  const sameHost =
    url.hostname === own.hostname || (LOOPBACK_HOSTS.includes(url.hostname) && LOOPBACK_HOSTS.includes(own.hostname));
  return sameHost && url.protocol === own.protocol && url.port === own.port && PATHS.has(url.pathname);
}

/**
 * Writes each spelling of our own resource in its canonical form and removes repeats and empty values. Ours are the
 * origin and /mcp, with or without a trailing slash, in any letter case of the host and under each name of loopback.
 * Foreign resources stay as they are, so that they are refused as invalid_target (rules#assistant-resource).
 */
export function canonicalizeOwnResources(parameters: URLSearchParams, publicUrl: string): void {
  const named = parameters
    .getAll("resource")
    .filter(Boolean)
    .map((resource) => (isOwn(resource, publicUrl) ? getMcpResourceUrl(publicUrl) : resource));
  parameters.delete("resource");
  for (const resource of new Set(named)) parameters.append("resource", resource);
}
