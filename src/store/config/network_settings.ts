// The addresses of the service, its clients' access, its concurrency limits, its shutdown and its public information.

import { isIP } from "node:net";
import { availableParallelism } from "node:os";
import {
  type AlreadyReadSettings,
  booleanSetting,
  ConfigError,
  integerSetting,
  listSetting,
  parseHttpUrl,
  type SettingTable,
} from "./setting_types.ts";

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

const HOST_NAME = /^[a-z0-9._-]+$/i;

/** The same without a path. @throws ConfigError */
function origin(raw: string, name: string): string {
  const url = parseHttpUrl(raw, name);
  if (new URL(url).pathname === "/") return url;
  throw new ConfigError(
    name,
    "must be an origin without a path, such as https://alerts.example.org. Use a separate host name for the service.",
  );
}

/** Accepts `10.0.0.1`, `10.0.0.0/8`, `fd00::/8`, and the names of three ranges. */
function isProxyRange(item: string): boolean {
  if (["loopback", "linklocal", "uniquelocal"].includes(item)) return true;
  const [, address = "", bits] = /^([0-9a-f.:]+)(?:\/([1-9]\d{0,2}))?$/.exec(item) ?? [];
  const family = isIP(address);
  return family !== 0 && Number(bits ?? 1) <= (family === 4 ? 32 : 128);
}

/** Under the name of PUBLIC_URL it would hide what is served there. */
const ownHost = {
  shownDefault: "(none)",
  read(raw: string | undefined, name: string, { publicUrl = "" }: AlreadyReadSettings): string | null {
    if (raw === undefined) return null;
    const host = raw.toLowerCase();
    if (!HOST_NAME.test(host) || URL.parse(`http://${host}`)?.hostname !== host)
      throw new ConfigError(name, "must be a host name without a port, such as ntfy.example.org.");
    if (host !== new URL(publicUrl).hostname) return host;
    throw new ConfigError(name, "must differ from the host name of PUBLIC_URL.");
  },
};

const MOST_WORKERS = 64;

export const NETWORK_SETTINGS = {
  host: {
    shownDefault: "localhost",
    meaning: "Address to listen on; localhost means 127.0.0.1 and, if available, ::1.",
    read: (raw, name) => {
      if (raw !== undefined && !HOST_NAME.test(raw) && !isIP(raw))
        throw new ConfigError(name, "must be a host name or an address.");
      return raw ?? "localhost";
    },
  },
  port: { meaning: "Port to listen on; 0 picks a free port.", ...integerSetting(0, 65535, 8787) },
  publicUrl: {
    shownDefault: "http://HOST:PORT",
    meaning: "Origin that clients use to reach the service. /mcp accepts only this host and loopback addresses.",
    read: (raw, name, soFar) => {
      if (raw !== undefined) return origin(raw, name);
      const host = soFar.host === "0.0.0.0" || soFar.host === "::" ? "localhost" : (soFar.host ?? "");
      return `http://${isIP(host) === 6 ? `[${host}]` : host}:${soFar.port}`;
    },
  },
  channelBaseUrl: {
    shownDefault: "PUBLIC_URL/c",
    meaning: "Base URL of public channel pages.",
    read: (raw, name, soFar) => (raw === undefined ? `${soFar.publicUrl}/c` : parseHttpUrl(raw, name)),
  },
  ntfyHost: {
    meaning: "Separate host name that serves only the ntfy APIs at its root, for programs that accept only a host.",
    ...ownHost,
  },
  gotifyHost: { meaning: "Separate host name that serves only the Gotify API at its root.", ...ownHost },
  trustedProxies: {
    meaning:
      "Comma-separated list of addresses and ranges (10.0.3.0/28, loopback) of proxies that are trusted to set " +
      "X-Forwarded-For and X-Request-Id. List only your own proxies.",
    ...listSetting(isProxyRange, "addresses and ranges, such as 10.0.0.1, 10.0.0.0/8 or loopback"),
  },
  workers: {
    shownDefault: "1",
    meaning:
      "Number of worker processes; auto means one per core. 1: a single process. 2 or more: a primary and that many " +
      "workers, which share MAX_CONCURRENT_REQUESTS, LONG_POLL_LIMIT and DATABASE_POOL_SIZE.",
    read: (raw, name) => {
      const count = raw === "auto" ? Math.min(availableParallelism(), MOST_WORKERS) : Number(raw ?? 1);
      if (raw !== undefined && raw !== "auto" && (!/^\d+$/.test(raw) || count < 1 || count > MOST_WORKERS))
        throw new ConfigError(name, `must be auto or a whole number from 1 to ${MOST_WORKERS}.`);
      return count;
    },
  },
  maxConcurrentRequests: {
    meaning:
      "Maximum number of concurrent requests. One IP address can use half of them. Further requests get a 503 with " +
      "Retry-After.",
    ...integerSetting(1, 1_000_000, 1000),
  },
  maxConnectionsPerIp: {
    meaning:
      "Maximum number of connections per IP address, including long polls. 127.0.0.1, ::1 and TRUSTED_PROXIES are " +
      "exempt.",
    ...integerSetting(1, 1_000_000, 2_000),
  },
  longPollLimit: {
    meaning:
      "Maximum number of concurrent long polls and streams. Further polls return immediately; further streams get a " +
      "503. Each takes about 30 kB of memory; 0 turns off long polling.",
    ...integerSetting(0, 1_000_000, 10_000),
  },
  longPollLimitPerIp: {
    meaning: "Maximum number of concurrent long polls and streams per IP address. Loopback is exempt.",
    ...integerSetting(1, 1_000_000, 1_000),
  },
  shutdownDelayMs: {
    meaning:
      "Time, in milliseconds, for which the server still accepts requests during shutdown. During this time /readyz " +
      "returns 503.",
    ...integerSetting(0, 60_000, 1000),
  },
  shutdownTimeoutMs: {
    meaning:
      "Maximum time in milliseconds for the shutdown that follows SHUTDOWN_DELAY_MS. The process then exits " +
      "immediately.",
    ...integerSetting(1_000, 600_000, 25_000),
  },
  metricsPublic: {
    meaning: "If true, /metrics is served to all addresses instead of loopback only.",
    ...booleanSetting(false),
  },
  logLevel: {
    shownDefault: "info",
    meaning: `Log level: one of ${LOG_LEVELS.join(", ")}.`,
    read: (raw, name) => {
      if (raw === undefined) return "info";
      if (!LOG_LEVELS.includes(raw as LogLevel))
        throw new ConfigError(name, `must be one of ${LOG_LEVELS.join(", ")}.`);
      return raw as LogLevel;
    },
  },
} satisfies SettingTable;
