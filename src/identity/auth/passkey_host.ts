// The host name that passkeys belong to.

/** @returns null where browsers create no passkeys: under an IP address, and over plain http. */
export function getPasskeyHost(publicUrl: string): string | null {
  const { protocol, hostname } = new URL(publicUrl);
  if (hostname === "localhost") return hostname;
  const named = /[a-z]/.test(hostname) && !hostname.startsWith("[");
  return protocol === "https:" && named ? hostname : null;
}
