// The settings, as one table: name, default, meaning and how each is read. The only file that sees process.env.
// Every setting is checked at start; a bad one stops the start with a message that names it.

import { isIP } from "node:net";
import { join, resolve } from "node:path";
import { mayBeAdded } from "./domain/redirect_schemes.ts";

export interface Config {
  host: string;
  port: number;
  dataDir: string;
  databaseUrl: string | null;
  /** Connections to the database that this process keeps at most. */
  databasePool: number;
  databaseConnectMs: number;
  databaseStatementMs: number;
  databaseLockMs: number;
  databaseIdleMs: number;
  databaseKeepaliveMs: number;
  /** The embedded PostgreSQL: whose programs, its memory in MB, and whether it waits for the disk. */
  postgresBin: string | null;
  postgresSharedBuffers: number;
  postgresSync: boolean;
  /** MB that stay free on its disk. */
  diskReserveMb: number;
  redisUrl: string | null;
  redisWaitMs: number;
  /** Origin under which clients reach the service, without a trailing slash. */
  publicUrl: string;
  /** Prefix of the public channel addresses, without a trailing slash. */
  publicBase: string;
  /** The server secret; null until `loadSecret` has made or read the embedded one. */
  secret: string | null;
  webhookAllowHosts: string[];
  webhookDnsServers: string[];
  /** The S3-compatible store of uploaded files; all five are null when they lie below the data directory. */
  assetsS3Endpoint: string | null;
  assetsS3Bucket: string | null;
  assetsS3Region: string | null;
  assetsS3AccessKeyId: string | null;
  assetsS3SecretAccessKey: string | null;
  smtpUrl: string | null;
  mailFrom: string | null;
  metricsPublic: boolean;
  requestsInFlight: number;
  stopDelayMs: number;
  stopDeadlineMs: number;
  /** Addresses, ranges and their names (loopback, linklocal, uniquelocal). */
  trustedProxies: string[];
  deviceRegistrationsPerMinute: number;
  devicesKeptDays: number;
  clientRegistrationsPerMinute: number;
  /** Further private-use schemes of assistants' redirect addresses, in lower case, without a colon. */
  oauthRedirectSchemes: string[];
  logLevel: LogLevel;
  nodeEnv: string;
}

export const MIN_SECRET_BYTES = 32;

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A setting that cannot be used; the message names it. */
export class ConfigError extends Error {
  constructor(name: string, problem: string) {
    super(`${name} ${problem}`);
    this.name = "ConfigError";
  }
}

type Env = Record<string, string | undefined>;

interface Setting<T> {
  name: string;
  /** As the README shows it. */
  shownDefault: string;
  meaning: string;
  read(raw: string | undefined, name: string, soFar: Partial<Config>): T;
}

function wholeNumber(min: number, max: number, fallback: number) {
  return (raw: string | undefined, name: string): number => {
    if (raw === undefined) return fallback;
    const value = Number(raw);
    if (!/^\d+$/.test(raw) || value < min || value > max)
      throw new ConfigError(name, `must be a whole number from ${min} to ${max}.`);
    return value;
  };
}

/** The URL in its normal form, without a trailing slash. @throws ConfigError naming the setting or flag. */
export function httpUrl(raw: string, name: string): string {
  const url = URL.parse(raw);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new ConfigError(
      name,
      "must be an absolute http or https URL without credentials, query or fragment.",
    );
  return url.href.replace(/\/+$/, "");
}

/** The same without a path. @throws ConfigError */
function origin(raw: string, name: string): string {
  const url = httpUrl(raw, name);
  if (new URL(url).pathname === "/") return url;
  throw new ConfigError(
    name,
    "must be an origin without a path, such as https://alerts.example.org: give the service a host name of its own.",
  );
}

function matching(shape: RegExp, words: string) {
  return (raw: string | undefined, name: string): string | null => {
    if (raw !== undefined && !shape.test(raw)) throw new ConfigError(name, `must be ${words}.`);
    return raw ?? null;
  };
}

/** The five settings of the store go together; asked when the last of them is read. */
function refuseHalfAStore(soFar: Partial<Config>): void {
  const parts = [
    "assetsS3Endpoint",
    "assetsS3Bucket",
    "assetsS3Region",
    "assetsS3AccessKeyId",
    "assetsS3SecretAccessKey",
  ] as const;
  const missing = parts.filter((part) => soFar[part] == null);
  if (missing.length > 0 && missing.length < parts.length)
    throw new ConfigError(
      SETTINGS[missing[0]!].name,
      "is missing: the ASSETS_S3_ settings go together, all or none.",
    );
}

function urlOf(protocols: string[]) {
  return (raw: string | undefined, name: string): string | null => {
    if (raw === undefined) return null;
    const url = URL.parse(raw);
    if (!url || !protocols.includes(url.protocol) || !url.hostname)
      throw new ConfigError(name, `must be a URL that begins with ${protocols.join("// or ")}//.`);
    return raw;
  };
}

function list(check: (item: string) => boolean, shape: string) {
  return (raw: string | undefined, name: string): string[] => {
    const items = (raw ?? "")
      .split(",")
      .map((item) => item.trim().toLowerCase())
      .filter(Boolean);
    for (const item of items)
      if (!check(item)) throw new ConfigError(name, `must be a comma list of ${shape}.`);
    return items;
  };
}

function flag(fallback: boolean) {
  return (raw: string | undefined, name: string): boolean => {
    if (raw === undefined) return fallback;
    if (raw !== "true" && raw !== "false") throw new ConfigError(name, "must be true or false.");
    return raw === "true";
  };
}

/** libpq's other way to name a socket's folder is not understood everywhere: the connection would go to another server. */
function databaseUrl(raw: string | undefined, name: string): string | null {
  const url = urlOf(["postgres:", "postgresql:"])(raw, name);
  if (url !== null && ["host", "hostaddr", "port"].some((key) => new URL(url).searchParams.has(key)))
    throw new ConfigError(
      name,
      "must name the server before the path, not as ?host=; for a socket's folder, percent-encode it: postgresql://user@%2Fvar%2Frun%2Fpostgresql/name.",
    );
  return url;
}

const HOST_NAME = /^[a-z0-9._-]+$/i;

function isHostAndPort(item: string): boolean {
  const parts = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?$/.exec(item);
  return !!parts && (parts[1] === undefined || isIP(parts[1]) === 6) && Number(parts[3] ?? 0) < 65536;
}

/** Accepts `10.0.0.1`, `10.0.0.0/8`, `fd00::/8`, and the names of three ranges. */
function isProxyRange(item: string): boolean {
  if (["loopback", "linklocal", "uniquelocal"].includes(item)) return true;
  const [, address = "", bits] = /^([0-9a-f.:]+)(?:\/([1-9]\d{0,2}))?$/.exec(item) ?? [];
  const family = isIP(address);
  return family !== 0 && Number(bits ?? 1) <= (family === 4 ? 32 : 128);
}

/** Accepts `1.2.3.4`, `1.2.3.4:53`, `::1` and `[::1]:53`. */
function isDnsServer(item: string): boolean {
  if (isIP(item)) return true;
  const parts = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(item);
  return !!parts && isIP(parts[1] ?? parts[2] ?? "") !== 0 && Number(parts[3]) < 65536;
}

/** Every setting of the service. Order matters only where a default is derived from an earlier one. */
export const SETTINGS: { [K in keyof Config]: Setting<Config[K]> } = {
  host: {
    name: "HOST",
    shownDefault: "127.0.0.1",
    meaning: "Address to listen on.",
    read: (raw, name) => {
      if (raw !== undefined && !HOST_NAME.test(raw) && !isIP(raw))
        throw new ConfigError(name, "must be a host name or an address.");
      return raw ?? "127.0.0.1";
    },
  },
  port: {
    name: "PORT",
    shownDefault: "8787",
    meaning: "Port to listen on; 0 picks a free one.",
    read: wholeNumber(0, 65535, 8787),
  },
  dataDir: {
    name: "DATA_DIR",
    shownDefault: ".data",
    meaning:
      "Folder of the embedded database, its lock, secret and first credentials, and of uploaded files.",
    read: (raw) => resolve(raw ?? ".data"),
  },
  databaseUrl: {
    name: "DATABASE_URL",
    shownDefault: "(embedded)",
    meaning: "PostgreSQL to use instead of the embedded one; then SECRET is required.",
    read: databaseUrl,
  },
  databasePool: {
    name: "DATABASE_POOL",
    shownDefault: "12",
    meaning: "How many connections to the database the process keeps at most.",
    read: wholeNumber(2, 500, 12),
  },
  databaseConnectMs: {
    name: "DATABASE_CONNECT_MS",
    shownDefault: "5000",
    meaning: "How long a call waits for a connection to the database; then it is 503.",
    read: wholeNumber(10, 600_000, 5_000),
  },
  databaseStatementMs: {
    name: "DATABASE_STATEMENT_MS",
    shownDefault: "15000",
    meaning: "How long one statement may take; then its call is 503. 0: as long as it takes.",
    read: wholeNumber(0, 3_600_000, 15_000),
  },
  databaseLockMs: {
    name: "DATABASE_LOCK_MS",
    shownDefault: "5000",
    meaning: "How long a statement waits for a lock; then its call is 503. 0: as long as it takes.",
    read: wholeNumber(0, 3_600_000, 5_000),
  },
  databaseIdleMs: {
    name: "DATABASE_IDLE_MS",
    shownDefault: "10000",
    meaning: "After how long the database ends a transaction in which nothing happens. 0: never.",
    read: wholeNumber(0, 3_600_000, 10_000),
  },
  databaseKeepaliveMs: {
    name: "DATABASE_KEEPALIVE_MS",
    shownDefault: "10000",
    meaning: "After how long an idle connection to the database is asked whether it is there. 0: never.",
    read: wholeNumber(0, 3_600_000, 10_000),
  },
  diskReserveMb: {
    name: "DISK_RESERVE_MB",
    shownDefault: "320",
    meaning:
      "While less is free on the disk of the embedded database, writes are 503 and /readyz says why; its log may take up to 256 MB.",
    read: wholeNumber(0, 1_000_000_000, 320),
  },
  postgresBin: {
    name: "POSTGRES_BIN",
    shownDefault: "(the package's)",
    meaning:
      "Folder with postgres and initdb of PostgreSQL 15 or newer, for the embedded database instead of those that npm brings.",
    read: (raw) => (raw === undefined ? null : resolve(raw)),
  },
  postgresSharedBuffers: {
    name: "POSTGRES_SHARED_BUFFERS",
    shownDefault: "32",
    meaning: "Memory in MB that the embedded database keeps pages in; more pays off beyond a million rows.",
    read: wholeNumber(8, 65_536, 32),
  },
  postgresSync: {
    name: "POSTGRES_SYNC",
    shownDefault: "true",
    meaning:
      "false lets the embedded database answer before the disk has what was written: faster on slow disks, and a loss of power may take the last half second of acknowledged sends along. Nothing is ever damaged.",
    read: flag(true),
  },
  redisUrl: {
    name: "REDIS_URL",
    shownDefault: "(in process)",
    meaning: "Redis or Valkey that shares the rate limits between several processes.",
    read: urlOf(["redis:", "rediss:"]),
  },
  redisWaitMs: {
    name: "REDIS_WAIT_MS",
    shownDefault: "100",
    meaning:
      "Milliseconds that a call waits for Redis at most; then it is let through, and counted when Redis answers again.",
    read: wholeNumber(10, 5_000, 100),
  },
  publicUrl: {
    name: "PUBLIC_URL",
    shownDefault: "http://HOST:PORT",
    meaning:
      "Origin under which clients reach the service; its host is the one that /mcp accepts besides loopback.",
    read: (raw, name, soFar) => {
      if (raw !== undefined) return origin(raw, name);
      const host = soFar.host === "0.0.0.0" || soFar.host === "::" ? "127.0.0.1" : soFar.host!;
      return `http://${isIP(host) === 6 ? `[${host}]` : host}:${soFar.port}`;
    },
  },
  publicBase: {
    name: "PUBLIC_BASE",
    shownDefault: "PUBLIC_URL/c",
    meaning: "Prefix of the public channel addresses.",
    read: (raw, name, soFar) => (raw === undefined ? `${soFar.publicUrl}/c` : httpUrl(raw, name)),
  },
  secret: {
    name: "SECRET",
    shownDefault: "(made in DATA_DIR)",
    meaning: "Server secret of at least 32 bytes: encrypts and pseudonymises. Required with DATABASE_URL.",
    read: (raw, name, soFar) => {
      if (raw !== undefined && Buffer.byteLength(raw) < MIN_SECRET_BYTES)
        throw new ConfigError(name, `must be at least ${MIN_SECRET_BYTES} bytes long.`);
      if (raw === undefined && soFar.databaseUrl)
        throw new ConfigError(name, "is required with DATABASE_URL: set it to at least 32 random bytes.");
      return raw ?? null;
    },
  },
  webhookAllowHosts: {
    name: "WEBHOOK_ALLOW_HOSTS",
    shownDefault: "(none)",
    meaning:
      "Comma list of exact host[:port] that webhooks may reach although private or plain http, and assistants' descriptions although private.",
    read: list(isHostAndPort, "exact host[:port] entries"),
  },
  webhookDnsServers: {
    name: "WEBHOOK_DNS_SERVERS",
    shownDefault: "(the system's)",
    meaning: "Comma list of ip[:port] that resolve webhook hosts.",
    read: list(isDnsServer, "ip[:port] entries"),
  },
  assetsS3Endpoint: {
    name: "ASSETS_S3_ENDPOINT",
    shownDefault: "(files in DATA_DIR)",
    meaning:
      "S3-compatible store for uploaded files instead of DATA_DIR/assets; needed when several processes serve.",
    read: (raw, name) => (raw === undefined ? null : httpUrl(raw, name)),
  },
  assetsS3Bucket: {
    name: "ASSETS_S3_BUCKET",
    shownDefault: "(none)",
    meaning: "Its bucket; nothing else should lie in it.",
    read: matching(/^[a-z0-9][\w.-]{1,254}$/i, "the name of a bucket"),
  },
  assetsS3Region: {
    name: "ASSETS_S3_REGION",
    shownDefault: "(none)",
    meaning: "Its region; auto where the provider has none.",
    read: matching(/^[a-z0-9-]{1,64}$/i, "the name of a region, such as eu-west-1 or auto"),
  },
  assetsS3AccessKeyId: {
    name: "ASSETS_S3_ACCESS_KEY_ID",
    shownDefault: "(none)",
    meaning: "Key that may read, write and delete in the bucket.",
    read: matching(/^[\x21-\x7e]{1,256}$/, "printable text without spaces"),
  },
  assetsS3SecretAccessKey: {
    name: "ASSETS_S3_SECRET_ACCESS_KEY",
    shownDefault: "(none)",
    meaning: "The secret that goes with it.",
    read: (raw, name, soFar) => {
      const value = matching(/^[\x21-\x7e]{1,256}$/, "printable text without spaces")(raw, name);
      refuseHalfAStore({ ...soFar, assetsS3SecretAccessKey: value });
      return value;
    },
  },
  smtpUrl: {
    name: "SMTP_URL",
    shownDefault: "(no mail)",
    meaning:
      "smtp:// or smtps:// server that one-time links are mailed through; they are always shown as well.",
    read: urlOf(["smtp:", "smtps:"]),
  },
  mailFrom: {
    name: "MAIL_FROM",
    shownDefault: "belfry@ the host of PUBLIC_URL",
    meaning: "Sender of those mails.",
    read: matching(/^[^\r\n<>]*<?[^\s@<>]+@[^\s@<>]+>?$/, "an e-mail address, with or without a name"),
  },
  trustedProxies: {
    name: "TRUSTED_PROXIES",
    shownDefault: "(none)",
    meaning:
      "Comma list of addresses and ranges (10.0.0.0/8, loopback) of proxies whose X-Forwarded-For and X-Request-Id are believed.",
    read: list(isProxyRange, "addresses and ranges, such as 10.0.0.1, 10.0.0.0/8 or loopback"),
  },
  requestsInFlight: {
    name: "REQUESTS_IN_FLIGHT",
    shownDefault: "1000",
    meaning: "How many requests are worked on at once; more are answered 503 with Retry-After at once.",
    read: wholeNumber(1, 1_000_000, 1000),
  },
  stopDelayMs: {
    name: "STOP_DELAY_MS",
    shownDefault: "1000",
    meaning:
      "How long a stopping server still takes requests while /readyz already says 503, in milliseconds.",
    read: wholeNumber(0, 60_000, 1000),
  },
  stopDeadlineMs: {
    name: "STOP_DEADLINE_MS",
    shownDefault: "25000",
    meaning:
      "How long stopping may take after that, in milliseconds; then the process ends as it is, whatever it waits for.",
    read: wholeNumber(1_000, 600_000, 25_000),
  },
  metricsPublic: {
    name: "METRICS_PUBLIC",
    shownDefault: "false",
    meaning: "true serves /metrics to every address instead of loopback alone.",
    read: flag(false),
  },
  deviceRegistrationsPerMinute: {
    name: "DEVICE_REGISTRATIONS_PER_MINUTE",
    shownDefault: "60",
    meaning: "How many handsets one address may register in a minute; loopback is exempt.",
    read: wholeNumber(1, 1_000_000, 60),
  },
  devicesKeptDays: {
    name: "DEVICES_KEPT_DAYS",
    shownDefault: "365",
    meaning:
      "Days after which a handset that was not seen again is removed, which lowers its channels' subscribers as leaving does; what it reported stays counted. 0 keeps all.",
    read: wholeNumber(0, 36_500, 365),
  },
  clientRegistrationsPerMinute: {
    name: "CLIENT_REGISTRATIONS_PER_MINUTE",
    shownDefault: "20",
    meaning: "How many assistants one address may register in a minute; loopback is exempt.",
    read: wholeNumber(1, 1_000_000, 20),
  },
  oauthRedirectSchemes: {
    name: "OAUTH_REDIRECT_SCHEMES",
    shownDefault: "(none)",
    meaning:
      "Comma list of further schemes, such as myeditor, at which an assistant's own program may get its answer; reverse-domain schemes and those of known editors need no entry.",
    read: list(mayBeAdded, "schemes without a colon, none of which a browser runs or opens by itself"),
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
};

/**
 * Reads and checks every setting. An empty variable counts as unset; `overrides` win over the environment.
 * @throws ConfigError naming the bad one.
 */
export function loadConfig(overrides: Env = {}, environment: Env = process.env): Config {
  return loadSettings(Object.keys(SETTINGS) as (keyof Config)[], overrides, environment);
}

/** Only the named settings, for commands that need no more: what is wrong with another one does not stop them. */
export function loadSettings<K extends keyof Config>(
  keys: readonly K[],
  overrides: Env = {},
  environment: Env = process.env,
): Pick<Config, K> {
  const env = { ...environment, ...overrides };
  const config: Partial<Config> = {};
  for (const [key, setting] of Object.entries(SETTINGS))
    if ((keys as readonly string[]).includes(key))
      Object.assign(config, { [key]: setting.read(env[setting.name] || undefined, setting.name, config) });
  return config as Pick<Config, K>;
}

/** Where things lie below DATA_DIR. */
export function dataPaths(dataDir: string) {
  return {
    lock: join(dataDir, "instance.lock"),
    /** Where the embedded database lies (see embedded/place.ts), and the database of an earlier version. */
    database: join(dataDir, "database.json"),
    earlier: join(dataDir, "pg"),
    assets: join(dataDir, "assets"),
    secret: join(dataDir, "secret"),
    nextSecret: join(dataDir, "secret.next"),
    credentials: join(dataDir, "credentials.json"),
  };
}

/** The secret that a rotation changes to; null: `belfry secret rotate` makes one where a file keeps it. @throws ConfigError */
export function nextSecret(env: Env = process.env): string | null {
  return SETTINGS.secret.read(env.NEW_SECRET || undefined, "NEW_SECRET", {});
}

/** The environment of a program that a person is given, with what it needs besides. */
export const environmentWith = (more: Record<string, string>): Env => ({ ...process.env, ...more });

/** What the command line reads besides the settings: where the server is, and with which key to speak to it. */
export interface ClientSettings {
  url: string | null;
  key: string | null;
  /** The settings by which a server of these settings would be found elsewhere than where the embedded one left word. */
  address: string[];
  /** Whether the server of these settings has a database of its own, and so nothing to do with DATA_DIR. */
  ownDatabase: boolean;
}

export function clientSettings(env: Env = process.env): ClientSettings {
  return {
    url: env.BELFRY_URL || null,
    key: env.BELFRY_API_KEY || null,
    address: ["PUBLIC_URL", "HOST", "PORT"].filter((name) => env[name] && env[name] !== "0"),
    ownDatabase: Boolean(env.DATABASE_URL),
  };
}
