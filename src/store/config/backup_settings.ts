// Where backups go. A bucket for them is spoken to as the one of uploaded files, unless it has settings of its own.

import { S3_ACCESS_KEY_SETTING_BASE, S3_REGION_SETTING_BASE } from "./redis_webhook_s3_mail_settings.ts";
import {
  type AlreadyReadSettings,
  parseHttpUrl,
  patternSetting,
  type SettingTable,
  toSettingName,
} from "./setting_types.ts";

/** An unset setting has the value of the store of uploaded files. */
const orOfFiles = (
  key: keyof AlreadyReadSettings & `assets${string}`,
  read: (raw: string, name: string) => string | null,
) => ({
  shownDefault: toSettingName(key),
  read: (raw: string | undefined, name: string, soFar: AlreadyReadSettings): string | null =>
    raw === undefined ? (soFar[key] ?? null) : read(raw, name),
});

export const BACKUP_SETTINGS = {
  backupTarget: {
    meaning:
      "Default target of belfry backup, checked by belfry doctor: a folder or s3://bucket/prefix. Use " +
      "a separate target for each server.",
    ...patternSetting(
      /^(s3:\/\/[a-z0-9][\w.-]{1,254}(\/[\w./-]*)?|(?!\w+:\/\/).+)$/i,
      "a folder, or s3://bucket/prefix",
    ),
  },
  backupS3Endpoint: {
    meaning: "Endpoint of the S3-compatible store for an s3:// target.",
    ...orOfFiles("assetsS3Endpoint", parseHttpUrl),
  },
  backupS3Region: {
    meaning: "Region of the bucket; auto if the provider has none.",
    ...orOfFiles("assetsS3Region", S3_REGION_SETTING_BASE.read),
  },
  backupS3AccessKeyId: {
    secret: true,
    meaning: "Access key with permission to read, write, list and delete objects in the bucket.",
    ...orOfFiles("assetsS3AccessKeyId", S3_ACCESS_KEY_SETTING_BASE.read),
  },
  backupS3SecretAccessKey: {
    secret: true,
    meaning: "Secret key for BACKUP_S3_ACCESS_KEY_ID.",
    ...orOfFiles("assetsS3SecretAccessKey", S3_ACCESS_KEY_SETTING_BASE.read),
  },
} satisfies SettingTable;
