// Where a database is: one host or several of one cluster, of which one takes writes, as libpq's URLs name them.

import { readFileSync } from "node:fs";
import { ConfigError, createUrlSettingReader } from "./setting_types.ts";

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s;

/** Every server of the list must accept writes: these two values require it, and libpq's other values do not. */
const WRITABLE = ["read-write", "primary"];

/**
 * libpq's values of sslmode that guarantee a kind of connection. The others (allow, prefer) permit an unencrypted one,
 * so they are refused.
 */
const TLS_MODES = ["disable", "require", "verify-ca", "verify-full"];

/** Each host's own URL, in the order in which they are named. */
export function splitDatabaseUrlByHost(url: string): string[] {
  const [, before = "", hosts = "", after = ""] = PARTS.exec(url) ?? [];
  return hosts.split(",").map((host) => before + host + after);
}

/**
 * Reports if a connection is only accepted when its server takes writes: with several hosts, or where the URL requires
 * it.
 */
export const requiresWritableHost = (url: string): boolean =>
  splitDatabaseUrlByHost(url).length > 1 || /[?&]target_session_attrs=/.test(url);

/** The name or address of a URL's one host, without the brackets of an address. */
export const getDatabaseUrlHostname = (url: string): string =>
  decodeURIComponent(new URL(url).hostname).replace(/^\[|\]$/g, "");

const REDACTED = "***";

/** Parameters of a URL that are shown. Others may contain a secret. */
const SHOWN_PARAMETERS = ["sslmode", "sslrootcert", "target_session_attrs", "application_name"];

/**
 * A URL without its password, for display (rules#displayed-secrets). A password that is not percent-encoded can
 * contain any character, so it ends at the last @.
 */
export function redactDatabaseUrl(url: string): string {
  const [, scheme = "", user = "", password, server = ""] =
    /^(\w+:\/\/)(?:([^:@/?#]*)(:.*)?@)?([^@]*)$/s.exec(url) ?? [];
  // An @ after a ? may belong to a secret of the query.
  if (scheme === "" || password?.includes("?")) return REDACTED;
  const [before = "", query = ""] = server
    .split("#", 1)
    .join("")
    .split(/\?(.*)/s);
  const parameters = query.split("&").map((one) => {
    const [name = ""] = one.split("=");
    return SHOWN_PARAMETERS.includes(name) ? one : `${name}=${REDACTED}`;
  });
  const login = user || password ? `${user}${password === undefined ? "" : `:${REDACTED}`}@` : "";
  return `${scheme}${login}${before}${query && `?${parameters.join("&")}`}`;
}

/**
 * A URL's TLS options in pg's format, which the ORM leaves out. `require` encrypts without checking the server.
 * `verify-ca` requires a certificate of an authority (`sslrootcert`, else Node's own). `verify-full` also checks the
 * host's name. Empty without any, so that pg reads PGSSLMODE; a unix socket has no TLS.
 */
export function parseTlsOptions(url: string): { ssl?: false | object } {
  const { searchParams } = new URL(url);
  const mode = searchParams.get("sslmode");
  if (mode === null) return getDatabaseUrlHostname(url).startsWith("/") ? { ssl: false } : {};
  if (mode === "disable") return { ssl: false };
  const authority = searchParams.get("sslrootcert");
  const ssl = {
    rejectUnauthorized: mode !== "require",
    // pg sends server names by itself. For an IP address Node would otherwise check that the certificate is for
    // localhost.
    host: getDatabaseUrlHostname(url),
    ...(authority === null ? {} : { ca: readFileSync(authority, "utf8") }),
    ...(mode === "verify-ca" ? { checkServerIdentity: () => undefined } : {}),
  };
  return { ssl };
}

/** Parameters that are used, and those without an effect on the checks of the server. */
const SSL_PARAMETERS = ["sslmode", "sslrootcert", "sslnegotiation", "sslsni", "sslcompression"];

/** @throws ConfigError for a weaker mode than requested, also by a misspelt parameter. */
function refuseOpenWays({ searchParams }: URL, name: string): void {
  const mode = searchParams.get("sslmode");
  if (mode !== null && !TLS_MODES.includes(mode))
    throw new ConfigError(name, `must set sslmode to one of ${TLS_MODES.join(", ")}, or omit it.`);
  const tls = [...searchParams.keys()].filter((key) => /^(?:ssl|tls|requiressl)/i.test(key));
  if (tls.some((key) => !SSL_PARAMETERS.includes(key)) || new Set(tls).size < tls.length)
    throw new ConfigError(
      name,
      "has an unsupported or repeated TLS parameter. Use sslmode and sslrootcert, in lower case.",
    );
  const authority = searchParams.get("sslrootcert");
  if (authority === null) return;
  if (mode !== "verify-ca" && mode !== "verify-full")
    throw new ConfigError(name, "has sslrootcert, which requires sslmode=verify-ca or verify-full.");
  try {
    readFileSync(authority);
  } catch {
    throw new ConfigError(name, `has an sslrootcert that cannot be read: ${authority}.`);
  }
}

/** Reports if a URL has no @ after its host, where a / of a password would have moved it, and no lone %. */
function isPercentEncoded({ username, password, pathname, hash }: URL): boolean {
  const parts = username + password + pathname;
  return !/@/.test(pathname + hash) && /^(?:[^%]|%[0-9a-f]{2})*$/i.test(parts);
}

/**
 * Reads such a URL; null when it is not set. libpq's alternative notation of a socket's folder is not supported by all
 * programs: the connection would reach another server. @throws ConfigError
 */
export function validateDatabaseUrl(raw: string | undefined, name: string): string | null {
  if (raw === undefined) return null;
  for (const host of splitDatabaseUrlByHost(raw)) {
    const one = new URL(createUrlSettingReader(["postgres:", "postgresql:"])(host, name) ?? "");
    const { searchParams } = one;
    if (!isPercentEncoded(one))
      throw new ConfigError(
        name,
        "must percent-encode special characters in its user name, password and database name.",
      );
    if (["host", "hostaddr", "port"].some((key) => searchParams.has(key)))
      throw new ConfigError(
        name,
        "must give the host before the path, not as ?host=. Percent-encode the path of a socket directory: " +
          "postgresql://user@%2Fvar%2Frun%2Fpostgresql/name.",
      );
    const wanted = searchParams.get("target_session_attrs");
    if (wanted !== null && !WRITABLE.includes(wanted))
      throw new ConfigError(
        name,
        `must set target_session_attrs=${WRITABLE.join(" or ")} or omit it, because the service writes ` +
          "to the database.",
      );
    refuseOpenWays(one, name);
  }
  return raw;
}
