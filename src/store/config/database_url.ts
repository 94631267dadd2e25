// Where a database is: one host or several of one cluster, of which one takes writes, as libpq's URLs name them.

import { ConfigError, urlOf } from "./setting.ts";

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s;

/** Whoever is asked must take writes: these two say so, and libpq's other words do not. */
const WRITABLE = ["read-write", "primary"];

/** Each host's own URL, in the order in which they are named. */
export function hostsOf(url: string): string[] {
  const [, before = "", hosts = "", after = ""] = PARTS.exec(url) ?? [];
  return hosts.split(",").map((host) => before + host + after);
}

/** Whether a connection counts only where its server takes writes: with several hosts, or where the URL says so. */
export const wantsWritable = (url: string): boolean =>
  hostsOf(url).length > 1 || /[?&]target_session_attrs=/.test(url);

/**
 * Reads such a URL; null when it is not set. libpq's other way to name a socket's folder is not understood everywhere: the connection
 * would go to another server.
 * @throws ConfigError
 */
export function databaseUrl(raw: string | undefined, name: string): string | null {
  if (raw === undefined) return null;
  for (const host of hostsOf(raw)) {
    const { searchParams } = new URL(urlOf(["postgres:", "postgresql:"])(host, name) ?? "");
    if (["host", "hostaddr", "port"].some((key) => searchParams.has(key)))
      throw new ConfigError(
        name,
        "must name the server before the path, not as ?host=; for a socket's folder, percent-encode it: postgresql://user@%2Fvar%2Frun%2Fpostgresql/name.",
      );
    const wanted = searchParams.get("target_session_attrs");
    if (wanted !== null && !WRITABLE.includes(wanted))
      throw new ConfigError(
        name,
        `must say target_session_attrs=${WRITABLE.join(" or ")}, or nothing of it: the service writes.`,
      );
  }
  return raw;
}
