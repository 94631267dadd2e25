// Limits of registrations of handsets and assistants, limits of pages, the retention of handsets, and the permitted
// redirect addresses of assistants.

import { canAddRedirectScheme } from "../../model/domain/private_redirect_schemes.ts";
import { LIMITS } from "../../model/limits.ts";
import { integerSetting, listSetting, type SettingTable } from "./setting_types.ts";

export const RATE_AND_RETENTION_SETTINGS = {
  deviceRegistrationsPerMinute: {
    meaning:
      "Maximum number of device registrations per IP address per minute. Ten times as many joins and " +
      "leaves are allowed. Loopback is exempt.",
    ...integerSetting(1, 1_000_000, LIMITS.registrations),
  },
  pageViewsPerMinute: {
    meaning:
      "Maximum number of requests per minute from one IP address for public pages, feeds and API documents. Loopback " +
      "is exempt.",
    ...integerSetting(1, 1_000_000, 600),
  },
  deviceRetentionDays: {
    meaning:
      "Days after which an inactive device is deleted along with its subscriptions. Its reports still count. 0 keeps " +
      "all devices.",
    ...integerSetting(0, 36_500, 365),
  },
  auditRetentionDays: {
    meaning: "Days after which audit log entries are deleted. 0 keeps all entries.",
    ...integerSetting(0, 36_500, 365),
  },
  clientRegistrationsPerMinute: {
    meaning: "Maximum number of assistant registrations per IP address per minute. Loopback is exempt.",
    ...integerSetting(1, 1_000_000, 20),
  },
  oauthRedirectSchemes: {
    meaning:
      "Comma-separated list of additional redirect URI schemes for assistants, such as myeditor. " +
      "Reverse-domain schemes and those of known editors need no entry.",
    ...listSetting(canAddRedirectScheme, "schemes without a colon that browsers do not execute or open themselves"),
  },
} satisfies SettingTable;
