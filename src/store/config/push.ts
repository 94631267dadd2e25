// Whether handsets are woken through push services while their app is closed, who sends the wake-ups, and to where they may go.

import { isHostAndPort } from "./neighbours.ts";
import { ConfigError, list, type Table } from "./setting.ts";

const CONTACT = /^(mailto:[^\s@<>"\\]+@[^\s@<>"\\]+|https:\/\/[^\s"\\]+)$/;

export const PUSH = {
  webPush: {
    name: "WEB_PUSH",
    shownDefault: "off",
    meaning:
      "on wakes handsets whose app is closed, through the push service of their browser or phone (Web Push, UnifiedPush). A wake-up says nothing.",
    read: (raw, name) => {
      if (raw !== undefined && raw !== "on" && raw !== "off")
        throw new ConfigError(name, "must be on or off.");
      return raw === "on";
    },
  },
  /** Null while it is off. */
  webPushContact: {
    name: "WEB_PUSH_CONTACT",
    shownDefault: "PUBLIC_URL where that is https",
    meaning:
      "mailto: or https: address at which push services reach whoever runs this; each wake-up names it.",
    read: (raw, name, { webPush, publicUrl = "" }) => {
      if (raw !== undefined && (!CONTACT.test(raw) || !URL.canParse(raw)))
        throw new ConfigError(name, "must be a mailto: or https: address, such as mailto:ops@example.org.");
      if (!webPush) return null;
      if (raw === undefined && !publicUrl.startsWith("https:"))
        throw new ConfigError(
          name,
          "is required with WEB_PUSH=on where PUBLIC_URL is not https: set it to a mailto: or https: address.",
        );
      return raw ?? publicUrl;
    },
  },
  webPushAllowHosts: {
    name: "WEB_PUSH_ALLOW_HOSTS",
    meaning:
      "Comma list of exact host[:port] of push services that may be private or plain http. Every handset may name them, so name nothing else.",
    ...list(isHostAndPort, "exact host[:port] entries"),
  },
} satisfies Table;
