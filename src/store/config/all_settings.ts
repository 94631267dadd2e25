// Every setting of the service: name, default, meaning and how each is read, by topic. The table of
// docs/reference/settings.md is made of it.

import { BACKUP_SETTINGS } from "./backup_settings.ts";
import { STORAGE_SETTINGS } from "./database_and_secret_settings.ts";
import { NETWORK_SETTINGS } from "./network_settings.ts";
import { OIDC_SETTINGS } from "./oidc_settings.ts";
import { PUSH_SETTINGS } from "./push_settings.ts";
import { RATE_AND_RETENTION_SETTINGS } from "./rate_and_retention_settings.ts";
import { REDIS_WEBHOOK_S3_MAIL_SETTINGS } from "./redis_webhook_s3_mail_settings.ts";
import { type Setting, toSettingName } from "./setting_types.ts";
import { TRACE_SETTINGS } from "./trace_settings.ts";

const DEFINITIONS = {
  ...NETWORK_SETTINGS,
  ...STORAGE_SETTINGS,
  ...REDIS_WEBHOOK_S3_MAIL_SETTINGS,
  ...BACKUP_SETTINGS,
  ...OIDC_SETTINGS,
  ...PUSH_SETTINGS,
  ...RATE_AND_RETENTION_SETTINGS,
  ...TRACE_SETTINGS,
};

export const SETTINGS = Object.fromEntries(
  Object.entries<Setting<unknown>>(DEFINITIONS).map(([key, setting]) => [
    key,
    { name: toSettingName(key), ...setting },
  ]),
) as { [Key in keyof typeof DEFINITIONS]: (typeof DEFINITIONS)[Key] & { name: string } };

/** Their values, by key. */
export type Config = {
  [Key in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Key]["read"]>;
};
