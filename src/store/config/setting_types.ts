// The definition of a setting, and how each kind of value is parsed and validated. An invalid value is refused by name.

/** A setting that cannot be used; the message names it. */
export class ConfigError extends Error {
  constructor(name: string, problem: string) {
    super(`${name} ${problem}`);
    this.name = "ConfigError";
  }
}

/** A host name or URL without a user, and an IP address or range: forms that contain no password. */
const SHOWN_ADDRESS =
  /^(?:(?:https?:\/\/)?[\w.-]{1,60}(?::\d{1,5})?(?:\/[\w./-]{0,60})?|[0-9a-f.:]{2,45}(?:\/\d{1,4})?)$/i;

/** A sentence with a value that is a plain address, for an error message. Other values may contain a secret. */
const nameAddress = (value: string): string => (SHOWN_ADDRESS.test(value) ? ` The wrong value is ${value}.` : "");

/** The name of a setting by its key: DATABASE_POOL_SIZE of `databasePoolSize`. */
export const toSettingName = (key: string): string => key.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toUpperCase();

/** One setting. */
export interface Setting<Value> {
  /** Absent: the name that follows from its key. */
  name?: string;
  /** True for a secret, which NAME_FILE may name a file with. */
  secret?: boolean;
  /** As the README shows it. */
  shownDefault: string;
  meaning: string;
  /** `soFar`: the settings before it, for a derived default. @throws ConfigError */
  read(raw: string | undefined, name: string, soFar: AlreadyReadSettings): Value;
}

/** The pooler's mode: a connection per session, or per transaction. */
export type PoolerMode = "session" | "transaction";

/** The values of settings that a later one needs. */
export type AlreadyReadSettings = Partial<{
  host: string;
  port: number;
  publicUrl: string;
  databaseUrl: string | null;
  databasePoolerMode: PoolerMode | null;
  databaseListenUrl: string | null;
  messageBusUrl: string | null;
  webPush: boolean;
  assetsS3Endpoint: string | null;
  assetsS3Bucket: string | null;
  assetsS3Region: string | null;
  assetsS3AccessKeyId: string | null;
  assetsS3SecretAccessKey: string | null;
  oidcIssuer: string | null;
  oidcClientId: string | null;
  oidcMemberClaim: string | null;
}>;

/** The settings of a topic, in an order that matters only where a default is derived from an earlier one. */
export type SettingTable = Record<string, Setting<unknown>>;

/** A whole number from `min` to `max`; `fallback` when it is not set. */
export const integerSetting = (min: number, max: number, fallback: number) => ({
  shownDefault: String(fallback),
  read(raw: string | undefined, name: string): number {
    if (raw === undefined) return fallback;
    const value = Number(raw);
    if (!/^\d+$/.test(raw) || value < min || value > max)
      throw new ConfigError(name, `must be a whole number from ${min} to ${max}.`);
    return value;
  },
});

/** The URL in its normal form, without a trailing slash. @throws ConfigError naming the setting or flag. */
export function parseHttpUrl(raw: string, name: string): string {
  const url = URL.parse(raw);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new ConfigError(
      name,
      `must be an absolute http or https URL without credentials, query or fragment.${nameAddress(raw)}`,
    );
  return url.href.replace(/\/+$/, "");
}

/** A text of this shape, which `words` describe; null when it is not set. */
export const patternSetting = (shape: RegExp, words: string) => ({
  shownDefault: "(none)",
  read(raw: string | undefined, name: string): string | null {
    if (raw !== undefined && !shape.test(raw)) throw new ConfigError(name, `must be ${words}.`);
    return raw ?? null;
  },
});

/** Reads a URL of one of these protocols (`redis:`) as it was written; null when it is not set. */
export function createUrlSettingReader(protocols: string[]) {
  return (raw: string | undefined, name: string): string | null => {
    if (raw === undefined) return null;
    const url = URL.parse(raw);
    if (!url || !protocols.includes(url.protocol) || !url.hostname)
      throw new ConfigError(name, `must be a URL that begins with ${protocols.join("// or ")}//.`);
    return raw;
  };
}

/** A comma list, in lower case; empty when it is not set. `shape` describes its items. */
export const listSetting = (check: (item: string) => boolean, shape: string) => ({
  shownDefault: "(none)",
  read(raw: string | undefined, name: string): string[] {
    const items = (raw ?? "")
      .split(",")
      .map((item) => item.trim().toLowerCase())
      .filter(Boolean);
    for (const item of items)
      if (!check(item)) throw new ConfigError(name, `must be a comma-separated list of ${shape}.${nameAddress(item)}`);
    return items;
  },
});

/** true or false. */
export const booleanSetting = (fallback: boolean) => ({
  shownDefault: String(fallback),
  read(raw: string | undefined, name: string): boolean {
    if (raw === undefined) return fallback;
    if (raw !== "true" && raw !== "false") throw new ConfigError(name, "must be true or false.");
    return raw === "true";
  },
});
