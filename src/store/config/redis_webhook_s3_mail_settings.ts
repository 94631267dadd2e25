// The other external services: Redis, the receivers of webhooks, a store of files, a mail server.

import { isIP } from "node:net";
import {
  type AlreadyReadSettings,
  ConfigError,
  createUrlSettingReader,
  integerSetting,
  listSetting,
  parseHttpUrl,
  patternSetting,
  type SettingTable,
  toSettingName,
} from "./setting_types.ts";

/** Accepts `example.org`, `10.0.0.1:80` and `[::1]:80`. */
export function isHostAndPort(item: string): boolean {
  const parts = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?$/.exec(item);
  return !!parts && (parts[1] === undefined || isIP(parts[1]) === 6) && Number(parts[3] ?? 0) < 65536;
}

/** Accepts `1.2.3.4`, `1.2.3.4:53`, `::1` and `[::1]:53`. */
function isDnsServer(item: string): boolean {
  if (isIP(item)) return true;
  const parts = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(item);
  return !!parts && isIP(parts[1] ?? parts[2] ?? "") !== 0 && Number(parts[3]) < 65536;
}

export const S3_ACCESS_KEY_SETTING_BASE = patternSetting(/^[\x21-\x7e]{1,256}$/, "printable text without spaces");
export const S3_REGION_SETTING_BASE = patternSetting(/^[a-z0-9-]{1,64}$/i, "a region name, such as eu-west-1 or auto");

/** The five settings of the store belong together; checked when the last of them is read. */
function refuseHalfAStore(soFar: AlreadyReadSettings): void {
  const parts = [
    "assetsS3Endpoint",
    "assetsS3Bucket",
    "assetsS3Region",
    "assetsS3AccessKeyId",
    "assetsS3SecretAccessKey",
  ] as const;
  const missing = parts.filter((part) => soFar[part] == null);
  const [first] = missing;
  if (first && missing.length < parts.length)
    throw new ConfigError(toSettingName(first), "is missing: set all ASSETS_S3_* settings or none.");
}

export const REDIS_WEBHOOK_S3_MAIL_SETTINGS = {
  redisUrl: {
    secret: true,
    shownDefault: "(in process)",
    meaning: "Redis or Valkey for shared rate limits when several services use one database.",
    read: createUrlSettingReader(["redis:", "rediss:"]),
  },
  redisTimeoutMs: {
    meaning:
      "Timeout in milliseconds for Redis calls. After a timeout, requests are allowed and not counted until Redis " +
      "responds again.",
    ...integerSetting(10, 5_000, 100),
  },
  webhookAllowHosts: {
    meaning: "Comma-separated list of exact host[:port] entries: private or plain http hosts that webhooks may call.",
    ...listSetting(isHostAndPort, "exact host[:port] entries"),
  },
  clientMetadataAllowHosts: {
    meaning:
      "Comma-separated list of exact host[:port] entries: private https hosts from which assistant metadata may be " +
      "fetched. Any visitor can trigger these requests, so do not list other hosts.",
    ...listSetting(isHostAndPort, "exact host[:port] entries"),
  },
  webhookDnsServers: {
    meaning: "Comma-separated list of ip[:port] DNS servers for webhook hosts.",
    ...listSetting(isDnsServer, "ip[:port] entries"),
    shownDefault: "(the system's)",
  },
  assetsS3Endpoint: {
    shownDefault: "(files in DATA_DIR)",
    meaning:
      "Endpoint of an S3-compatible store for uploaded files, used instead of DATA_DIR/assets. Required if several " +
      "services use one database.",
    read: (raw, name) => (raw === undefined ? null : parseHttpUrl(raw, name)),
  },
  assetsS3Bucket: {
    meaning: "Bucket for uploaded files. Do not use it for anything else.",
    ...patternSetting(/^[a-z0-9][\w.-]{1,254}$/i, "a bucket name"),
  },
  assetsS3Region: { meaning: "Region of the bucket; auto if the provider has none.", ...S3_REGION_SETTING_BASE },
  assetsS3AccessKeyId: {
    secret: true,
    meaning: "Access key with permission to read, write and delete objects in the bucket.",
    ...S3_ACCESS_KEY_SETTING_BASE,
  },
  assetsS3SecretAccessKey: {
    secret: true,
    meaning: "Secret key for ASSETS_S3_ACCESS_KEY_ID.",
    ...S3_ACCESS_KEY_SETTING_BASE,
    read: (raw, name, soFar) => {
      const value = S3_ACCESS_KEY_SETTING_BASE.read(raw, name);
      refuseHalfAStore({ ...soFar, assetsS3SecretAccessKey: value });
      return value;
    },
  },
  smtpUrl: {
    secret: true,
    shownDefault: "(no e-mail)",
    meaning:
      "smtp:// or smtps:// server for sending one-time links by e-mail. Links that an owner or the operator creates " +
      "are also shown to them.",
    read: createUrlSettingReader(["smtp:", "smtps:"]),
  },
  mailFrom: {
    meaning: "Sender of the e-mails with one-time links.",
    ...patternSetting(/^[^\r\n<>]*<?[^\s@<>]+@[^\s@<>]+>?$/, "an e-mail address, with or without a name"),
    shownDefault: "belfry@ followed by the host of PUBLIC_URL",
  },
} satisfies SettingTable;
