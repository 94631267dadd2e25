// Push notifications while the app is closed: enabled or not, the sender's contact, and the permitted push services.

import { isHostAndPort } from "./redis_webhook_s3_mail_settings.ts";
import { ConfigError, listSetting, type SettingTable } from "./setting_types.ts";

const CONTACT = /^(mailto:[^\s@<>"\\]+@[^\s@<>"\\]+|https:\/\/[^\s"\\]+)$/;

/** This machine, by the names under which browsers take a page of it for as safe as https. */
const HERE = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;
const isHttps = (publicUrl: string) => publicUrl.startsWith("https:");

/** Reports if browsers can receive push notifications from pages of this address. */
export const canPublicUrlReceivePush = (publicUrl: string) =>
  isHttps(publicUrl) || HERE.test(new URL(publicUrl).hostname);

/** Reports if push services may refuse this contact: the https address of a host that public DNS does not have. */
export const isPrivateContact = (contact: string): boolean => {
  const { protocol, hostname } = new URL(contact);
  if (protocol !== "https:" || HERE.test(hostname)) return false;
  const isAddress = /^[\d.]+$|^\[/.test(hostname);
  return (
    isAddress ||
    !hostname.includes(".") ||
    /\.(lan|local|internal|intranet|home|corp|private|test|arpa)$/.test(hostname)
  );
};

export const PUSH_SETTINGS = {
  webPush: {
    shownDefault: "auto",
    meaning:
      "Push notifications to devices while the app is closed (Web Push, UnifiedPush), without content: on, off or " +
      "auto. auto means on if PUBLIC_URL is an https address or an address of this machine.",
    read: (raw = "auto", name, { publicUrl = "" }) => {
      if (!["auto", "on", "off"].includes(raw)) throw new ConfigError(name, "must be auto, on or off.");
      return raw === "auto" ? canPublicUrlReceivePush(publicUrl) : raw === "on";
    },
  },
  /** Null while it is off. */
  webPushContact: {
    shownDefault: "PUBLIC_URL, if https",
    meaning:
      "The operator's contact address for push services, as a mailto: or https: URL. It is sent with each push " +
      "notification. Apple's push service rejects the default if PUBLIC_URL is a localhost address.",
    read: (raw, name, { webPush, publicUrl = "" }) => {
      if (raw !== undefined && (!CONTACT.test(raw) || !URL.canParse(raw)))
        throw new ConfigError(name, "must be a mailto: or https: address, such as mailto:ops@example.org.");
      if (!webPush) return null;
      if (raw !== undefined) return raw;
      if (!canPublicUrlReceivePush(publicUrl))
        throw new ConfigError(
          name,
          "is required with WEB_PUSH=on if PUBLIC_URL is not https. Set it to a mailto: or https: address.",
        );
      return publicUrl.replace(/^http:/, "https:");
    },
  },
  webPushAllowHosts: {
    meaning:
      "Comma-separated list of exact host[:port] entries: push services that may have a private address or use " +
      "plain http. Any device can use these hosts, so list only push services.",
    ...listSetting(isHostAndPort, "exact host[:port] entries"),
  },
} satisfies SettingTable;
