// Where the service listens, how clients reach it, how much it takes at once, how it stops and what it says about itself.

import { isIP } from "node:net";
import { availableParallelism } from "node:os";
import { ConfigError, type Earlier, flag, httpUrl, list, type Table, wholeNumber } from "./setting.ts";

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const HOST_NAME = /^[a-z0-9._-]+$/i;

/** The same without a path. @throws ConfigError */
function origin(raw: string, name: string): string {
  const url = httpUrl(raw, name);
  if (new URL(url).pathname === "/") return url;
  throw new ConfigError(
    name,
    "must be an origin without a path, such as https://alerts.example.org: give the service a host name of its own.",
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
  read(raw: string | undefined, name: string, { publicUrl = "" }: Earlier): string | null {
    if (raw === undefined) return null;
    const host = raw.toLowerCase();
    if (!HOST_NAME.test(host) || URL.parse(`http://${host}`)?.hostname !== host)
      throw new ConfigError(name, "must be a host name without a port, such as ntfy.example.org.");
    if (host !== new URL(publicUrl).hostname) return host;
    throw new ConfigError(name, "must be another host name than that of PUBLIC_URL.");
  },
};

const MOST_WORKERS = 64;

export const NETWORK = {
  host: {
    name: "HOST",
    shownDefault: "localhost",
    meaning: "Address to listen on; localhost is 127.0.0.1, and ::1 where this machine has it.",
    read: (raw, name) => {
      if (raw !== undefined && !HOST_NAME.test(raw) && !isIP(raw))
        throw new ConfigError(name, "must be a host name or an address.");
      return raw ?? "localhost";
    },
  },
  port: {
    name: "PORT",
    meaning: "Port to listen on; 0 picks a free one.",
    ...wholeNumber(0, 65535, 8787),
  },
  publicUrl: {
    name: "PUBLIC_URL",
    shownDefault: "http://HOST:PORT",
    meaning: "Origin under which clients reach the service; its host is the one that /mcp accepts besides loopback.",
    read: (raw, name, soFar) => {
      if (raw !== undefined) return origin(raw, name);
      const host = soFar.host === "0.0.0.0" || soFar.host === "::" ? "localhost" : (soFar.host ?? "");
      return `http://${isIP(host) === 6 ? `[${host}]` : host}:${soFar.port}`;
    },
  },
  channelBaseUrl: {
    name: "CHANNEL_BASE_URL",
    shownDefault: "PUBLIC_URL/c",
    meaning: "Prefix of the public channel addresses.",
    read: (raw, name, soFar) => (raw === undefined ? `${soFar.publicUrl}/c` : httpUrl(raw, name)),
  },
  ntfyHost: {
    name: "NTFY_HOST",
    meaning:
      "Host name, other than that of PUBLIC_URL, at whose root ntfy's publishing API is served, and nothing else; programs that know a bare host only are given it.",
    ...ownHost,
  },
  gotifyHost: {
    name: "GOTIFY_HOST",
    meaning: "The same for Gotify's API.",
    ...ownHost,
  },
  trustedProxies: {
    name: "TRUSTED_PROXIES",
    meaning:
      "Comma list of addresses and ranges (10.0.3.0/28, loopback) of proxies whose X-Forwarded-For and X-Request-Id are believed. Name only addresses that your proxies have.",
    ...list(isProxyRange, "addresses and ranges, such as 10.0.0.1, 10.0.0.0/8 or loopback"),
  },
  workers: {
    name: "WORKERS",
    shownDefault: "1",
    meaning:
      "Number of worker processes, in addition to the shared one; auto: one for each core. Each has its share of MAX_CONCURRENT_REQUESTS, LONG_POLL_LIMIT and DATABASE_POOL_SIZE. 1: the service is a single process.",
    read: (raw, name) => {
      const count = raw === "auto" ? Math.min(availableParallelism(), MOST_WORKERS) : Number(raw ?? 1);
      if (raw !== undefined && raw !== "auto" && (!/^\d+$/.test(raw) || count < 1 || count > MOST_WORKERS))
        throw new ConfigError(name, `must be auto or a whole number from 1 to ${MOST_WORKERS}.`);
      return count;
    },
  },
  maxConcurrentRequests: {
    name: "MAX_CONCURRENT_REQUESTS",
    meaning:
      "How many requests are worked on at once, half of them for one address; more are answered 503 with Retry-After at once.",
    ...wholeNumber(1, 1_000_000, 1000),
  },
  maxConnectionsPerIp: {
    name: "MAX_CONNECTIONS_PER_IP",
    meaning:
      "How many connections one address may have, each held poll one of them; 127.0.0.1, ::1 and TRUSTED_PROXIES are exempt.",
    ...wholeNumber(1, 1_000_000, 2_000),
  },
  longPollLimit: {
    name: "LONG_POLL_LIMIT",
    meaning:
      "How many polls of inboxes wait for something new at once, streams among them; more polls are answered at once, more streams 503. Each poll takes about 30 kB of memory (10,000: 300 MB); 0 holds none.",
    ...wholeNumber(0, 1_000_000, 10_000),
  },
  longPollLimitPerIp: {
    name: "LONG_POLL_LIMIT_PER_IP",
    meaning: "How many of them one address may have waiting; loopback is exempt.",
    ...wholeNumber(1, 1_000_000, 1_000),
  },
  shutdownDelayMs: {
    name: "SHUTDOWN_DELAY_MS",
    meaning: "How long a stopping server still takes requests while /readyz already says 503, in milliseconds.",
    ...wholeNumber(0, 60_000, 1000),
  },
  shutdownTimeoutMs: {
    name: "SHUTDOWN_TIMEOUT_MS",
    meaning:
      "How long stopping may take after that, in milliseconds; then the process ends as it is, whatever it waits for.",
    ...wholeNumber(1_000, 600_000, 25_000),
  },
  metricsPublic: {
    name: "METRICS_PUBLIC",
    meaning: "true serves /metrics to every address instead of loopback alone.",
    ...flag(false),
  },
  logLevel: {
    name: "LOG_LEVEL",
    shownDefault: "info",
    meaning: `One of ${LOG_LEVELS.join(", ")}.`,
    read: (raw, name) => {
      if (raw === undefined) return "info";
      if (!LOG_LEVELS.includes(raw as LogLevel))
        throw new ConfigError(name, `must be one of ${LOG_LEVELS.join(", ")}.`);
      return raw as LogLevel;
    },
  },
  nodeEnv: {
    name: "NODE_ENV",
    shownDefault: "production",
    meaning: "Kept for the libraries that read it; the service behaves the same in all.",
    read: (raw) => raw ?? "production",
  },
} satisfies Table;
